package catalog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/meter"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// An Index lists the runs and baselines that were found.
type Index struct {
	Rev string `json:"rev"` // changes whenever anything has changed
	// Cut is set if folders lie deeper than the search goes.
	Cut  bool  `json:"cut,omitempty"`
	Runs []Row `json:"runs"`
	// Open are the keys of the runs that were named themselves, rather than by their
	// folder; a page opens with these.
	Open []string `json:"open,omitempty"`
	// Columns are those of the rows' means, by name.
	Columns map[string]Column `json:"columns"`
}

// A Column says how the means of a column are shown.
type Column struct {
	Scale   float64 `json:"scale"`
	Digits  int     `json:"digits"`
	Lower   bool    `json:"lower,omitempty"`
	Neutral bool    `json:"neutral,omitempty"`
}

// ColumnOf says how the means of a metric's column are shown.
func ColumnOf(c metrics.Column) Column { return Column{c.Scale, c.Digits, c.Lower, c.Neutral} }

// A Row is what an index shows of a run or baseline.
type Row struct {
	Key      string `json:"key"`
	Argument int    `json:"argument"` // number of the folder that it was found in
	Path     string `json:"path"`     // from there, with slashes
	Baseline bool   `json:"baseline,omitempty"`
	Name     string `json:"name"`
	ID       string `json:"id"`
	Status   State  `json:"status"`
	// Since is when a silent or stopped run last changed.
	Since   time.Time `json:"since,omitzero"`
	Stopped string    `json:"stopped,omitempty"` // why, as the header says
	// Resume is the command that continues a stopped run.
	Resume   string    `json:"resume,omitempty"`
	Start    time.Time `json:"start,omitzero"`
	End      time.Time `json:"end,omitzero"`
	Datasets []Dataset `json:"datasets"`
	Methods  []string  `json:"methods"`
	Models   []string  `json:"models"`
	Offline  bool      `json:"offline,omitempty"` // a model is the stand-in
	Planned  int       `json:"planned"`           // requests
	// Finished and Errors count questions; nil if not yet known.
	Finished *int        `json:"finished"`
	Errors   *int        `json:"errors"`
	Paid     *meter.Paid `json:"paid"`
	Commit   string      `json:"commit,omitempty"`
	Dirty    bool        `json:"dirty,omitempty"`
	Judge    string      `json:"judge,omitempty"`
	Metrics  []string    `json:"metrics"`
	Shard    string      `json:"shard,omitempty"`
	// Tags are the tags that people gave to questions of the run, sorted.
	Tags     []string  `json:"tags"`
	Headline *Headline `json:"headline"`
	// Rows are those of the summary, without categories.
	Rows []record.SummaryRow `json:"rows"`
	// Damage says what is wrong with the files of a damaged run.
	Damage string `json:"damage,omitempty"`
	// Error says why nothing of it could be read.
	Error string `json:"error,omitempty"`
}

// A Dataset is what must be equal for points of a trend to be comparable.
type Dataset struct {
	Label      string `json:"label"`
	Name       string `json:"name"`
	SHA256     string `json:"sha256"`
	Categories string `json:"categories"` // hash of their map
	AnswerKey  string `json:"answer_key,omitempty"`
}

// A Headline is the mean of the first column of a run, of its best row.
type Headline struct {
	Column string             `json:"column"`
	Row    int                `json:"row"`
	Mean   record.SummaryMean `json:"mean"`
}

// read reads the row of a place where its files have changed, and its state.
func (p *place) read(c *Catalog) {
	now := record.Stamp(p.dir, "run.json", "summary.json", "scores.jsonl", "annotations/*.jsonl", "cells/*/records.jsonl", "cells/*/ingests.jsonl")
	if now != p.seen || p.row.Error != "" {
		p.seen = now
		p.row = p.fresh(c)
	}
	if p.row.Error == "" {
		p.setState(c)
	}
}

// fresh reads the row of a place.
func (p *place) fresh(c *Catalog) Row {
	row := Row{
		Key: p.row.Key, Argument: p.row.Argument, Path: p.row.Path, Name: filepath.Base(p.dir), Status: Unreadable,
		Datasets: []Dataset{}, Methods: []string{}, Models: []string{}, Tags: []string{}, Metrics: []string{}, Rows: []record.SummaryRow{},
	}
	h, err := record.ReadHeader(p.dir, record.AcceptEdits)
	if err != nil {
		row.Error = strings.ReplaceAll(err.Error(), p.dir, row.Path)
		return row
	}
	row.setHeader(h, h.Baseline != nil)
	notes, err := note.Read(record.Folder(p.dir))
	if err != nil {
		c.Log.Warn("notes of a run cannot be read", "run", row.Path, "error", err)
	}
	for _, n := range note.Standing(notes) {
		if tag, ok := n.Tag(); ok {
			row.Tags = lists.AddNew(row.Tags, tag)
		}
	}
	slices.Sort(row.Tags)
	if row.Status == Running {
		return row
	}
	summary, err := record.ReadSummary(p.dir)
	if errors.Is(err, record.ErrNoSummary) {
		summary.Rows, err = c.Summarize(p.dir)
	}
	if h.Scored != nil {
		h.Files = append(h.Files, h.Scored.Digest)
	}
	if err = errors.Join(p.sizes(h.Files), err); err != nil {
		row.Status = Damaged
		row.Damage, _, _ = strings.Cut(err.Error(), "\n")
		return row
	}
	finished, failed := 0, 0
	for _, of := range summary.Rows {
		finished, failed = finished+of.Requests, failed+of.Errors
		of.Categories = nil
		row.Rows = append(row.Rows, of)
	}
	row.Finished, row.Errors, row.Headline = &finished, &failed, c.headline(summary.Rows, h)
	return row
}

// setHeader sets what a header says.
func (row *Row) setHeader(h record.Header, baseline bool) {
	if row.Baseline = baseline; !baseline {
		row.Name = h.Name
	}
	row.ID, row.Stopped, row.Start, row.End, row.Paid = h.ID, h.Stopped, h.Start, h.End, h.Paid
	row.Commit, row.Dirty, row.Metrics = h.Binary.Commit, h.Binary.Dirty, h.Metrics
	for _, d := range h.Datasets {
		one := Dataset{Label: d.Label, Name: d.Name, SHA256: d.SHA256, Categories: Key(fmt.Sprint(d.Categories))}
		if len(d.Errata) > 0 {
			one.AnswerKey = string(d.Key) + " " + fmt.Sprint(lists.Map(d.Errata, record.Overlay.String))
		}
		row.Datasets = append(row.Datasets, one)
	}
	for _, m := range h.Models {
		row.Models = append(row.Models, m.Label)
		row.Offline = row.Offline || m.Offline
	}
	for _, cell := range h.Cells {
		row.Planned += cell.Planned
		row.Methods = lists.AddNew(row.Methods, cell.Method)
	}
	if h.Shard != nil {
		row.Shard = fmt.Sprintf("%d of %d", h.Shard.Index, h.Shard.Of)
	}
	if h.Judge != nil {
		row.Judge = h.Judge.Label
	}
	row.Status = stateOf(h, row)
}

// sizes holds the files of a run against their sizes in the header; opening the run
// compares all bytes.
func (p *place) sizes(files []record.Digest) error {
	for _, d := range files {
		name := filepath.FromSlash(d.File)
		if info, err := os.Stat(filepath.Join(p.dir, name)); filepath.IsLocal(name) && (err != nil || info.Size() != d.Bytes) {
			return fmt.Errorf("%s has changed since the run wrote it", d.File)
		}
	}
	return nil
}

// headline returns the best mean of the first column that leads, except for controls, which
// are not ranked.
func (c *Catalog) headline(rows []record.SummaryRow, h record.Header) *Headline {
	controls := make(map[string]bool) // by cell
	for _, cell := range h.Cells {
		controls[cell.ID] = cell.Sees != ""
	}
	for _, name := range h.Metrics {
		spec, err := c.Metric(name)
		if err != nil || !spec.Leads() {
			continue
		}
		column := spec.Columns[0]
		var best *Headline
		for i, row := range rows {
			mean, ok := row.Columns[column.Name]
			control := slices.ContainsFunc(row.Cells, func(id string) bool { return controls[id] })
			if ok && !control && (best == nil || mean.Mean != best.Mean.Mean && column.Lower == (mean.Mean < best.Mean.Mean)) {
				best = &Headline{column.Name, i, mean}
			}
		}
		if best != nil {
			return best
		}
	}
	return nil
}

// A State is the state of a run.
type State string

// The states. If the header says that a run is active, the progress that it
// writes reports whether it really is.
const (
	Running     State = "running"
	Stopped     State = "stopped" // without a word: its process is gone or hangs
	Interrupted State = "interrupted"
	Complete    State = "complete"
	Shard       State = "shard"    // complete, and a part of a run
	Imported    State = "imported" // complete, with answers from elsewhere
	Baseline    State = "baseline"
	Damaged     State = "damaged" // files are not what the run wrote
	Unreadable  State = "unreadable"
)

// How old what a process last wrote may be.
const (
	progressAge = 10 * time.Second
	silence     = time.Minute
)

// stateOf returns the state that a header tells; Running for any active one.
func stateOf(h record.Header, row *Row) State {
	switch {
	case row.Baseline:
		return Baseline
	case h.Status == record.Started:
		return Running
	case h.Status == record.Interrupted:
		return Interrupted
	case h.Shard != nil:
		return Shard
	case len(h.Cells) > 0 && !slices.ContainsFunc(h.Cells, func(c record.Cell) bool { return c.Imported == nil }):
		return Imported
	}
	return Complete
}

// StateOf returns the state of a run whose header says that it is active, and when an
// inactive one last changed. Progress is nil if there is none, as just after a run has
// begun.
func StateOf(folder record.Folder, p *record.Progress, now time.Time) (state State, since time.Time) {
	changed, age, here := time.Time{}, silence, true
	if p != nil {
		changed, age, here = p.Time, progressAge, p.Host != record.Host() || alive(p.PID)
	} else if info, err := os.Stat(filepath.Join(string(folder), "run.json")); err == nil {
		changed = info.ModTime()
	}
	if here && now.Sub(changed) <= age {
		return Running, time.Time{}
	}
	return Stopped, changed
}

// setState sets what may change of a row while its header does not.
func (p *place) setState(c *Catalog) {
	row := &p.row
	if row.Status == Running || row.Status == Stopped {
		progress, err := record.ReadProgress(p.dir)
		if err != nil {
			progress = nil
		}
		row.Status, row.Since = StateOf(record.Folder(p.dir), progress, c.Now())
		if progress != nil {
			row.Finished, row.Errors, row.Paid = &progress.Done, &progress.Failed, &progress.Paid
		}
	}
	row.Resume = Resume(row.Status, p.dir)
}

// Resume returns the command that continues a run in a folder; empty if there is
// nothing to continue.
func Resume(s State, dir string) string {
	if s == Stopped || s == Interrupted {
		return "bench resume " + dir
	}
	return ""
}

// alive reports whether a process of this machine is there. Where the system does
// not tell, it is.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release() //nolint:errcheck // nothing is held but a handle
	err = p.Signal(syscall.Signal(0))
	return !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH)
}
