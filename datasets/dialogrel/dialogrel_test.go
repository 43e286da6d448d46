package dialogrel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"recallbench/datasets"
	"recallbench/datasets/internal/dialogre"
	"recallbench/datasets/jsonl"
	"recallbench/internal/testkit/try"
)

// TestQuestions checks that each relation can be asked for in three ways.
func TestQuestions(t *testing.T) {
	for _, relation := range dialogre.Relations() {
		q, ok := questions[relation]
		if relation == dialogre.Unanswerable {
			if ok {
				t.Error("what is unanswerable is asked")
			}
			continue
		}
		if !slices.ContainsFunc(Categories(), func(c datasets.Category) bool { return c.ID == q.category }) || len(q.wordings) < 3 {
			t.Errorf("%s: category %q, %d wordings", relation, q.category, len(q.wordings))
		}
		for _, w := range q.wordings {
			if !strings.Contains(w, "*") || !strings.HasSuffix(w, "?") || strings.Contains(w, "*'") {
				t.Errorf("%s: wording %q", relation, w)
			}
		}
	}
	if len(questions) != len(dialogre.Relations())-1 {
		t.Errorf("%d relations have questions", len(questions))
	}
}

func TestOccurrences(t *testing.T) {
	for _, c := range []struct {
		text, name string
		want       []span
	}{
		{"Ann, ANN and Anna; ann's", "Ann", []span{{0, 3}, {5, 8}, {19, 22}}},
		{"He’s at Joe’s bar", "Joe's Bar", []span{{10, 21}}},
		{"Zoë 50 500 x50", "50", []span{{5, 7}}},
		{"", "Ann", nil},
		{"Ann", "", nil},
		{"Ann", "Ann B", nil},
		{"\xffAnn\xff", "ann", []span{{1, 4}}},
	} {
		if diff := cmp.Diff(c.want, occurrences(c.text, c.name), cmp.AllowUnexported(span{})); diff != "" {
			t.Errorf("%q in %q (-want +got):\n%s", c.name, c.text, diff)
		}
	}
}

// TestReplace says what becomes of Ann, or of the name in brackets, in a session
// after the first. What stays as it is has no arrow.
func TestReplace(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// Subjects.
		{"Ann was here.", "She was here."},
		{"I know. Ann didn’t come.", "I know. She didn’t come."},
		{"I left because Ann said so.", "I left because she said so."},
		{"Honey, Ann is fine.", "Honey, she is fine."},
		{"He came but Ann left.", "He came but she left."},
		{"He came and Ann was glad.", "He came and she was glad."},
		{"What did Ann say?", "What did she say?"},
		{"Ann’s going home.", "She’s going home."},
		{"Where can Ann be found?", "Where can she be found?"},
		// Objects.
		{"I told Ann.", "I told her."},
		{"Come with Ann to the bar!", "Come with her to the bar!"},
		{"I like Ann, but not much.", "I like her, but not much."},
		// Owners.
		{"It is Ann's thing.", "It is that woman's thing."},
		{"Ann’s flat is big.", "That woman’s flat is big."},
		// Names that stay.
		{"Ann!", ""},
		{"Ann, come here.", ""},
		{"Hey Ann, was it good?", ""},
		{"Look at me, Ann.", ""},
		{"Bob and Ann left.", ""},
		{"Ann and Bob were here.", ""},
		{"I saw Ann Miller.", ""},
		{"with Ann, Bob and Cid", ""},
		{"the Ann way", ""},
		{"This is Ann.", ""},
		{"Was that Ann or Bob?", ""},
		{"non-Ann is not a word", ""},
		{"-Ann was here.", ""},
		{"Joanna was here with Anna.", ""},
		{"ann was here.", ""},
		{"Ann’s", ""},
	} {
		s := &scene{
			names: []properName{{"Ann", dialogre.Person}},
			turns: []turn{{text: "Ann?", speakers: []string{"Speaker 1"}}, {text: c.text, session: 1, speakers: []string{"Speaker 2"}}},
		}
		s.replaceNames()
		want := c.want
		if want == "" {
			want = c.text
		}
		got := s.turns[1]
		if got.text != want || s.turns[0].text != "Ann?" {
			t.Errorf("%q becomes %q, want %q", c.text, got.text, want)
		}
		if (len(got.replaced) > 0) != (c.want != "") {
			t.Errorf("%q: replaced %v", c.text, got.replaced)
		}
		for _, r := range got.replaced {
			if r.name != "Ann" || !stands[strings.ToLower(got.text[r.start:r.end])] {
				t.Errorf("%q: replaced by %q", c.text, got.text[r.start:r.end])
			}
		}
	}
}

// TestReplaceWhom looks at who could be meant.
func TestReplaceWhom(t *testing.T) {
	boss := fact{relation: "per:boss", x: argument{names: []string{"Speaker 1"}}, y: argument{names: []string{"Vrenk"}}}
	sister := fact{relation: "per:siblings", x: argument{names: []string{"Speaker 1"}}, y: argument{names: []string{"Ann"}}}
	person, place, org := dialogre.Person, dialogre.Place, dialogre.Organisation
	for _, c := range []struct {
		name          string
		before, text  string
		names         []properName
		facts         []fact
		want          string
		speakers      []string
		sessionBefore int
	}{
		{name: "the same session", before: "Ann!", text: "Ann was here.", names: []properName{{"Ann", person}}, sessionBefore: 1},
		{name: "another name since", before: "Ann! Mary!", text: "Ann was here.", names: []properName{{"Ann", person}, {"Mary", person}}},
		{name: "a man since", before: "Ann! Bob!", text: "Ann was here.", names: []properName{{"Ann", person}, {"Bob", person}}, want: "She was here."},
		{name: "somebody since", before: "Ann! Vrenk!", text: "Ann was here.", names: []properName{{"Ann", person}, {"Vrenk", person}}},
		{name: "a sister", before: "Ann! Mary!", text: "Ann was here.", names: []properName{{"Ann", person}, {"Mary", person}}, facts: []fact{sister}, want: "My sister was here."},
		{name: "two sisters", before: "Ann! Mary!", text: "Ann was here.", names: []properName{{"Ann", person}, {"Mary", person}}, facts: []fact{
			sister, {relation: "per:siblings", x: sister.x, y: argument{names: []string{"Mary"}}},
		}},
		{name: "a boss", before: "Vrenk!", text: "I saw Vrenk.", names: []properName{{"Vrenk", person}}, facts: []fact{boss}, want: "I saw my boss."},
		{name: "another's boss", before: "Vrenk!", text: "I saw Vrenk.", names: []properName{{"Vrenk", person}}, facts: []fact{boss}, speakers: []string{"Speaker 2"}, want: "I saw that person."},
		{name: "somebody", before: "Vrenk!", text: "Yes, I said that Vrenk was here.", names: []properName{{"Vrenk", person}}},
		{name: "a place", before: "Oslo!", text: "I was in Oslo.", names: []properName{{"Oslo", place}}, want: "I was in that place."},
		{name: "a company", before: "Vrenk Ltd!", text: "I work for Vrenk Ltd.", names: []properName{{"Vrenk Ltd", org}}, want: "I work for that organization."},
	} {
		if c.speakers == nil {
			c.speakers = []string{"Speaker 1"}
		}
		s := &scene{names: c.names, facts: c.facts, turns: []turn{{text: c.before, session: c.sessionBefore}, {text: c.text, session: 1, speakers: c.speakers}}}
		s.replaceNames()
		if c.want == "" {
			c.want = c.text
		}
		if got := s.turns[1].text; got != c.want {
			t.Errorf("%s: %q becomes %q, want %q", c.name, c.text, got, c.want)
		}
	}
}

// TestDivide cuts scenes of every length.
func TestDivide(t *testing.T) {
	for n := 1; n <= 60; n++ {
		for seed := range uint64(5) {
			s := &scene{turns: make([]turn, n), facts: []fact{{evidence: []int{n / 3, n / 2}}}}
			s.divide(rand.New(rand.NewPCG(seed, 0)))
			sizes := make([]int, s.sessions)
			for i, turn := range s.turns {
				sizes[turn.session]++
				if i > 0 && turn.session != s.turns[i-1].session && turn.session != s.turns[i-1].session+1 {
					t.Fatalf("%d turns: sessions out of order", n)
				}
			}
			for k, size := range sizes {
				last := k == len(sizes)-1
				if size > maxTurns || size < 1 || !last && size < minTurns {
					t.Errorf("%d turns: sessions of %v", n, sizes)
				}
			}
		}
	}
	// Turns 7 and 8 tell facts: the cut is between them, whatever the seed.
	for seed := range uint64(9) {
		s := &scene{turns: make([]turn, 20), facts: []fact{{evidence: []int{7, 8}}}}
		s.divide(rand.New(rand.NewPCG(seed, 0)))
		if s.turns[7].session != 0 || s.turns[8].session != 1 {
			t.Errorf("cut elsewhere: %+v", s.turns)
		}
	}
}

func TestLocate(t *testing.T) {
	said := func(texts ...string) *scene {
		s := &scene{}
		for i, text := range texts {
			s.turns = append(s.turns, turn{text: text, key: key(text), speakers: []string{fmt.Sprintf("Speaker %d", i%2+1)}})
		}
		return s
	}
	x, y := argument{names: []string{"Speaker 1"}}, argument{names: []string{"Ann", "Annie"}}
	for _, c := range []struct {
		name string
		s    *scene
		f    fact
		want []int
	}{
		{"trigger, y and x", said("no", "my boss Ann", "my boss Ann"), fact{trigger: "boss", x: x, y: y}, []int{2}},
		{"trigger and y", said("Ann", "your boss Annie"), fact{trigger: "Boss", x: x, y: y}, []int{1}},
		{"trigger and x, y elsewhere", said("my boss", "no", "Ann", "Ann"), fact{trigger: "boss", x: x, y: y}, []int{0, 2}},
		{"trigger alone is nothing", said("no", "the boss", "Ann"), fact{trigger: "boss", x: x, y: y}, []int{2}},
		{"a trigger that is not there", said("Ann", "no"), fact{trigger: "boss", x: x, y: y}, []int{0}},
		{"y and x", said("no", "Ann", "Ann"), fact{x: x, y: y}, []int{2}},
		{"y", said("no", "Ann", "no", "Ann"), fact{x: x, y: y}, []int{1, 3}},
		{"at most three", said("Ann", "", "Ann", "", "Ann", "", "Ann"), fact{x: x, y: y}, []int{0, 2, 4}},
		{"y says x", said("no", "Ann"), fact{x: y, y: argument{names: []string{"Speaker 2"}}}, []int{1}},
		{"nothing", said("no", "no"), fact{x: x, y: y}, nil},
	} {
		try.Equal(t, c.name, c.want, c.s.locate(c.f))
	}
}

func TestAliases(t *testing.T) {
	pair := func(x, y, relation string) dialogre.Pair {
		return dialogre.Pair{X: x, Y: y, Relations: []dialogre.Relation{{Name: relation}}}
	}
	a := aliases([]dialogre.Pair{
		pair("Speaker 1", "Ann", alternateNames), pair("Speaker 1", "honey", alternateNames), pair("Speaker 1", "Annie", alternateNames),
		pair("Speaker 2", "Honey", alternateNames), pair("Speaker 2", "Bob", "per:boss"),
	})
	for name, want := range map[string][]string{
		"Speaker 1": {"Speaker 1", "Ann", "Annie"},
		"ann":       {"ann", "Speaker 1", "Annie"},
		"honey":     {"honey"}, // of two
		"Speaker 2": {"Speaker 2"},
		"Bob":       {"Bob"},
	} {
		try.Equal(t, name, want, a.of(name))
	}
}

// small are two dialogues of 14 turns in which the boss of the first speaker is
// told in the first and named in the last turn, and one without turns.
func small(tb testing.TB) string {
	tb.Helper()
	var dialogues []any
	for k, name := range []string{"Ann", "Bob"} {
		var turns []string
		for i := range 14 {
			turns = append(turns, fmt.Sprintf("Speaker %d: Well, turn %d.", i%2+1, i))
		}
		turns[0] = "Speaker 1: My boss is " + name + ", you know."
		turns[13] = "Speaker 2: I believe " + name + " was here."
		pair := func(x, y, yType, relation string, id int, trigger string) map[string]any {
			return map[string]any{"x": x, "y": y, "x_type": "PER", "y_type": yType, "r": []string{relation}, "rid": []int{id}, "t": []string{trigger}}
		}
		dialogues = append(dialogues, []any{turns, []any{
			pair("Speaker 1", name, "PER", "per:boss", 5, "boss"),
			pair(name, "Speaker 1", "PER", "per:subordinate", 6, "boss"),
			pair("Speaker 2", "nobody", "STRING", "per:title", 29, ""),
			pair("Speaker 2", name, "PER", dialogre.Unanswerable, 37, ""),
			pair("Ann", fmt.Sprintf("turn %d", k+3), "STRING", "per:works", 24, ""),
		}})
	}
	dialogues = append(dialogues, []any{[]string{"Speaker 1:"}, []any{}})
	data := try.Get(json.Marshal(dialogues))(tb)
	dir := tb.TempDir()
	try.Do(tb, os.Mkdir(filepath.Join(dir, "dialogre"), 0o755))
	for _, name := range []string{"dev.json", "test.json"} {
		try.Do(tb, os.WriteFile(filepath.Join(dir, "dialogre", name), data, 0o644))
	}
	return dir
}

func TestSmall(t *testing.T) {
	dir := small(t)
	set := try.Get(Spec.Open(t.Context(), datasets.Env{Dir: dir}, Spec.Options))(t)
	s := try.All(t, set.All(t.Context()))[0]
	if len(try.All(t, set.All(t.Context()))) != 1 || len(s.Sessions) != 4 || len(s.Speakers) != 4 {
		t.Fatalf("%d samples, sessions %v, speakers %q", len(try.All(t, set.All(t.Context()))), s.Sessions, s.Speakers)
	}
	golds := make(map[string]datasets.Gold)
	for _, r := range s.Requests {
		g, _ := set.Gold(s.ID, r.ID)
		golds[g.Labels["relation"]+" "+g.Entities[0].Names[0]] = g
	}
	if len(golds) != 5 { // two bosses, two subordinates, one of works
		t.Errorf("%d questions: %v", len(golds), golds)
	}
	works := golds["per:works Ann"]
	if len(works.Variants) != 1 || works.Variants[0] == works.Answer || len(works.Evidence) != 2 {
		t.Errorf("works of Ann, told in two dialogues: %+v", works)
	}
	// The name of the boss is repeated in the second session of each dialogue.
	var texts []string
	for _, session := range s.Sessions {
		for _, turn := range session.Turns {
			texts = append(texts, turn.Text)
		}
	}
	all := strings.Join(texts, "\n")
	if !strings.Contains(all, "I believe he was here.") || !strings.Contains(all, "I believe she was here.") {
		t.Errorf("names are not replaced:\n%s", all)
	}
}

func TestRefusals(t *testing.T) {
	dir := small(t)
	check := func(want string, env datasets.Env, o Options) {
		t.Helper()
		if _, err := Spec.Open(t.Context(), env, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	check(`split: unknown value "train"`, datasets.Env{Dir: dir}, Options{Split: "train"})
	check("with --data or BENCH_DATA", datasets.Env{}, Options{Split: Dev})
	check("run 'bench data fetch dialogre-l'", datasets.Env{Dir: t.TempDir()}, Options{Split: Test})
	for _, env := range []datasets.Env{{}, {Dir: t.TempDir()}} {
		if _, err := Spec.Open(t.Context(), env, Spec.Options); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("error %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Spec.Open(ctx, datasets.Env{Dir: dir}, Spec.Options); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	path := filepath.Join(dir, "dialogre", "test.json")
	try.Do(t, os.WriteFile(path, []byte(`[[["Speaker 1: Hi."],[]]]`), 0o644))
	check("it yields no question", datasets.Env{Dir: dir}, Options{Split: Test})
}

// TestBuildProperties builds sets of dialogues that are put together from words
// which the rules look at.
func TestBuildProperties(t *testing.T) {
	vocabulary := []string{
		"Ann", "Ann's", "Bob", "Oslo", "Vrenk", "honey", "I", "was", "here", "and", "with", "told", ",", ".", "that", "did", "boss", "—", "’", "*", "é",
	}
	arguments := []string{"Speaker 1", "Speaker 2", "Speaker 9", "Ann", "ann", "Bob", "Oslo", "Vrenk", "honey", "?", "*", "Speaker 1 Ann"}
	relations := dialogre.Relations()
	types := []dialogre.Type{dialogre.Person, dialogre.Place, dialogre.Organisation, dialogre.Text}
	dialogue := rapid.Custom(func(t *rapid.T) (d dialogre.Dialogue) {
		for range rapid.IntRange(1, 24).Draw(t, "turns") {
			d.Turns = append(d.Turns, dialogre.Turn{
				Speakers: rapid.SliceOfNDistinct(rapid.SampledFrom(arguments[:2]), 1, 2, rapid.ID).Draw(t, "speakers"),
				Text:     strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 0, 8).Draw(t, "text"), " "),
			})
		}
		for range rapid.IntRange(0, 6).Draw(t, "pairs") {
			d.Pairs = append(d.Pairs, dialogre.Pair{
				X: rapid.SampledFrom(arguments).Draw(t, "x"), Y: rapid.SampledFrom(arguments).Draw(t, "y"),
				XType: rapid.SampledFrom(types).Draw(t, "xType"), YType: rapid.SampledFrom(types).Draw(t, "yType"),
				Relations: []dialogre.Relation{{
					Name: rapid.SampledFrom(relations).Draw(t, "relation"), Trigger: rapid.SampledFrom([]string{"", "boss", "none"}).Draw(t, "trigger"),
				}},
			})
		}
		return d
	})
	rapid.Check(t, func(rt *rapid.T) {
		dialogues := rapid.SliceOfN(dialogue, 1, 12).Draw(rt, "dialogues")
		built, _ := build(dialogues, "test", rapid.Uint64().Draw(rt, "seed"))
		if len(try.All(t, built.All(t.Context()))) == 0 {
			return
		}
		if err := jsonl.Fingerprint(t.Context(), built); err != nil {
			rt.Fatal(err)
		}
		for _, s := range try.All(t, built.All(t.Context())) {
			h := newHistory(s)
			for _, r := range s.Requests {
				g, _ := built.Gold(s.ID, r.ID)
				h.check(t, r, g)
			}
		}
		if t.Failed() {
			rt.FailNow()
		}
	})
}
