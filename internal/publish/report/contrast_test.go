package report

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/calc/infer"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

// pairRun is a run of two methods on 500 questions about 10 samples, whose scores
// are those of standInRun raised by some points.
func pairRun(name string, raised float64, more ...string) *Run {
	counts := map[string]int{"1": 100, "2": 100, "3": 50, "4": 250}
	d := locomoDataset(10, 500)
	names := append([]string{"f1@mem0", "exact-match", "evidence-recall", "tokens@xmemory", "hit-density"}, more...)
	r := &Run{Name: "2026-" + name, Header: record.Header{
		ID: name, Name: name, Status: record.Complete, Seed: 7,
		Binary:   record.Binary{Version: "devel"},
		Datasets: []record.Dataset{d}, Models: []record.Model{offlineModel()}, Metrics: names,
	}}
	cells := []fakeCell{
		{Cell: record.Cell{ID: "c1", Method: "stateless", Use: "stateless"}, level: 0.3},
		{Cell: record.Cell{ID: "c2", Method: "Naive RAG", Use: "flat-rag", Options: map[string]any{"k": 20.0}}, level: 0.4 + raised},
	}
	for i := range cells {
		cells[i].Dataset, cells[i].Model, cells[i].Planned, cells[i].counts = d.Label, "offline", 500, counts
		r.Header.Cells = append(r.Header.Cells, cells[i].Cell)
	}
	r.Scores = scores(d, names, cells...)
	return r
}

func contrastOptions() ContrastOptions { return ContrastOptions{Options: fakeOptions()} }

func TestContrastTable(t *testing.T) {
	o := contrastOptions()
	rows, notes, err := Contrasts(Side{Run: pairRun("main", 0)}, []Side{{Run: pairRun("change", -0.05)}}, o)
	try.Do(t, err)
	golden.Check(t, "contrast.json", unstyled(t, ContrastTable(rows, notes, o, true), "json"))
}

// contrast compares made up runs and returns the rows and notes.
func contrast(t *testing.T, base Side, o ContrastOptions, sides ...Side) ([]Contrast, []string) {
	t.Helper()
	rows, notes, err := Contrasts(base, sides, o)
	try.Do(t, err)
	return rows, notes
}

// The numbers of a row are those of package infer, by the unit that is asked for, and
// two conversations show nothing unless that is accepted.
func TestContrastNumbers(t *testing.T) {
	base, side := scored(map[string][]float64{"a": {0.1, 0.2, 0.3, 0.9}}, "a"), scored(map[string][]float64{"a": {0.4, 0.6, 0.2, 1.1}}, "a")
	d := []float64{0.3, 0.4, -0.1, 0.2}
	units := func(per int) []infer.Unit {
		all := make([]infer.Unit, len(d)/per)
		for i, x := range d {
			all[i/per].ID = strconv.Itoa(i / per)
			all[i/per].Add(x)
		}
		return all
	}
	for _, c := range []struct {
		options Options
		row     infer.Row
		unit    Unit
		verdict string
	}{
		{Options{}, infer.Row{Units: units(2)}, BySample, "insufficient"},
		{Options{Unit: BySample}, infer.Row{Units: units(2)}, BySample, "insufficient"},
		{Options{AcceptTwo: true}, infer.Row{Units: units(2)}, BySample, "~"},
		{Options{Unit: ByRequest}, infer.Row{Units: units(1)}, ByRequest, "~"},
	} {
		o := contrastOptions()
		o.Unit, o.AcceptTwo = c.options.Unit, c.options.AcceptTwo
		rows, _ := contrast(t, Side{Run: base}, o, Side{Run: side})
		r, want := rows[0], infer.Decide([]infer.Row{c.row}, c.options.infer(0))[0]
		if r.Unit != c.unit || !near9(*r.P, *want.P) || r.Test != infer.CR2 || !near9(*r.Detectable, *want.Detectable) || !near9(r.Interval.Lo, want.Interval.Lo) {
			t.Errorf("%+v: %s, p %g by %s, want %g", c.options, r.Unit, *r.P, r.Test, *want.P)
		}
		if r.N != 4 || r.Samples != 2 || r.Higher != 3 || r.Lower != 1 || !near9(r.Base, 0.375) || !near9(r.New, 0.575) || r.Verdict() != c.verdict {
			t.Errorf("%+v: %s, %+v", c.options, r.Verdict(), r)
		}
	}
}

func near9(x, y float64) bool { return math.Abs(x-y) < 1e-9 }

// Sides on other data, or of which no request is the same, are compared by their
// means.
func TestContrastUnpaired(t *testing.T) {
	base, side := pairRun("main", 0), pairRun("change", -0.2)
	side.Header.Datasets[0].SHA256 = strings.Repeat("0", 64)
	rows, notes := contrast(t, Side{Run: base}, contrastOptions(), Side{Run: side})
	golden.Check(t, "contrast_unpaired.text", render(t, ContrastTable(rows, notes, contrastOptions(), false), "text"))

	// The same ids are other questions, of other categories.
	o := contrastOptions()
	o.By, o.Columns = Category, []string{"f1@mem0"}
	rescore(side, func(s *record.Score) {
		s.Category = map[string]string{"1": "3", "2": "2", "3": "1", "4": "4"}[s.Category]
	})
	rows, _ = contrast(t, Side{Run: base, Method: "Naive RAG"}, o, Side{Run: side, Method: "Naive RAG"})
	for i, want := range [][2]int{{100, 50}, {100, 100}, {50, 100}, {250, 250}} {
		if rows[i].Of != want {
			t.Errorf("%s: means over %d requests, want %d", rows[i].Category, rows[i].Of, want)
		}
	}

	a, b := scored(map[string][]float64{"a": {0.1, 0.2, 0.3, 0.9}}, "a"), scored(map[string][]float64{"a": {0.1, 0.2, 0.3, 0.9}}, "a")
	rescore(b, func(s *record.Score) {
		s.Request += "'"
	})
	rows, _ = contrast(t, Side{Run: a}, contrastOptions(), Side{Run: b})
	if r := rows[0]; r.Paired || r.Unpaired != "cannot be paired: no question is on both sides" || r.N != 4 || r.Samples != 2 || r.Insufficient != infer.TwoUnits {
		t.Errorf("%+v, want means that are not paired", r)
	}
}

// Labels may differ where each side has one; else what has no partner is named.
func TestContrastMatches(t *testing.T) {
	values := map[string][]float64{"a": {0.1, 0.2, 0.3, 0.9}, "b": {0.1, 0.2, 0.3, 0.9}, "c": {0, 0, 0, 0}}
	both, one := scored(values, "a", "b"), scored(values, "c")
	_, _, err := Contrasts(Side{Run: both}, []Side{{Run: one}}, contrastOptions())
	if want := `nothing to compare: made has a on locomo with offline, b on locomo with offline; made has c on locomo with offline; want the same labels, or one method for each side as RUN:LABEL`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	rows, _ := contrast(t, Side{Run: both, Method: "b"}, contrastOptions(), Side{Run: one}, Side{Run: both, Method: "a"})
	if len(rows) != 2 || rows[0].Method != "c" || rows[0].BaseMethod != "b" || rows[1].Method != "a" || !rows[1].Same() || rows[1].Side != 1 {
		t.Errorf("%+v, want c and a against b", rows)
	}
	_, notes := contrast(t, Side{Run: both}, contrastOptions(), Side{Run: scored(values, "b", "c")})
	for _, want := range []string{"only in made, and not compared: a on locomo with offline", "only in made, and not compared: c on locomo with offline"} {
		if !slices.Contains(notes, want) {
			t.Errorf("the notes lack %q: %q", want, notes)
		}
	}
	o := contrastOptions()
	o.Columns = []string{"hits"}
	if _, _, err := Contrasts(Side{Run: pairRun("main", 0)}, []Side{{Run: pairRun("change", 0)}}, o); err == nil {
		t.Error("no column to compare is no error")
	}
	other := scored(values, "a")
	other.Header.Metrics = []string{"f1@locomo"}
	if _, _, err := Contrasts(Side{Run: scored(values, "a")}, []Side{{Run: other}}, contrastOptions()); err == nil ||
		err.Error() != "nothing to compare: made and made have no column in common" {
		t.Errorf("no column that is the same: %v", err)
	}
}

// Lower is better of tokens, and of some columns neither is.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		contrast Contrast
		want     string
	}{
		{Contrast{New: 1}, ""},
		{Contrast{N: 1, New: 1, Result: infer.Result{P: new(0.01), Insufficient: infer.TwoUnits}}, "insufficient"},
		{Contrast{N: 1, New: 1, Result: infer.Result{P: new(0.2)}}, "~"},
		{Contrast{N: 1, New: 1, Result: infer.Result{P: new(0.01), Shown: true}}, "better"},
		{Contrast{N: 1, New: -1, Result: infer.Result{P: new(0.01), Shown: true}}, "worse"},
		{Contrast{N: 1, New: 1, Result: infer.Result{P: new(0.01), Shown: true}, Column: metrics.Column{Lower: true}}, "worse"},
		{Contrast{N: 1, New: -1, Result: infer.Result{P: new(0.01), Shown: true}, Column: metrics.Column{Lower: true}}, "better"},
		{Contrast{N: 1, New: 1, Result: infer.Result{P: new(0.01), Shown: true}, Column: metrics.Column{Neutral: true}}, "other"},
		{Contrast{Paired: true, N: 3}, "="},
	} {
		if got := c.contrast.Verdict(); got != c.want {
			t.Errorf("%+v is %q, want %q", c.contrast, got, c.want)
		}
	}
}

// What is better one way round is as much worse the other way round.
func TestContrastTurned(t *testing.T) {
	base, side := pairRun("main", 0), pairRun("change", -0.004)
	o := contrastOptions()
	o.By = Category
	for _, unit := range []Unit{BySample, ByRequest} {
		o.Unit = unit
		there, _ := contrast(t, Side{Run: base}, o, Side{Run: side})
		back, _ := contrast(t, Side{Run: side}, o, Side{Run: base})
		for i, x := range there {
			y := back[i]
			if x.Base != y.New || x.Higher != y.Lower || !cmp.Equal(x.P, y.P) || !cmp.Equal(x.Adjusted, y.Adjusted) || x.Better() != y.Worse() || x.Shown != y.Shown {
				t.Errorf("%s of %s: %+v, turned round %+v", x.Column.Name, x.Category, x, y)
			}
		}
	}
}
