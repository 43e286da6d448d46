package main

import (
	"errors"
	"io/fs"
	"iter"
	"os"
	"slices"

	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
)

// summarize sums up a run or baseline as its summary.json does. Of a run without
// scores it counts the finished and the failed requests.
func summarize(dir string) ([]record.SummaryRow, error) {
	if record.IsBaseline(dir) {
		return summarizeBaseline(dir)
	}
	h, err := record.ReadHeader(dir)
	if err != nil {
		return nil, err
	}
	folder := record.Folder(dir)
	spent, err := record.SpentBy(h, cellRecords(folder))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(folder.Scores()); !errors.Is(err, fs.ErrNotExist) {
		return report.Summarize(runOf(folder, h), spent, reportOptions())
	}
	failed, _, err := folder.Failed(h)
	var rows []record.SummaryRow
	for _, s := range spent {
		row := record.SummaryRow{Dataset: s.Dataset, Method: s.Method, Model: s.Model, Requests: s.Requests}
		row.Errors = len(slices.DeleteFunc(slices.Clone(failed), func(f record.FailedRequest) bool {
			return f.Dataset != s.Dataset || f.Method != s.Method || f.Model != s.Model
		}))
		rows = append(rows, row)
	}
	return rows, err
}

func summarizeBaseline(dir string) ([]record.SummaryRow, error) {
	b, h, scores, err := record.OpenBaseline(dir)
	if err != nil {
		return nil, err
	}
	return report.Summarize(&report.Run{Header: h, Scores: scores}, b.Spent, reportOptions())
}

// cellRecords reads of the records of a cell what [record.SpentBy] needs.
func cellRecords(folder record.Folder) func(record.Cell) iter.Seq2[record.Record, error] {
	type part struct {
		Sample, Request string
		Status          record.Status
		Cost            *float64
		Time            struct {
			Total float64 `json:"total_ms"`
		}
	}
	return func(c record.Cell) iter.Seq2[record.Record, error] {
		return func(yield func(record.Record, error) bool) {
			for line, err := range record.Parts[part](folder.Records(c.ID)) {
				p := line.Value
				if !yield(record.Record{Sample: p.Sample, Request: p.Request, Status: p.Status, Cost: p.Cost, Time: record.Timing{Total: p.Time.Total}}, err) {
					return
				}
			}
		}
	}
}
