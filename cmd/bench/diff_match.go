package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
	metricsuite "recallbench/metrics/suite"
)

// A diffSide is a run whose cells are compared, or those of one of its methods.
type diffSide struct {
	name  string
	run   *scored.Run
	cells []record.Cell
}

// openSide opens RUN or RUN:LABEL.
func openSide(arg string, options ...record.Option) (*diffSide, error) {
	of, err := side(arg, options...)
	if err != nil {
		return nil, err
	}
	dir, _ := splitSide(arg)
	folder, header, err := record.Open(dir, options...)
	if err != nil {
		return nil, err
	}
	s := &diffSide{name: arg}
	for _, c := range header.Cells {
		if of.Method == "" || c.Method == of.Method {
			s.cells = append(s.cells, c)
		}
	}
	s.run, err = scored.Open(folder, header)
	return s, err
}

// A cellPair is two cells that are compared.
type cellPair struct {
	a, b    record.Cell
	dataset record.Dataset
	scored.Comparison
}

// A cellKey is something that cells are matched by.
type cellKey struct {
	name string
	of   func(record.Cell) string
}

var matchedBy = []cellKey{
	{"dataset", func(c record.Cell) string { return c.Dataset }},
	{"method", func(c record.Cell) string { return c.Method }},
	{"model", func(c record.Cell) string { return c.Model }},
	{"seed", func(c record.Cell) string { return strconv.FormatUint(c.Seed, 10) }},
}

// matchCells finds the cells of two sides that belong together: they have the same
// dataset, method, model and seed, where not each side has one of a kind. What has no partner is noted.
func matchCells(a, b *diffSide) (pairs []cellPair, notes []string, err error) {
	distinct := func(cells []record.Cell, of func(record.Cell) string) (names []string) {
		for _, c := range cells {
			names = lists.AddNew(names, of(c))
		}
		return names
	}
	var apart []cellKey // by which labels tell cells apart
	for _, k := range matchedBy {
		x, y := distinct(a.cells, k.of), distinct(b.cells, k.of)
		if len(x) == 1 && len(y) == 1 {
			continue
		}
		apart = append(apart, k)
		if !slices.ContainsFunc(x, func(name string) bool { return slices.Contains(y, name) }) {
			hint := ""
			if k.name == "method" {
				hint = fmt.Sprintf("; name one of each, such as %q and %q", a.name+":"+x[0], b.name+":"+y[0])
			}
			return nil, nil, fmt.Errorf("no %s in common: %s has %s, %s has %s%s", k.name, a.name, strings.Join(x, ", "), b.name, strings.Join(y, ", "), hint)
		}
		for _, name := range x {
			if !slices.Contains(y, name) {
				notes = append(notes, fmt.Sprintf("%s %s is in A alone", k.name, name))
			}
		}
		for _, name := range y {
			if !slices.Contains(x, name) {
				notes = append(notes, fmt.Sprintf("%s %s is in B alone", k.name, name))
			}
		}
	}
	for _, c := range a.cells {
		i := partner(c, b.cells, apart)
		if i < 0 {
			continue
		}
		p := cellPair{a: c, b: b.cells[i]}
		p.dataset, _ = a.run.Header.Dataset(c.Dataset)
		pairs = append(pairs, p)
	}
	if len(pairs) == 0 {
		return nil, nil, fmt.Errorf("%s and %s have no method on the same dataset with the same model", a.name, b.name)
	}
	notes = append(notes, onlyIn("A", a.cells, b.cells, apart)...)
	return pairs, append(notes, onlyIn("B", b.cells, a.cells, apart)...), nil
}

// partner returns the index of the cell that has the keys of c; -1 for none.
func partner(c record.Cell, others []record.Cell, keys []cellKey) int {
	return slices.IndexFunc(others, func(o record.Cell) bool {
		return !slices.ContainsFunc(keys, func(k cellKey) bool { return k.of(c) != k.of(o) })
	})
}

// onlyIn names the cells without a partner on the other side which has each of their
// keys, but not together, because a run excludes some cells.
func onlyIn(side string, cells, others []record.Cell, keys []cellKey) (notes []string) {
	for _, c := range cells {
		if partner(c, others, keys) >= 0 {
			continue
		}
		var names []string
		for _, k := range keys {
			if partner(c, others, []cellKey{k}) >= 0 {
				names = append(names, k.name+" "+k.of(c))
			}
		}
		if len(names) == len(keys) {
			notes = append(notes, fmt.Sprintf("%s is in %s alone", strings.Join(names, ", "), side))
		}
	}
	return notes
}

func knownCategories(pairs []cellPair, names []string) error {
	var known []string
	for _, p := range pairs {
		for _, c := range p.dataset.Categories {
			known = append(known, c.ID, c.Name)
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, n := range names {
		if !slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, n) }) {
			return fmt.Errorf("--category: %s", suggest.Unknown("category", n, known))
		}
	}
	return nil
}

// categories returns what tells whether a request is of one of some categories, by
// id or name; nil for all.
func (p cellPair) categories(names []string) func(scored.Request) bool {
	if len(names) == 0 {
		return nil
	}
	return func(q scored.Request) bool {
		return slices.ContainsFunc(names, func(n string) bool {
			return strings.EqualFold(n, q.Gold.Category) || strings.EqualFold(n, p.dataset.CategoryName(q.Gold.Category))
		})
	}
}

// diffColumn finds the column of a name among those that can decide which answers are
// right, or without a name the one that [scored.Judging] shows, of those that both runs have.
func diffColumn(a, b record.Header, name string) (metrics.Column, error) {
	var specs []*metrics.Spec
	for _, m := range a.Metrics {
		if spec, err := metricsuite.Find(m); err == nil && slices.Contains(b.Metrics, m) {
			specs = append(specs, spec)
		}
	}
	if name == "" {
		return scored.Judging(specs)
	}
	c, err := scored.Decider(specs, name)
	if err != nil {
		err = fmt.Errorf("--column: %w", err)
	}
	return c, err
}
