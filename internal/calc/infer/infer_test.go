package infer

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"recallbench/internal/calc/stats"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// near reports a number that is not another to nine decimals of its size.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))) {
		t.Errorf("%s is %.12g, want %.12g", what, got, want)
	}
}

// sums returns units of some sizes and sums.
func sums(sizes, of []float64) []Unit {
	units := make([]Unit, len(of))
	for i := range of {
		units[i] = Unit{strconv.Itoa(i), stats.Cluster{N: int(sizes[i]), Weight: sizes[i], Sum: of[i]}}
	}
	return units
}

func clustersOf(units []Unit) []stats.Cluster {
	var all []stats.Cluster
	for _, u := range units {
		all = append(all, u.Cluster)
	}
	return all
}

// d10 is the difference of two systems of locomo-audit by conversation, votes averaged.
var d10 = sums([]float64{152, 81, 152, 199, 178, 123, 150, 191, 156, 158},
	[]float64{8, 20. / 3, 59. / 3, 67. / 3, 5. / 3, 13. / 3, 25. / 3, 47. / 3, 61. / 3, 11})

// Values by SciPy 1.10.1 and plain Python.
func TestCR2(t *testing.T) {
	for _, c := range []struct {
		units           []Unit
		mean, se, nu, p float64
		lo, hi          float64
		withoutInterval bool
	}{
		{units: sums([]float64{2, 3}, []float64{1, 2}), mean: 0.6, se: 0.081649658, nu: 1, p: 0.0861040709, lo: -0.437457272, hi: 1.637457272},
		{units: sums([]float64{30, 30, 30}, []float64{3, 6, 3}), mean: 0.133333333, se: 0.033333333, nu: 2, p: 0.0571909584, lo: -0.010088424, hi: 0.276755091},
		{units: sums([]float64{50, 100, 150}, []float64{4, 10, 6}), mean: 0.066666667, se: 0.023380904, nu: 1.666666667, p: 0.127577609, lo: -0.055902231, hi: 0.189235564},
		{units: sums([]float64{20, 40, 60, 80}, []float64{3, 2, 9, 4}), mean: 0.09, se: 0.031773004, nu: 2.392405063, p: 0.0858902215, lo: -0.027316799, hi: 0.207316799},
		{units: sums([]float64{10, 10, 12, 8, 10, 10}, []float64{3, 2, 4, 1, 2, 3}), mean: 0.25, se: 0.031639665, nu: 4.924242424, p: 0.000560298148, lo: 0.168289855, hi: 0.331710145},
		{units: d10, mean: 0.0766233766, se: 0.0134027217, nu: 8.5870730425, p: 0.0003431139688, lo: 0.046080607, hi: 0.107166146},
		{units: d10[:3], mean: 0.0891774892, se: 0.0276230893, nu: 1.8300691050, p: 0.09430730226, withoutInterval: true},
		{units: d10[:4], mean: 0.0970319635, se: 0.0179419425, nu: 2.7160920095, p: 0.0159477512, withoutInterval: true},
		{units: d10[:5], mean: 0.0765529309, se: 0.0246273991, nu: 3.6915097432, p: 0.04004552924, withoutInterval: true},
	} {
		x, ok := newT(clustersOf(c.units))
		if !ok {
			t.Fatalf("%v: no test", c.units)
		}
		name := fmt.Sprint(len(c.units), " units: ")
		near(t, name+"mean", x.mean, c.mean)
		near(t, name+"error", x.se, c.se)
		near(t, name+"degrees of freedom", x.freedom, c.nu)
		near(t, name+"p", x.p(), c.p)
		if i := x.interval(); !c.withoutInterval {
			near(t, name+"lower end", i.Lo, c.lo)
			near(t, name+"upper end", i.Hi, c.hi)
		}
	}
}

func TestFlips(t *testing.T) {
	p, i := flipRow(clustersOf(d10), 0, false)
	near(t, "p", p, 2./1024)
	near(t, "lower end", i.Lo, 0.0439691028)
	near(t, "upper end", i.Hi, 0.1058201058)
	p, i = flipRow(clustersOf(sums([]float64{10, 10, 12, 8, 10, 10}, []float64{3, 2, 4, 1, 2, 3})), 0, false)
	near(t, "p", p, 2./64)
	near(t, "lower end", i.Lo, 0.125)
	near(t, "upper end", i.Hi, 1./3)
}

// The interval is what its definition says, found by bisection.
func TestFlipInterval(t *testing.T) {
	units := clustersOf(sums([]float64{5, 9, 3, 8, 12, 4, 7}, []float64{1, 3.5, -0.5, 2, 6, 0.25, 3}))
	pOf := func(theta float64) float64 {
		shifted := make([]stats.Cluster, len(units))
		for i, c := range units {
			shifted[i] = c
			shifted[i].Sum -= theta * c.Weight
		}
		p, _ := flipRow(shifted, 0, false)
		return p
	}
	_, got := flipRow(units, 0, false)
	mean, _ := stats.Mean(units)
	for _, end := range []struct{ far, got float64 }{{-10, got.Lo}, {10, got.Hi}} {
		in, out := mean, end.far
		for math.Abs(in-out) > 1e-10 {
			if mid := (in + out) / 2; pOf(mid) > 0.05 {
				in = mid
			} else {
				out = mid
			}
		}
		near(t, "end", end.got, in)
	}
}

var toy = [][]float64{{3, 2, 4, 1, 2, 3}, {1, -1, 2, 3, 1, 2}, {-1, 1, 2, 0, -2, 1}}

func toyRows() []Row {
	var rows []Row
	for _, of := range toy {
		rows = append(rows, Row{Units: sums([]float64{1, 1, 1, 1, 1, 1}, of)})
	}
	return rows
}

func TestMaxT(t *testing.T) {
	for correct, want := range map[string][]float64{
		MaxT: {0.03125, 0.1875, 1},
		Holm: {0.09375, 0.25, 1},
		BH:   {0.09375, 0.1875, 1},
		None: {0.03125, 0.125, 1},
	} {
		for i, r := range Decide(toyRows(), Options{Correct: correct}) {
			near(t, "p", *r.P, []float64{0.03125, 0.125, 1}[i])
			near(t, correct, *r.Adjusted, want[i])
		}
	}
	for i, want := range []float64{2.287478555, 1.788854382, 0.301511345} {
		s := seenOf(toy[i])
		near(t, "statistic", s.statistic(), want)
	}
}

// votes reads the mean of the votes of answers of locomo-audit, in the order of the
// file; the test is left out where the data are not there.
func votes(t *testing.T) map[string]map[string]auditAnswer {
	t.Helper()
	f := try.Get(os.Open(filepath.Join(realdata.Datasets(t), "locomo-audit", "model_answers.jsonl")))(t)
	defer f.Close()
	all := make(map[string]map[string]auditAnswer)
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var a auditAnswer
		try.Do(t, json.Unmarshal(lines.Bytes(), &a))
		if all[a.System] == nil {
			all[a.System] = make(map[string]auditAnswer)
		}
		all[a.System][a.ID] = a
	}
	return all
}

type auditAnswer struct {
	System, ID string
	Category   json.Number
	Votes      []bool
}

func (a auditAnswer) mean() float64 {
	var sum float64
	for _, v := range a.Votes {
		sum += one(v)
	}
	return sum / float64(len(a.Votes))
}

// auditRow is the row of two systems, new less base, of a category or of all.
func auditRow(all map[string]map[string]auditAnswer, now, base, category string) Row {
	of := maps.Clone(all[now])
	maps.DeleteFunc(of, func(_ string, a auditAnswer) bool { return category != "" && a.Category.String() != category })
	return rowOf(of, func(a auditAnswer) float64 { return a.mean() - all[base][a.ID].mean() })
}

// rowOf is the row of the values of answers, by conversation.
func rowOf(answers map[string]auditAnswer, value func(auditAnswer) float64) (r Row) {
	units := make(map[string]*Unit)
	for id, a := range answers {
		sample, _, _ := strings.Cut(id, "/")
		if units[sample] == nil {
			units[sample] = &Unit{ID: sample}
		}
		units[sample].Add(value(a))
	}
	for _, u := range units {
		r.Units = append(r.Units, *u)
	}
	return r
}

// Real answers of two systems, judged three times each.
func TestMaxTOfAudit(t *testing.T) {
	all := votes(t)
	var rows []Row
	for _, category := range []string{"", "1", "2", "3", "4"} {
		rows = append(rows, auditRow(all, "fc-gpt-4.1-mini-memos", "fc-gpt-4o-mini-cot", category))
	}
	results := Decide(rows, Options{})
	for i, want := range []struct{ mean, p, adjusted float64 }{
		{0.020562771, 158, 524}, {-0.037825059, 182, 524}, {0.131879543, 28, 60}, {-0.048611111, 464, 742}, {0.005548950, 736, 742},
	} {
		mean, _ := stats.Mean(clustersOf(rows[i].Units))
		near(t, "difference", mean, want.mean)
		near(t, "p", *results[i].P, want.p/1024)
		near(t, "max-T", *results[i].Adjusted, want.adjusted/1024)
	}
	near(t, "lower end", results[0].Interval.Lo, -0.0108024691)
	near(t, "upper end", results[0].Interval.Hi, 0.0476190476)
	near(t, "Holm", *Decide(rows, Options{Correct: Holm})[2].Adjusted, 0.13671875)
	d := Decide([]Row{auditRow(all, "fc-gpt-4.1-mini-memos", "fc-gpt-4o-mini-memos", "")}, Options{})[0]
	near(t, "p of D10", *d.P, 2./1024)
}

// Values by SciPy: permutations of two groups with Welch's statistic.
func TestPermutation(t *testing.T) {
	base, now := []float64{0.42, 0.55, 0.61, 0.47}, []float64{0.35, 0.40, 0.50, 0.38}
	w := newWelch(base, now)
	near(t, "t", w.statistic(), 1.974058565)
	near(t, "p of Welch's test", w.p(), 0.098883384)
	r := Decide([]Row{{Unpaired: true, Base: base, New: now}}, Options{})[0]
	near(t, "p", *r.P, 8./70)
	for _, c := range []struct {
		base, now []float64
		least     float64
		why       Reason
	}{
		{[]float64{1, 2, 3}, []float64{11, 12, 13}, 0.1, Coarse},
		{[]float64{1, 2, 3, 4}, []float64{11, 12, 13, 14}, 2. / 70, ""},
		{[]float64{1, 2}, []float64{11, 12, 13, 14}, 0, FewOnSide},
		{[]float64{1, 1, 1, 1}, []float64{2, 2, 2, 2}, 2. / 70, ""},
	} {
		r := Decide([]Row{{Unpaired: true, Base: c.base, New: c.now}}, Options{})[0]
		if r.Insufficient != c.why || r.Shown != (c.why == "") {
			t.Errorf("%v against %v: shown %v, insufficient %q, want %q", c.now, c.base, r.Shown, r.Insufficient, c.why)
		}
		if r.P != nil {
			near(t, "p", *r.P, c.least)
		}
	}
	if p := permute(make([]float64, 20), make([]float64, 20), 1); p != 1 {
		t.Errorf("p of equal values is %g, want 1", p)
	}
}

// Values by SciPy's noncentral t.
func TestDetectable(t *testing.T) {
	for _, c := range []struct{ conversations, questions, votes, se, want float64 }{
		{10, 154, 3, 0.012924266, 0.040706693},
		{10, 154, 1, 0.013036157, 0.041059110},
		{20, 154, 1, 0.009217955, 0.027226013},
		{5, 154, 3, 0.018277672, 0.068743414},
		{100, 10, 1, 0.013624723, 0.038546062},
	} {
		se := math.Sqrt((0.0005283103 + (0.1736400098+0.0067099567/c.votes)/c.questions) / c.conversations)
		near(t, "error", se, c.se)
		near(t, "detectable", Detectable(se, c.conversations-1, 0.05, Power), c.want)
	}
	near(t, "power for 5 points", noncentralTails(quantile(0.975, 9), 9, 0.05/0.012924266), 0.929490332)
	near(t, "power for 2 points", noncentralTails(quantile(0.975, 9), 9, 0.02/0.012924266), 0.283005567)
}

// Means that differ by rounding alone are the same, in whatever unit.
func TestSameMean(t *testing.T) {
	for _, c := range []struct {
		means []float64
		want  bool
	}{
		{nil, false},
		{[]float64{0, 0}, false},
		{[]float64{0, 0.1, 0.1}, true},
		{[]float64{100, 100 + 5e-8}, true},
		{[]float64{-100, -100 - 5e-8}, true},
		{[]float64{1e-5, 1e-5 + 1e-13}, false},
		{[]float64{1, 1 + 1e-8}, false},
	} {
		if got := sameMean(ones(c.means)); got != c.want {
			t.Errorf("same mean of %v is %v, want %v", c.means, got, c.want)
		}
	}
}

// With fewer than six units, the detectable difference of six has their spread: the
// error of a mean falls with the root of the number of units.
func TestAtSix(t *testing.T) {
	for _, n := range []int{3, 5} {
		units := sums([]float64{1, 1, 1, 1, 1}[:n], []float64{3, 1, 2, 5, 4}[:n])
		r := Decide([]Row{{Units: units}}, Options{})[0]
		x, _ := newT(clustersOf(units))
		near(t, "detectable", *r.Detectable, Detectable(x.se, x.freedom, 0.05, 0.8))
		near(t, "detectable with six", *r.AtSix, Detectable(x.se*math.Sqrt(float64(n)/6), 5, 0.05, 0.8))
	}
	six := sums([]float64{1, 1, 1, 1, 1, 1}, []float64{3, 1, 2, 5, 4, 2})
	if r := Decide([]Row{{Units: six}}, Options{})[0]; r.AtSix != nil || r.Test != SignFlip {
		t.Errorf("six units: %+v", r)
	}
}

// Two units show something only to those who accept it.
func TestTwoUnits(t *testing.T) {
	units := sums([]float64{1, 1}, []float64{100, 100.001})
	for _, accept := range []bool{false, true} {
		r := Decide([]Row{{Units: units}}, Options{AcceptTwo: accept})[0]
		if r.Shown != accept || (r.Insufficient == TwoUnits) == accept {
			t.Errorf("accepted %v: shown %v, insufficient %q", accept, r.Shown, r.Insufficient)
		}
	}
}

func TestMeanErrorOfFew(t *testing.T) {
	var empty stats.Cluster
	if _, _, ok := MeanError([]stats.Cluster{empty, ones([]float64{1})[0]}); ok {
		t.Error("one cluster with a value has an error")
	}
	if mean, se, ok := MeanError(append(ones([]float64{1, 3}), empty)); !ok || mean != 2 || se != 1 {
		t.Errorf("mean %v, error %v, %v", mean, se, ok)
	}
}

// Where there are too many permutations, the random ones are counted with the one that
// was seen.
func TestRandomPermutations(t *testing.T) {
	low, high := make([]float64, 12), make([]float64, 12)
	for i := range low {
		low[i], high[i] = float64(i), float64(i+100)
	}
	if p := permute(low, high, 1); p != 1./(1+Draws) {
		t.Errorf("p is %v, want 1 of %d", p, 1+Draws)
	}
	if p := leastPermutations(12, 12); p != 1./(1+Draws) {
		t.Errorf("the least p is %v", p)
	}
	if p := leastPermutations(3, 4); p != 1./35 {
		t.Errorf("the least p of 3 and 4 is %v, want 1 of 35", p)
	}
}
