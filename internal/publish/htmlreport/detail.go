package htmlreport

import (
	"recallbench/internal/door/llm"
	"recallbench/internal/engine/expect"
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
	Gold      *gold      `json:"gold,omitempty"`
	Judgement *judgement `json:"judgement,omitempty"`
	// SHA256 is the hash by which notes know the answer, where the page has notes.
	SHA256 string   `json:"answer_sha256,omitempty"`
	Why    []string `json:"why,omitempty"`
}

// evidence is a block by its number in a file, or in place.
type evidence struct {
	Block  *int    `json:"block,omitempty"`
	Inline *block  `json:"inline,omitempty"`
	Score  float64 `json:"score,omitzero"`
}

type block struct {
	Name    string   `json:"name"`
	Sources []string `json:"sources"`
	Text    string   `json:"text"`
	Tokens  int      `json:"tokens"`
}

// gold is a question with its gold answer in full.
type gold struct {
	Question string              `json:"question"`
	Answer   string              `json:"answer"`
	Variants []string            `json:"variants,omitempty"`
	Evidence []string            `json:"evidence,omitempty"`
	Abstain  bool                `json:"abstain,omitempty"`
	Labels   map[string]string   `json:"labels,omitempty"`
	Expect   *expect.Expectation `json:"expect,omitempty"`
}

func newGold(g record.Gold) *gold {
	return &gold{g.Question, g.Answer, g.Variants, g.Evidence, g.Abstain, g.Labels, g.Expect}
}

// A judgement is what a language model said of an answer.
type judgement struct {
	Correct *bool                `json:"correct"`
	Why     string               `json:"why,omitempty"`
	Error   *record.Failure      `json:"error,omitempty"`
	Usage   map[string]llm.Usage `json:"usage,omitempty"`
}

func newDetail(q scored.Request, said map[answer]*judgement) *detail {
	d := &detail{Record: q.Record}
	if len(said) > 0 {
		d.Judgement = said[answer{q.Record.Sample, q.Record.Request, note.Sum(q.Record.Answer)}]
	}
	if q.Score != nil {
		d.Why = q.Score.Why
	}
	return d
}

// An answer names the answer to a request.
type answer struct{ sample, request, sha256 string }

// judgements reads what the judge of a run's scores said of a cell's answers. Of
// an answer that was judged again the last judgement counts.
func judgements(r *scored.Run, c record.Cell) (map[answer]*judgement, error) {
	if r.Header.Judge == nil {
		return nil, nil
	}
	said := make(map[answer]*judgement)
	for line, err := range record.Lines[record.Judgement](r.Folder.Judgements(c.ID)) {
		if err != nil {
			return nil, err
		}
		if j := line.Value; j.Judge == r.Header.Judge.ID {
			said[answer{j.Sample, j.Request, j.Answer}] = &judgement{j.Correct, j.Why, j.Error, j.Usage}
		}
	}
	return said, nil
}
