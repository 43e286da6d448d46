package record

import (
	"errors"
	"fmt"
	"io/fs"
)

// ScoredRequests returns which requests of each cell have a score. There are none
// where scores.jsonl is not what the program wrote.
func (f Folder) ScoredRequests(h Header) (map[string]map[Asked]bool, error) {
	had := make(map[string]map[Asked]bool)
	if h.Scored != nil {
		now, err := f.hash(f.name(f.Scores()))
		if errors.Is(err, fs.ErrNotExist) || err == nil && now.SHA256 != h.Scored.SHA256 {
			return had, nil
		}
		if err != nil {
			return nil, err
		}
	}
	for line, err := range rawLines(f.Scores()) {
		if err != nil {
			return nil, err
		}
		s, err := strict[Score](line)
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
