package report

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/calc/infer"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

// pairRun is a run of two methods on 500 questions about 10 samples, whose scores
// are those of standInRun raised by some points.
func pairRun(name string, raised float64, more ...string) *Run {
	counts := map[string]int{"1": 100, "2": 100, "3": 50, "4": 250}
	r := runOf(name, locomoDataset(10, 500), fiveMetrics(more...), []fakeCell{
		{Cell: record.Cell{ID: "c1", Method: "stateless", Use: "stateless"}, level: 0.3, counts: counts},
		{Cell: record.Cell{ID: "c2", Method: "Naive RAG", Use: "flat-rag", Options: map[string]any{"k": 20.0}}, level: 0.4 + raised, counts: counts},
	})
	r.Name = "2026-" + name
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
func contrast(t *testing.T, base Side, o ContrastOptions, sides ...Side) ([]*Contrast, []string) {
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
		contrast *Contrast
		want     string
	}{
		{&Contrast{New: 1}, ""},
		{&Contrast{N: 1, New: 1, Result: infer.Result{P: new(0.01), Insufficient: infer.TwoUnits}}, "insufficient"},
		{&Contrast{N: 1, New: 1, Result: infer.Result{P: new(0.2)}}, "~"},
		{&Contrast{N: 1, New: 1, Result: infer.Result{P: new(0.01), Shown: true}}, "better"},
		{&Contrast{N: 1, New: -1, Result: infer.Result{P: new(0.01), Shown: true}}, "worse"},
		{&Contrast{N: 1, New: 1, Result: infer.Result{P: new(0.01), Shown: true}, Column: metrics.Column{Lower: true}}, "worse"},
		{&Contrast{N: 1, New: -1, Result: infer.Result{P: new(0.01), Shown: true}, Column: metrics.Column{Lower: true}}, "better"},
		{&Contrast{N: 1, New: 1, Result: infer.Result{P: new(0.01), Shown: true}, Column: metrics.Column{Neutral: true}}, "other"},
		{&Contrast{Paired: true, N: 3}, "="},
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

// A split says which of two replicates of a request's answer each side has, and -1
// for neither.
type split func(r *rand.Rand) func(conversation, question int) (base, side int)

// splits are the ways to make two sides of one run, whose differences are chance.
var splits = map[string]split{
	// Two answers to each question, dealt out by the toss of a coin.
	"answers": func(r *rand.Rand) func(int, int) (int, int) {
		return func(int, int) (int, int) { i := r.IntN(2); return i, 1 - i }
	},
	// The same for all questions about a conversation.
	"answers of conversations": func(r *rand.Rand) func(int, int) (int, int) {
		sides := make(map[int]int)
		return func(conversation, _ int) (int, int) {
			if _, ok := sides[conversation]; !ok {
				sides[conversation] = r.IntN(2)
			}
			return sides[conversation], 1 - sides[conversation]
		}
	},
	// Each question is asked on one side only.
	"questions": func(r *rand.Rand) func(int, int) (int, int) {
		return func(int, int) (int, int) { i := -r.IntN(2); return i, -1 - i }
	},
	// All questions about a conversation are asked on one side only.
	"conversations": func(r *rand.Rand) func(int, int) (int, int) {
		of := r.Perm(levelConversations)
		return func(conversation, _ int) (int, int) {
			i := -(of[conversation] % 2)
			return i, -1 - i
		}
	},
}

const (
	levelConversations = 10
	levelQuestions     = 12 // about a conversation
)

// levelRun is a run whose questions have two answers each: conversations differ, the
// second answers to the questions of one are all a bit better or worse than the first,
// and so are questions.
func levelRun(categories int) (questions [][]record.Score, header record.Header) {
	r := rand.New(rand.NewPCG(25, 0))
	d := locomoDataset(levelConversations, levelConversations*levelQuestions)
	header = record.Header{
		Status: record.Complete, Seed: 7, Datasets: []record.Dataset{d}, Models: []record.Model{offlineModel()},
		Metrics: []string{"f1@mem0", "exact-match", "tokens"},
		Cells:   []record.Cell{{ID: "c1", Method: "a", Use: "a", Dataset: d.Label, Model: "offline", Planned: d.Requests}},
	}
	for c := range levelConversations {
		mean, second := 0.5+0.1*r.NormFloat64(), 0.1*r.NormFloat64()
		for q := range levelQuestions {
			question := mean + 0.3*r.NormFloat64()
			var answers []record.Score
			for i := range 2 {
				x := min(max(question+float64(i)*second+0.2*r.NormFloat64(), 0), 1)
				answers = append(answers, record.Score{
					Cell: "c1", Sample: strconv.Itoa(c), Request: strconv.Itoa(q), Category: strconv.Itoa(1 + q%categories), Status: record.OK,
					Values: map[string]*float64{"f1@mem0": new(x), "exact-match": new(math.Round(x)), "tokens-query": new(math.Exp(7 + x + 0.5*r.NormFloat64()))},
				})
			}
			questions = append(questions, answers)
		}
	}
	return questions, header
}

// sidesOf deals the answers of a run out to two.
func sidesOf(questions [][]record.Score, header record.Header, deal func(int, int) (int, int)) (base, side Side) {
	var of [2][]record.Score
	for i, answers := range questions {
		x, y := deal(i/levelQuestions, i%levelQuestions)
		for at, which := range []int{x, y} {
			if which >= 0 {
				of[at] = append(of[at], answers[which])
			}
		}
	}
	run := func(name string, scores []record.Score) Side {
		h := header
		h.Name = name
		return Side{Run: &Run{Name: name, Header: h, Scores: listed(scores)}}
	}
	return run("base", of[0]), run("new", of[1])
}

// compareSplits compares the sides of some random splits, and counts what is found: in rows of
// each column by themselves and, under "", in all rows of a comparison together.
func compareSplits(t *testing.T, n int, how split, categories int, o ContrastOptions) (tests, found map[string]int) {
	t.Helper()
	questions, header := levelRun(categories)
	tests, found = make(map[string]int), make(map[string]int)
	var mu sync.Mutex
	var all sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for worker := range workers {
		all.Go(func() {
			for i := worker; i < n; i += workers {
				base, side := sidesOf(questions, header, how(rand.New(rand.NewPCG(26, uint64(i)))))
				rows, _, err := Contrasts(base, []Side{side}, o)
				if err != nil {
					t.Error(err)
					return
				}
				Decide(rows, infer.Options{Bare: true})
				mu.Lock()
				tests[""]++
				if slices.ContainsFunc(rows, func(r *Contrast) bool { return r.Shown }) {
					found[""]++
				}
				for _, r := range rows {
					tests[r.Column.Name]++
					if r.P != nil && *r.P <= alpha {
						found[r.Column.Name]++
					}
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return tests, found
}

// Of sides that differ by chance alone, a test finds 5 of 100 to differ, or fewer
// where few sums are possible, and all tests of a comparison together, adjusted,
// something in at most 5 of 100: of six rows, and of 36.
func TestLevelOfContrasts(t *testing.T) {
	n := longtest.N(100, 2000)
	// How far from 5 % a share of n comparisons may be by chance: 999 of 1,000 are not.
	bound := 3.29 * math.Sqrt(alpha*(1-alpha)/float64(n))
	for _, categories := range []int{2, levelQuestions} {
		o := contrastOptions()
		o.Undecided, o.By = true, Category
		for _, name := range []string{"answers", "answers of conversations", "questions", "conversations"} {
			tests, found := compareSplits(t, n, splits[name], categories, o)
			for _, column := range []string{"", "f1@mem0", "exact-match", "tokens-query"} {
				share := float64(found[column]) / float64(tests[column])
				t.Logf("%s, %d rows: %q is found to differ in %.1f %%", name, 3*categories, column, 100*share)
				if share > alpha+bound {
					t.Errorf("%s, %d rows: %q is found to differ in %.1f %%, want at most 5", name, 3*categories, column, 100*share)
				}
			}
		}
	}
}
