package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"recallbench/internal/lists"
	"recallbench/internal/near"
	"recallbench/internal/published"
)

// A pair is a published row and the line that stands beside it.
type pair struct {
	row  published.Row
	line *line
}

// pairs finds the line for each published row: the one whose method has the
// row's label, or the label that Options.Rows gives. Of the rows of several
// readers, a line goes with those of its own or of the nearest.
func (c comparison) pairs() []pair {
	var pairs []pair
	for _, row := range c.rows {
		for _, l := range c.lines {
			if c.named(row, l) && c.beside(l, row.Model) {
				pairs = append(pairs, pair{row, l})
			}
		}
	}
	return pairs
}

// named reports whether a line's method goes by the label of a row.
func (c comparison) named(row published.Row, l *line) bool {
	label := row.Label
	for from, to := range c.Rows {
		if strings.EqualFold(from, row.Label) {
			label = to
		}
	}
	return strings.EqualFold(l.cell.Method, label)
}

// checkRows reports entries of Options.Rows that name no published row or no
// method of the runs.
func (b *builder) checkRows() []error {
	var labels, methods []string
	for _, name := range b.Published {
		table, err := published.Get(name)
		if err != nil {
			continue // reported where the table is laid out
		}
		for _, r := range table.Rows {
			labels = lists.AddNew(labels, r.Label)
		}
	}
	for _, l := range b.lines {
		methods = lists.AddNew(methods, l.cell.Method)
	}
	var faults []error
	has := func(names []string, name string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
	}
	seen := make(map[string]bool)
	for _, row := range slices.Sorted(maps.Keys(b.Rows)) {
		if fold := strings.ToLower(row); seen[fold] {
			faults = append(faults, fmt.Errorf("row %q: is there twice, in upper and lower case", row))
		} else {
			seen[fold] = true
		}
		if !has(labels, row) {
			faults = append(faults, fmt.Errorf("row %q: %s", row, near.Unknown("published row", row, labels)))
		}
		if !has(methods, b.Rows[row]) {
			faults = append(faults, fmt.Errorf("row %q: %s", row, near.Unknown("method label", b.Rows[row], methods)))
		}
	}
	return faults
}
