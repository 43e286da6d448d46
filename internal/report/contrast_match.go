package report

import (
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/lists"
	"recallbench/internal/plain"
)

// A match is two lines that are held against each other.
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

// matches finds the lines of a side that have one of the base to be held against,
// and says which lines have none.
func (c *contraster) matches(side int) ([]match, error) {
	var found []match
	dataset := func(l *line) string { return l.cell.Dataset }
	method := func(l *line) string { return l.cell.Method }
	model := func(l *line) string { return l.cell.Model }
	base, lines := c.lines[0], c.lines[side]
	for _, d := range alike(base, lines, dataset, func(x, y *line) bool { return x.dataset.Name == y.dataset.Name }) {
		for _, m := range alike(d[0], d[1], method, nil) {
			for _, pair := range alike(m[0], m[1], model, nil) {
				found = append(found, newMatch(pair[0][0], pair[1][0]))
			}
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("nothing to compare: %s has %s; %s has %s; want the same labels, or one method a side as RUN:LABEL",
			c.names[0], described(base), c.names[side], described(lines))
	}
	var used []*line
	for _, m := range found {
		used = append(used, m.base, m.side)
	}
	for _, at := range []int{0, side} {
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
	labels := func(lines []*line) (all []string) {
		for _, l := range lines {
			all = lists.AddNew(all, label(l))
		}
		return all
	}
	of, and := labels(x), labels(y)
	if len(of) == 1 && len(and) == 1 && (fits == nil || fits(x[0], y[0])) {
		return [][2][]*line{{x, y}}
	}
	with := func(lines []*line, is string) []*line {
		return slices.DeleteFunc(slices.Clone(lines), func(l *line) bool { return label(l) != is })
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
	return plain.Text(strings.Join(names, ", "))
}
