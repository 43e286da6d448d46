package main

import (
	"bytes"
	"cmp"
	"fmt"
	"sync"
	"time"

	"recallbench/internal/backend/price"
	"recallbench/internal/calc/infer"
	"recallbench/internal/publish/htmlreport"
	"recallbench/internal/publish/live"
	"recallbench/internal/publish/report"
	"recallbench/internal/publish/server"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/result/transcript"
	"recallbench/metrics"
	metricsuite "recallbench/metrics/suite"
	"recallbench/runners"
)

// openBook returns what pages show of runs.
func openBook(dirs []string) (server.Book, error) {
	page, err := (&webFlags{unscored: true}).page(dirs)
	if err != nil {
		return nil, err
	}
	return page.Open()
}

// contrast compares sides with a base as bench compare does, and prints it as JSON.
func contrast(base server.Side, others []server.Side, columns []string, by string) ([]byte, error) {
	o := report.ContrastOptions{Options: reportOptions(), Rows: by}
	o.Columns, o.Unit, o.Correct = columns, report.BySample, infer.MaxT
	if err := oneOf("by", by, report.RowKinds()); err != nil {
		return nil, err
	}
	var sides []report.Side
	for _, s := range append([]server.Side{base}, others...) {
		name := s.Dir
		if s.Row != "" {
			name += ":" + s.Row
		}
		one, err := side(name)
		if err == nil {
			err = checkRow(one)
		}
		if err != nil {
			return nil, err
		}
		if s.Dir == base.Dir && len(sides) > 0 && one.Method == sides[0].Method && one.Model == sides[0].Model {
			return nil, fmt.Errorf("%s is on both sides; seeds of a row count together by their mean", cmp.Or(s.Row, "the run"))
		}
		sides = append(sides, one)
	}
	rows, notes, err := report.Contrasts(sides[0], sides[1:], o)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = report.ContrastTable(rows, notes, o, true).JSON(&b)
	return b.Bytes(), err
}

// liveConfig says how runs are followed: scored as bench score does.
func liveConfig() live.Config {
	return live.Config{
		Metric: metricsuite.Find, Alone: runners.ScoredAlone, Host: record.Host(), Now: time.Now,
		Scorer: func(folder record.Folder, h record.Header, c record.Cell, specs []*metrics.Spec) (live.Scorer, error) {
			return runners.NewRecordScorer(folder, h, c, specs)
		},
	}
}

// recordings are the stores that transcripts of runs are read from, by run folder.
type recordings struct {
	app   *app
	named string // by --store
	mu    sync.Mutex
	open  map[record.Folder]*transcript.Source
	close []func()
}

// calls returns the transcript of a request.
func (r *recordings) calls(b server.Book, n int) (any, error) {
	t, _, err := r.read(b, n)
	return t, err
}

// prompts compares what models were asked for two requests.
func (r *recordings) prompts(b server.Book, n, other int) (any, error) {
	left, blocksLeft, err := r.read(b, n)
	if err != nil {
		return nil, err
	}
	right, blocksRight, err := r.read(b, other)
	if err != nil {
		return nil, err
	}
	return transcript.Pairs(left, right, blocksLeft, blocksRight), nil
}

// read returns the transcript of a request and the blocks that it refers to.
func (r *recordings) read(b server.Book, n int) (*transcript.Transcript, []string, error) {
	book := b.(*htmlreport.Book)
	q, err := book.Scored(n)
	if err != nil {
		return nil, nil, err
	}
	run := book.Run(n)
	source, err := r.source(run.Folder)
	if err != nil {
		return nil, nil, err
	}
	subject, err := transcript.Whole(run.Folder, q)
	if err != nil {
		return nil, nil, err
	}
	t, err := source.Read(subject)
	return t, subject.Blocks, err
}

// asked returns what models were asked and replied for a request, without the calls of
// its memory and its judge.
func (r *recordings) asked(run *scored.Run, q scored.Request) (*transcript.Transcript, error) {
	source, err := r.source(run.Folder)
	if err != nil {
		return nil, err
	}
	return source.Read(transcript.Of(q))
}

// source returns where the calls of a run are looked up. Where there are no recordings,
// all calls are missing.
func (r *recordings) source(run record.Folder) (*transcript.Source, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, ok := r.open[run]; ok {
		return s, nil
	}
	s, closing, err := r.app.transcripts(r.named, run)
	if err != nil {
		return nil, err
	}
	if s == nil {
		s = &transcript.Source{Prices: price.Builtin()}
	}
	r.open[run] = s
	r.close = append(r.close, closing)
	return s, nil
}

// end closes the stores.
func (r *recordings) end() {
	for _, f := range r.close {
		f()
	}
}
