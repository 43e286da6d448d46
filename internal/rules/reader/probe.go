package reader

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"recallbench/internal/door/llm"
)

// A supportFeature is one thing by which passages support an answer.
type supportFeature int

// The features of support, each from 0 to 1.
const (
	sAny      supportFeature = iota // always 1
	sSentence                       // share of the question found in one sentence, the best
	sWindow                         // and in three sentences in a row
	sWanted                         // an answer of a kind that can be checked is asked for: a time, a number, a name
	numSupport
)

// support holds the features of an answer.
type support [numSupport]float64

// supportWeights are the weights of the features of support: a logistic
// regression of how right the reader's answers are in five conversations of
// LoCoMo.
var supportWeights = support{sAny: -3.7, sSentence: 1.2, sWindow: 1.8, sWanted: 1.2}

// The most that a probe is sure, and unsure, of an answer.
const (
	surest   = 0.95
	unsurest = 0.02
)

// mostWords is how many words of an answer are counted: as many as are sampled
// from a model.
const mostWords = 20

// probe answers like the reader and says how well the passages support the
// answer, in place of how sure a model is of its tokens: every word of the
// answer gets the log of the estimated probability that the answer is right.
func (r *Reader) probe(task llm.ProbeTask) llm.Reply {
	s, text := r.support(task)
	x := 0.0
	for i, y := range s {
		x += supportWeights[i] * y
	}
	p := min(surest, max(unsurest, 1/(1+math.Exp(-x))))
	words := strings.Fields(text)
	reply := llm.Reply{Text: text, Notes: []string{
		"no log-probabilities: each word has the log of the estimated probability " + strconv.FormatFloat(p, 'f', 3, 64) + " that the passages support this answer",
	}}
	for _, w := range words[:min(mostWords, len(words))] {
		reply.Logprobs = append(reply.Logprobs, llm.Logprob{Token: w, Logprob: math.Log(p)})
	}
	return reply
}

// support measures how passages support the answer that the reader takes from
// them, and returns the answer.
func (r *Reader) support(task llm.ProbeTask) (s support, text string) {
	lines, speakers := r.analyser.gather(task.Passages)
	q := parse(task.Question, speakers, latest(lines))
	s[sAny], s[sWanted] = 1, indicator(q.checkable())
	if len(lines) > 0 {
		m := q.score(lines)
		s[sSentence], s[sWindow] = m.coverage()
		text, _ = q.extract(m.sorted())
	}
	return s, cmp.Or(text, NoInformation)
}

// coverage is the share of the question's terms that one sentence has, and that
// three in a row of one passage have. How rare a term is among the lines does
// not count here: what else is in the passages changes nothing.
func (m *matcher) coverage() (one, three float64) {
	n := len(m.q.terms)
	total := 0.0
	for _, t := range m.q.terms {
		total += t.base
	}
	if total == 0 {
		return 0, 0
	}
	for i, c := range m.out {
		clear(m.near)
		for k := max(0, i-1); k <= min(i+1, len(m.out)-1); k++ {
			if m.out[k].line.rank != c.line.rank {
				continue
			}
			atLeast(m.near, m.sentences[k*n:(k+1)*n])
		}
		own, near := 0.0, 0.0
		for j, t := range m.q.terms {
			own += t.base * m.sentences[i*n+j]
			near += t.base * m.near[j]
		}
		one, three = max(one, own/total), max(three, near/total)
	}
	return one, three
}

// checkable reports whether a time, a number or a name is asked for, which the
// reader finds more surely than other things.
func (q *query) checkable() bool {
	switch q.kind {
	case askWhen, askHowLong, askHowOften, askHowMany, askWho, askWhere:
		return true
	default:
		return q.asksName
	}
}
