package interchange

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"

	"recallbench/internal/asked"
	"recallbench/internal/record"
)

// A judged names an answer that a model judged.
type judged struct{ sample, request, sha256 string }

// judgements reads what the judge of the run said of the cell's answers; of one
// that was judged twice the last counts. Empty where the run was not judged.
func (c Cell) judgements() (map[judged]record.Judgement, error) {
	said := make(map[judged]record.Judgement)
	if c.Run.Header.Judge == nil {
		return said, nil
	}
	for line, err := range record.Lines[record.Judgement](c.Run.Folder.Judgements(c.ID)) {
		if err != nil {
			return nil, err
		}
		if j := line.Value; j.Judge == c.Run.Header.Judge.ID {
			said[judged{j.Sample, j.Request, j.Answer}] = j
		}
	}
	return said, nil
}

// rows reads the requests of the cell as rows, each with the request.
func (c Cell) rows() iter.Seq2[filled, error] {
	return func(yield func(filled, error) bool) {
		said, err := c.judgements()
		if err != nil {
			yield(filled{}, err)
			return
		}
		for r, err := range c.Run.Requests(c.Cell) {
			if err != nil {
				yield(filled{}, err)
				return
			}
			f := filled{rowOf(c, r), r}
			sum := sha256.Sum256([]byte(r.Record.Answer))
			if j, ok := said[judged{r.Record.Sample, r.Record.Request, hex.EncodeToString(sum[:])}]; ok && r.Record.Status == record.OK {
				f.row.Judge, f.row.Correct = &j.Reader, j.Correct
				if j.Why != "" {
					f.row.JudgeWhy = &j.Why
				}
			}
			if !yield(f, nil) {
				return
			}
		}
	}
}

// A filled is a row with the request that it is of.
type filled struct {
	row     row
	request asked.Request
}
