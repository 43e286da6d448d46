package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"recallbench/internal/stats"
)

// addRows adds the rows of a scope.
func (c *contraster) addRows(s contrastScope) {
	all, why := c.requests(s)
	if c.options.Rows != Category {
		c.addColumns(s, all, why, "", nil)
		return
	}
	for _, id := range s.categories() {
		c.addColumns(s, all.in(id, why == ""), why, categoryName(s.described(), id), []string{id})
	}
}

// addColumns adds a row for each column that a side of the scope has.
func (c *contraster) addColumns(s contrastScope, requests joined, why, category string, ids []string) {
	for at, column := range c.columns {
		r := contrastRow{Contrast: Contrast{
			Side: s.side - 1, Run: c.names[s.side], BaseRun: c.names[0],
			Dataset: s.dataset, Method: s.method, Model: s.model, BaseMethod: s.baseMethod, BaseModel: s.baseModel,
			Category: category, Column: column, Failed: s.failed(ids), Paired: why == "", Unpaired: why,
		}, seed: s.matches[0].base.run.Header.Seed}
		switch {
		case !c.measured(s.side, column.Name):
			continue // columnNotes has said so
		case why == "":
			r.pairs(requests.pair(at), c.options.Unit)
		default:
			r.means(requests.apart(at), c.options.Unit)
		}
		c.rows = append(c.rows, r)
	}
}

// measured reports whether the base and a side are both scored with a column.
func (c *contraster) measured(side int, column string) bool {
	return slices.Contains(c.scored[c.sides[0].Run], column) && slices.Contains(c.scored[c.sides[side].Run], column)
}

// pairs fills in a row whose sides are paired.
func (r *contrastRow) pairs(p paired, unit Unit) {
	r.N, r.Samples = len(p.a), stats.Count(p.clusters)
	r.Of = [2]int{r.N, r.N}
	if p.undefined > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("no value on one of the sides for %d of %d requests, which are left out", p.undefined, p.undefined+r.N))
	}
	if r.N == 0 {
		r.Missing = "no request for which both sides have a value"
		return
	}
	requests := make([]stats.Cluster, r.N)
	differences := make([]float64, r.N)
	for i := range p.a {
		differences[i] = p.a[i] - p.b[i]
		requests[i].Add(differences[i])
		r.New += p.a[i]
		r.Base += p.b[i]
		switch {
		case differences[i] > 0:
			r.Higher++
		case differences[i] < 0:
			r.Lower++
		}
	}
	r.New /= float64(r.N)
	r.Base /= float64(r.N)
	r.decide(unit, r.Samples >= leastSamples)
	if r.Same() {
		r.Missing = "all pairs have the same value on both sides"
		return
	}
	r.units = requests
	if r.Unit == BySample {
		r.units = p.clusters
	}
	r.EffectiveN = known(stats.EffectiveN(p.clusters))
	r.test(p, differences)
	if se, ok := stats.StandardError(r.units); ok && se > 0 {
		r.Detectable = new(stats.Detectable(se, float64(stats.Count(r.units)-1), alpha, stats.Power))
	}
}

// test fills in the tests of pairs.
func (r *contrastRow) test(p paired, differences []float64) {
	flip := stats.SignFlip{Seed: r.seed}
	byRequest, bySample := signFlip, signFlip
	if r.Column.Binary && twoValued(p.a) && twoValued(p.b) {
		byRequest, r.PRequests = mcNemar, new(stats.McNemar(r.Higher, r.Lower))
	} else {
		r.PRequests = known(flip.P(differences))
	}
	if r.Samples == r.N {
		bySample, r.PSamples = byRequest, r.PRequests
	} else {
		var sums []float64
		for _, c := range p.clusters {
			if c.N > 0 {
				sums = append(sums, c.Sum)
			}
		}
		r.PSamples = known(flip.P(sums))
	}
	r.Test, r.P = byRequest, r.PRequests
	if r.Unit == BySample {
		r.Test, r.P = bySample, r.PSamples
	}
	if r.P == nil {
		r.Test, r.Missing = "", "a value is beyond the range of numbers"
	}
	if t, ok := stats.ClusterT(r.units); ok && !oneSize(r.units) {
		r.robust = &t.P
	}
}

// The names of tests.
const (
	mcNemar  = "mcnemar"
	signFlip = "sign-flip"
	clusterT = "cluster-t"
	welch    = "t"
)

// Among returns the row as its test decides it among several, whose p-values are
// adjusted by Holm to a level: where flips of its units have no p that is small
// enough to be the least of so many, whatever the difference, the t-test with their
// cluster-robust error is taken in their place. That holds its level less exactly
// (docs/statistics.md): it is not taken with fewer units than [leastSamples], nor
// where all that differ do by the same.
func (c Contrast) Among(tests int, level float64) Contrast {
	least := c.LeastP()
	if least <= math.Ldexp(2, -leastSamples) && least*float64(tests) > level && c.robust != nil {
		c.Test, c.P = clusterT, c.robust
	}
	return c
}

// LeastP returns the smallest p that sign flips of the row's units could have: that
// of units which all have one sign. It is 0 where another test decides.
func (c Contrast) LeastP() float64 {
	units := c.N
	switch {
	case c.Test != signFlip:
		return 0
	case c.Unit == BySample:
		units = c.Samples
	}
	return max(math.Ldexp(2, -units), 1/float64(1+stats.Flips))
}

// oneSize reports whether all units that are not 0 are equally far from it, up to
// rounding, such as those of one answer each that is right or wrong. Of few of them
// the t-test finds far too many to differ: where nine of ten are alike and one is 0,
// its p is 8e-6, and flips have 0.004.
func oneSize(units []stats.Cluster) bool {
	var least, most float64
	for _, u := range units {
		if x := math.Abs(u.Sum); x > 0 {
			least, most = min(x, cmp.Or(least, x)), max(most, x)
		}
	}
	return most-least <= 1e-9*most
}

// decide says which test decides: that of the unit that is asked for, or by samples
// where there are enough.
func (r *contrastRow) decide(unit Unit, enough bool) {
	r.Unit = unit
	switch {
	case unit != "":
	case enough:
		r.Unit = BySample
	default:
		r.Unit = ByRequest
	}
}

// twoValued reports whether all values are 0 or 1.
func twoValued(values []float64) bool {
	return !slices.ContainsFunc(values, func(x float64) bool { return x != 0 && x != 1 })
}

// known returns a number that may not be known.
func known(x float64, ok bool) *float64 {
	if !ok {
		return nil
	}
	return &x
}
