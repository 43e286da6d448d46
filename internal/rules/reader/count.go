package reader

import (
	"strconv"
	"time"

	"recallbench/internal/text/timex"
)

// tie is how much less than the best a sentence may score and still be read
// for a number, a length of time or a date. Scores are sums of lineWeights.
const tie = 4.0

// count answers "how many": a number said of the things asked for, or else on
// how many occasions the evidence speaks of them.
func (q *query) count(ranked []candidate) (string, []candidate) {
	for _, c := range ranked {
		if c.score < ranked[0].score-tie {
			break
		}
		if n := q.numberIn(c.sentence()); n != "" {
			return n, []candidate{c}
		}
	}
	if len(ranked) == 0 {
		return "", nil
	}
	if !q.countable || ranked[0].lv[lOwn] < weakMatch {
		return "", nil
	}
	var days []time.Time
	var used []candidate
	top := 0.0
	for _, c := range ranked {
		top = max(top, c.own)
	}
	for _, c := range ranked {
		if c.own < 0.7*top || c.lv[lOther] > 0 || c.sentence().question {
			continue
		}
		seen := false
		for _, d := range days {
			seen = seen || d.Equal(c.line.time)
		}
		if !seen {
			days = append(days, c.line.time)
			used = append(used, c)
		}
	}
	n := max(1, len(days))
	if q.focusLow == "times" {
		switch n {
		case 1:
			return "once", used
		case 2:
			return "twice", used
		}
	}
	return spell(n), used[:min(3, len(used))]
}

// numberIn returns the number that stands before the noun asked for, "two
// turtles", or an ordinal as a number, "my fourth win".
func (q *query) numberIn(s *sentence) string {
	for i := range s.words {
		w := &s.words[i]
		if w.punct || w.stem != q.focus || q.focus == 0 {
			continue
		}
		for j := i - 1; j >= 0 && j >= i-4; j-- {
			p := &s.words[j]
			if p.punct || p.tag == "IN" && p.low != "of" { // "three jars of honey"
				break
			}
			if n, ok := ordinalNumber[p.low]; ok {
				return n
			}
			if p.tag == "CD" || cardinal[p.low] {
				if q.focusLow == "times" {
					return p.text + " times"
				}
				return p.text
			}
		}
	}
	if q.focusLow == "times" {
		for _, w := range s.words {
			if w.low == "once" || w.low == "twice" {
				return w.low
			}
		}
	}
	return ""
}

var cardinal = set("one two three four five six seven eight nine ten eleven twelve dozen hundreds thousands couple several few")

var ordinalNumber = map[string]string{
	"second": "two", "third": "three", "fourth": "four", "fifth": "five", "sixth": "six",
	"seventh": "seven", "eighth": "eight", "ninth": "nine", "tenth": "ten",
}

func spell(n int) string {
	small := [...]string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	if n < len(small) {
		return small[n]
	}
	return strconv.Itoa(n)
}

// length answers "how long" and "how often" with an expression of the kind.
func (q *query) length(ranked []candidate, kind timex.Kind) (string, []candidate) {
	for _, c := range ranked {
		if c.score < ranked[0].score-tie {
			break
		}
		s := c.sentence()
		for _, e := range s.exprs {
			if e.Kind == kind {
				return e.Phrase, []candidate{c}
			}
			text := c.line.text[e.Start:e.End]
			if kind == timex.Duration && e.Kind == timex.Point {
				if ago := len(text) > 4 && text[len(text)-4:] == " ago"; ago {
					if q.asksAgo() {
						return text, []candidate{c}
					}
					return text[:len(text)-4], []candidate{c}
				}
				for _, w := range s.words {
					if w.low == "since" && w.end+1 >= e.Start && w.end < e.Start {
						return "since " + e.Phrase, []candidate{c}
					}
				}
			}
		}
	}
	return "", nil
}

func (q *query) asksAgo() bool {
	for _, w := range q.words {
		if w.low == "ago" {
			return true
		}
	}
	return false
}
