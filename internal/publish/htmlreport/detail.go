package htmlreport

import (
	"strconv"

	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
)

// A detail is what the index does not have of a request: its record, with
// references to blocks in place of their ids.
type detail struct {
	record.Record
	// What follows takes the place of the record's fields that the index has, and
	// that say nothing to people.
	Sample   string     `json:"sample,omitempty"`
	Request  string     `json:"request,omitempty"`
	Hash     string     `json:"hash,omitempty"`
	Category string     `json:"category,omitempty"`
	Evidence []evidence `json:"evidence,omitempty"`
	// Gold is there for the first request to each question of a file, and for every
	// one of a server.
	Gold      *record.Gold      `json:"gold,omitempty"`
	Judgement *record.Judgement `json:"judgement,omitempty"`
	// SHA256 is the hash by which notes know the answer, where the page has notes.
	SHA256 string   `json:"answer_sha256,omitempty"`
	Why    []string `json:"why,omitempty"`
	// Values are the scores by column, and Built is what building the memory took.
	Values map[string]*float64 `json:"values,omitempty"`
	Built  *ingest             `json:"built,omitempty"`
}

// evidence is a block by its number in a file, or in place.
type evidence struct {
	Block  *int          `json:"block,omitempty"`
	Inline *record.Block `json:"inline,omitempty"`
	Score  float64       `json:"score,omitzero"`
}

// shownBlock is a block without what tells nothing to people.
func shownBlock(b record.Block) *record.Block {
	b.Block, b.Sample = "", ""
	return &b
}

// shownGold is a gold answer without the conversation that it is about.
func shownGold(g record.Gold) *record.Gold {
	g.Entities, g.History = nil, nil
	return &g
}

// newDetail is what the page has of a request of a cell.
func (b *Book) newDetail(q scored.Request, in *bookCell) *detail {
	d := &detail{Record: q.Record, Judgement: in.judged.of(q), Built: in.ingests[q.Record.Sample]}
	if q.Score != nil {
		d.Why = q.Score.Why
		d.Values = make(map[string]*float64, len(q.Score.Values))
		for name, x := range q.Score.Values {
			if x != nil {
				d.Values[name] = new(digits(*x))
			}
		}
	}
	return d
}

// judged are the last judgements on the answers of a cell, by the judge of its scores.
type judged map[[3]string]*record.Judgement // by sample, request and hash of the answer

// of returns the judgement on an answer; nil for none.
func (j judged) of(q scored.Request) *record.Judgement {
	if len(j) == 0 {
		return nil
	}
	return j[[3]string{q.Record.Sample, q.Record.Request, note.Sum(q.Record.Answer)}]
}

// readJudged reads what the judge of a run's scores said of a cell's answers.
func readJudged(r *scored.Run, c record.Cell) (judged, error) {
	if r.Header.Judge == nil {
		return nil, nil
	}
	said := make(judged)
	for j, err := range record.Values[record.Judgement](r.Folder.Judgements(c.ID)) {
		if err != nil {
			return nil, err
		}
		if j.Judge == r.Header.Judge.ID {
			said[[3]string{j.Sample, j.Request, j.Answer}] = &j
		}
	}
	return said, nil
}

// digits returns a number in six digits: what evidence scores show, and a third
// of the bytes.
func digits(x float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	if err != nil {
		return x
	}
	return short
}
