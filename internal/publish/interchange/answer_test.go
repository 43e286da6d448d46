package interchange_test

import (
	"cmp"

	"recallbench/internal/door/llm"
	"recallbench/internal/publish/interchange"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
)

// A said is what tests state of an answer.
type said struct {
	Line                                                           int
	Where, Sample, Request, Conversation, Question, Category, Gold string
	Evidence                                                       []string
	Text                                                           string
	Status                                                         record.Status // empty for ok
	Failure                                                        *record.Failure
	Blocks                                                         []block
	Judgements                                                     []record.Judgement
	Usage                                                          *llm.Usage
	Stages                                                         map[string]float64
}

type block struct {
	Text  string
	Score float64
}

// answer is the answer of which s is said.
func (s said) answer() interchange.Answer {
	return interchange.Answer{Line: s.Line, Where: s.Where, Conversation: s.Conversation, Request: scored.Request{
		Gold:   record.Gold{Sample: s.Sample, Request: s.Request, Question: s.Question, Category: s.Category, Answer: s.Gold, Evidence: s.Evidence},
		Record: record.Record{Status: cmp.Or(s.Status, record.OK), Answer: s.Text, Error: s.Failure},
	}}
}

// sayings are what answers say.
func sayings(answers []interchange.Answer) (all []said) {
	for _, a := range answers {
		s := said{
			Line: a.Line, Where: a.Where, Sample: a.Gold.Sample, Request: a.Gold.Request, Conversation: a.Conversation, Question: a.Gold.Question, Category: a.Gold.Category, Gold: a.Gold.Answer,
			Evidence: a.Gold.Evidence, Text: a.Record.Answer, Failure: a.Record.Error, Judgements: a.Judgements, Stages: a.Record.Time.Stages,
		}
		if a.Record.Status != record.OK {
			s.Status = a.Record.Status
		}
		for _, b := range a.Evidence {
			s.Blocks = append(s.Blocks, block{b.Text, b.Score})
		}
		if u, ok := a.Record.Usage["query"]["reader"]; ok {
			s.Usage = &u
		}
		all = append(all, s)
	}
	return all
}

// answersOf are the answers of which something is said.
func answersOf(all ...said) (answers []interchange.Answer) {
	for _, s := range all {
		answers = append(answers, s.answer())
	}
	return answers
}
