package linkgrammar

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/annotate"
)

// installed returns an annotator that runs the real program.
func installed(tb testing.TB, o Options) *Annotator {
	tb.Helper()
	if _, err := exec.LookPath("link-parser"); err != nil {
		if os.Getenv("BENCH_REQUIRE_LINKGRAMMAR") == "1" {
			tb.Fatalf("%v, and BENCH_REQUIRE_LINKGRAMMAR is 1; %s", err, Install)
		}
		tb.Skipf("%v; %s", err, Install)
	}
	a, err := New(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := a.Close(); err != nil {
			tb.Error(err)
		}
	})
	return a
}

// sentences returns a request of sentences.
func sentences(texts ...string) annotate.Request {
	r := annotate.Request{Layers: []annotate.Layer{annotate.Dependencies}}
	for _, t := range texts {
		r.Utterances = append(r.Utterances, annotate.Utterance{Text: t})
	}
	return r
}

// show writes a sentence's dependencies as label(head, dependent).
func show(s annotate.Sentence) string {
	var all []string
	for _, d := range s.Dependencies {
		head := "ROOT"
		if d.Head >= 0 {
			head = s.Tokens[d.Head].Text
		}
		all = append(all, fmt.Sprintf("%s(%s, %s)", d.Label, head, s.Tokens[d.Dependent].Text))
	}
	return strings.Join(all, " ")
}

// The expectations are those of the guidelines of Universal Dependencies, written
// by hand.
var parsed = []struct{ text, want string }{
	{"She gave him the reference number.", "nsubj(gave, She) root(ROOT, gave) iobj(gave, him) det(number, the) compound(number, reference) obj(gave, number)"},
	{"I would like to book a cheap hotel for two people.", "nsubj(like, I) aux(like, would) root(ROOT, like) mark(book, to) xcomp(like, book) det(hotel, a) amod(hotel, cheap) obj(book, hotel) case(people, for) nummod(people, two) obl(book, people)"},
	{"The restaurant that serves Chinese food is in the north.", "det(restaurant, The) nsubj(north, restaurant) nsubj(serves, that) acl:relcl(restaurant, serves) amod(food, Chinese) obj(serves, food) cop(north, is) case(north, in) det(north, the) root(ROOT, north)"},
	{"Can you find me a train to Cambridge on Monday?", "aux(find, Can) nsubj(find, you) root(ROOT, find) iobj(find, me) det(train, a) obj(find, train) case(Cambridge, to) obl(find, Cambridge) case(Monday, on) obl(find, Monday)"},
	{"The table was booked by Anna.", "det(table, The) nsubj:pass(booked, table) aux:pass(booked, was) root(ROOT, booked) case(Anna, by) obl(booked, Anna)"},
	{"The hotel's phone number is 01223.", "det(hotel, The) nmod:poss(number, hotel) case(hotel, 's) compound(number, phone) nsubj(01223, number) cop(01223, is) root(ROOT, 01223)"},
	{"I think that he is not a doctor.", "nsubj(think, I) root(ROOT, think) mark(doctor, that) nsubj(doctor, he) cop(doctor, is) neg(doctor, not) det(doctor, a) ccomp(think, doctor)"},
	{"Where did you see Rachel?", "advmod(see, Where) aux(see, did) nsubj(see, you) root(ROOT, see) obj(see, Rachel)"},
	{"What did he buy?", "obj(buy, What) aux(buy, did) nsubj(buy, he) root(ROOT, buy)"},
	{"She seems happy.", "nsubj(seems, She) root(ROOT, seems) xcomp(seems, happy)"},
	{"It is a very expensive place.", "nsubj(place, It) cop(place, is) det(place, a) advmod(expensive, very) amod(place, expensive) root(ROOT, place)"},
	{"If it rains, we will stay here.", "mark(rains, If) nsubj(rains, it) advcl(stay, rains) nsubj(stay, we) aux(stay, will) root(ROOT, stay) advmod(stay, here)"},
	{"They were eating and drinking.", "nsubj(eating, They) aux(eating, were) root(ROOT, eating) cc(drinking, and) conj(eating, drinking)"},
	{"I don’t know my number.", "nsubj(know, I) aux(know, don’t) root(ROOT, know) nmod:poss(number, my) obj(know, number)"},
	{"Rachel, my boss, works here.", "nsubj(works, Rachel) nmod:poss(boss, my) appos(Rachel, boss) root(ROOT, works) advmod(works, here)"},
	{"There are three rooms in it.", "expl(are, There) root(ROOT, are) nummod(rooms, three) nsubj(are, rooms) case(it, in) obl(are, it)"},
	{"Here is my number.", "advmod(is, Here) root(ROOT, is) nmod:poss(number, my) nsubj(is, number)"},
	{"Let me check that.", "root(ROOT, Let) obj(Let, me) xcomp(Let, check) obj(check, that)"},
	{"We can leave at 9:30 am.", "nsubj(leave, We) aux(leave, can) root(ROOT, leave) case(am, at) nummod(am, 9:30) obl(leave, am)"},
	{"i need it for 3 nights", "nsubj(need, i) root(ROOT, need) obj(need, it) case(nights, for) nummod(nights, 3) obl(need, nights)"},
}

func TestDependencies(t *testing.T) {
	a := installed(t, Options{Processes: 2})
	var texts []string
	for _, tt := range parsed {
		texts = append(texts, tt.text)
	}
	r := sentences(texts...)
	doc, err := a.Annotate(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Check(r); err != nil {
		t.Fatal(err)
	}
	for i, tt := range parsed {
		if diff := cmp.Diff(tt.want, show(doc.Sentences[i])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.text, diff)
		}
	}
	// Neither the order nor what a process has parsed before changes a parse.
	slices.Reverse(r.Utterances)
	again, err := a.Annotate(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(again.Sentences)
	for i := range again.Sentences {
		again.Sentences[i].Utterance = i
	}
	if diff := cmp.Diff(doc, again); diff != "" {
		t.Errorf("in another order (-want +got):\n%s", diff)
	}
}

// What is no English sentence reaches neither the parser's commands nor another
// sentence's reply.
func TestHostile(t *testing.T) {
	a := installed(t, Options{})
	texts := []string{
		"", "   ", "...", "!exit", "!file /etc/passwd", "%a comment", "\n!exit\n", "!help\r\n!exit", "a\x00b", "\xff\xfe is here",
		"short set to 16", "[0]", "I like (((it))) [very] {much}", ")(][", strings.Repeat("very long ", 100_000), "我喜欢这家酒店。",
		"%", "yes", "\u2028!exit", "😀 😀", "İİİ ııı", "[(LEFT-WALL)(yes)]",
	}
	r := sentences(append(texts, "She likes it.")...)
	doc, err := a.Annotate(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Check(r); err != nil {
		t.Error(err)
	}
	for i, s := range doc.Sentences[:len(texts)] {
		if s.Failed {
			t.Errorf("the parser failed at %.40q", texts[i])
		}
	}
	for _, i := range []int{0, 1, 2, 14} {
		if !doc.Sentences[i].Unparsed {
			t.Errorf("%.40q was parsed: %s", texts[i], show(doc.Sentences[i]))
		}
	}
	if got, want := show(doc.Sentences[len(texts)]), "nsubj(likes, She) root(ROOT, likes) obj(likes, it)"; got != want {
		t.Errorf("the sentence after all this: got %s, want %s", got, want)
	}
}

func TestVersionIsChecked(t *testing.T) {
	_, err := installed(t, Options{Version: "4.8"}).Annotate(t.Context(), sentences("It works."))
	if err == nil || !strings.Contains(err.Error(), `want 4.8`) {
		t.Errorf("another version: error %v", err)
	}
}

func BenchmarkAnnotate(b *testing.B) {
	a := installed(b, Options{Timeout: 10 * time.Second})
	var texts []string
	for _, tt := range parsed {
		texts = append(texts, tt.text)
	}
	r := sentences(texts...)
	for b.Loop() {
		if _, err := a.Annotate(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(texts))/b.Elapsed().Seconds(), "sentences/s")
}
