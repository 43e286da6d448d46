package reader

import (
	"strconv"
	"strings"

	"recallbench/internal/door/llm"
)

// NoInformation is the answer when the passages do not tell. It contains the
// words by which the official scorer of LoCoMo knows an abstention.
const NoInformation = "No information available"

// A Reader answers questions from passages by rules of language. It is safe for
// concurrent use.
type Reader struct{ analyser *Analyser }

// New returns a reader whose lines are analysed by a.
func New(a *Analyser) *Reader { return &Reader{a} }

// Kinds lists the kinds of tasks that a reader answers.
func Kinds() []string { return []string{llm.AnswerTask{}.Kind(), llm.ProbeTask{}.Kind()} }

// Reply answers an [llm.AnswerTask] or an [llm.ProbeTask]; known is false for
// other tasks.
func (r *Reader) Reply(task llm.Task) (reply llm.Reply, known bool) {
	switch t := task.(type) {
	case llm.AnswerTask:
		return r.answer(t), true
	case llm.ProbeTask:
		return r.probe(t), true
	}
	return llm.Reply{}, false
}

func (r *Reader) answer(task llm.AnswerTask) llm.Reply {
	lines, speakers := r.analyser.gather(task.Passages)
	q := parse(task.Question, speakers, latest(lines))
	note := "question of kind " + strconv.Quote(string(q.kind))
	if len(lines) == 0 {
		return llm.Reply{Text: NoInformation, Notes: []string{note, "no passages"}}
	}
	m := q.score(lines)
	ranked := m.sorted()
	text, used, asked := q.typed(m, speakers)
	if text != "" {
		note += ", value of type " + strconv.Quote(string(asked))
	} else {
		text, used = q.related(m, speakers, task.Passages)
	}
	if text == "" {
		text, used = q.extract(ranked)
	}
	if text == "" {
		return llm.Reply{Text: NoInformation, Notes: []string{note, "no line fits"}}
	}
	notes := []string{note}
	for _, c := range used {
		notes = append(notes, "from "+strconv.Quote(excerpt(c))+" by "+c.line.speaker+" (score "+strconv.FormatFloat(c.score, 'f', 2, 64)+")")
	}
	return llm.Reply{Text: text, Notes: notes}
}

// excerpt returns the text of a candidate's sentence, cut to a readable
// length.
func excerpt(c candidate) string {
	s := c.sentence()
	text := c.line.text[s.words[0].start:s.words[len(s.words)-1].end]
	if len(text) > 160 {
		text = strings.ToValidUTF8(text[:160], "") + "..."
	}
	return text
}
