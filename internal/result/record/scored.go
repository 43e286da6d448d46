package record

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"

	"recallbench/datasets/errata"
)

// ScoredRequests returns which requests of each cell have a score. There are none
// where scores.jsonl is not what the program wrote.
func (f Folder) ScoredRequests(h Header) (map[string]map[Asked]bool, error) {
	had := make(map[string]map[Asked]bool)
	if h.Scored != nil {
		now, err := f.digest(f.name(f.Scores()))
		if errors.Is(err, fs.ErrNotExist) || err == nil && now.SHA256 != h.Scored.SHA256 {
			return had, nil
		}
		if err != nil {
			return nil, err
		}
	}
	for line, err := range RawLines(f.Scores()) {
		if err != nil {
			return nil, err
		}
		s, err := Decode[Score](line)
		if err != nil {
			continue // a score that nobody can read is none
		}
		if had[s.Cell] == nil {
			had[s.Cell] = make(map[Asked]bool)
		}
		had[s.Cell][Asked{s.Sample, s.Request}] = true
	}
	return had, nil
}

// Scores returns the scores of a run under the answer key that counts for each
// dataset.
func Scores(f Folder, h Header) iter.Seq2[Score, error] {
	return under(f, h, func(d Dataset) errata.Key { return d.Key })
}

// ScoresUnder returns the scores of a run under an answer key, of datasets with
// errata alone.
func ScoresUnder(f Folder, h Header, key errata.Key) iter.Seq2[Score, error] {
	return under(f, h, func(d Dataset) errata.Key {
		if len(d.Errata) == 0 {
			return noKey
		}
		return key
	})
}

// noKey is the key of no score.
const noKey errata.Key = "none"

// under returns the scores whose key is the one that counts for their dataset. Of a
// cell that the header does not have, all are returned, for readers to refuse.
func under(f Folder, h Header, counts func(Dataset) errata.Key) iter.Seq2[Score, error] {
	keys := make(map[string]errata.Key)
	for _, c := range h.Cells {
		d, _ := h.Dataset(c.Dataset)
		keys[c.ID] = counts(d)
	}
	return func(yield func(Score, error) bool) {
		for s, err := range Values[Score](f.Scores()) {
			if key, ok := keys[s.Cell]; err == nil && ok && s.Key != key {
				continue
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// LostScores is the error of scoring a cell that lost the records of requests that
// have a score.
func LostScores(f Folder, cell string, lost map[Asked]bool) error {
	var first Asked
	for k := range lost {
		if first == (Asked{}) || k.Sample < first.Sample || k.Sample == first.Sample && k.Request < first.Request {
			first = k
		}
	}
	what := fmt.Sprintf("has no record of request %s of %s", first.Request, first.Sample)
	if n := len(lost) - 1; n > 0 {
		what += fmt.Sprintf(" and of %d others", n)
	}
	return &Damage{Dir: string(f), Faults: []*Fault{faultf(Lost, f.Records(cell), 0, "%s; %s has scores of them and was left as it is", what, f.Scores())}}
}

// A FailedRequest is a request without an answer, and why.
type FailedRequest struct {
	Dataset  string `json:"dataset"`
	Method   string `json:"method"`
	Model    string `json:"model"`
	Seed     uint64 `json:"seed"`
	Cell     string `json:"cell"`
	Sample   string `json:"sample"`
	Request  string `json:"request"`
	Category string `json:"category"`
	Status   Status `json:"status"`
	Attempts int    `json:"attempts"` // of the call that was tried most
	Failure
}

// Failed returns the requests of a run that failed, and how many have a record
// in all. Of a request that was asked again the last record counts.
func (f Folder) Failed(h Header) (failed []FailedRequest, requests int, err error) {
	type part struct {
		Sample, Request, Category string
		Status                    Status
		Error                     *Failure
		Attempts                  int
	}
	for _, c := range h.Cells {
		type key struct{ sample, request string }
		last := make(map[key]part)
		var order []key
		for line, err := range Parts[part](f.Records(c.ID)) {
			if err != nil {
				return nil, 0, err
			}
			k := key{line.Value.Sample, line.Value.Request}
			if _, again := last[k]; !again {
				order = append(order, k)
			}
			last[k] = line.Value
		}
		requests += len(order)
		order = slices.DeleteFunc(order, func(k key) bool { return last[k].Status == OK })
		for _, k := range order {
			p := last[k]
			r := FailedRequest{
				Dataset: c.Dataset, Method: c.Method, Model: c.Model, Seed: c.Seed, Cell: c.ID,
				Sample: p.Sample, Request: p.Request, Category: p.Category, Status: p.Status, Attempts: p.Attempts,
				Failure: Failure{Kind: "unknown", Message: "the record does not say why"},
			}
			if p.Error != nil {
				r.Failure = *p.Error
			}
			failed = append(failed, r)
		}
	}
	return failed, requests, nil
}
