package timex

import (
	"slices"
	"strconv"
	"time"
)

// maxText bounds how much of one text is read, in bytes. No turn of a
// conversation comes near it; what lies behind is left unread.
const maxText = 1 << 16

// Find returns the expressions of time in text, in order and without
// overlaps.
func Find(text string) []Expr {
	if len(text) > maxText {
		text = text[:maxText]
	}
	p := &parser{words: scan(text)}
	var exprs []Expr
	for p.at < len(p.words) {
		e, n := p.next()
		if n == 0 {
			p.at++
			continue
		}
		e.Start, e.End = p.words[p.at].start, p.words[p.at+n-1].end
		exprs = append(exprs, e)
		p.at += n
	}
	return exprs
}

// A parser reads expressions off the words of a text. Each production looks at
// the words from p.at on and returns the expression and how many words it
// took, 0 for none.
type parser struct {
	words []word
	at    int
}

func (p *parser) next() (Expr, int) {
	for _, production := range [...]func(*parser) (Expr, int){
		(*parser).ordinalPart, (*parser).date, (*parser).ordinalDay, (*parser).span, (*parser).frequency,
		(*parser).named, (*parser).shifted, (*parser).counted, (*parser).weekday, (*parser).year,
	} {
		if e, n := production(p); n > 0 {
			return e, n
		}
	}
	return Expr{}, 0
}

// low returns the i-th word from here, or "".
func (p *parser) low(i int) string {
	if p.at+i < 0 || p.at+i >= len(p.words) {
		return ""
	}
	return p.words[p.at+i].low
}

func (p *parser) upper(i int) bool {
	return p.at+i >= 0 && p.at+i < len(p.words) && p.words[p.at+i].upper
}

// skip returns the index after any of the given words at i, at most three of
// them: a text that repeats one word takes no longer than another.
func (p *parser) skip(i int, words ...string) int {
	for range 3 {
		if w := p.low(i); w == "" || !slices.Contains(words, w) {
			break
		}
		i++
	}
	return i
}

// monthAt reads a month's name. Names that are also other words count only
// with a capital.
func (p *parser) monthAt(i int) (time.Month, bool) {
	w := p.low(i)
	m, ok := months[w]
	if !ok || (ambiguous[w] && !p.upper(i)) {
		return 0, false
	}
	return m, true
}

// yearAt reads a year from 1900 to 2099.
func (p *parser) yearAt(i int) (int, bool) {
	w := p.low(i)
	if len(w) != 4 {
		return 0, false
	}
	y, err := strconv.Atoi(w)
	return y, err == nil && y >= 1900 && y < 2100
}

// dayAt reads a day of a month at i: "7", "7th", "seventh", "twenty-first". It
// returns the day and the number of words, 0 for none.
func (p *parser) dayAt(i int) (d, words int) {
	w := p.low(i)
	if d := dayWords[w]; d > 0 {
		return d, 1
	}
	if tens := numbers[w]; (tens == 20 || tens == 30) && p.low(i+1) == "-" {
		if d := dayWords[p.low(i+2)]; d > 0 && d < 10 && tens+d <= 31 {
			return tens + d, 3
		}
	}
	if len(w) > 2 && ordinalAt(w, len(w)-2) {
		w = w[:len(w)-2]
	}
	if len(w) == 0 || len(w) > 2 {
		return 0, 0
	}
	d, err := strconv.Atoi(w)
	if err != nil || d < 1 || d > 31 {
		return 0, 0
	}
	return d, 1
}

// count reads a number of units at i: "3", "three", "a couple of", "a few". The
// second result is the number of words, 0 for none.
func (p *parser) count(i int) (n, words int) {
	start := i
	switch p.low(i) {
	case "a", "an":
		switch p.low(i + 1) {
		case "couple":
			return 2, p.skip(i+2, "of") - start
		case "few":
			return 3, 2
		}
		return 1, 1
	case "couple":
		return 2, p.skip(i+1, "of") - start
	case "few":
		return 3, 1
	case "several":
		return 4, 1
	case "many":
		return 5, 1
	}
	if k, ok := numbers[p.low(i)]; ok {
		if k >= 20 && p.low(i+1) == "-" {
			if d, ok := numbers[p.low(i+2)]; ok && d < 10 {
				return k + d, 3
			}
		}
		return k, 1
	}
	if w := p.low(i); len(w) <= 4 {
		if k, err := strconv.Atoi(w); err == nil && k >= 0 {
			return k, 1
		}
	}
	return 0, 0
}

// future reports whether the words before this one in the same sentence speak
// of what is to come.
func (p *parser) future() bool {
	for i := -1; i >= -25; i-- {
		switch p.low(i) {
		case "", ".", "!", "?", ";":
			return false
		case "will", "ll", "i'll", "we'll", "they'll", "he'll", "she'll", "it'll", "gonna", "going",
			"plan", "planning", "plans", "upcoming", "soon", "tomorrow", "hope", "hoping", "can't", "shall", "wanna":
			return true
		case "was", "were", "went", "had", "did", "got", "yesterday", "just", "been":
			return false
		}
	}
	return false
}
