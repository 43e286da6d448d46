package semanticanchoring

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"recallbench/datasets"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/methods/internal/linguistic"
	"recallbench/methods/internal/transcript"
	"recallbench/methods/methodtest"
)

func order(found []candidate) string {
	var parts []string
	for _, c := range found {
		parts = append(parts, fmt.Sprintf("%d=%.4f", c.entry, c.score))
	}
	return strings.Join(parts, " ")
}

// The scores are worked by hand from section 3.4; equal ones come with the later
// entry first.
func TestBest(t *testing.T) {
	m := map[int]linguistic.Match{2: {Entities: 1}, 3: {Entities: 0.5, Discourse: 1}, 5: {Dependencies: 1}}
	all := candidates(map[int]float64{0: 0.9, 1: 0.9, 2: 0.1}, m, func(entry int) float64 { return float64(entry) / 10 })
	w := Weights{Similarity: 0.5, Entities: 0.3, Discourse: 0.2}
	for _, tt := range []struct {
		dependencies float64
		k            int
		want         string
	}{
		{0, 10, "3=0.5000 1=0.4500 0=0.4500 2=0.3500 5=0.2500"},
		{0.6, 2, "5=0.8500 3=0.5000"},
	} {
		w.Dependencies = tt.dependencies
		if got := order(w.best(all, tt.k)); got != tt.want {
			t.Errorf("with dependencies %v: %s, want %s", tt.dependencies, got, tt.want)
		}
	}
}

func TestSerialise(t *testing.T) {
	e := linguistic.Entry{
		Turn: "S1:2",
		Line: transcript.Line{Speaker: "Ben", Time: time.Date(2024, 3, 14, 9, 10, 0, 0, time.UTC), Text: "She would rather come on Friday."},
		Features: linguistic.Features{
			Entities: []linguistic.Entity{
				{Name: "Friday", Type: "DATE", Names: []string{"friday"}},
				{ID: "E6", Name: strings.Repeat("x", 81)},
				{ID: "E1", Name: "Ben", Type: "PERSON"},
				{ID: "E5", Name: "Asha [Rao]", Type: "PERSON"},
			},
			Triples: []linguistic.Triple{{Head: "come", Label: "nsubj", Child: "she"}, {Head: "come", Label: "obl", Child: "friday"}},
			Senses:  []string{"Comparison.Contrast"},
		},
	}
	const (
		entities  = "[ENTITY: Asha (Rao) | CorefID=E5 | NER=PERSON] [ENTITY: Friday | NER=DATE]\n"
		discourse = "[DISCOURSE: Comparison.Contrast]\n"
		said      = `[UTTERANCE @ 14 March 2024 09:10] Ben: "She would rather come on Friday."`
		deps      = "\n[DEPS: (come-nsubj-she), (come-obl-friday)]"
	)
	quiet := e
	quiet.Senses = nil
	crowd := linguistic.Entry{Line: transcript.Line{Speaker: "Ben", Text: "Hm."}} // the first four names are shown that are not too long
	for _, name := range []string{"Asha Rao", "", strings.Repeat("x", maxName+1), "Heron Lodge", "Selby", "Thea", "Una"} {
		crowd.Entities = append(crowd.Entities, linguistic.Entity{Name: name})
	}
	for _, tt := range []struct {
		entry linguistic.Entry
		want  string
	}{
		{e, entities + discourse + said},
		{quiet, entities + said + deps},
		{linguistic.Entry{Line: transcript.Line{Text: "Hm."}}, `[UTTERANCE] "Hm."`},
		{crowd, "[ENTITY: Asha Rao] [ENTITY: Heron Lodge] [ENTITY: Selby] [ENTITY: Thea]\n[UTTERANCE] Ben: \"Hm.\""},
	} {
		if got := serialise(tt.entry); got != tt.want {
			t.Errorf("%s\nwant\n%s", got, tt.want)
		}
	}
}

// Each point of the grid has weights that sum to 1, and no two are alike.
func TestGrid(t *testing.T) {
	o := Defaults()
	for _, tt := range []struct {
		discourse bool
		want      int
	}{{true, 7 + 6 + 5 + 4 + 3 + 2}, {false, 6}} {
		o.Layers.Discourse = tt.discourse
		seen := make(map[Weights]bool)
		for _, p := range grid(o) {
			w := p.(Options).Weights
			if sum := w.Similarity + w.Entities + w.Discourse; math.Abs(sum-1) > 1e-12 || seen[w] {
				t.Errorf("weights %+v sum to %v, or stand there twice", w, sum)
			}
			seen[w] = true
		}
		if len(seen) != tt.want {
			t.Errorf("discourse %v: %d points, want %d", tt.discourse, len(seen), tt.want)
		}
	}
}

func TestEntityWeight(t *testing.T) {
	for w, want := range map[EntityWeight]float64{BySize: 4, Inverse: 0.25} {
		if got := w.of(4); got != want {
			t.Errorf("%s weighs %v, want %v", w, got, want)
		}
	}
}

// TestCases records what the memory finds first, with rules in place of models, in
// dialogues of the kinds that appendix C of the paper shows: pronouns and ellipses
// where it says that the memory succeeds, and names that two people share, speech
// repairs and sarcasm where it says that it fails. The golden file says what
// similarity alone finds, too, and whether either is the turn that should be found;
// what is wrong is recorded as it is.
func TestCases(t *testing.T) {
	data := try.Get(os.ReadFile("testdata/cases.txt"))(t)
	dense := Defaults()
	dense.Weights = Weights{Similarity: 1}
	var out strings.Builder
	right := make(map[string]int)
	for text := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n\n") {
		title, sample, question, want := parseCase(t, text)
		fmt.Fprintf(&out, "%s\n  Q: %s\n", title, question)
		for _, by := range []struct {
			name    string
			options Options
		}{{"anchors", Defaults()}, {"similarity", dense}} {
			resp := ask(t, by.options, sample, question)
			top := resp.Evidence[0].Sources[0]
			verdict := "WRONG"
			if top == want {
				verdict = "right"
				right[by.name]++
			}
			_, line, _ := strings.Cut(resp.Evidence[0].Text, "[UTTERANCE] ")
			line, _, _ = strings.Cut(line, "\n")
			fmt.Fprintf(&out, "  %s: %s finds %s %s\n", verdict, by.name, top, line)
			if by.name == "anchors" {
				fmt.Fprintf(&out, "    entities of the question: %s\n    answer: %s\n", fmt.Sprint(resp.Trace[0].Data["entities"]), resp.Text)
			}
		}
	}
	fmt.Fprintf(&out, "right: anchors %d, similarity %d\n", right["anchors"], right["similarity"])
	golden.Check(t, "cases.golden", out.String())
}

// parseCase reads a case: a title, sessions that --- parts, a question behind Q:,
// and behind = the turn that should be found.
func parseCase(t *testing.T, text string) (title string, s datasets.Sample, question, want string) {
	t.Helper()
	title, body, _ := strings.Cut(text, "\n")
	s.ID = title
	session := datasets.Session{ID: "1"}
	for line := range strings.SplitSeq(body, "\n") {
		speaker, said, ok := strings.Cut(line, ": ")
		switch {
		case line == "---":
			s.Sessions = append(s.Sessions, session)
			session = datasets.Session{ID: strconv.Itoa(len(s.Sessions) + 1)}
		case speaker == "Q":
			question = said
		case strings.HasPrefix(line, "= "):
			want = line[2:]
		case ok:
			if !slices.Contains(s.Speakers, speaker) {
				s.Speakers = append(s.Speakers, speaker)
			}
			id := session.ID + ":" + strconv.Itoa(len(session.Turns)+1)
			session.Turns = append(session.Turns, datasets.Turn{ID: id, Speaker: speaker, Text: said})
		default:
			t.Fatalf("%s: line %q", title, line)
		}
	}
	s.Sessions = append(s.Sessions, session)
	return title, s, question, want
}

func ask(t *testing.T, o Options, s datasets.Sample, question string) methods.Response {
	t.Helper()
	m := methodtest.Method(t, Spec, o, methodtest.Plain)
	memory := try.Get(m.Build(t.Context(), s))(t)
	return try.Get(memory.Answer(t.Context(), datasets.Request{ID: "q", Text: question}))(t)
}
