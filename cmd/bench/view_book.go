package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"recallbench/internal/calc/infer"
	"recallbench/internal/publish/htmlreport"
	"recallbench/internal/publish/live"
	"recallbench/internal/publish/report"
	"recallbench/internal/publish/server"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/metrics"
	metricsuite "recallbench/metrics/suite"
	"recallbench/runners"
)

// openBook returns what pages show of scored runs.
func openBook(dirs []string) (server.Book, error) {
	flags := webFlags{halved: true}
	page, err := flags.page(dirs)
	if err != nil {
		return nil, err
	}
	return book{page}, nil
}

// A book has the tables and figures of a report.
type book struct{ page *htmlreport.Page }

// Rev implements [server.Book].
func (book) Rev() string { return "" }

// Len implements [server.Book].
func (book) Len() int { return 0 }

// Part implements [server.Book].
func (b book) Part(name string) ([]byte, error) {
	switch name {
	case "tables":
		return json.Marshal(b.page.Tables)
	case "figures":
		return json.Marshal(b.page.Figures)
	}
	return nil, fmt.Errorf("%s is in the report alone; 'bench report' writes it", name)
}

// Request implements [server.Book].
func (book) Request(n int) ([]byte, error) {
	return nil, fmt.Errorf("request %d is in the report alone", n)
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
		if s.Method != "" {
			name += ":" + s.Method
		}
		one, err := side(name)
		if err != nil {
			return nil, err
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

// texts returns what a search finds of the requests of runs: question, gold answer,
// answer and error.
func texts(dirs []string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, dir := range dirs {
			h, err := record.ReadHeader(dir)
			if err != nil {
				yield("", err)
				return
			}
			run, err := scored.Open(record.Folder(dir), h)
			if err != nil {
				yield("", err)
				return
			}
			for _, c := range h.Cells {
				for q, err := range run.Requests(c) {
					why := ""
					if q.Record.Error != nil {
						why = q.Record.Error.Message
					}
					if !yield(q.Gold.Question+"\n"+q.Gold.Answer+"\n"+q.Record.Answer+"\n"+why, err) || err != nil {
						return
					}
				}
			}
		}
	}
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
