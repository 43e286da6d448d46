package runners

import (
	"crypto/sha256"
	"encoding/hex"

	"recallbench/internal/record"
	"recallbench/metrics"
)

// A judgedAnswer names an answer that a request had.
type judgedAnswer struct {
	key
	sha256 string
}

// A judgement is what scoring needs of one.
type judgement struct {
	correct       *bool
	input, output int // tokens
	served        []string
}

// readJudgements reads what the judge of an id said; of an answer that was
// judged twice the last counts.
func readJudgements(path, judge string) (map[judgedAnswer]judgement, error) {
	said := make(map[judgedAnswer]judgement)
	for line, err := range record.Lines[record.Judgement](path) {
		if err != nil {
			return nil, err
		}
		if j := line.Value; j.Judge == judge {
			in, out := languageTokens(j.Usage)
			said[judgedAnswer{key{j.Sample, j.Request}, j.Answer}] = judgement{j.Correct, in, out, j.Served}
		}
	}
	return said, nil
}

// answerHash is the SHA-256 of an answer, in hex.
func answerHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// item is what a metric sees of a request before it is answered.
func (g golds) item(k key) metrics.Item {
	item := itemOf(g.gold[k])
	item.First = g.trees[k.sample]
	return item
}

func itemOf(gold record.Gold) metrics.Item {
	item := metrics.Item{
		Category: gold.Category, Question: gold.Question, Gold: gold.Answer, Variants: gold.Variants, Abstain: gold.Abstain,
		GoldEvidence: gold.Evidence, Expect: gold.Expect,
	}
	for _, e := range gold.Entities {
		entity := metrics.Entity{ID: e.ID, Names: e.Names}
		for _, m := range e.Mentions {
			entity.Mentions = append(entity.Mentions, metrics.Mention(m))
		}
		item.Entities = append(item.Entities, entity)
	}
	for _, u := range gold.History {
		item.History = append(item.History, metrics.Turn{ID: u.Turn, Speaker: u.Speaker, Text: u.Text})
	}
	return item
}

func (s *scorer) readJudgements() (err error) {
	s.judged, err = readJudgements(s.folder.Judgements(s.cell.ID), s.judge.ID)
	return err
}

// addJudgement fills in what the judge said of an answer and what that took. A
// failed request that would have been judged is wrong.
func (s *scorer) addJudgement(item *metrics.Item, k key) {
	if s.judge == nil || !item.Judgeable() {
		return
	}
	if item.Failed {
		item.Judged = new(false)
		return
	}
	j := s.judged[judgedAnswer{k, answerHash(item.Prediction)}]
	item.Judged = j.correct
	item.Tokens.JudgeInput, item.Tokens.JudgeOutput = j.input, j.output
}
