package live_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recallbench/internal/publish/catalog"
	"recallbench/internal/publish/live"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

var start = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// scorer says that answers of one letter are right, with blocks that it has.
func scorer(cell string, blocks []record.Block) func(record.Record) (record.Score, error) {
	return func(r record.Record) (record.Score, error) {
		for _, ref := range r.Evidence {
			if !slices.ContainsFunc(blocks, func(b record.Block) bool { return b.Block == ref.Block }) {
				return record.Score{}, fmt.Errorf("no block %s", ref.Block)
			}
		}
		if r.Request == "unknown" {
			return record.Score{}, fmt.Errorf("no gold for request %s", r.Request)
		}
		value := 0.0
		if len(r.Answer) == 1 {
			value = 1
		}
		return record.Score{Cell: cell, Sample: r.Sample, Request: r.Request, Status: r.Status, Values: map[string]*float64{"f1@mem0": &value}}, nil
	}
}

// A watched is a run that is followed.
type watched struct {
	tb     testing.TB
	folder record.Folder
	header record.Header
	now    time.Time
	run    *live.Run
	last   uint64
	takes  time.Duration // to read the files
}

func watch(tb testing.TB, cells ...string) *watched {
	tb.Helper()
	folder := try.Get(record.Create(filepath.Join(tb.TempDir(), "run")))(tb)
	w := &watched{tb: tb, folder: folder, now: start, header: record.Header{
		ID: "1", Status: record.Started, Metrics: []string{"f1@mem0", "tokens"}, Datasets: []record.Dataset{{Label: "d"}}, Models: []record.Model{{Label: "m"}},
	}}
	for _, id := range cells {
		w.header.Cells = append(w.header.Cells, record.Cell{ID: id, Dataset: "d", Method: id, Model: "m", Planned: 4})
		try.Do(tb, os.MkdirAll(folder.Cell(id), 0o755))
	}
	w.do(folder.WriteHeader(w.header))
	hub := live.NewHub(live.Config{
		Metric: func(name string) (*metrics.Spec, error) {
			return map[string]*metrics.Spec{"f1@mem0": metrics.F1Mem0Spec, "tokens": metrics.DegradedSpec}[name], nil
		},
		Alone: func(s *metrics.Spec) bool { return s == metrics.F1Mem0Spec },
		Scorer: func(_ record.Folder, _ record.Header, c record.Cell, _ []*metrics.Spec, blocks []record.Block) (func(record.Record) (record.Score, error), error) {
			w.now = w.now.Add(w.takes)
			return scorer(c.ID, blocks), nil
		},
		Now: func() time.Time { return w.now },
	})
	w.run = hub.Run(folder)
	return w
}

func (w *watched) do(err error) {
	w.tb.Helper()
	try.Do(w.tb, err)
}

// look reports whether there is an event since the last look.
func (w *watched) look() bool {
	w.now = w.now.Add(6 * time.Second)
	event := w.run.Look(w.last)
	if event != nil {
		w.last = event.ID
	}
	return event != nil
}

// A state is what a page knows of a run.
type state struct {
	Status  catalog.State
	Scored  bool
	Columns []string
	Shown   map[string]catalog.Column
	Waiting []string
	Left    *float64 `json:"left_s"`
	USD     *float64
	Cells   []live.Cell
	Rows    []record.SummaryRow
	Errors  []live.Failing
	Faults  []live.Fault
}

// state asks as one who comes anew.
func (w *watched) state() state {
	w.tb.Helper()
	event := w.run.Look(0)
	var s state
	if event == nil || event.Name != "state" {
		w.tb.Fatalf("event %v", event)
	}
	w.do(json.Unmarshal(event.Data, &s))
	return s
}

// line is a record as a line.
func line(tb testing.TB, request, answer string) string {
	tb.Helper()
	data := try.Get(json.Marshal(record.Record{Sample: "s1", Request: request, Status: record.OK, Answer: answer, Cost: new(0.25), Time: record.Timing{Start: start, Total: 1000}}))(tb)
	return string(data) + "\n"
}

func appendTo(tb testing.TB, path, text string) {
	tb.Helper()
	f := try.Get(os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644))(tb)
	_, err := f.WriteString(text)
	try.Do(tb, errors.Join(err, f.Close()))
}

// The vectors of a cell that grows, is cut, replaced and removed.
func TestVectors(t *testing.T) {
	w := watch(t, "c1")
	path := w.folder.Records("c1")
	r := func(request, answer string) string { return line(t, request, answer) }
	q1, q2, q3 := r("q1", "a"), r("q2", "b"), r("q3", "d")
	w.look()
	for i, step := range []struct {
		do   func()
		done int
		mean float64 // of one-letter answers
	}{
		{func() { appendTo(t, path, q1+q2[:len(q2)/2]) }, 1, 1},
		{func() { appendTo(t, path, q2[len(q2)/2:]) }, 2, 1},
		{func() { appendTo(t, path, r("q1", "wrong")) }, 2, 0.5},
		{func() {
			w.do(os.Truncate(path, int64(len(q1+q2))))
			appendTo(t, path, q3)
		}, 3, 1},
		{func() {
			w.do(os.WriteFile(path+".new", []byte(q1+q2+q3), 0o644))
			w.do(os.Rename(path+".new", path))
		}, 3, 1},
	} {
		step.do()
		w.look()
		s := w.state()
		if m := s.Rows[0].Columns["f1@mem0"]; s.Cells[0].Done != step.done || m.N != step.done || m.Mean != step.mean {
			t.Errorf("step %d: %d done, mean %+v, want %d and %g", i, s.Cells[0].Done, m, step.done, step.mean)
		}
	}
	w.do(os.RemoveAll(string(w.folder)))
	w.look()
	if s := w.state(); s.Status != catalog.Unreadable || len(s.Cells) > 0 || len(s.Faults) != 1 || !strings.Contains(s.Faults[0].Error, "removed") {
		t.Errorf("without its folder: %+v", s)
	}
}

func TestState(t *testing.T) {
	w := watch(t, "c1", "c2")
	appendTo(t, w.folder.Records("c1"), line(t, "q1", "a")+line(t, "q2", "wrong")+"no record\n"+line(t, "unknown", "a"))
	failed := try.Get(json.Marshal(record.Record{Sample: "s2", Request: "q1", Status: record.Error, Error: &record.Failure{Kind: "timeout", Message: "too late"}, Time: record.Timing{Start: start.Add(time.Second)}}))(t)
	appendTo(t, w.folder.Records("c2"), line(t, "q1", "wrong")+string(failed)+"\n")
	w.do(w.folder.WriteProgress(record.Progress{Time: start.Add(6 * time.Second), PID: os.Getpid(), Host: record.Host(), Total: 8, Done: 5, InFlight: []record.InFlight{{Cell: "c1", Sample: "s1", Request: "slow", Since: start}}}))
	w.look()
	s := w.state()
	if s.Status != "running" || strings.Join(s.Columns, " ") != "f1@mem0" || strings.Join(s.Waiting, " ") != "tokens" || s.USD != nil {
		t.Errorf("state %+v", s)
	}
	first, second := s.Cells[0], s.Cells[1]
	if first.Done != 3 || first.Failed != 0 || second.Done != 2 || second.Failed != 1 || first.Planned != 4 {
		t.Errorf("cells %+v", s.Cells)
	}
	if m := s.Rows[0].Columns["f1@mem0"]; m.N != 2 || m.Mean != 0.5 || m.Low != nil || s.Shown["f1@mem0"].Scale != 100 {
		t.Errorf("mean %+v", m)
	}
	if len(s.Errors) != 1 || s.Errors[0].Kind != "timeout" || s.Errors[0].Message != "too late" || s.Errors[0].Cell != "c2" {
		t.Errorf("errors %+v", s.Errors)
	}
	if s.Left == nil {
		t.Error("how long it takes is not known")
	}
	// What follows comes as one event.
	appendTo(t, w.folder.Records("c2"), line(t, "q2", "a"))
	w.header.Status = record.Complete
	w.do(w.folder.WriteHeader(w.header))
	w.do(w.folder.RemoveProgress())
	w.do(os.WriteFile(w.folder.Scores(), []byte("{}\n"), 0o644))
	if first, second := w.look(), w.look(); !first || second {
		t.Errorf("an event of what is new: %v; another of nothing new: %v", first, second)
	}
	if s := w.state(); s.Status != catalog.Complete || !s.Scored || s.Cells[1].Done != 3 {
		t.Errorf("state %+v", s)
	}
	// Who comes from another process gets the state.
	if event := w.run.Look(9999); event == nil || event.Name != "state" {
		t.Errorf("event %v", event)
	}
}

// A line that is no record is told with its place, and does not stop the others.
func TestFaults(t *testing.T) {
	w := watch(t, "c1")
	appendTo(t, w.folder.Records("c1"), "{\n"+line(t, "q1", "a"))
	w.look()
	if s := w.state(); s.Cells[0].Done != 1 || len(s.Faults) != 1 || s.Faults[0].File != "cells/c1/records.jsonl" || s.Faults[0].Line != 1 {
		t.Errorf("state %+v", s)
	}
	w.do(os.WriteFile(filepath.Join(string(w.folder), "run.json"), []byte("{"), 0o644))
	w.look()
	if s := w.state(); s.Cells[0].Done != 1 || len(s.Faults) != 2 || s.Faults[0].File != "run.json" {
		t.Errorf("state %+v", s)
	}
}

// Reading the files takes a hundredth of the time at most, and what a run has when it ends
// is read at once.
func TestReadsSeldom(t *testing.T) {
	w := watch(t, "a")
	w.takes = time.Second
	records := w.folder.Records("a")
	done := func(want int, when string) {
		t.Helper()
		w.look() // 6 s later
		if got := w.state().Cells[0].Done; got != want {
			t.Errorf("%s: %d requests, want %d", when, got, want)
		}
	}
	appendTo(t, records, line(t, "q1", "x"))
	done(1, "at first")
	appendTo(t, records, line(t, "q2", "x"))
	done(1, "soon after")
	w.now = w.now.Add(100 * time.Second)
	done(2, "100 s after")
	appendTo(t, records, line(t, "q3", "x"))
	done(2, "soon after that")
	w.header.Status = record.Complete
	w.do(w.folder.WriteHeader(w.header))
	done(3, "when the run has ended")
}
