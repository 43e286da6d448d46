package report

import "recallbench/metrics"

// A Means is a row of a run's tables for programs to read: a method with a model
// on a dataset, over all its categories or over one. Seeds share a row, as they
// do in tables.
type Means struct {
	Dataset, Method, Model string // labels
	Category, CategoryName string // empty for all
	// Requests is the number that is scored and Failed how many of them failed,
	// over all seeds. Planned is how many the run was to ask in all categories.
	Requests, Failed, Planned int
	Columns                   []ColumnMean
}

// A ColumnMean is the mean of a column as the tables have it.
type ColumnMean struct {
	metrics.Column
	// Mean is in the unit of the scores; nil where no request has a value.
	Mean *float64
	// Of is what its metric looks at.
	Of metrics.Part
}

// Tested reports whether a column is a mean over requests that each count the
// same, which [Contrasts] can test.
func (c ColumnMean) Tested() bool { return c.Weight == "" && !c.Sample && !c.Total }

// MeansOf sums up a run: for each method with a model on a dataset a row over all
// categories, then one for each category that it has requests of, in the order of
// the run and of the dataset. Of the options only Metric is read.
func MeansOf(r *Run, o Options) ([]Means, error) {
	b := &builder{Options: Options{Metric: o.Metric}, usage: make(map[string]bool), judged: make(map[string]bool), scored: make(map[*Run][]string)}
	if err := b.addColumns(r); err != nil {
		return nil, err
	}
	lines, err := b.read([]*Run{r}, byCategory)
	if err != nil {
		return nil, err
	}
	of := make(map[string]metrics.Part)
	for _, name := range r.Header.Metrics {
		spec, err := o.Metric(name)
		if err != nil {
			return nil, err
		}
		for _, c := range spec.Columns {
			of[c.Name] = spec.Of
		}
	}
	var all []Means
	for _, l := range lines {
		all = append(all, b.means(l, "", l.ids(), of))
		for _, id := range asked([]*line{l}) {
			all = append(all, b.means(l, id, []string{id}, of))
		}
	}
	return all, nil
}

// means sums up the requests of some categories of a line.
func (b *builder) means(l *line, category string, ids []string, of map[string]metrics.Part) Means {
	m := Means{Dataset: l.cell.Dataset, Method: l.cell.Method, Model: l.cell.Model, Category: category}
	if category != "" {
		m.CategoryName = categoryName(l.dataset, category)
	}
	for _, seed := range l.bySeed() {
		n, failed := seed.n(ids)
		m.Requests += n
		for _, k := range failed {
			m.Failed += k
		}
		m.Planned += seed.cell.Planned
	}
	for _, c := range b.known {
		mean := ColumnMean{Column: c, Of: of[c.Name]}
		if s, ok := l.summary(c, ids); ok {
			mean.Mean = &s.mean
		}
		m.Columns = append(m.Columns, mean)
	}
	return m
}
