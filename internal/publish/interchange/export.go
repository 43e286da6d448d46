package interchange

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
)

// An Export holds the cells of runs to write, with their scores.
type Export struct {
	Cells []Cell
	// Columns are the columns of the runs' metrics, in order.
	Columns []metrics.Column
	// Version is that of the program that writes.
	Version string
}

// A Cell is a cell with what its run says of its dataset and model.
type Cell struct {
	record.Cell
	Run     *scored.Run
	Dataset record.Dataset
	Model   record.Model
}

// New brings together the cells of runs, of methods with some labels, or of all. Metric finds a
// metric by its name, and version is that of the program. A label that no run has is an error.
func New(runs []*scored.Run, methods []string, metric func(name string) (*metrics.Spec, error), version string) (*Export, error) {
	e := &Export{Version: version}
	var faults []error
	var labels []string
	for _, r := range runs {
		for _, name := range r.Header.Metrics {
			spec, err := metric(name)
			if err != nil {
				faults = append(faults, err)
				continue
			}
			for _, c := range spec.Columns {
				if !slices.ContainsFunc(e.Columns, func(have metrics.Column) bool { return have.Name == c.Name }) {
					e.Columns = append(e.Columns, c)
				}
			}
		}
		for _, c := range r.Header.Cells {
			labels = lists.AddNew(labels, c.Method)
			if len(methods) > 0 && !slices.Contains(methods, c.Method) {
				continue
			}
			cell := Cell{Cell: c, Run: r}
			cell.Dataset, _ = r.Header.Dataset(c.Dataset)
			cell.Model, _ = r.Header.Model(c.Model)
			e.Cells = append(e.Cells, cell)
		}
	}
	for _, m := range methods {
		if !slices.Contains(labels, m) {
			faults = append(faults, errors.New(suggest.Unknown("method label", m, labels)))
		}
	}
	return e, errors.Join(faults...)
}

// label is the name of a cell for files: its method, with the model, the seed and the run
// where the export has several.
func (e *Export) label(c Cell) string {
	parts := []string{c.Method}
	for _, of := range []func(Cell) string{
		func(c Cell) string { return c.Cell.Model },
		func(c Cell) string { return "seed" + strconv.FormatUint(c.Seed, 10) },
		func(c Cell) string { return c.Run.Header.ID },
	} {
		if slices.ContainsFunc(e.Cells, func(other Cell) bool { return of(other) != of(c) }) {
			parts = append(parts, of(c))
		}
	}
	return strings.Join(parts, "_")
}

// scores returns the scores of a request by column, of the columns of the export.
func (e *Export) scores(r row) map[string]*float64 {
	values := make(map[string]*float64, len(e.Columns))
	for _, c := range e.Columns {
		if values[c.Name] = nil; r.Score != nil {
			values[c.Name] = r.Score.Values[c.Name]
		}
	}
	return values
}

// columnNames names the columns of the export.
func (e *Export) columnNames() []string {
	return lists.Map(e.Columns, func(c metrics.Column) string { return c.Name })
}

// A mean is the mean of a column, or its sum where tables print that.
type mean struct {
	metrics.Column
	value float64
	n     int    // requests, or samples, that have a value
	how   string // mean or sum
	// se is the standard error with conversations as clusters, nil where it is
	// not known.
	se *float64
}

// means sums up the scores of requests as tables do; columns without a value are left out.
func (e *Export) means(all []scored.Request) (means []mean) {
	places := make(map[string]int)
	for _, r := range all {
		if _, ok := places[r.Record.Sample]; !ok {
			places[r.Record.Sample] = len(places)
		}
	}
	for _, c := range e.Columns {
		clusters := make([]stats.Cluster, len(places))
		for _, r := range all {
			if r.Score == nil {
				continue
			}
			value, weight := r.Score.Values[c.Name], new(1.0)
			if c.Weight != "" {
				weight = r.Score.Values[c.Weight]
			}
			if value != nil && weight != nil {
				clusters[places[r.Record.Sample]].AddWeighted(*value, *weight)
			}
		}
		if c.Sample {
			clusters = lists.Map(clusters, func(c stats.Cluster) stats.Cluster { return c.One() })
		}
		m := mean{Column: c, how: "mean"}
		if m.value, m.n = stats.Mean(clusters); m.n == 0 {
			continue
		}
		if se, ok := stats.StandardError(clusters); c.Total {
			m.value, m.how = stats.Total(clusters).Sum, "sum"
		} else if ok {
			m.se = &se
		}
		means = append(means, m)
	}
	return means
}
