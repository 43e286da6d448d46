package report

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"recallbench/internal/record"
)

// A Run is what a report reads of a run folder.
type Run struct {
	// Name tells runs apart where their labels do not, such as the folder's.
	Name   string
	Header record.Header
	Scores iter.Seq2[record.Score, error]
}

// Category is the value of [Options].By that splits by category.
const Category = "category"

// A grouping says under which category, or what stands for it, a score counts.
type grouping func(record.Score) string

func byCategory(s record.Score) string { return s.Category }

// byLabel groups by the values of a label, and notes in seen the names of all
// labels.
func byLabel(label string, seen map[string]bool) grouping {
	return func(s record.Score) string {
		for name := range s.Labels {
			seen[name] = true
		}
		return cmp.Or(s.Labels[label], "no "+label)
	}
}

// A reading says how scores become lines.
type reading struct {
	weights map[string]string // the column that weighs a column, where one does
	under   grouping
	keep    bool     // the values of each request
	bare    bool     // no sums of them
	columns []string // that are kept
	apart   bool     // seeds are lines of their own
}

// lines reads the scores of a run into a line for each of its cells, in the
// order of the header. Cells that differ in the seed alone are one line.
func (r *Run) lines(o reading) ([]*line, error) {
	var lines []*line
	byCell := make(map[string]*line)
	several := len(r.Header.Seeds) > 1 && !o.apart
	o.keep = o.keep || several
	for _, c := range r.Header.Cells {
		d := slices.IndexFunc(r.Header.Datasets, func(d record.Dataset) bool { return d.Label == c.Dataset })
		m := slices.IndexFunc(r.Header.Models, func(m record.Model) bool { return m.Label == c.Model })
		if d < 0 || m < 0 {
			return nil, fmt.Errorf("%s: cell %s names dataset %q and model %q, which the header does not describe", r.Name, c.ID, c.Dataset, c.Model)
		}
		l := newLine(r, c, r.Header.Datasets[d], r.Header.Models[m])
		lines = append(lines, l)
		byCell[c.ID] = l
	}
	for score, err := range r.Scores {
		if err != nil {
			return nil, err
		}
		l, ok := byCell[score.Cell]
		if !ok {
			return nil, fmt.Errorf("%s: the scores are of cell %s, which the run does not have; 'bench score' writes them again", r.Name, score.Cell)
		}
		if err := l.add(score, o); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	if several {
		lines = overSeeds(lines, o)
	}
	return lines, nil
}
