package report

import (
	"cmp"
	"math"
	"slices"

	"recallbench/internal/record"
)

// A contrastScope is what some rows are about: matches that are brought together.
type contrastScope struct {
	side                   int
	dataset, method, model string
	baseMethod, baseModel  string
	matches                []match
}

// scopes puts matches together as the options say.
func (c *contraster) scopes(side int, found []match) []contrastScope {
	var scopes []contrastScope
	for _, m := range found {
		s := contrastScope{
			side:    side,
			dataset: m.side.cell.Dataset, method: m.side.cell.Method, model: m.side.cell.Model,
			baseMethod: m.base.cell.Method, baseModel: m.base.cell.Model,
			matches: []match{m},
		}
		same := func(contrastScope) bool { return false }
		switch c.options.Rows {
		case "dataset":
			s.method, s.baseMethod, s.model, s.baseModel = "", "", "", ""
			same = func(have contrastScope) bool { return have.dataset == s.dataset }
		case "method":
			s.dataset, s.model, s.baseModel = "", "", ""
			same = func(have contrastScope) bool { return have.method == s.method && have.baseMethod == s.baseMethod }
		}
		if i := slices.IndexFunc(scopes, same); i >= 0 {
			scopes[i].matches = append(scopes[i].matches, m)
			continue
		}
		scopes = append(scopes, s)
	}
	return scopes
}

// requests returns the requests of a scope, the side's first, and why they cannot be
// paired, empty where they can. What of a scope of several matches cannot be paired is
// left out where the rest can.
func (c *contraster) requests(s contrastScope) (joined, string) {
	why := ""
	for _, m := range s.matches {
		why = cmp.Or(why, m.unpaired)
	}
	of := slices.DeleteFunc(slices.Clone(s.matches), func(m match) bool { return m.unpaired != "" })
	switch left := len(s.matches) - len(of); {
	case len(of) == 0:
		return pool(s.matches, false), why
	case left > 0:
		c.note("%d of %d cells of the side left out: they %s", left, len(s.matches), why)
	}
	return pool(of, true), ""
}

// common reports whether both lines have the request.
func (j joint) common() bool { return j.items[0] != nil && j.items[1] != nil }

// pool brings together the requests of several matches: a request of several has
// the mean of its values. Where they are paired, it is over those matches for which
// both sides have a value.
func pool(matches []match, paired bool) joined {
	if len(matches) == 1 {
		return matches[0].requests
	}
	of := make(map[request][]joint)
	for _, m := range matches {
		for _, j := range m.requests {
			// Samples of two datasets are not the same, whatever their ids.
			j.sample = m.side.cell.Dataset + "\x00" + j.sample
			of[j.request] = append(of[j.request], j)
		}
	}
	pooled := make(joined, 0, len(of))
	for key, joints := range of {
		if common := slices.DeleteFunc(slices.Clone(joints), func(j joint) bool { return !j.common() }); paired && len(common) > 0 {
			joints = common
		}
		pooled = append(pooled, joint{key, [2]*item{meanItem(joints, 0, paired), meanItem(joints, 1, paired)}})
	}
	slices.SortFunc(pooled, func(a, b joint) int { return compareRequests(a.request, b.request) })
	return pooled
}

// meanItem returns the mean of what joints have on a side, over those that have a
// value there, and if paired on the other side too.
func meanItem(joints []joint, side int, paired bool) *item {
	var mean *item
	var n []float64
	for _, j := range joints {
		own, other := j.items[side], j.items[1-side]
		if own == nil {
			continue
		}
		if mean == nil {
			mean = &item{category: own.category, values: make([]float64, len(own.values))}
			n = make([]float64, len(own.values))
		}
		for i, x := range own.values {
			if math.IsNaN(x) || paired && other != nil && math.IsNaN(other.values[i]) {
				continue
			}
			mean.values[i] += x
			n[i]++
		}
	}
	if mean != nil {
		for i := range mean.values {
			mean.values[i] /= n[i] // NaN for none
		}
	}
	return mean
}

// in returns the requests of a category. Pairs are in that of the side; of what is not
// paired, each side has its own.
func (j joined) in(category string, paired bool) joined {
	var of joined
	for _, r := range j {
		if paired && r.category() != category {
			continue
		}
		for i, it := range r.items {
			if !paired && it != nil && it.category != category {
				r.items[i] = nil
			}
		}
		if r.items != [2]*item{} {
			of = append(of, r)
		}
	}
	return of
}

// category returns the category that the first line has the request in, or if it
// does not have it, the second.
func (j joint) category() string {
	if j.items[0] != nil {
		return j.items[0].category
	}
	return j.items[1].category
}

// failed counts the failed requests of the scope, of the base and the side.
func (s contrastScope) failed(ids []string) (n [2]int) {
	for _, m := range s.matches {
		for i, l := range []*line{m.base, m.side} {
			of := ids
			if of == nil {
				of = l.ids()
			}
			_, failed := l.n(of)
			for _, k := range failed {
				n[i] += k
			}
		}
	}
	return n
}

// categories returns the ids of the categories that the rows of a scope are split
// by, in order.
func (s contrastScope) categories() []string {
	var lines []*line
	for _, m := range s.matches {
		lines = append(lines, m.side, m.base)
	}
	return asked(lines)
}

// dataset describes the dataset of a scope, which is split by category.
func (s contrastScope) described() record.Dataset { return s.matches[0].side.dataset }
