package scored

import (
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
)

// Judged is what a judge said of the answers of a cell, by conversation, question and hash of
// the answer.
type Judged map[[3]string]*record.Judgement

// Of returns what was said of the answer of a record; nil for nothing.
func (j Judged) Of(r record.Record) *record.Judgement {
	if len(j) == 0 {
		return nil
	}
	return j[[3]string{r.Sample, r.Request, note.Sum(r.Answer)}]
}

// Judged reads what a judge, nil for none, said of the answers of a cell; of what it said of
// one answer the last counts.
func (r *Run) Judged(c record.Cell, judge *record.Judge) (Judged, error) {
	if judge == nil {
		return nil, nil
	}
	said := make(Judged)
	for j, err := range record.Values[record.Judgement](r.Folder.Judgements(c.ID)) {
		if err != nil {
			return nil, err
		}
		if j.Judge == judge.ID {
			said[[3]string{j.Sample, j.Request, j.Answer}] = &j
		}
	}
	return said, nil
}
