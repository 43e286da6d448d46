package metrics

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// terms are what [FactualRecallSpec] compares: the values of a text in its order.
type terms struct {
	list []term
	// joined has each term between two spaces; at has where each begins in it.
	joined string
	at     []int
}

// A term is a word, a number, a time or a code, with its position in bytes.
type term struct {
	text       string // normalised, without white space
	start, end int
}

func newTerms(s string) terms {
	list := scanTerms(s)
	list = spellOut(s, list)
	list = tellTimes(s, list)
	list = slices.DeleteFunc(list, func(t term) bool { return t.text == "a" || t.text == "an" || t.text == "the" })
	t := terms{list: list, at: make([]int, len(list))}
	var b strings.Builder
	for i, w := range list {
		b.WriteByte(' ')
		t.at[i] = b.Len()
		b.WriteString(w.text)
	}
	b.WriteByte(' ')
	t.joined = b.String()
	return t
}

// find returns the ranges of terms that are a span, without overlaps; none for
// a span without terms.
func (t terms) find(span terms) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		n := len(span.list)
		if n == 0 {
			return
		}
		for at := 0; ; {
			i := strings.Index(t.joined[at:], span.joined)
			if i < 0 {
				return
			}
			from, _ := slices.BinarySearch(t.at, at+i+1)
			if !yield(from, from+n) {
				return
			}
			at += i + len(span.joined) - 1
		}
	}
}

// scanTerms splits a text into runs of letters and digits, numbers with the
// marks inside of them, and signs that stand for words.
func scanTerms(s string) []term {
	list := make([]term, 0, len(s)/5+1)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		end := i + size
		switch {
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			end = runEnd(s, i)
			if digits := digitsEnd(s, i); digits == end {
				end = numberEnd(s, end)
			} else if digits > i && (strings.EqualFold(s[digits:end], "am") || strings.EqualFold(s[digits:end], "pm")) {
				list = append(list, term{s[i:digits], i, digits})
				i = digits
			}
			if text := fold(s[i:end]); text != "" {
				list = append(list, term{text, i, end})
			}
		case strings.ContainsRune("£$€%&", r):
			list = append(list, term{s[i:end], i, end})
		}
		i = end
	}
	return list
}

// runEnd returns where the run of letters, digits and marks at i ends.
func runEnd(s string, i int) int {
	n := strings.IndexFunc(s[i:], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) })
	if n < 0 {
		return len(s)
	}
	return i + n
}

func digitsEnd(s string, i int) int {
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return i
}

// numberEnd returns where a number ends whose first digits end at i: it
// continues after a colon, a period, a slash, or a comma before thousands.
func numberEnd(s string, i int) int {
	for i+1 < len(s) && strings.IndexByte(":./,", s[i]) >= 0 {
		end := digitsEnd(s, i+1)
		if end == i+1 || s[i] == ',' && end != i+4 {
			break
		}
		i = end
	}
	return i
}

// fold returns a word without case, accents and white space.
func fold(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return strings.ToLower(s)
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
}

// joins reports whether only spaces and hyphens stand between two terms.
func joins(s string, a, b term) bool {
	return strings.Trim(s[a.end:b.start], " -\u2010\u2011\u00a0") == ""
}
