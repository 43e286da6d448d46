package reader

import (
	"cmp"
	"slices"
)

// A candidate is a sentence of the evidence with its score for a question.
type candidate struct {
	line  *said
	at    int       // of the sentence in the line
	score float64   // higher is better; a difference of 1 is odds of e
	own   float64   // share of the question found in the sentence
	view  *lineView // of the line
	order int       // place in the evidence
}

func (c candidate) sentence() *sentence { return &c.line.sentences[c.at] }

// minSupport is the share of the question that must be found in or around the
// best line before it is answered at all.
const minSupport = 0.15

// supported reports whether the candidate has enough of the question, in its line or
// around it, to be an answer at all. One about a time that the question names is,
// too.
func (c candidate) supported() bool {
	return c.view.own+c.view.reply+c.view.window > minSupport || c.view.about
}

// What a sentence adds to the score of its line.
const (
	sentenceShare    = 0.5 // for the share of the question that it has itself
	sentenceQuestion = -0.5
	sentenceImage    = -0.3
)

// rank scores every sentence of the evidence for the question, best first.
func (q *query) rank(lines []*said) []candidate { return q.score(lines).sorted() }

// score scores every sentence of the evidence, in its order.
func (q *query) score(lines []*said) *matcher {
	m := q.match(lines)
	for _, l := range lines {
		m.add(l)
	}
	return m
}

// sorted puts the sentences in order, best first.
func (m *matcher) sorted() []candidate {
	slices.SortFunc(m.out, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.order, b.order))
	})
	return m.out
}

// A matcher ranks the lines of some evidence.
type matcher struct {
	q         *query
	lines     []*said
	grid      []float64 // how well each line has each term
	sentences []float64 // and each sentence, in order
	total     float64   // of the terms' weights
	unranked  bool      // the order of passages means nothing
	views     []lineView
	out       []candidate
	near      []float64 // scratch for window
}

// match finds the terms in all lines.
func (q *query) match(lines []*said) *matcher {
	n := len(q.terms)
	count := 0
	for _, l := range lines {
		count += len(l.sentences)
	}
	m := &matcher{
		q: q, lines: lines, unranked: inTimeOrder(lines),
		grid: make([]float64, n*len(lines)), sentences: make([]float64, n*count),
		views: make([]lineView, len(lines)), out: make([]candidate, 0, count), near: make([]float64, n),
	}
	at := 0
	for _, l := range lines {
		row := m.row(l)
		for k := range l.sentences {
			one := m.sentences[at : at+n]
			at += n
			q.find(l.sentences[k].words, one)
			atLeast(row, one)
		}
	}
	m.total = q.weigh(m.grid, len(lines))
	return m
}

// row is the line's part of the grid.
func (m *matcher) row(l *said) []float64 {
	n := len(m.q.terms)
	return m.grid[l.index*n : (l.index+1)*n]
}

// share is the part of the question's weight that a row has.
func (m *matcher) share(row []float64) float64 {
	x := 0.0
	for j, y := range row {
		x += m.q.terms[j].weight * y
	}
	return x / m.total
}

// beyond is the share that a row has and own does not.
func (m *matcher) beyond(row, own []float64) float64 {
	x := 0.0
	for j, y := range row {
		x += m.q.terms[j].weight * max(0, y-own[j])
	}
	return x / m.total
}

// add scores the sentences of a line.
func (m *matcher) add(l *said) {
	v := &m.views[l.index]
	n, first := len(m.q.terms), len(m.out)
	for k := range l.sentences {
		at := len(m.out)
		x := m.share(m.sentences[at*n : (at+1)*n])
		m.out = append(m.out, candidate{line: l, at: k, own: x, view: v, order: at})
		v.sentence = max(v.sentence, x)
		if l.sentences[k].image {
			v.image = max(v.image, x)
		}
	}
	m.describe(l, v)
	score := v.score()
	for i := first; i < len(m.out); i++ {
		c := &m.out[i]
		s := c.sentence()
		c.score = score + sentenceShare*c.own + sentenceQuestion*indicator(s.question) + sentenceImage*indicator(s.image)
	}
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
