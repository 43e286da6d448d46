package interchange

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/result/transcript"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
)

// An Export is what is written: cells of runs with their scores.
type Export struct {
	Cells []Cell
	// Columns are those of the runs' metrics, in the order of the metrics.
	Columns []metrics.Column
	// Version is that of the program that writes.
	Version string
	// Transcripts reads what models were asked for requests; nil where nothing is
	// recorded.
	Transcripts *transcript.Source
}

// A Cell is a cell with what its run says of its dataset and model.
type Cell struct {
	record.Cell
	Run     *scored.Run
	Dataset record.Dataset
	Model   record.Model
}

// Options say what is exported.
type Options struct {
	Methods []string // labels; none for all
	// Metric finds a metric by its name.
	Metric  func(name string) (*metrics.Spec, error)
	Version string
	// Transcripts is where calls of models are looked up; nil for nowhere.
	Transcripts *transcript.Source
}

// New brings together the cells of runs. A label that no run has is an error.
func New(runs []*scored.Run, o Options) (*Export, error) {
	e := &Export{Version: o.Version, Transcripts: o.Transcripts}
	var faults []error
	var labels []string
	for _, r := range runs {
		faults = append(faults, e.addColumns(r.Header.Metrics, o.Metric))
		for _, c := range r.Header.Cells {
			labels = lists.AddNew(labels, c.Method)
			if len(o.Methods) > 0 && !slices.Contains(o.Methods, c.Method) {
				continue
			}
			cell := Cell{Cell: c, Run: r}
			cell.Dataset, _ = r.Header.Dataset(c.Dataset)
			cell.Model, _ = r.Header.Model(c.Model)
			e.Cells = append(e.Cells, cell)
		}
	}
	for _, m := range o.Methods {
		if !slices.Contains(labels, m) {
			faults = append(faults, errors.New(suggest.Unknown("method label", m, labels)))
		}
	}
	return e, errors.Join(faults...)
}

// addColumns adds the columns of metrics that are not there yet.
func (e *Export) addColumns(names []string, find func(string) (*metrics.Spec, error)) error {
	var faults []error
	for _, name := range names {
		spec, err := find(name)
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
	return errors.Join(faults...)
}

// label is the name of a cell for files: its dataset and method, with the model,
// the seed and the run where the export has several.
func (e *Export) label(c Cell, dataset bool) string {
	differ := func(of func(Cell) string) bool {
		return slices.ContainsFunc(e.Cells, func(other Cell) bool { return of(other) != of(c) })
	}
	var parts []string
	if dataset {
		parts = append(parts, c.Cell.Dataset)
	}
	parts = append(parts, c.Method)
	if differ(func(c Cell) string { return c.Cell.Model }) {
		parts = append(parts, c.Cell.Model)
	}
	if differ(func(c Cell) string { return strconv.FormatUint(c.Seed, 10) }) {
		parts = append(parts, fmt.Sprintf("seed%d", c.Seed))
	}
	if differ(func(c Cell) string { return c.Run.Header.ID }) {
		parts = append(parts, c.Run.Header.ID)
	}
	return strings.Join(parts, "_")
}

// names gives each cell a name for files, all different whatever the labels are.
func (e *Export) names() []string {
	names := make([]string, len(e.Cells))
	for i, c := range e.Cells {
		names[i] = record.FileName(e.label(c, true))
		// Labels may hold the sign that stands between them, and some systems
		// make no difference between capitals and small letters.
		if slices.ContainsFunc(names[:i], func(name string) bool { return strings.EqualFold(name, names[i]) }) {
			names[i] += "_" + c.ID
		}
	}
	return names
}

func runName(r *scored.Run) string { return filepath.Base(filepath.Clean(string(r.Folder))) }

// A list writes the members of a JSON object or array one by one.
type list struct {
	w           io.Writer
	open, close string
	n           int
	err         error
}

// add writes a member with what stands before its value.
func (l *list) add(before string, v any) {
	if l.err != nil {
		return
	}
	sep := ",\n"
	if l.n == 0 {
		sep = l.open + "\n"
	}
	l.n++
	if _, l.err = io.WriteString(l.w, sep+before); l.err != nil {
		return
	}
	var data []byte
	if data, l.err = encode(v); l.err == nil {
		_, l.err = l.w.Write(data)
	}
}

func (l *list) end() error {
	if l.err != nil {
		return l.err
	}
	end := l.close
	if l.n == 0 {
		end = l.open + end
	}
	_, err := io.WriteString(l.w, end)
	return err
}

// encode returns v as JSON on one line.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	if err := jsonout.Lines(&b, v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
