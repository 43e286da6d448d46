// Package timex finds expressions of time in English text.
//
// [Find] reads a text and returns its expressions in order. A point in time that the
// words alone place in the calendar ("7 May 2023", "March 2023", "summer of 2021") has
// its first day; for one that depends on when the text was said ("yesterday", "May
// 7th") and for lengths ("three weeks") only the words are known.
package timex

import (
	"slices"
	"sort"
	"strings"
	"time"
)

// An Expr is an expression of time found in a text.
type Expr struct {
	// Start and End are the byte offsets of the expression.
	Start, End int
	// Frequency is set if the expression says how often, such as "twice a week".
	Frequency bool
	// From is the first day of the day, month, season or year that the words name;
	// zero if they do not place it.
	From time.Time
	// Day is set if the expression names From itself, as "7 May 2023" does.
	Day bool
}

// Resolved reports whether the words place the expression in the calendar.
func (e Expr) Resolved() bool { return !e.From.IsZero() }

const (
	// maxText bounds how much of one text is read, in bytes. No turn of a
	// conversation comes near it; what lies behind is left unread.
	maxText = 1 << 16
	// maxExpr bounds an expression, in bytes.
	maxExpr = 200
)

// Find returns the expressions of time in text, in order and without
// overlaps.
func Find(text string) []Expr {
	t := scan(text[:min(len(text), maxText)])
	var exprs []Expr
	for at := 0; at < len(t.words); {
		e, n := t.expression(at)
		if n > 0 {
			e.Start, e.End = t.words[at].start, t.words[at+n-1].end
			exprs = append(exprs, e)
		}
		at += max(n, 1)
	}
	return exprs
}

// A word is a token of the text: letters, digits and inner apostrophes, or
// one mark of punctuation.
type word struct {
	start, end int // in the text
	at         int // in tokens.line
}

// Tokens are the words of a text, and a line with each of them in lowercase and a
// blank behind it, which the patterns of the grammar are matched against.
type tokens struct {
	words []word
	line  string
}

// scan splits text into words. It drops white space; any mark that is neither
// letter nor digit is a word of its own, so that dates keep their commas.
func scan(text string) tokens {
	t := tokens{words: make([]word, 0, len(text)/4)}
	var line strings.Builder
	for i := 0; i < len(text); {
		j := i + 1
		switch c := text[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
			continue
		case letter(c) || digit(c):
			for j < len(text) && (letter(text[j]) || digit(text[j]) || text[j] == '\'' && j+1 < len(text) && letter(text[j+1])) {
				// A date glued together, such as "21January", is two words.
				if digit(text[j-1]) && letter(text[j]) && !ordinalAt(text, j) {
					break
				}
				j++
			}
		default:
			for j < len(text) && text[j] >= 0x80 && text[j] < 0xC0 {
				j++ // the rest of one UTF-8 sequence
			}
		}
		t.words = append(t.words, word{i, j, line.Len()})
		low := strings.ToLower(text[i:j])
		if capital, ok := ambiguous[low]; ok && text[i] < 'a' {
			low = capital
		}
		line.WriteString(low)
		line.WriteByte(' ')
		i = j
	}
	t.line = line.String()
	return t
}

// ordinalAt reports whether the letters at i are the ending of an ordinal.
func ordinalAt(text string, i int) bool {
	end := min(i+2, len(text))
	return slices.Contains([]string{"st", "nd", "rd", "th"}, strings.ToLower(text[i:end])) && (end == len(text) || !letter(text[end]))
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// expression returns the expression that begins at a word, and of how many words it
// is; 0 for none.
func (t tokens) expression(at int) (Expr, int) {
	m := match{line: t.line, start: t.words[at].at}
	if first := t.line[m.start]; !digit(first) && !openers()[m.wordAt(m.start)] {
		return Expr{}, 0
	}
	ahead := t.line[m.start:min(len(t.line), m.start+maxExpr)]
	for _, p := range english().Productions {
		if p.Before != nil && slices.Contains(p.Before, m.wordBefore(m.start)) == p.Not {
			continue
		}
		if m.groups = p.compiled.FindStringSubmatchIndex(ahead); m.groups == nil {
			continue
		}
		m.names = p.compiled.SubexpNames()
		e, ok := Expr{Frequency: p.Frequency}, true
		if check := checks[p.Check]; check != nil {
			e, ok = check(m)
		}
		if ok {
			end := m.start + len(m.group("all"))
			return e, sort.Search(len(t.words)-at, func(n int) bool { return t.words[at+n].at >= end })
		}
	}
	return Expr{}, 0
}
