package offline

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"recallbench/internal/llm"
)

// A said is a line of the evidence.
type said struct {
	*utterance
	speaker    string // lower case
	time       time.Time
	prev, next *said // in the same passage
	hits       []uint64
	index      int
}

// A candidate is a sentence of the evidence with its score for a question.
type candidate struct {
	line     *said
	at       int     // of the sentence in the line
	score    float64 // in about [0, 1.5]
	match    float64 // the share of the question found in and around it
	own      float64 // the share found in the sentence itself
	onDate   bool    // said at or about a date that the question names
	speakers bool    // said by the person asked about
}

func (c candidate) sentence() *sentence { return &c.line.sentences[c.at] }

// gather analyses the lines of the passages, doubles left out.
func (a *analyser) gather(passages []llm.Passage) ([]*said, []string, error) {
	type id struct {
		speaker, text string
		time          int64
	}
	var lines []*said
	var speakers []string
	seen := make(map[id]bool)
	for _, p := range passages {
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
			s := &said{utterance: u, speaker: strings.ToLower(l.Speaker), time: l.Time, prev: prev, index: len(lines)}
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

// weights of the ranking. They are round numbers, chosen on half of a public
// set of conversations; see docs/offline.md.
const (
	sameLine     = 0.6  // a term elsewhere in the line
	prevAsks     = 0.6  // a term in the question that the line replies to
	prevLine     = 0.3  // a term in the line before
	nextLine     = 0.15 // a term in the line after
	speakerBonus = 0.15
	dateBonus    = 0.35
	askedMalus   = 0.25 // a question seldom holds an answer
	imageMalus   = 0.1
)

// rank scores every sentence of the evidence for the question, best first.
func (q *query) rank(lines []*said) []candidate {
	q.weigh(lines)
	total := 0.0
	for _, t := range q.terms {
		total += t.weight
	}
	if total == 0 {
		total = 1
	}
	type found struct{ line, sentence []bool }
	n := len(q.terms)
	inLine := make([]bool, n*len(lines))
	var out []candidate
	for i, l := range lines {
		for _, s := range l.sentences {
			q.find(s.words, inLine[i*n:(i+1)*n])
		}
	}
	inSentence := make([]bool, n)
	for i, l := range lines {
		own := inLine[i*n : (i+1)*n]
		var before, after []bool
		asks := false
		if l.prev != nil {
			before = inLine[l.prev.index*n : (l.prev.index+1)*n]
			asks = l.prev.asks()
		}
		if l.next != nil {
			after = inLine[l.next.index*n : (l.next.index+1)*n]
		}
		onDate := q.onDate(l)
		byPerson := len(q.persons) > 0 && samePersonAny(q.persons[:1], l.speaker)
		byOther := len(q.persons) > 0 && !samePersonAny(q.persons, l.speaker)
		for k := range l.sentences {
			s := &l.sentences[k]
			clear(inSentence)
			q.find(s.words, inSentence)
			match, ownMatch := 0.0, 0.0
			for j, t := range q.terms {
				switch {
				case inSentence[j]:
					match += t.weight
					ownMatch += t.weight
				case own[j]:
					match += t.weight * sameLine
				case before != nil && before[j] && asks:
					match += t.weight * prevAsks
				case before != nil && before[j]:
					match += t.weight * prevLine
				case after != nil && after[j]:
					match += t.weight * nextLine
				}
			}
			c := candidate{line: l, at: k, match: match / total, own: ownMatch / total, onDate: onDate, speakers: byPerson}
			c.score = c.match
			if byPerson {
				c.score += speakerBonus
			}
			if byOther {
				c.score -= speakerBonus
			}
			if onDate {
				c.score += dateBonus
			}
			if s.question {
				c.score -= askedMalus
			}
			if s.image {
				c.score -= imageMalus
			}
			c.score += q.fit(s)
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	return out
}

func samePersonAny(persons []string, speaker string) bool {
	return slices.Contains(persons, speaker)
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

// weigh sets the terms' weights from their rarity among the lines.
func (q *query) weigh(lines []*said) {
	df := make([]int, len(q.terms))
	in := make([]bool, len(q.terms))
	for _, l := range lines {
		clear(in)
		for _, s := range l.sentences {
			q.find(s.words, in)
		}
		for j, ok := range in {
			if ok {
				df[j]++
			}
		}
	}
	n := float64(len(lines))
	for j := range q.terms {
		d := float64(df[j])
		q.terms[j].weight = q.terms[j].base * math.Log(1+(n-d+0.5)/(d+0.5))
	}
}

// find marks the terms that occur among words.
func (q *query) find(words []word, in []bool) {
	for i := range words {
		w := &words[i]
		if w.punct || w.stem == 0 {
			continue
		}
		for j := range q.terms {
			if q.terms[j].stem == w.stem {
				in[j] = true
			}
		}
	}
}

// onDate reports whether a line was said at, soon after, or about a date of
// the question.
func (q *query) onDate(l *said) bool {
	for _, d := range q.dates {
		if !l.time.IsZero() && !l.time.Before(d.From) && l.time.Before(d.To) {
			return true
		}
		for _, s := range l.sentences {
			for _, e := range s.exprs {
				if !e.Vague && e.Overlaps(d.From, d.To) && e.To.Sub(e.From) <= 32*24*time.Hour {
					return true
				}
			}
		}
	}
	return false
}

// fit scores how well a sentence can hold an answer of the question's kind.
func (q *query) fit(s *sentence) float64 {
	x := 0.0
	n := 0
	for _, w := range s.words {
		if w.class == content && !w.punct {
			n++
		}
	}
	if n < 2 {
		x -= 0.1
	}
	if n == 0 {
		x -= 0.2
	}
	return x
}
