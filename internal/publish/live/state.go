package live

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recallbench/internal/publish/catalog"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/text/termsafe"
	"recallbench/metrics"
)

// A State is the whole state of a run being followed.
type State struct {
	ID       string           `json:"id"`
	Name     string           `json:"name"`
	Resume   string           `json:"resume,omitempty"` // the command that continues it
	Status   catalog.State    `json:"status"`
	Since    time.Time        `json:"since,omitzero"` // of the last change of a run that has stopped
	Stopped  string           `json:"stopped,omitempty"`
	Scored   bool             `json:"scored"` // scores.jsonl exists
	Progress *record.Progress `json:"progress"`
	// Rate is the number of questions finished per second over the last ten minutes. Left
	// is the time for the rest at that rate, in seconds; nil if unknown.
	Rate float64  `json:"rate"`
	Left *float64 `json:"left_s"`
	// Age is how long ago the files were read, in ms.
	Age int64 `json:"age_ms"`
	finished
}

// finished is what is read of all files at once.
type finished struct {
	// Columns are those of the rows, in order; Shown says how to show them, and Waiting
	// are the metrics that wait for the end.
	Columns []string                  `json:"columns"`
	Shown   map[string]catalog.Column `json:"shown"`
	Waiting []string                  `json:"waiting"`
	Faults  []Fault                   `json:"faults"` // the last
	Cells   []*Cell                   `json:"cells"`
	// Rows are the means so far, as an index of runs has them.
	Rows []record.SummaryRow `json:"rows"`
	// USD is the cost of the records, with recorded calls as if they were paid for
	// and without embeddings; nil if a price is unknown.
	USD    *float64  `json:"usd"`
	Errors []Failing `json:"errors"`
}

// A Fault is a file or a line of it that cannot be read.
type Fault struct {
	File  string `json:"file"`
	Line  int    `json:"line"` // from 1; 0 for the file
	Error string `json:"error"`
}

// A Cell is the state of a cell.
type Cell struct {
	ID      string `json:"id"`
	Dataset string `json:"dataset"`
	Method  string `json:"method"`
	Model   string `json:"model"`
	Planned int    `json:"planned"`
	Done    int    `json:"done"`
	Failed  int    `json:"failed"`
	Built   int    `json:"built"` // memories
	Samples int    `json:"samples"`

	ended []time.Time // of the finished requests
}

// A Failing counts the errors of a kind.
type Failing struct {
	Kind    string    `json:"kind"`
	Count   int       `json:"count"`
	Last    time.Time `json:"last"`
	Message string    `json:"message"` // the newest
	Cell    string    `json:"cell"`    // of the newest
	Sample  string    `json:"sample"`
	Request string    `json:"request"`
}

// Bounds of what is told of faults and errors.
const (
	maxFaults  = 20
	maxMessage = 1000 // characters
)

// whole returns the state of the run with its progress.
func (r *Run) whole(now time.Time) State {
	p, err := record.ReadProgress(string(r.folder))
	if err != nil { // it is replaced while it is read, or another program's
		p = nil
	}
	s := State{ID: r.header.ID, Name: r.header.Name, Stopped: r.header.Stopped, Progress: p, Age: now.Sub(r.readAt).Milliseconds(), finished: r.finished, Status: catalog.Complete}
	switch {
	case r.header.ID == "" && len(r.Faults) > 0:
		s.Status = catalog.Unreadable
	case r.header.Status == record.Started:
		s.Status, s.Since = catalog.StateOf(r.folder, p, now)
	case r.header.Status == record.Interrupted:
		s.Status = catalog.Interrupted
	}
	s.Resume = catalog.Resume(s.Status, string(r.folder))
	_, err = os.Stat(r.folder.Scores())
	s.Scored = err == nil
	window := min(10*time.Minute, max(time.Second, now.Sub(r.header.Start)))
	recent, left := 0, 0
	for _, c := range r.Cells {
		left += max(0, c.Planned-c.Done)
		for _, at := range c.ended {
			if now.Sub(at) < window {
				recent++
			}
		}
	}
	if s.Rate = float64(recent) / window.Seconds(); s.Rate > 0 {
		s.Left = new(float64(left) / s.Rate)
	}
	return s
}

// read reads the files of the run and scores what is finished. A header that cannot be
// read leaves what was known, unless the folder is gone.
func (r *Run) read() {
	r.finished = finished{Columns: []string{}, Shown: make(map[string]catalog.Column), Waiting: []string{}, Faults: []Fault{}, Cells: []*Cell{}, Rows: []record.SummaryRow{}, USD: new(0.0), Errors: []Failing{}}
	h, err := record.ReadHeader(string(r.folder))
	if _, missing := os.Lstat(filepath.Join(string(r.folder), "run.json")); errors.Is(missing, fs.ErrNotExist) {
		r.header, err = record.Header{}, errors.New("the folder of the run was removed")
	}
	if err != nil {
		r.fault("run.json", 0, err)
		h = r.header
	}
	r.header = h
	var specs []*metrics.Spec
	h.Metrics = nil
	for _, name := range r.header.Metrics {
		spec, err := r.Metric(name)
		if err != nil || !r.Alone(spec) {
			r.Waiting = append(r.Waiting, name)
			continue
		}
		specs, h.Metrics = append(specs, spec), append(h.Metrics, name)
		for _, c := range spec.Columns {
			r.Columns, r.Shown[c.Name] = append(r.Columns, c.Name), catalog.ColumnOf(c)
		}
	}
	var scores []record.Score
	for _, c := range r.header.Cells {
		scores = append(scores, r.cell(c, specs)...)
	}
	slices.SortStableFunc(r.Errors, func(a, b Failing) int { return cmp.Compare(b.Count, a.Count) })
	run := &report.Run{Name: h.Name, Header: h, Scores: func(yield func(record.Score, error) bool) {
		for _, s := range scores {
			if !yield(s, nil) {
				return
			}
		}
	}}
	rows, err := report.Summarize(run, nil, report.Options{Metric: r.Metric})
	if err != nil {
		r.fault("run.json", 0, err)
	}
	for _, row := range rows {
		row.Categories = nil
		r.Rows = append(r.Rows, row)
	}
}

// fault notes a file that cannot be read, or a line of it.
func (r *Run) fault(path string, line int, err error) {
	file := strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(string(r.folder))+"/")
	r.Faults = append(r.Faults[max(0, len(r.Faults)-maxFaults+1):], Fault{file, line, termsafe.Excerpt(err.Error(), maxMessage)})
}

// lines returns the values of the whole lines of a file, and the numbers of these lines, from
// 1; the last line may be under way still. Fields that this program does not know are passed
// over, and so are lines that cannot be decoded, which are faults.
func lines[T any](r *Run, path string) (all []T, at []int) {
	n := 0
	for data, err := range record.RawLines(path) {
		n++
		var value T
		if err == nil {
			if data[len(data)-1] != '\n' {
				break
			}
			err = json.Unmarshal(data, &value)
		}
		if err != nil {
			r.fault(path, n, err)
			continue
		}
		all, at = append(all, value), append(at, n)
	}
	return all, at
}

// cell reads a cell and scores its records. Of a request that was asked again the last
// record counts. A block is written before a record that refers to it, so records are read
// first.
func (r *Run) cell(of record.Cell, specs []*metrics.Spec) (scores []record.Score) {
	c := &Cell{ID: of.ID, Dataset: of.Dataset, Method: of.Method, Model: of.Model, Planned: of.Planned, Samples: of.Samples}
	r.Cells = append(r.Cells, c)
	records, at := lines[record.Record](r, r.folder.Records(of.ID))
	last := make(map[record.Asked]int)
	for i, rec := range records {
		last[record.Asked{Sample: rec.Sample, Request: rec.Request}] = i
	}
	built, _ := lines[record.Ingest](r, r.folder.Ingests(of.ID))
	c.Built = len(built)
	blocks, _ := lines[record.Block](r, r.folder.Blocks(of.ID))
	score, noScorer := r.Scorer(r.folder, r.header, of, specs, blocks)
	if noScorer != nil {
		r.fault(r.folder.Gold(of.Dataset), 0, noScorer)
	}
	for i, rec := range records {
		if last[record.Asked{Sample: rec.Sample, Request: rec.Request}] != i {
			continue
		}
		c.Done++
		c.ended = append(c.ended, rec.Time.End())
		if rec.Cost == nil {
			r.USD = nil
		} else if r.USD != nil {
			*r.USD += *rec.Cost
		}
		if rec.Status != record.OK {
			c.Failed++
			r.addError(c.ID, rec)
		}
		if noScorer != nil {
			continue
		}
		s, err := score(rec)
		if err != nil {
			r.fault(r.folder.Records(of.ID), at[i], err)
			continue
		}
		scores = append(scores, s)
	}
	return scores
}

func (f *finished) addError(cell string, rec record.Record) {
	kind, message := string(rec.Status), ""
	if rec.Error != nil {
		kind, message = rec.Error.Kind, termsafe.Excerpt(rec.Error.Message, maxMessage)
	}
	at := slices.IndexFunc(f.Errors, func(e Failing) bool { return e.Kind == kind })
	if at < 0 {
		at = len(f.Errors)
		f.Errors = append(f.Errors, Failing{Kind: kind})
	}
	e := &f.Errors[at]
	e.Count++
	if ended := rec.Time.End(); !ended.Before(e.Last) {
		e.Last, e.Message, e.Cell, e.Sample, e.Request = ended, message, cell, rec.Sample, rec.Request
	}
}
