// Package report builds tables from scored runs and prints them.
//
// [Build] reads the scores of runs as facts and lays them out as a [Document]. Each table
// is a projection of the facts of a dataset: the means of its methods, their tested
// differences to one of them, an ablation, the effects of options, the means under each
// answer key, and published tables next to the measured one. The seeds of a run share a
// row. A Document is printed as text for a terminal, Markdown, CSV, JSON, HTML or LaTeX;
// all renderers print the same cells and notes, escaped for their format.
//
// [Contrasts] tests differences; projections, gates, verdicts and results of other tools
// all use its [Contrast].
//
// Footnotes flag anything that could mislead a reader: results of the stand-in, failed
// requests and their effect on a mean, undefined values, unfinished runs, and rows that
// differ in more than the method.
package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/published"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
)

// Options set what a report shows.
type Options struct {
	// Metric finds a metric by its name in a run's header.
	Metric func(name string) (*metrics.Spec, error)
	// By splits by "category" or by a label: it adds a table for each of Columns or, without
	// Columns, for the first column of each metric that is not about usage. Empty splits
	// nothing.
	By string
	// Filter keeps the requests that meet all conditions: "category=NAME", or a label with
	// a value.
	Filter []string
	// Columns names the columns of metrics to show. If empty, the main table has the first
	// column of each metric, and a metric with more columns has its own table.
	Columns []string
	// Seeds gives each seed of a run its own row. Otherwise rows are means over the seeds,
	// with standard deviations.
	Seeds bool
	// Intervals adds 95 % intervals to the means.
	Intervals bool
	// Against is the label of a method that the other rows of its dataset and model are
	// compared with, in a table of tested differences; empty for none.
	Against string
	// Axes replaces the means, for each method whose rows differ in options, with the
	// effect of each option.
	Axes bool
	// Ablation replaces the means, for each dataset, with a method and its variants: those
	// whose cells name it as their full method or, if none does, those that use the same
	// method.
	Ablation bool
	// Keys replaces the means, for each dataset with errata, with the ceilings of its
	// questions and the means under each answer key side by side.
	Keys bool
	// Full is the label of the method that Ablation is about; empty for the one with
	// variants.
	Full string
	// Published names the published tables to print next to the measured ones.
	Published []string
	// AllReaders includes the rows of all readers of the published tables, not only those of
	// the runs' readers or else the table's first.
	AllReaders bool
	// Unit is what tests treat as independent; empty for [BySample].
	Unit Unit
	// Correct is how p-values are adjusted, one of [infer.Corrections]; empty for max-T.
	Correct string
	// AcceptTwo tests differences of two conversations, too.
	AcceptTwo bool
}

// infer returns how differences are tested.
func (o Options) infer(seed uint64) infer.Options {
	return infer.Options{Correct: o.Correct, AcceptTwo: o.AcceptTwo, Seed: seed}
}

// Build reads the scores of some runs and lays out their tables. The order of
// runs, datasets, methods and metrics is that of the arguments and headers.
func Build(runs []*Run, o Options) (*Document, error) {
	f, err := Read(runs, o)
	if err != nil {
		return nil, err
	}
	return f.Build(o)
}

// Build lays out tables as the function Build does.
func (f *Facts) Build(o Options) (*Document, error) {
	b, err := f.with(o)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(b.checkBy(), b.findLabels(), b.readKeys(), b.filter()); err != nil {
		return nil, err
	}
	alone := o.Ablation || o.Axes || o.Keys // instead of means
	projections := []struct {
		selected bool
		tables   func([]*line) []*Table
	}{
		{!alone, b.meanTables},
		{o.Against != "", b.againstTables},
		{!alone && o.By != "", b.splitTables},
		{o.Ablation, b.ablationTables},
		{o.Axes, b.axisTables},
		{o.Keys, b.keyTables},
	}
	d := &Document{Tables: []*Table{}}
	for _, lines := range byDataset(b.lines) {
		for _, p := range projections {
			if p.selected {
				d.Tables = append(d.Tables, p.tables(lines)...)
			}
		}
	}
	switch {
	case alone && o.By != "":
		return nil, errors.New("--by splits means, not --ablation, --axes and --keys; --filter NAME=VALUE selects one part of these")
	case alone && len(d.Tables) == 0:
		return nil, errors.New("nothing to print: --ablation needs a method with variants, --axes rows of one method with different options, and --keys a run with errata, as after 'bench score RUN --errata locomo-audit'")
	}
	for _, name := range o.Published {
		table, err := published.Get(name)
		if err != nil {
			return nil, err
		}
		d.Tables = append(d.Tables, b.besides(table)...)
	}
	return d, nil
}

// grouped returns rows with their requests in the groups of [Options].By: the values of a
// label in place of categories.
func (b *builder) grouped(lines []*line) []*line {
	if b.By == Category {
		return lines
	}
	return lists.Map(lines, func(l *line) *line {
		return l.each(func(it *item) bool {
			it.category = cmp.Or(it.labels[b.By], "no "+b.By)
			return true
		})
	})
}

// checkBy reports a label in [Options].By that no request has.
func (b *builder) checkBy() error {
	if known := labelsOf(b.lines); b.By != "" && b.By != Category && !slices.Contains(known, b.By) {
		return errors.New(suggest.Unknown("label", b.By, append([]string{Category}, known...)))
	}
	return nil
}

// Facts are the scores of some runs, which are read once for several reports. They are not
// for concurrent use.
type Facts struct {
	runs   []*Run
	rows   []*line
	specs  []*metrics.Spec         // metrics of the runs, each once
	known  []metrics.Column        // of all metrics
	places map[string]int          // of these, by name
	of     map[string]metrics.Part // what columns look at
	names  map[*Run]string         // of runs, to tell them apart
}

// Read reads the scores of runs concurrently. Reports of the facts need the same Metric and
// Seeds in their options.
func Read(runs []*Run, o Options) (*Facts, error) {
	f := &Facts{runs: runs, of: make(map[string]metrics.Part), places: make(map[string]int), names: make(map[*Run]string)}
	lines, faults := make([][]*line, len(runs)), make([]error, len(runs))
	for i, r := range runs { // by their own names or, where two have the same, by their folders'
		f.names[r] = r.Header.Name
		if slices.ContainsFunc(runs, func(other *Run) bool { return other != r && other.Header.Name == r.Header.Name }) {
			f.names[r] = r.Name
		}
		faults[i] = f.addColumns(r, o)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	var all sync.WaitGroup
	for i, r := range runs {
		all.Go(func() { lines[i], faults[i] = f.linesOf(r, r.Scores, o.Seeds) })
	}
	all.Wait()
	f.rows = slices.Concat(lines...)
	return f, errors.Join(faults...)
}

// A builder holds the facts that the tables of one document share.
type builder struct {
	Options
	*Facts
	lines   []*line
	columns []metrics.Column // those of the main tables
}

// with selects the columns that options name.
func (f *Facts) with(o Options) (*builder, error) {
	b := &builder{Options: o, Facts: f, lines: f.rows}
	err := b.selectColumns()
	b.showLength()
	return b, err
}

// open reads the facts of runs for one report.
func open(runs []*Run, o Options) (*builder, error) {
	f, err := Read(runs, o)
	if err != nil {
		return nil, err
	}
	return f.with(o)
}

// addColumns adds the columns of a run's metrics.
func (f *Facts) addColumns(r *Run, o Options) (err error) {
	for _, name := range r.Header.Metrics {
		spec, fault := o.Metric(name)
		if fault != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", r.Name, fault))
			continue
		}
		if slices.ContainsFunc(f.specs, func(have *metrics.Spec) bool { return have.Name == spec.Name }) {
			continue
		}
		f.specs = append(f.specs, spec)
		for _, c := range spec.Columns {
			f.of[c.Name] = spec.Of
			if _, ok := f.places[c.Name]; !ok {
				f.places[c.Name] = len(f.known)
				f.known = append(f.known, c)
			}
		}
	}
	return err
}

// measures reports whether a run is scored with a column.
func (f *Facts) measures(r *Run, c metrics.Column) bool {
	return slices.ContainsFunc(f.specs, func(spec *metrics.Spec) bool {
		return slices.Contains(r.Header.Metrics, spec.Name) && hasColumn(spec.Columns, c.Name)
	})
}

func columnNames(columns []metrics.Column) []string {
	return lists.Map(columns, func(c metrics.Column) string { return c.Name })
}

// column returns the first of some columns that a run is scored with.
func (f *Facts) column(names ...string) (metrics.Column, bool) {
	for _, name := range names {
		if at, ok := f.places[name]; ok {
			return f.known[at], true
		}
	}
	return metrics.Column{}, false
}

// selectColumns keeps the columns that the options name, or the first of each metric.
func (b *builder) selectColumns() error {
	if len(b.Columns) > 0 {
		named, err := b.namedColumns(b.Columns)
		b.columns = lists.Filter(b.known, func(c metrics.Column) bool { return hasColumn(named, c.Name) })
		return err
	}
	b.columns = lists.Filter(b.known, func(c metrics.Column) bool {
		return !slices.ContainsFunc(b.specs, func(spec *metrics.Spec) bool {
			return len(spec.Columns) > 1 && (spec.Apart || c.Name != spec.Columns[0].Name) && hasColumn(spec.Columns, c.Name)
		})
	})
	return nil
}

// namedColumns returns columns by their names, or says which are not there.
func (f *Facts) namedColumns(names []string) (columns []metrics.Column, err error) {
	for _, name := range names {
		if c, ok := f.column(name); ok {
			columns = append(columns, c)
		} else {
			err = errors.Join(err, errors.New(suggest.Unknown("column", name, columnNames(f.known))))
		}
	}
	return columns, err
}

func hasColumn(columns []metrics.Column, name string) bool {
	return slices.ContainsFunc(columns, func(c metrics.Column) bool { return c.Name == name })
}

// testable reports whether a column is an equally weighted mean over requests.
func testable(c metrics.Column) bool { return c.Weight == "" && !c.Sample && !c.Total }

// columnsTested returns the shown columns that are equally weighted means over requests, have
// a better direction, and are not about usage.
func (b *builder) columnsTested() []metrics.Column {
	return lists.Filter(b.columns, func(c metrics.Column) bool {
		return b.of[c.Name] != metrics.Usage && !c.Neutral && testable(c)
	})
}

// byDataset returns the rows of each dataset.
func byDataset(lines []*line) [][]*line {
	return groupBy(lines, func(l *line) string { return l.dataset.Label })
}

// groupBy groups rows by a key.
func groupBy(lines []*line, key func(*line) string) [][]*line {
	return lists.Map(lists.Distinct(lines, key), func(k string) []*line {
		return lists.Filter(lines, func(l *line) bool { return key(l) == k })
	})
}
