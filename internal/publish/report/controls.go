package report

import (
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/metrics"
)

// controls are the methods that a memory has to beat, and baselines those that are no
// memories, by name.
var (
	controls  = []string{"grep", "placebo"}
	baselines = append([]string{"stateless", "recent", "oracle"}, controls...)
)

// unbeaten says of each model which controls no memory is significantly better than, in
// the first column that leads; empty where every control is beaten, or there is none.
func (b *builder) unbeaten(lines []*line) (string, error) {
	names, err := leading(lists.Distinct(lines, func(l *line) *Run { return l.run }), b.Options)
	if err != nil {
		return "", err
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		c, _ := b.column(name)
		return !slices.ContainsFunc(lines, func(l *line) bool { _, ok := l.summary(c, l.ids()); return ok })
	})
	if len(names) == 0 {
		return "", nil
	}
	f := b.layout(lines)
	var said []string
	for _, model := range lists.Distinct(lines, func(l *line) string { return l.cell.Model }) {
		of := lists.Filter(lines, func(l *line) bool { return l.cell.Model == model })
		c, _ := b.column(names[0])
		if beat := b.notBeaten(of, c); len(beat) > 0 {
			with := "No memory"
			if f.model {
				with = "With " + model + " no memory"
			}
			said = append(said, fmt.Sprintf("%s is significantly better than %s in %s.", with, enumerate(beat, "or"), c.Name))
		}
	}
	return strings.Join(said, " "), nil
}

// notBeaten returns the labels of the controls among the lines of a model that no memory
// among them is significantly better than in a column.
func (b *builder) notBeaten(lines []*line, c metrics.Column) (labels []string) {
	memories := lists.Filter(lines, func(l *line) bool { return !slices.Contains(baselines, l.cell.Use) })
	if len(memories) == 0 {
		return nil
	}
	for _, name := range controls {
		for _, control := range lists.Filter(lines, func(l *line) bool { return l.cell.Use == name }) {
			against := *b
			against.Against, against.columns = control.cell.Method, []metrics.Column{c}
			better := func(x tested) bool {
				mean, _ := stats.Mean(x.pairs.clusters())
				return x.Shown && (mean > 0) != c.Lower
			}
			tests := against.layout(lines).tests(append([]*line{control}, memories...))
			if !slices.ContainsFunc(tests, better) {
				labels = lists.AddNew(labels, control.cell.Method)
			}
		}
	}
	return labels
}
