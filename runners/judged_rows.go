package runners

import (
	"recallbench/internal/result/record"
)

// A JudgedRow is a cell with what the judges of the run said of its answers.
type JudgedRow struct {
	record.Cell
	Answers []JudgedAnswer
}

// A JudgedAnswer is an answer with what judges said of it.
type JudgedAnswer struct {
	Sample, Request, Category string
	Hash                      string // SHA-256 of the answer, in hex
	Failed                    bool   // the request ended in an error
	// Abstain is set where the conversation does not tell the answer and the dataset does
	// not explain why: such questions are in no mean of others.
	Abstain bool
	// By has the judgements by the name of the judge; that of the column judge has an
	// empty name. A judge that said nothing, or was not asked, is missing.
	By map[string]record.Judgement
	// Unasked are the judges that were not asked, because f1@span decided.
	Unasked []string
}

// JudgedRows reads the answers of a run with their judgements, in the order of its cells
// and datasets.
func JudgedRows(folder record.Folder, h record.Header) ([]JudgedRow, error) {
	sets, err := readAllGolds(folder, h)
	if err != nil {
		return nil, err
	}
	var rows []JudgedRow
	for _, c := range h.Cells {
		said, err := readVerdicts(folder, c.ID)
		if err != nil {
			return nil, err
		}
		records, err := lastRecords(folder, c.ID)
		if err != nil {
			return nil, err
		}
		row := JudgedRow{Cell: c}
		g := sets[c.Dataset]
		for _, k := range g.order {
			r, ok := records[k]
			if !ok {
				continue
			}
			gold := g.gold[k]
			a := JudgedAnswer{
				Sample: k.sample, Request: k.request, Category: r.Category, Hash: answerHash(r.Answer),
				Failed: r.Status != record.OK, Abstain: gold.Abstain && gold.Explanation == "", By: make(map[string]record.Judgement),
			}
			for _, j := range h.AllJudges() {
				line, ok := said.of(j.ID, judgedAnswer{k, a.Hash, g.toldHash(k, g.ruling(k))})
				if line.Origin == record.OfSpan {
					a.Unasked = append(a.Unasked, j.Name)
				} else if ok {
					a.By[j.Name] = line
				}
			}
			row.Answers = append(row.Answers, a)
		}
		rows = append(rows, row)
	}
	return rows, nil
}
