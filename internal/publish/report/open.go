package report

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recallbench/datasets/errata"
	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
)

// NewRun returns the run in a folder that was checked or has just been written.
func NewRun(folder record.Folder, header record.Header) *Run {
	r := &Run{Name: filepath.Base(filepath.Clean(string(folder))), Folder: folder, Header: header, Scores: record.Scores(folder, header)}
	if header.Baseline == nil { // which keeps the scores under one key
		r.Under = func(key errata.Key) iter.Seq2[record.Score, error] { return record.ScoresUnder(folder, header, key) }
	}
	return r
}

// OpenRun opens the run or baseline in a folder, or only the cells that row names as
// METHOD, METHOD@MODEL, or either with #SEED.
func OpenRun(dir, row string, options ...record.Option) (*Run, error) {
	folder, header, err := record.Open(dir, append(options, record.WithScores, record.Baselines)...)
	if err != nil {
		return nil, err
	}
	r := NewRun(folder, header)
	if row == "" {
		return r, nil
	}
	named := lists.Filter(header.Cells, func(c record.Cell) bool {
		return slices.ContainsFunc([]string{
			c.Method, c.Method + "@" + c.Model, fmt.Sprintf("%s#%d", c.Method, c.Seed), fmt.Sprintf("%s@%s#%d", c.Method, c.Model, c.Seed),
		}, func(name string) bool { return strings.EqualFold(name, row) })
	})
	if len(named) == 0 {
		labels := lists.Distinct(header.Cells, func(c record.Cell) string { return c.Method })
		return nil, fmt.Errorf("%s: %s", dir, suggest.Unknown("method label", row, labels))
	}
	return r.Only(named), nil
}

// CheckScored returns an error for a run without scores.
func (r *Run) CheckScored() error {
	_, err := os.Stat(r.Folder.Scores())
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s has no scores yet; 'bench score %[1]s' computes them, 'bench resume %[1]s' asks the remaining questions first", r.Folder)
	}
	return err
}

// Side returns the side of a comparison that a run opened with a row is.
func (r *Run) Side(row string) Side {
	s := Side{Run: r}
	if row != "" {
		s.Method = r.Header.Cells[0].Method
		if at := strings.LastIndexByte(row, '@'); at >= 0 && strings.EqualFold(row[:at], s.Method) {
			s.Model = r.Header.Cells[0].Model
		}
	}
	return s
}

// SummarizeFolder summarizes the run or baseline in a folder as its summary.json does. For a
// run without scores it counts the finished and the failed requests.
func SummarizeFolder(dir string, o Options) ([]record.SummaryRow, error) {
	h, err := record.ReadHeader(dir)
	if err != nil {
		return nil, err
	}
	r := NewRun(record.Folder(dir), h)
	spent, err := r.Folder.Spent(h)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(r.Folder.Scores()); !errors.Is(err, fs.ErrNotExist) {
		return Summarize(r, spent, o)
	}
	failed, _, err := r.Folder.Failed(h)
	return lists.Map(spent, func(s record.Spent) record.SummaryRow {
		of := lists.Filter(failed, func(f record.FailedRequest) bool {
			return f.Dataset == s.Dataset && f.Method == s.Method && f.Model == s.Model
		})
		return record.SummaryRow{Dataset: s.Dataset, Method: s.Method, Model: s.Model, Requests: s.Requests, Errors: len(of)}
	}), err
}
