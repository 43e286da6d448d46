package report

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
)

// A Choice says how rows of a sweep are chosen: by the mean of a column over a part of
// the requests; the rest is the test.
type Choice struct {
	Column string // empty for no choice
	// Share of the samples in the part, drawn by the run's seed, above 0 and below 1,
	// where Label is empty; else the requests whose label has a value.
	Share        float64
	Label, Value string
}

// Parts of the requests.
const (
	devPart  = "dev"
	testPart = "test"
)

// chosenTables lays out, for each dataset, the row of each method of a sweep that is best
// on one part of the requests, with its mean on the other.
func (b *builder) chosenTables() ([]*Table, error) {
	c, ok := b.column(b.Choose.Column)
	if !ok {
		return nil, errors.New(suggest.Unknown("column", b.Choose.Column, b.columnNames()))
	}
	if c.Neutral {
		return nil, fmt.Errorf("no value of the column %s is better than another: choose by another one", c.Name)
	}
	if label, known := b.Choose.Label, labelsOf(b.lines); label != "" && !slices.Contains(known, label) {
		return nil, errors.New(suggest.Unknown("label", label, known))
	}
	isDev := b.isDev()
	lines := lists.Map(b.lines, func(l *line) *line {
		return l.regrouped(func(it *item) string {
			if isDev(it) {
				return devPart
			}
			return testPart
		})
	})
	var all []*Table
	for _, of := range byDataset(lines) {
		if t := b.chosenTable(of, c); len(t.Rows) > 0 {
			all = append(all, t)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("nothing to choose: no method has two rows with values on both parts")
	}
	return all, nil
}

// isDev tells the requests to choose by from those to report.
func (b *builder) isDev() func(*item) bool {
	if label := b.Choose.Label; label != "" {
		return func(it *item) bool { return cmp.Or(it.labels[label], "no "+label) == b.Choose.Value }
	}
	dev := make(map[string]bool)
	for _, lines := range byDataset(b.lines) {
		var samples []string
		for _, l := range lines {
			samples = lists.AddNew(samples, l.samples...)
		}
		draw := func(sample string) uint64 {
			h := fnv.New64a()
			h.Write(fmt.Appendf(nil, "%d\x00%s", lines[0].run.Header.Seed, sample))
			return h.Sum64()
		}
		slices.SortFunc(samples, func(x, y string) int { return cmp.Or(cmp.Compare(draw(x), draw(y)), cmp.Compare(x, y)) })
		for _, s := range samples[:int(math.Round(b.Choose.Share*float64(len(samples))))] {
			dev[s] = true
		}
	}
	return func(it *item) bool { return dev[it.sample] }
}

func (b *builder) chosenTable(lines []*line, c metrics.Column) *Table {
	f := b.layout(lines)
	label := lines[0].dataset.Label
	t := &Table{Name: label + " chosen", Title: label + ", chosen by " + c.Name, Rows: [][]Cell{}, Columns: []Column{
		{Name: "sweep"},
		{Name: "rows", Number: true},
		{Name: "chosen"},
		{Name: "dev n", Number: true},
		{Name: devPart, Number: true},
		{Name: "test n", Number: true},
		{Name: testPart, Number: true},
	}}
	for _, sweep := range bySweep(lines) {
		var best *line
		var dev, test summary
		rows := 0
		for _, l := range sweep {
			d, ok := l.summary(c, []string{devPart})
			onTest, ok2 := l.summary(c, []string{testPart})
			if !ok || !ok2 {
				continue
			}
			if rows++; best == nil || better(d.mean, dev.mean, c) > 0 {
				best, dev, test = l, d, onTest
			}
		}
		if rows < 2 {
			continue
		}
		mean := scaled(&test.mean, c.Scale, c.Digits)
		if i, ok := b.interval(best, c, []string{testPart}, test); ok {
			mean.Interval = new(i.Scale(c.Scale))
			mean.Text += fmt.Sprintf(" (%s, %s)", decimal(mean.Interval.Lo, c.Digits), decimal(mean.Interval.Hi, c.Digits))
		}
		t.Rows = append(t.Rows, []Cell{
			text(f.sweepName(best)), count(rows), text(f.name(best)), count(dev.n), scaled(&dev.mean, c.Scale, c.Digits), count(test.n), mean,
		})
	}
	of := fmt.Sprintf("a drawn %g %% of the samples", 100*b.Choose.Share)
	if b.Choose.Label != "" {
		of = b.Choose.Label + "=" + b.Choose.Value
	}
	t.NoteTitle(fmt.Sprintf("dev: %s, whose best row is chosen; its mean there is too good; test: the rest, which chose nothing", of))
	if notes := intervalNotes(lines, []metrics.Column{c}); len(notes) > 0 && strings.Contains(notes[0], "interval") {
		t.NoteTitle(notes[0])
	}
	t.noteStandIn(lines)
	return t
}
