package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
	"recallbench/internal/text/termsafe"
)

// A match is two lines that are compared with each other.
type match struct {
	base, side *line
	requests   joined // of both, the side's first
	unpaired   string // why they cannot be paired; empty where they can
}

func newMatch(base, side *line) match {
	m := match{base: base, side: side, requests: joinRequests(side, base), unpaired: unpairable(base, side)}
	if m.unpaired == "" && len(m.requests) > 0 && !slices.ContainsFunc(m.requests, joint.common) {
		m.unpaired = "cannot be paired: no request is on both sides"
	}
	return m
}

// matches finds the lines of a side that have one of the base to be compared with,
// and says which lines have none.
func (c *contraster) matches(side int) ([]match, error) {
	var found []match
	dataset := func(l *line) string { return l.cell.Dataset }
	method := func(l *line) string { return l.cell.Method }
	model := func(l *line) string { return l.cell.Model }
	base, lines := c.lines[c.base], c.lines[side]
	for _, d := range alike(base, lines, dataset, func(x, y *line) bool { return x.dataset.Name == y.dataset.Name }) {
		for _, m := range alike(d[0], d[1], method, nil) {
			for _, pair := range alike(m[0], m[1], model, nil) {
				found = append(found, newMatch(pair[0][0], pair[1][0]))
			}
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("nothing to compare: %s has %s; %s has %s; want the same labels, or one method a side as RUN:LABEL",
			c.names[c.base], described(base), c.names[side], described(lines))
	}
	var used []*line
	for _, m := range found {
		used = append(used, m.base, m.side)
	}
	for _, at := range []int{c.base, side} {
		alone := lists.Filter(c.lines[at], func(l *line) bool { return !slices.Contains(used, l) })
		if len(alone) > 0 {
			c.note("only in %s, and not compared: %s", c.names[at], described(alone))
		}
	}
	return found, nil
}

// alike splits two sets of lines by a label, in the order of the second, and
// returns the parts of each label that both have. Where each has one label, these
// may differ, as long as fits does not say no.
func alike(x, y []*line, label func(*line) string, fits func(x, y *line) bool) [][2][]*line {
	of, and := lists.Distinct(x, label), lists.Distinct(y, label)
	if len(of) == 1 && len(and) == 1 && (fits == nil || fits(x[0], y[0])) {
		return [][2][]*line{{x, y}}
	}
	with := func(lines []*line, is string) []*line {
		return lists.Filter(lines, func(l *line) bool { return label(l) == is })
	}
	var parts [][2][]*line
	for _, is := range and {
		if slices.Contains(of, is) {
			parts = append(parts, [2][]*line{with(x, is), with(y, is)})
		}
	}
	return parts
}

// described names lines by dataset, method and model.
func described(lines []*line) string {
	if len(lines) == 0 {
		return "nothing"
	}
	names := lists.Map(lines, func(l *line) string {
		return fmt.Sprintf("%s on %s with %s", l.cell.Method, l.cell.Dataset, l.cell.Model)
	})
	return termsafe.Text(strings.Join(names, ", "))
}

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
			n[i] += countAll(failed)
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
