package report

import (
	"slices"
	"strings"
	"testing"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// Runs that were judged by others, by the model that answered, and by nobody.
func TestJudged(t *testing.T) {
	judge := func(id, reader string, served ...string) *record.Judge {
		return &record.Judge{ID: id, Prompts: strings.Repeat(id, 12), Model: record.Model{Reader: reader, Served: served}}
	}
	judged := func(r *Run, name string, j *record.Judge) *Run {
		r.Name, r.Header.Name, r.Header.Judge = name, name, j
		r.Header.ID = name
		r.Header.Metrics = append(slices.Clone(r.Header.Metrics), "judge")
		scores := r.Scores
		r.Scores = func(yield func(record.Score, error) bool) {
			for s, err := range scores {
				if j != nil {
					s.Values["judge"] = new(1.0)
				}
				if !yield(s, err) {
					return
				}
			}
		}
		return r
	}
	for name, runs := range map[string][]*Run{
		"one":  {judged(standInRun(), "small", judge("a1", "gpt-4.1", "gpt-4.1-2025-04-14"))},
		"self": {judged(llamaRun(), "live", judge("b2", "llama3.1:8b"))},
		"several": {
			judged(standInRun(), "small", judge("a1", "gpt-4.1")),
			judged(llamaRun(), "live", judge("b2", "llama3.1:8b")),
			judged(standInRun(), "unjudged", nil),
			standInRun(),
		},
	} {
		o := fakeOptions()
		o.Columns = []string{"f1@mem0", "judge"}
		d := try.Get(Build(runs, o))(t)
		golden.Check(t, "judged_"+name+".text", render(t, d, "text"))
	}
	o := fakeOptions()
	o.Columns = []string{"f1@mem0"}
	d := try.Get(Build([]*Run{judged(standInRun(), "small", judge("a1", "gpt-4.1"))}, o))(t)
	if strings.Contains(render(t, d, "text"), "judged") {
		t.Error("a table without judgements names the judge")
	}
}

// TestContrastUnasked says that differences do not have the error of an audit.
func TestContrastUnasked(t *testing.T) {
	base, side := pairRun("main", 0), pairRun("change", 0.05)
	scores := side.Scores
	side.Scores = func(yield func(record.Score, error) bool) {
		for s, err := range scores {
			s.Unasked = map[string]float64{"exact-match": 0.01}
			if !yield(s, err) {
				return
			}
		}
	}
	if _, notes := contrast(t, Side{Run: base}, contrastOptions(), Side{Run: side}); !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "not asked about 500 answers of change") }) {
		t.Errorf("notes %q", notes)
	}
}

// TestUnasked has the error of an audit in the interval of a rate, and says for how many
// answers it stands.
func TestUnasked(t *testing.T) {
	half := func(err float64) (float64, []string) {
		r := standInRun()
		r.Header.Metrics = append(slices.Clone(r.Header.Metrics), "judge")
		scores := r.Scores
		r.Scores = func(yield func(record.Score, error) bool) {
			for s, fault := range scores {
				s.Values["judge"], s.Unasked = new(0.5), map[string]float64{"judge": err}
				if s.Request == "q0" {
					s.Values["judge"], s.Unasked = new(1.0), nil
				}
				if !yield(s, fault) {
					return
				}
			}
		}
		o := fakeOptions()
		o.Columns, o.Intervals = []string{"judge"}, true
		d, fault := Build([]*Run{r}, o)
		if fault != nil {
			t.Fatal(fault)
		}
		row := d.Tables[0].Rows[0]
		i := row[len(row)-1].Interval
		if i == nil {
			t.Fatalf("no interval in %+v", row)
		}
		return i.Hi - i.Lo, d.Tables[0].Notes
	}
	narrow, _ := half(0)
	wide, notes := half(0.05)
	if !(wide > narrow) || !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "found a rate of 50.0 right") }) {
		t.Errorf("the interval is %g wide, without the error %g; notes %q", wide, narrow, notes)
	}
}
