package report

import (
	"fmt"
	"math"
	"slices"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/metrics"
)

// A joined is the requests of two lines, in the order of their samples and ids.
type joined []joint

// A joint is a request with what each of two lines has of it; nil for nothing.
type joint struct {
	request
	items [2]*item
}

// joinRequests brings together the requests of two lines: those of the same id of
// the same sample. Lines that are unpairable may have the same ids for other
// questions.
func joinRequests(x, y *line) joined {
	j := make(joined, 0, len(x.seen))
	for key, it := range x.seen {
		j = append(j, joint{key, [2]*item{it, y.seen[key]}})
	}
	for key, it := range y.seen {
		if _, ok := x.seen[key]; !ok {
			j = append(j, joint{key, [2]*item{nil, it}})
		}
	}
	slices.SortFunc(j, func(a, b joint) int { return compareRequests(a.request, b.request) })
	return j
}

// A paired holds the values of a column that two lines have for the same
// requests, in the order of their samples and ids.
type paired struct {
	a, b []float64
	// units are the differences a - b by unit, and samples how many have one.
	units   []infer.Unit
	samples int
	// lone counts the requests that only one of the lines has, and undefined
	// those of both for which one has no value.
	lone, undefined int
}

// pair returns the values of the kept column at a place, with differences by unit.
func (j joined) pair(at int, unit Unit) paired {
	var p paired
	seen := false // whether the sample has a pair
	for i, r := range j {
		if i == 0 || r.sample != j[i-1].sample {
			seen = false
		}
		if r.items[0] == nil || r.items[1] == nil {
			p.lone++
			continue
		}
		v, w := r.items[0].values[at], r.items[1].values[at]
		if math.IsNaN(v) || math.IsNaN(w) {
			p.undefined++
			continue
		}
		p.a, p.b = append(p.a, v), append(p.b, w)
		if unit == ByRequest || !seen {
			p.units = append(p.units, infer.Unit{ID: r.unit(unit)})
		}
		if !seen {
			seen = true
			p.samples++
		}
		p.units[len(p.units)-1].Add(v - w)
	}
	return p
}

// questions returns the paired differences of the kept column at a place, by
// conversation and question: of each repetition where both lines have as many, else of
// the means.
func (j joined) questions(at int) [][]stats.Cluster {
	var conversations [][]stats.Cluster
	for i, r := range j {
		if i == 0 || r.sample != j[i-1].sample {
			conversations = append(conversations, nil)
		}
		if !r.common() || math.IsNaN(r.items[0].values[at]) || math.IsNaN(r.items[1].values[at]) {
			continue
		}
		var q stats.Cluster
		a, b := r.items[0].repetitions(at), r.items[1].repetitions(at)
		if len(a) != len(b) {
			a, b = r.items[0].values[at:at+1], r.items[1].values[at:at+1]
		}
		for k := range a {
			q.Add(a[k] - b[k])
		}
		last := &conversations[len(conversations)-1]
		*last = append(*last, q)
	}
	return conversations
}

// repetitions returns the values that the one of a column is the mean of.
func (it *item) repetitions(at int) []float64 {
	if it.repeats == nil {
		return it.values[at : at+1]
	}
	return it.repeats[at]
}

// unit identifies the unit of a request.
func (r request) unit(u Unit) string {
	if u == ByRequest {
		return r.sample + "\x00" + r.id
	}
	return r.sample
}

func (p paired) clusters() []stats.Cluster {
	return lists.Map(p.units, func(u infer.Unit) stats.Cluster { return u.Cluster })
}

// unpairable says why requests of two lines with the same id need not be the
// same; empty where they are.
func unpairable(x, y *line) string {
	if x.dataset.SHA256 != y.dataset.SHA256 {
		return fmt.Sprintf("cannot be paired: asked on other data, sha256 %s and %s", short(x.dataset.SHA256), short(y.dataset.SHA256))
	}
	return ""
}

// A tested is what a line is compared with another by in one column.
type tested struct {
	line    *line
	pair    int // its number among pairs of sides
	column  metrics.Column
	missing string // why there is nothing to test; empty where there is
	pairs   paired
	infer.Result
}

// tests holds every line against the one of Options.Against with its model, in
// each column that is tested. Lines are sides of a pair each.
func (f layout) tests(lines []*line) []tested {
	var tests []tested
	for pair, l := range lines {
		if f.isBase(l) {
			continue
		}
		base, missing := f.base(l, lines)
		var both joined
		if missing == "" {
			both = joinRequests(l, base)
		}
		for _, c := range f.columnsTested() {
			x := tested{line: l, pair: pair, column: c, missing: missing}
			if missing == "" {
				x.pairs = both.pair(f.at(c.Name), f.Unit)
				if len(x.pairs.a) == 0 {
					x.missing = "cannot be paired: no request for which both have a value"
				}
			}
			tests = append(tests, x)
		}
	}
	f.decide(tests, lines)
	return tests
}

// decide tests differences as one family.
func (f layout) decide(tests []tested, lines []*line) {
	rows := lists.Map(tests, func(x tested) infer.Row { return infer.Row{Pair: x.pair, Units: x.pairs.units} })
	for i, r := range infer.Decide(rows, f.infer(lines[0].run.Header.Seed)) {
		tests[i].Result = r
	}
}

// base returns the line that l is compared with: of those with the label of
// Options.Against and the model of l, the one of its run and seed, or of its
// run, or the only one. Where there is none it says why.
func (f layout) base(l *line, lines []*line) (base *line, missing string) {
	of := lists.Filter(lines, func(other *line) bool { return f.isBase(other) && other.cell.Model == l.cell.Model })
	if len(of) == 0 {
		return nil, fmt.Sprintf("there is no row %s with the model %s", f.Against, l.cell.Model)
	}
	for _, fits := range []func(*line) bool{
		func(o *line) bool { return o.run == l.run && o.seed() == l.seed() },
		func(o *line) bool { return o.run == l.run },
		func(*line) bool { return true },
	} {
		if i := slices.IndexFunc(of, fits); i >= 0 && !slices.ContainsFunc(of[i+1:], fits) {
			return of[i], unpairable(l, of[i])
		}
	}
	return nil, fmt.Sprintf("several rows are %s, none of them of the same run", f.Against)
}
