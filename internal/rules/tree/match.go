package tree

import (
	"slices"
	"strings"
)

// A form is a pattern of words. Its elements are parted by blanks:
//
//	a/b/c    one of these words, in any form where ~ stands before one
//	~list    a word of a list of words.txt; ~list* any number of them
//	#        a number, in digits or in words
//	..       up to six words
//	...      what follows, up to a mark
//	-ed      the past of a verb of the list changed
//	^Name    a word with a capital that is no name of a time
//	< >      begin and end of what the form captures
//	^ $      begin and end of the sentence; a , is a mark
//
// A question mark behind an element makes it optional. A form matches within a
// sentence.
type form []string

// A match is where a form was found, as indexes of words. Nothing was captured
// where open and shut are equal.
type match struct{ from, to, open, shut, number int }

// find returns the first match of a form.
func (f form) find(words []word) (match, bool) {
	for _, s := range sentenceBounds(words) {
		m := matcher{words: words, first: s[0], last: s[1]}
		for i := s[0]; i < s[1]; i++ {
			m.match = match{from: i}
			if m.run(f, i) {
				return m.match, true
			}
			if f[0] == "^" && !words[i].mark {
				break
			}
		}
	}
	return match{}, false
}

// sentenceBounds returns from where to where the sentences reach.
func sentenceBounds(words []word) [][2]int {
	var all [][2]int
	start := 0
	for i, w := range words {
		if isStop(w) {
			all = append(all, [2]int{start, i + 1})
			start = i + 1
		}
	}
	return append(all, [2]int{start, len(words)})
}

type matcher struct {
	words       []word
	first, last int
	match
}

// run reports whether the rest of a form matches from a word on.
func (m *matcher) run(f form, i int) bool {
	if len(f) == 0 {
		m.to = i
		return true
	}
	e := f[0]
	switch e {
	case "<":
		m.open = i
		return m.run(f[1:], i)
	case ">":
		if !m.run(f[1:], i) {
			return false
		}
		m.shut = i
		return true
	case "^":
		return i == m.first && m.run(f[1:], i)
	case "$":
		for k := i; k < m.last; k++ {
			if !m.words[k].mark {
				return false
			}
		}
		return m.run(f[1:], i)
	case "..":
		for k := i; k <= min(i+6, m.last); k++ {
			if m.run(f[1:], k) {
				return true
			}
			if k < m.last && m.words[k].parts() {
				return false
			}
		}
		return false
	case "...":
		k := i
		for k < m.last && !m.words[k].parts() {
			k++
		}
		for ; k >= i; k-- {
			if m.run(f[1:], k) {
				return true
			}
		}
		return false
	}
	if list, ok := strings.CutSuffix(e, "*"); ok {
		k := i
		for k < m.last && (m.words[k].mark && !isStop(m.words[k]) || m.words[k].in(list[1:])) {
			k++
		}
		return m.run(f[1:], k)
	}
	e, optional := strings.CutSuffix(e, "?")
	if i < m.last && m.one(e, m.words[i]) && m.run(f[1:], i+1) {
		return true
	}
	return optional && m.run(f[1:], i)
}

// parts reports whether a word is a mark that parts what stands around it.
func (w word) parts() bool { return w.mark && !unparting[w.low] }

// unparting are marks within a phrase.
var unparting = exactly("- ' \" $ € £ % /")

// one reports whether a word is one of an element's.
func (m *matcher) one(e string, w word) bool {
	for alt := range strings.SplitSeq(e, "/") {
		switch {
		case alt == "#" && (!w.mark && w.low[0] <= '9' || w.low == "$" || w.low == "€" || w.low == "£"):
			m.number, _ = number(w.low)
			return true
		case alt == "#":
			if n, ok := number(w.low); ok && n > 0 {
				m.number = n
				return true
			}
		case alt == "-ed":
			if strings.HasSuffix(w.low, "ed") && w.in("changed") {
				return true
			}
		case alt == "^Name":
			_, day := weekdays[w.low]
			if w.upper && !day && !w.in("closed") {
				return true
			}
		case alt == w.low:
			if n, ok := number(w.low); ok {
				m.number = n
			}
			return true
		case alt[0] == '~' && !w.mark && (w.in(alt[1:]) || stem(alt[1:]) == w.stem):
			return true
		}
	}
	return false
}

// hasForm reports whether words match one of several forms, written each in a
// string.
func hasForm(words []word, forms ...string) bool {
	return slices.ContainsFunc(forms, func(f string) bool {
		_, ok := form(strings.Fields(f)).find(words)
		return ok
	})
}
