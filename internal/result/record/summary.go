package record

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"recallbench/internal/files/jsonout"
)

// A Summary is what an index of runs shows of the scores of one: summary.json. It
// is derived from the scores, and is kept next to them because they are too many to
// be read for an index.
type Summary struct {
	Schema int          `json:"schema"`
	Scores ScoresSize   `json:"scores"` // that it was derived from
	Rows   []SummaryRow `json:"rows"`
	SHA256 string       `json:"sha256"` // of the line without it
}

// A ScoresSize tells which scores a summary is of.
type ScoresSize struct {
	Size   int64  `json:"size"` // in bytes
	SHA256 string `json:"sha256"`
}

// A SummaryRow sums up a method with a model on a dataset, over all its seeds.
type SummaryRow struct {
	Dataset string   `json:"dataset"`
	Method  string   `json:"method"`
	Model   string   `json:"model"`
	Cells   []string `json:"cells"`
	// Requests have a score, and Errors of them failed.
	Requests int `json:"requests"`
	Errors   int `json:"errors"`
	// Columns and Categories have the means of columns, by name; categories those
	// of their requests.
	Columns    map[string]SummaryMean            `json:"columns"`
	Categories map[string]map[string]SummaryMean `json:"categories,omitempty"`
	// USD is what all requests cost, with recorded calls as if they were paid for;
	// nil where a price is not known.
	USD *float64 `json:"usd"`
	// Median is the median time of an answered request in ms; nil where none has one.
	Median *float64 `json:"ms_median"`
}

// A SummaryMean is the mean of a column, in the unit of the scores.
type SummaryMean struct {
	N    int     `json:"n"` // values behind it
	Mean float64 `json:"mean"`
	// Low and High bound the 95 % interval, over Samples conversations; nil where
	// there is none.
	Low     *float64 `json:"low,omitempty"`
	High    *float64 `json:"high,omitempty"`
	Samples int      `json:"samples,omitempty"`
}

const summaryFile = "summary.json"

// WriteSummary writes summary.json of the run or baseline in dir, atomically.
func WriteSummary(dir string, rows []SummaryRow) error {
	d, err := Folder(dir).digest(filepath.Base(Folder(dir).Scores()))
	if err != nil {
		return err
	}
	s := Summary{Schema: SchemaVersion, Scores: ScoresSize{d.Bytes, d.SHA256}, Rows: rows}
	s.SHA256 = sumOf(s)
	path := filepath.Join(dir, summaryFile)
	if err := readable(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // a folder in its place is damage
	}
	return WriteFile(path, func(w io.Writer) error { return jsonout.Lines(w, s) })
}

// ErrNoSummary is the error of a summary that is not there, or is of other scores
// than the folder holds now.
var ErrNoSummary = errors.New("no summary of the scores")

// ReadSummary reads summary.json of the run or baseline in dir. The size of the
// scores tells whether it is of those that are there.
func ReadSummary(dir string) (s Summary, err error) {
	path := filepath.Join(dir, summaryFile)
	scores, err := os.Stat(Folder(dir).Scores())
	if err == nil {
		err = ReadJSON(path, &s)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && (s.Schema != SchemaVersion || s.Scores.Size != scores.Size()):
		return Summary{}, ErrNoSummary
	case err != nil:
		return Summary{}, err
	}
	unsigned := s
	unsigned.SHA256 = ""
	if sumOf(unsigned) != s.SHA256 {
		return Summary{}, fmt.Errorf("%s: its rows have changed; 'bench score' writes it again", path)
	}
	return s, nil
}
