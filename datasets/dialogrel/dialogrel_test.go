package dialogrel

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"recallbench/datasets"
	"recallbench/datasets/jsonl"
	"recallbench/internal/testkit/try"
)

// TestQuestions checks that each relation can be asked for in three ways.
func TestQuestions(t *testing.T) {
	if len(questions) != 36 || questions[unanswerable].wordings != nil {
		t.Errorf("%d relations have questions, want all 36 that have an answer", len(questions))
	}
	for relation, q := range questions {
		if len(q.wordings) < 3 {
			t.Errorf("%s: %d wordings", relation, len(q.wordings))
		}
		for _, w := range q.wordings {
			if !strings.Contains(w, "*") || !strings.HasSuffix(w, "?") || strings.Contains(w, "*'") {
				t.Errorf("%s: wording %q", relation, w)
			}
		}
	}
}

func TestSource(t *testing.T) {
	got := try.Get(parseSource("small.json", []byte("\ufeff"+`[[["Speaker 1: Hi, I'm Ada.", "Speaker 2, Speaker 1:: Hello!", "Speaker 2:Bye: now", "Speaker 3:"],
 [{"x": "Speaker 1", "y": "Ada", "x_type": "PER", "y_type": "STRING", "r": ["per:alternate_names", "unanswerable"], "rid": [30, 37], "t": ["", "am"]}]]]`)))(t)
	turns := []turn{
		{speakers: []string{"Speaker 1"}, text: "Hi, I'm Ada."},
		{speakers: []string{"Speaker 2", "Speaker 1"}, text: "Hello!"},
		{speakers: []string{"Speaker 2"}, text: "Bye: now"},
		{speakers: []string{"Speaker 3"}},
	}
	pairs := []pair{{X: "Speaker 1", Y: "Ada", XKind: kindPerson, YKind: kindText, Relations: []string{alternateNames, unanswerable}, Triggers: []string{"", "am"}}}
	try.Equal(t, "dialogue", []dialogue{{turns, pairs}}, got, cmp.AllowUnexported(dialogue{}, turn{}), cmpopts.IgnoreFields(pair{}, "At"))
}

func TestSourceFaults(t *testing.T) {
	check := func(text string, want ...string) {
		t.Helper()
		_, err := parseSource("f.json", []byte(text))
		if err == nil {
			t.Fatalf("%.60s: no error", text)
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%.60s: error %v, want %q in it", text, err, w)
			}
		}
	}
	check("[]", "it has no dialogue")
	check(`[7,[[]],[[],[]],[["Speaker 1: a"],{}]]`, "[0]: want an array, have a number", "[1]: has 1 elements, want two",
		"[2][0]: it has no turn", "[3][1]: want an array, have an object")
	check(`[[["a","Speaker: b","Speaker 1 and 2: c",7,"Speaker 12345: x","`+strings.Repeat("x", 999)+`"],[]]]`,
		`[0][0][0]: begins with "a", want "Speaker 1:"`, "[0][0][1]", "[0][0][2]", "[0][0][3]: want a string, have a number", "[0][0][4]", "xxx…")
	with := func(old, replacement string) string {
		return strings.Replace(`[[["Speaker 1: a"],[{"x":"Speaker 1","y":"a","x_type":"PER","y_type":"PER","r":["per:boss"],"t":[""]}]]]`, old, replacement, 1)
	}
	try.Get(parseSource("f.json", []byte(with("", ""))))(t)
	check(with(`"x":"Speaker 1"`, `"x":" "`), `"x" is empty`)
	check(with(`"y_type":"PER"`, `"y_type":"DOG"`), `a type is "DOG", want one of`)
	check(with(`[""]`, `[]`), "r and t have 1 and 0 elements")
	check(with(`per:boss`, `per:bos`), `[0][1][0]: "per:bos" is not a relation`)
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
			names: []properName{{"Ann", kindPerson}},
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
	person, place, org := kindPerson, kindPlace, kindOrganisation
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
	a := aliases([]pair{
		{X: "Speaker 1", Y: "Ann", Relations: []string{alternateNames}},
		{X: "Speaker 1", Y: "honey", Relations: []string{alternateNames}},
		{X: "Speaker 1", Y: "Annie", Relations: []string{alternateNames}},
		{X: "Speaker 2", Y: "Honey", Relations: []string{alternateNames}},
		{X: "Speaker 2", Y: "Bob", Relations: []string{"per:boss"}},
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
		pair := func(x, y, yType, relation, trigger string) map[string]any {
			return map[string]any{"x": x, "y": y, "x_type": "PER", "y_type": yType, "r": []string{relation}, "t": []string{trigger}}
		}
		dialogues = append(dialogues, []any{turns, []any{
			pair("Speaker 1", name, "PER", "per:boss", "boss"),
			pair(name, "Speaker 1", "PER", "per:subordinate", "boss"),
			pair("Speaker 2", "nobody", "STRING", "per:title", ""),
			pair("Speaker 2", name, "PER", unanswerable, ""),
			pair("Ann", fmt.Sprintf("turn %d", k+3), "STRING", "per:works", ""),
		}})
	}
	dialogues = append(dialogues, []any{[]string{"Speaker 1:"}, []any{}})
	data := try.Get(json.Marshal(dialogues))(tb)
	return try.Files(tb, map[string]string{"dialogre/dev.json": string(data), "dialogre/test.json": string(data)})
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
	check := func(want, folder string) {
		t.Helper()
		if _, err := Spec.Open(t.Context(), datasets.Env{Dir: folder}, Spec.Options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	check("with --data or BENCH_DATA", "")
	check("run 'bench data fetch dialogre-l'", t.TempDir())
	check("it yields no question", try.Files(t, map[string]string{"dialogre/test.json": `[[["Speaker 1: Hi."],[]]]`}))
}

// TestBuildProperties builds sets of dialogues that are put together from words
// which the rules look at.
func TestBuildProperties(t *testing.T) {
	vocabulary := []string{
		"Ann", "Ann's", "Bob", "Oslo", "Vrenk", "honey", "I", "was", "here", "and", "with", "told", ",", ".", "that", "did", "boss", "—", "’", "*", "é",
	}
	arguments := []string{"Speaker 1", "Speaker 2", "Speaker 9", "Ann", "ann", "Bob", "Oslo", "Vrenk", "honey", "?", "*", "Speaker 1 Ann"}
	relations := append(slices.Sorted(maps.Keys(questions)), unanswerable)
	dialogues := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) (d dialogue) {
		for range rapid.IntRange(1, 24).Draw(t, "turns") {
			d.turns = append(d.turns, turn{
				speakers: rapid.SliceOfNDistinct(rapid.SampledFrom(arguments[:2]), 1, 2, rapid.ID).Draw(t, "speakers"),
				text:     strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 0, 8).Draw(t, "text"), " "),
			})
		}
		for range rapid.IntRange(0, 6).Draw(t, "pairs") {
			d.pairs = append(d.pairs, pair{
				X: rapid.SampledFrom(arguments).Draw(t, "x"), Y: rapid.SampledFrom(arguments).Draw(t, "y"),
				XKind: rapid.SampledFrom(kinds[:4]).Draw(t, "xKind"), YKind: rapid.SampledFrom(kinds[:4]).Draw(t, "yKind"),
				Relations: []string{rapid.SampledFrom(relations).Draw(t, "relation")},
				Triggers:  []string{rapid.SampledFrom([]string{"", "boss", "none"}).Draw(t, "trigger")},
			})
		}
		return d
	}), 1, 12)
	rapid.Check(t, func(rt *rapid.T) {
		built, _ := build(dialogues.Draw(rt, "dialogues"), "test", rapid.Uint64().Draw(rt, "seed"))
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
