package record

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"recallbench/datasets/errata"
)

// ScoredRequests returns which requests of each cell have a score. There are none
// where scores.jsonl is not what the program wrote.
func (f Folder) ScoredRequests(h Header) (map[string]map[Asked]bool, error) {
	had := make(map[string]map[Asked]bool)
	if h.Scored != nil {
		if now, err := f.digest(f.name(f.Scores())); err == nil && now.SHA256 != h.Scored.SHA256 {
			return had, nil
		}
	}
	for line, err := range RawLines(f.Scores()) {
		if err != nil {
			return nil, err
		}
		s, err := Decode[Score](line)
		if err != nil {
			continue // an unreadable score counts as none
		}
		if had[s.Cell] == nil {
			had[s.Cell] = make(map[Asked]bool)
		}
		had[s.Cell][s.Asked()] = true
	}
	return had, nil
}

// Scores returns the scores of a run under the answer key that counts for each
// dataset.
func Scores(f Folder, h Header) iter.Seq2[Score, error] {
	return values(under(Lines[Score](f.Scores()), h, counting))
}

// ScoreLines are [Scores] with their places in the file, read as [Parts] does.
func ScoreLines(f Folder, h Header) iter.Seq2[Line[Score], error] {
	return under(Parts[Score](f.Scores()), h, counting)
}

// ScoresUnder returns the scores of a run under an answer key, of datasets with
// errata alone.
func ScoresUnder(f Folder, h Header, key errata.Key) iter.Seq2[Score, error] {
	return values(under(Lines[Score](f.Scores()), h, func(d Dataset) errata.Key {
		if len(d.Errata) == 0 {
			return "none" // the key of no score
		}
		return key
	}))
}

// counting is the answer key that counts for a dataset.
func counting(d Dataset) errata.Key { return d.Key }

// under returns the scores whose key is the one that counts for their dataset. Of a
// cell that the header does not have, all are returned, for readers to refuse.
func under(lines iter.Seq2[Line[Score], error], h Header, counts func(Dataset) errata.Key) iter.Seq2[Line[Score], error] {
	keys := make(map[string]errata.Key)
	for _, c := range h.Cells {
		d, _ := h.Dataset(c.Dataset)
		keys[c.ID] = counts(d)
	}
	return func(yield func(Line[Score], error) bool) {
		for line, err := range lines {
			if key, ok := keys[line.Value.Cell]; err == nil && ok && line.Value.Key != key {
				continue
			}
			if !yield(line, err) {
				return
			}
		}
	}
}

// LostScores is the error of scoring a cell that lost the records of requests that
// have a score.
func LostScores(f Folder, cell string, lost map[Asked]bool) error {
	missing := slices.SortedFunc(maps.Keys(lost), func(a, b Asked) int {
		return cmp.Or(strings.Compare(a.Sample, b.Sample), strings.Compare(a.Request, b.Request))
	})
	return &Damage{Dir: string(f), Faults: []*Fault{faultf(Lost, f.Records(cell), 0,
		"has no record of question %s of %s, nor of %d in all; %s has their scores and was not changed",
		missing[0].Request, missing[0].Sample, len(missing), f.Scores())}}
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
		Asked
		Category string
		Status   Status
		Error    *Failure
		Attempts int
	}
	for _, c := range h.Cells {
		parts, err := Last(values(Parts[part](f.Records(c.ID))), func(p part) Asked { return p.Asked })
		if err != nil {
			return nil, 0, err
		}
		requests += len(parts)
		for _, p := range parts {
			if p.Status == OK {
				continue
			}
			if p.Error == nil {
				p.Error = &Failure{Kind: "unknown", Message: "the record does not say why"}
			}
			failed = append(failed, FailedRequest{
				Dataset: c.Dataset, Method: c.Method, Model: c.Model, Seed: c.Seed, Cell: c.ID,
				Sample: p.Sample, Request: p.Request, Category: p.Category, Status: p.Status, Attempts: p.Attempts, Failure: *p.Error,
			})
		}
	}
	return failed, requests, nil
}

// Calls returns the ids of the chat calls that the records of runs name, including those of
// their judges.
func Calls(dirs ...string) (map[string]bool, error) {
	ids := make(map[string]bool)
	for _, dir := range dirs {
		folder, header, err := Open(dir)
		if err != nil {
			return nil, err
		}
		for _, c := range header.Cells {
			for _, path := range []string{folder.Records(c.ID), folder.Ingests(c.ID), folder.Judgements(c.ID)} {
				for line, err := range Parts[struct{ Calls []string }](path) {
					if err != nil {
						return nil, err
					}
					for _, id := range line.Value.Calls {
						ids[id] = true
					}
				}
			}
		}
	}
	return ids, nil
}
