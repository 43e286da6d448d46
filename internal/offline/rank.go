package offline

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"recallbench/internal/llm"
	"recallbench/internal/timex"
)

// A said is a line of the evidence.
type said struct {
	*utterance
	speaker    string // lower case
	time       time.Time
	prev, next *said // in the same passage
	index      int
	rank       int // of its passage
}

// gather analyses the lines of the passages, doubles left out, and lists the
// speakers.
func (a *analyser) gather(passages []llm.Passage) ([]*said, []string, error) {
	type id struct {
		speaker, text string
		time          int64
	}
	var lines []*said
	var speakers []string
	seen := make(map[id]bool)
	for rank, p := range passages {
		var prev *said
		for _, l := range p.Lines {
			key := id{l.Speaker, l.Text, l.Time.Unix()}
			if seen[key] {
				prev = nil
				continue
			}
			seen[key] = true
			u, err := a.line(l.Text, l.Time)
			if err != nil {
				return nil, nil, err
			}
			s := &said{utterance: u, speaker: strings.ToLower(l.Speaker), time: l.Time, prev: prev, index: len(lines), rank: rank}
			if prev != nil {
				prev.next = s
			}
			prev = s
			lines = append(lines, s)
			if s.speaker != "" && !slices.Contains(speakers, s.speaker) {
				speakers = append(speakers, s.speaker)
			}
		}
	}
	slices.Sort(speakers)
	return lines, speakers, nil
}

// inTimeOrder reports whether the passages come in the order in which they
// were said. Their order then tells nothing of how well they fit.
func inTimeOrder(lines []*said) bool {
	last := 0
	for i, l := range lines {
		if i > 0 && l.time.Before(lines[i-1].time) {
			return false
		}
		last = l.rank
	}
	return last > 0
}

// asks reports whether the line ends with a question.
func (s *said) asks() bool {
	for i := len(s.sentences) - 1; i >= 0; i-- {
		if !s.sentences[i].image {
			return s.sentences[i].question
		}
	}
	return false
}

// A candidate is a sentence of the evidence with its score for a question.
type candidate struct {
	line  *said
	at    int // of the sentence in the line
	score float64
	own   float64 // share of the question found in the sentence
	prev  float64 // share found in the sentence before it, in the same line
	lv    *lineVec
	order int // place in the evidence
}

func (c candidate) sentence() *sentence { return &c.line.sentences[c.at] }

// A lineFeature is one thing that speaks for or against a line.
type lineFeature int

// The features of a line. Shares are of the question's words, rare words
// counting more.
const (
	lOwn      lineFeature = iota // share found in the line
	lSentence                    // share found in its best sentence
	lReply                       // share found in the question that it replies to, and not in the line
	lPrev                        // share found in the line before, and not in the line
	lVerb                        // the main verb is in it
	lFocus                       // the noun asked for is in it
	lImage                       // share found in remarks on images
	lPerson                      // said by the person asked about
	lOther                       // said by somebody whom the question does not name
	lDay                         // said on a day that the question names
	lAbout                       // speaks of a time that the question names
	lNoDate                      // the question names a time, and the line has nothing to do with it
	lAsks                        // ends with a question
	lShort                       // is shorter than five words
	lRank                        // place of its passage, 1 for the first down to 0
	lWhen                        // has an expression of time, where one is asked for
	lNumber                      // has a number, where one is asked for
	lProper                      // has a name, where one is asked for
	lFirst                       // has a word of the first person
	lWindow                      // share found within four lines, and not in the line
	numLine
)

type lineVec [numLine]float64

// rank scores every sentence of the evidence for the question, best first.
func (q *query) rank(lines []*said) []candidate {
	n := len(q.terms)
	grid := make([]float64, n*len(lines))      // how well each line has each term
	rows := make([]float64, 0, 4*n*len(lines)) // and each sentence, in order
	for i, l := range lines {
		row := grid[i*n : (i+1)*n]
		for k := range l.sentences {
			rows = append(rows, make([]float64, n)...)
			one := rows[len(rows)-n:]
			q.find(l.sentences[k].words, one)
			for j, y := range one {
				row[j] = max(row[j], y)
			}
		}
	}
	total := q.weigh(grid, len(lines))
	share := func(row []float64) float64 {
		x := 0.0
		for j, y := range row {
			x += q.terms[j].weight * y
		}
		return x / total
	}
	// beyond is the share found in row and not in own.
	beyond := func(row, own []float64) float64 {
		x := 0.0
		for j, y := range row {
			x += q.terms[j].weight * max(0, y-own[j])
		}
		return x / total
	}
	rowOf := func(s *said) []float64 { return grid[s.index*n : (s.index+1)*n] }
	vecs := make([]lineVec, len(lines))
	out := make([]candidate, 0, 4*len(lines))
	ranked := !inTimeOrder(lines)
	for _, l := range lines {
		own := rowOf(l)
		v := &vecs[l.index]
		v[lOwn] = share(own)
		first := len(out)
		before := 0.0
		words := 0
		for k := range l.sentences {
			s := &l.sentences[k]
			x := share(rows[len(out)*n : (len(out)+1)*n])
			out = append(out, candidate{line: l, at: k, own: x, prev: before, order: len(out)})
			before = x
			v[lSentence] = max(v[lSentence], x)
			if s.image {
				v[lImage] = max(v[lImage], x)
			} else {
				words += len(s.words)
			}
			q.types(s, v)
		}
		if l.prev != nil {
			x := beyond(rowOf(l.prev), own)
			if l.prev.asks() {
				v[lReply] = x
			} else {
				v[lPrev] = x
			}
		}
		v[lWindow] = q.window(l, grid, own) / total
		for j, y := range own {
			if y == 0 {
				continue
			}
			if q.terms[j].stem == q.verb {
				v[lVerb] = y
			}
			if q.terms[j].stem == q.focus {
				v[lFocus] = y
			}
		}
		if len(q.persons) > 0 {
			v[lPerson] = indicator(l.speaker == q.persons[0])
			v[lOther] = indicator(!slices.Contains(q.persons, l.speaker))
		}
		q.dated(l, v)
		v[lAsks] = indicator(l.asks())
		v[lShort] = indicator(words < 5)
		if ranked {
			v[lRank] = 1 / (1 + float64(l.rank)/8)
		}
		score := 0.0
		for i, x := range v {
			score += lineWeights[i] * x
		}
		for i := first; i < len(out); i++ {
			c := &out[i]
			s := c.sentence()
			c.lv = v
			c.score = score + 0.5*c.own - 0.5*indicator(s.question) - 0.3*indicator(s.image)
		}
	}
	slices.SortFunc(out, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.order, b.order))
	})
	return out
}

// window is the weight of the terms within four lines of l that neither own
// nor the lines beside it have.
func (q *query) window(l *said, grid, own []float64) float64 {
	n := len(q.terms)
	row := make([]float64, n)
	p, x := l.prev, l.next
	for range 4 {
		if p != nil {
			for j, y := range grid[p.index*n : (p.index+1)*n] {
				row[j] = max(row[j], y)
			}
			p = p.prev
		}
		if x != nil {
			for j, y := range grid[x.index*n : (x.index+1)*n] {
				row[j] = max(row[j], y)
			}
			x = x.next
		}
	}
	sum := 0.0
	for j, y := range row {
		sum += q.terms[j].weight * max(0, y-own[j])
	}
	return sum
}

// dated sets the features of time.
func (q *query) dated(l *said, v *lineVec) {
	period := false
	for _, d := range q.dates {
		if !l.time.IsZero() {
			inside := !l.time.Before(d.From) && l.time.Before(d.To)
			if inside && d.Grain < timex.Month {
				v[lDay] = 1
			} else if inside {
				period = true
			}
			if since := l.time.Sub(d.To); since >= 0 && since < 14*24*time.Hour {
				period = true
			}
		}
		for _, s := range l.sentences {
			for _, e := range s.exprs {
				if !e.Vague && e.Overlaps(d.From, d.To) && e.To.Sub(e.From) <= 32*24*time.Hour {
					v[lAbout] = 1
				}
			}
		}
	}
	if len(q.dates) > 0 && v[lDay]+v[lAbout] == 0 && !period {
		v[lNoDate] = 1
	}
}

// types sets the features of what a sentence has of the kind asked for.
func (q *query) types(s *sentence, v *lineVec) {
	if s.question {
		return
	}
	if q.kind == askWhen || q.kind == askHowLong || q.kind == askHowOften {
		for _, e := range s.exprs {
			switch {
			case q.kind == askWhen && e.Resolved(),
				q.kind == askHowLong && (e.Kind == timex.Duration || e.Resolved()),
				q.kind == askHowOften && e.Kind == timex.Frequency:
				v[lWhen] = 1
			}
		}
	}
	for i := range s.words {
		w := &s.words[i]
		switch {
		case w.tag == "CD" && q.kind == askHowMany:
			v[lNumber] = 1
		case i > 0 && w.upper && isNoun(w.tag) && (q.kind == askWho || q.kind == askWhere || properFocus[singular(q.focusLow)]):
			v[lProper] = 1
		case w.low == "i" || w.low == "my" || w.low == "we" || w.low == "our":
			v[lFirst] = 1
		}
	}
}

// weigh sets the terms' weights from their rarity among the lines and returns
// the sum.
func (q *query) weigh(grid []float64, lines int) float64 {
	k := len(q.terms)
	total := 0.0
	for j := range q.terms {
		d := 0.0
		for i := range lines {
			if grid[i*k+j] == 1 {
				d++
			}
		}
		q.terms[j].weight = q.terms[j].base * math.Log(1+(float64(lines)-d+0.5)/(d+0.5))
		total += q.terms[j].weight
	}
	if total == 0 {
		return 1
	}
	return total
}

// Values of looser matches beside 1 for the same stem.
const (
	synonymValue = 0.5
	prefixValue  = 0.6
	minPrefix    = 5
)

// find marks in row how well words have each term.
func (q *query) find(words []word, row []float64) {
	for i := range words {
		w := &words[i]
		if w.punct || (q.stems>>(w.stem&63)&1 == 0 && q.letters>>(w.low[0]&63)&1 == 0) {
			continue
		}
		for j := range q.terms {
			t := &q.terms[j]
			switch {
			case row[j] == 1:
			case t.stem == w.stem:
				row[j] = 1
			case w.class != content:
			case len(w.low) >= minPrefix && len(t.low) >= minPrefix && w.low[:minPrefix] == t.low[:minPrefix]:
				row[j] = max(row[j], prefixValue)
			case slices.Contains(t.others, w.stem):
				row[j] = max(row[j], synonymValue)
			}
		}
	}
}

// filter prepares find's quick test: most words share neither a bit of their
// stem's hash nor a first letter with any term.
func (q *query) filter() {
	for _, t := range q.terms {
		q.stems |= 1 << (t.stem & 63)
		for _, o := range t.others {
			q.stems |= 1 << (o & 63)
		}
		if len(t.low) >= minPrefix {
			q.letters |= 1 << (t.low[0] & 63)
		}
	}
}
