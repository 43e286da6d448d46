// Package report builds tables from scored runs and prints them.
//
// [Build] sums up the scores of runs and lays them out as a [Document]: for
// each dataset the methods beside each other, their differences to one of them
// with tests, tables by category, and published tables beside the measured one.
// The seeds of a run share a row. A Document is printed as text for a terminal,
// Markdown, CSV, JSON, HTML or LaTeX; all renderers print the same cells and
// notes, escaped for what they write.
//
// What a reader could be misled by is said in a footnote where it stands:
// results of the stand-in, failed requests and what they do to a mean,
// values that are not defined, runs that are not finished, and rows that
// differ in more than the method.
package report

import (
	"errors"
	"fmt"
	"slices"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
)

// Options say what a report shows.
type Options struct {
	// Metric finds a metric by the name that a run's header has.
	Metric func(name string) (*metrics.Spec, error)
	// By adds a table for each column of Columns, split by "category" or by the label
	// of that name. When there are no Columns, that is for the first column of each
	// metric that is not about usage. Empty adds none.
	By string
	// Brief keeps the first of these tables only.
	Brief bool
	// Columns limits the columns of metrics that are shown, by name. When
	// empty, the main table has the first column of each metric, and a metric
	// with more of them has a table of its own.
	Columns []string
	// Seeds gives each seed of a run with several a row of its own. Otherwise
	// rows are means over the seeds, with their standard deviation.
	Seeds bool
	// Intervals adds 95 % intervals to the means.
	Intervals bool
	// Against is the label of a method that the other rows of its dataset and
	// model are compared with, in a table of differences with tests; empty for
	// none.
	Against string
	// Ranks adds a table of the places that each row may have.
	Ranks bool
	// Axes lays out, for each method whose rows differ in options, the effect of each
	// option, instead of the tables of all methods.
	Axes bool
	// Ablation lays out, for each dataset, a method and its variants instead of
	// the tables of all methods: those whose cells say that they are variants of
	// it, or where none says so those that use the same method.
	Ablation bool
	// Keys lays out, for each dataset with errata, the ceilings of its questions and
	// the means under each answer key side by side. The tables of the key that counts
	// are left out.
	Keys bool
	// Full is the label of the method that Ablation is about; empty for the one
	// that others are variants of.
	Full string
	// Published names the published tables to print beside the measured ones.
	Published []string
	// AllReaders lays out the rows of all readers of the published tables, and not
	// only those of the reader that is nearest to the runs'.
	AllReaders bool
	// Unit is what tests take for independent: empty for [BySample].
	Unit Unit
	// Correct is how p-values are adjusted, of [infer.Corrections]; empty for max-T.
	Correct string
	// AcceptTwo lets a difference of two conversations be shown.
	AcceptTwo bool
	// Rows maps the label of a published row to the label of the method that
	// stands for it, where the two are not the same.
	Rows map[string]string
	// Methods are the names of the methods that this program has.
	Methods []string
}

// infer returns how differences are decided.
func (o Options) infer(seed uint64) infer.Options {
	return infer.Options{Correct: o.Correct, AcceptTwo: o.AcceptTwo, Seed: seed}
}

// Build reads the scores of some runs and lays out their tables. The order of
// runs, datasets, methods and metrics is that of the arguments and headers.
func Build(runs []*Run, o Options) (*Document, error) {
	b, err := newBuilder(o, runs...)
	if err != nil {
		return nil, err
	}
	if err := b.read(runs); err != nil {
		return nil, err
	}
	split := b.lines
	if by := b.By; by != "" && by != Category {
		if known := labelsOf(b.lines); !slices.Contains(known, by) {
			return nil, errors.New(suggest.Unknown("label", by, append([]string{Category}, known...)))
		}
		split = byLabel(b.lines, by)
	}
	if err := b.selectColumns(); err != nil {
		return nil, err
	}
	b.showWords()
	b.nameRuns(runs)
	if o.Against != "" {
		if err := b.checkAgainst(); err != nil {
			return nil, err
		}
	}
	d := &Document{Tables: []*Table{}}
	if o.Ablation {
		if err := b.findFull(); err != nil {
			return nil, err
		}
		b.Against = b.Full
		for _, lines := range byDataset(b.lines) {
			if t := b.ablationTable(lines); t != nil {
				d.Tables = append(d.Tables, t)
			}
		}
		return b.withPublished(d)
	}
	if o.Keys {
		d.Tables, err = b.keyTables(runs)
		return d, err
	}
	if o.Axes {
		for _, lines := range byDataset(b.lines) {
			d.Tables = append(d.Tables, b.axisTables(lines)...)
		}
		if len(d.Tables) == 0 {
			return nil, errors.New("no axes: no two rows use one method with other options")
		}
		return d, nil
	}
	splits := byDataset(split)
	for i, lines := range byDataset(b.lines) {
		main := b.mainTable(lines)
		unbeaten, err := b.unbeaten(lines)
		if err != nil {
			return nil, err
		}
		if unbeaten != "" {
			main.Title += ". " + unbeaten
		}
		d.Tables = append(d.Tables, main)
		d.Tables = append(d.Tables, b.metricTables(lines)...)
		if o.Against != "" {
			d.Tables = append(d.Tables, b.againstTable(lines))
		}
		if o.Ranks {
			d.Tables = append(d.Tables, b.rankTable(lines))
		}
		if b.By != "" {
			d.Tables = append(d.Tables, b.splitTables(splits[i])...)
		}
	}
	return b.withPublished(d)
}

// withPublished adds the published tables to a document.
func (b *builder) withPublished(d *Document) (*Document, error) {
	if err := errors.Join(b.checkRows()...); err != nil {
		return nil, err
	}
	for _, name := range b.Published {
		tables, err := b.beside(name)
		if err != nil {
			return nil, err
		}
		d.Tables = append(d.Tables, tables...)
	}
	return d, nil
}

// A builder holds what the tables of one document share.
type builder struct {
	Options
	lines   []*line
	known   []metrics.Column        // of all metrics of the runs
	wide    []*metrics.Spec         // metrics of more than one column
	columns []metrics.Column        // those of the main tables
	names   map[*Run]string         // of runs, to tell them apart
	of      map[string]metrics.Part // what columns look at
	scored  map[*Run][]string       // names of the columns of each run
}

func newBuilder(o Options, runs ...*Run) (*builder, error) {
	b := &builder{Options: o, of: make(map[string]metrics.Part), scored: make(map[*Run][]string)}
	for _, r := range runs {
		if err := b.addColumns(r); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// addColumns adds the columns of a run's metrics.
func (b *builder) addColumns(r *Run) error {
	var faults []error
	for _, name := range r.Header.Metrics {
		spec, err := b.Metric(name)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", r.Name, err))
			continue
		}
		if len(spec.Columns) > 1 && !slices.ContainsFunc(b.wide, func(have *metrics.Spec) bool { return have.Name == spec.Name }) {
			b.wide = append(b.wide, spec)
		}
		for _, c := range spec.Columns {
			b.scored[r] = append(b.scored[r], c.Name)
			b.of[c.Name] = spec.Of
			if !hasColumn(b.known, c.Name) {
				b.known = append(b.known, c)
			}
		}
	}
	return errors.Join(faults...)
}

// measures reports whether a run is scored with a column.
func (b *builder) measures(r *Run, c metrics.Column) bool {
	return slices.Contains(b.scored[r], c.Name)
}

// at returns the place of a column among all; negative for none.
func (b *builder) at(name string) int {
	return slices.IndexFunc(b.known, func(c metrics.Column) bool { return c.Name == name })
}

func (b *builder) columnNames() []string {
	return lists.Map(b.known, func(c metrics.Column) string { return c.Name })
}

// column returns a column that a run is scored with.
func (b *builder) column(name string) (metrics.Column, bool) {
	if at := b.at(name); at >= 0 {
		return b.known[at], true
	}
	return metrics.Column{}, false
}

// selectColumns keeps the columns that the options name, or the first of each
// metric.
func (b *builder) selectColumns() error {
	if len(b.Columns) == 0 {
		b.columns = slices.DeleteFunc(slices.Clone(b.known), func(c metrics.Column) bool {
			return slices.ContainsFunc(b.wide, func(spec *metrics.Spec) bool {
				return hasColumn(spec.Columns[1:], c.Name) || spec.Apart && hasColumn(spec.Columns, c.Name)
			})
		})
		return nil
	}
	have := b.columnNames()
	var faults []error
	for _, name := range b.Columns {
		if !slices.Contains(have, name) {
			faults = append(faults, errors.New(suggest.Unknown("column", name, have)))
		}
	}
	b.columns = slices.DeleteFunc(slices.Clone(b.known), func(c metrics.Column) bool { return !slices.Contains(b.Columns, c.Name) })
	return errors.Join(faults...)
}

func hasColumn(columns []metrics.Column, name string) bool {
	return slices.ContainsFunc(columns, func(c metrics.Column) bool { return c.Name == name })
}

// nameRuns finds names that tell the runs apart: their own, or where two runs
// have the same, their folders'.
func (b *builder) nameRuns(runs []*Run) {
	b.names = make(map[*Run]string)
	seen := make(map[string]int)
	for _, r := range runs {
		seen[r.Header.Name]++
	}
	for _, r := range runs {
		b.names[r] = r.Header.Name
		if seen[r.Header.Name] > 1 {
			b.names[r] = r.Name
		}
	}
}

// read reads the lines of runs.
func (b *builder) read(runs []*Run) error {
	for _, r := range runs {
		lines, err := b.linesOf(r)
		if err != nil {
			return err
		}
		b.lines = append(b.lines, lines...)
	}
	return nil
}

// byDataset returns the lines of each dataset.
func byDataset(lines []*line) [][]*line {
	label := func(l *line) string { return l.dataset.Label }
	return lists.Map(lists.Distinct(lines, label), func(d string) []*line {
		return lists.Filter(lines, func(l *line) bool { return label(l) == d })
	})
}
