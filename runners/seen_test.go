package runners_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"recallbench/datasets"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/methods/incontext"
	"recallbench/metrics"
	"recallbench/runners"
)

type talkOptions struct {
	Samples int `yaml:"samples"`
	// Bare leaves the gold answers without evidence.
	Bare bool `yaml:"bare"`
	// Growing makes every conversation go on from the one before.
	Growing bool `yaml:"growing"`
}

// talkData has conversations of two sessions of three turns, whose ids are the same in
// each, with three questions: of turns of both sessions, of a whole session and of
// nothing.
var talkData = &datasets.Spec{
	Name:    "talk",
	Options: talkOptions{Samples: 4},
	Open: func(_ context.Context, _ datasets.Env, options any) (*datasets.Set, error) {
		o := options.(talkOptions)
		set := &datasets.Set{Name: "talk", Version: "1", SHA256: "sha"}
		for i := range o.Samples {
			s := datasets.Sample{ID: fmt.Sprintf("s%d", i), Speakers: []string{"A", "B"}}
			at := time.Date(2024, 1, 2+i, 3, 4, 0, 0, time.UTC)
			for j := range 2 {
				session := datasets.Session{ID: strconv.Itoa(j + 1), Time: at.AddDate(0, j, 0)}
				for k := range 3 {
					text := fmt.Sprintf("turn %d of session %d of s%d", k+1, j+1, i)
					if o.Growing {
						text = fmt.Sprintf("turn %d of session %d", k+1, j+1)
					}
					session.Turns = append(session.Turns, datasets.Turn{ID: fmt.Sprintf("%d:%d", j+1, k+1), Speaker: s.Speakers[k%2], Text: text, Time: session.Time})
				}
				s.Sessions = append(s.Sessions, session)
			}
			gold := []datasets.Gold{
				{Category: "1", Answer: "GOLD both", Evidence: []string{"1:2", "2:3"}, Sessions: []string{"1", "2"}},
				{Category: "1", Answer: "GOLD second", Sessions: []string{"2"}},
				{Category: "1", Answer: "GOLD none"},
			}
			for j, g := range gold {
				if o.Bare {
					g.Evidence, g.Sessions = nil, nil
				}
				r := datasets.Request{ID: fmt.Sprintf("q%d", j), Text: fmt.Sprintf("question %d", j)}
				s.Requests = append(s.Requests, r)
				set.SetGold(s.ID, r.ID, g)
			}
			set.Fill(s)
		}
		return set, nil
	},
}

const talkConfig = `
name: talk
seed: 7
datasets: [{use: talk}]
methods: [{use: looker}]
models: [{use: echo}]
metrics: [same]
`

// A looker answers with all that it is shown, and remembers it.
type looker struct {
	view methods.View
	mu   sync.Mutex
	seen []datasets.Sample
}

func (l *looker) spec() *methods.Spec {
	return &methods.Spec{Name: "looker", Sees: l.view, New: func(methods.Env, any) (methods.Method, error) { return l, nil }}
}

func (l *looker) Build(_ context.Context, s datasets.Sample) (methods.Memory, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = append(l.seen, s)
	return looked{s}, nil
}

type looked struct{ datasets.Sample }

func (l looked) Answer(context.Context, datasets.Request) (methods.Response, error) {
	var lines []string
	for _, s := range l.Sessions {
		for _, t := range s.Turns {
			lines = append(lines, fmt.Sprintf("%s %s %s: %s", t.ID, t.Time.Format(time.DateOnly), t.Speaker, t.Text))
		}
	}
	return methods.Response{Text: strings.Join(lines, "\n")}, nil
}

func talkPlan(t *testing.T, spec *methods.Spec, set ...string) (*runners.Plan, error) {
	t.Helper()
	plug := plugins(new(toyMethod))
	plug.Datasets, plug.Methods = []*datasets.Spec{talkData}, []*methods.Spec{spec}
	return planOf(t, plug, strings.Replace(talkConfig, "looker", spec.Name, 1), set...)
}

// answered returns the answers of a run by sample and request.
func answered(t *testing.T, f record.Folder, cell string) map[string]string {
	t.Helper()
	got := make(map[string]string)
	for line := range try.Each(t, record.Lines[record.Record](f.Records(cell))) {
		got[line.Value.Sample+"/"+line.Value.Request] = line.Value.Answer
	}
	return got
}

// TestViews checks what a method is shown by each view, to the turn, and that nothing of
// a gold answer or a request is.
func TestViews(t *testing.T) {
	both := "1:2 2024-01-02 B: turn 2 of session 1 of s0\n2:3 2024-02-02 A: turn 3 of session 2 of s0"
	second := "2:1 2024-02-02 A: turn 1 of session 2 of s0\n2:2 2024-02-02 B: turn 2 of session 2 of s0\n2:3 2024-02-02 A: turn 3 of session 2 of s0"
	for name, c := range map[string]struct {
		view    methods.View
		built   int
		answers map[string]string
		note    string
	}{
		"evidence": {
			methods.OnlyEvidence, 12,
			map[string]string{"s0/q0": both, "s0/q1": second, "s0/q2": ""},
			"sees only the gold evidence of each question: a ceiling, not a memory; 4 of 12 questions have none and are answered without",
		},
		"elsewhere": {methods.Elsewhere, 4, map[string]string{
			"s0/q0": whole("s1/", 1), "s2/q1": whole("s3/", 3), "s3/q2": whole("s0/", 0),
		}, "sees a different conversation than the questions are about: a control, not a memory"},
		"everything": {methods.Everything, 4, map[string]string{"s0/q0": whole("", 0), "s3/q2": whole("", 3)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := &looker{view: c.view}
			r := start(t, try.Get(talkPlan(t, l.spec()))(t))
			result := execute(t, r, runners.Options{})
			got := answered(t, r.Folder(), result.Header.Cells[0].ID)
			for key, want := range c.answers {
				try.Equal(t, key, want, got[key])
			}
			if result.Failed != 0 || len(got) != 12 || len(l.seen) != c.built {
				t.Errorf("%d answers, %d failed, %d memories built, want 12, 0 and %d", len(got), result.Failed, len(l.seen), c.built)
			}
			for _, s := range l.seen {
				if text := fmt.Sprintf("%+v", s); strings.Contains(text, "GOLD") || strings.Contains(text, "question") {
					t.Errorf("the method is shown more than turns: %s", text)
				}
			}
			try.Equal(t, "note", c.note, result.Header.Cells[0].Sees)
		})
	}
}

// whole is all that is said in a conversation, with turn ids that begin with a prefix.
func whole(prefix string, i int) string {
	var lines []string
	for j := 1; j <= 2; j++ {
		for k, speaker := range []string{"A", "B", "A"} {
			day := time.Date(2024, time.Month(j), 2+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
			lines = append(lines, fmt.Sprintf("%s%d:%d %s %s: turn %d of session %d of s%d", prefix, j, k+1, day, speaker, k+1, j, i))
		}
	}
	return strings.Join(lines, "\n")
}

// TestBaselineRecall checks that the ceiling is shown all gold evidence and the control
// none, and that both take part in an estimate.
func TestBaselineRecall(t *testing.T) {
	for spec, want := range map[*methods.Spec]float64{incontext.OracleSpec: 1, incontext.PlaceboSpec: 0, incontext.RecentSpec: 1} {
		t.Run(spec.Name, func(t *testing.T) {
			plan := func(set ...string) *runners.Plan { return try.Get(talkPlan(t, spec, set...))(t) }
			r := start(t, plan())
			result := execute(t, r, runners.Options{})
			score(t, r.Folder(), result.Header, []*metrics.Spec{metrics.EvidenceRecallSpec})
			scored := 0
			for line := range try.Each(t, record.Lines[record.Score](r.Folder().Scores())) {
				if x := line.Value.Values["evidence-recall"]; x != nil {
					scored++
					if *x != want {
						t.Errorf("%s/%s has a recall of %v, want %v", line.Value.Sample, line.Value.Request, *x, want)
					}
				}
			}
			if scored != 4 {
				t.Errorf("recall is defined for %d questions, want the 4 with evidence", scored)
			}
			e := try.Get(plan().Estimate(t.Context()))(t)
			if len(e) != 1 || e[0].Query.Units != 12 || e[0].Failed != 0 {
				t.Errorf("estimate %+v, want 12 questions", e)
			}
		})
	}
}

// TestViewFaults checks what is said where there is nothing to see.
func TestViewFaults(t *testing.T) {
	for name, c := range map[string]struct {
		view methods.View
		set  string
		want string
	}{
		"no evidence":      {methods.OnlyEvidence, "datasets.talk.options.bare=true", "method looker on talk: looker needs the gold evidence of questions, and talk has none; want a dataset with gold evidence, such as locomo or longmemeval; exclude: [{method: \"looker\", dataset: \"talk\"}] leaves it out"},
		"one conversation": {methods.Elsewhere, "datasets.talk.options.samples=1", "method looker on talk: looker needs another conversation of the dataset, and talk has 1; want a dataset, or options, with at least 2; exclude: [{method: \"looker\", dataset: \"talk\"}] leaves it out"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := talkPlan(t, (&looker{view: c.view}).spec(), c.set)
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
	l := &looker{view: methods.Elsewhere}
	r := start(t, try.Get(talkPlan(t, l.spec(), "datasets.talk.options.growing=true", "limits.errors=1"))(t))
	result := execute(t, r, runners.Options{})
	const want = "no other conversation of talk: all continue the same history"
	for line := range try.Each(t, record.Lines[record.Record](r.Folder().Records(result.Header.Cells[0].ID))) {
		if e := line.Value.Error; e == nil || e.Message != want {
			t.Errorf("%s/%s: %+v, want %s", line.Value.Sample, line.Value.Request, e, want)
		}
	}
	if len(l.seen) > 0 {
		t.Errorf("%d memories are built", len(l.seen))
	}
}
