package token

import (
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

// A cutter cuts a text into words, or words into smaller ones, and hands them
// to next in order.
type cutter func(s string, next func(string))

// scan cuts a text into the words of a scanner.
func scan(word scanner) cutter {
	return func(s string, next func(string)) {
		for s != "" {
			n := word(s)
			next(s[:n])
			s = s[n:]
		}
	}
}

// A finder calls yield with the start and end of each match in text, in order.
// Matches are not empty and do not overlap.
type finder func(text string, yield func(i, j int))

// each finds every single character of a class.
func each(class func(rune) bool) finder {
	return func(text string, yield func(i, j int)) {
		for i, r := range text {
			if class(r) {
				yield(i, i+utf8.RuneLen(r))
			}
		}
	}
}

// matchTimeout ends a match that a pattern of a file makes endless: it may
// backtrack without bound. Real patterns take microseconds.
const matchTimeout = time.Second

// expression finds the matches of a regular expression. After a match that
// takes too long no more are found.
func expression(pattern string) (finder, error) {
	re, err := regexp2.Compile(pattern, regexp2.None)
	if err != nil {
		return nil, err
	}
	re.MatchTimeout = matchTimeout
	return func(text string, yield func(i, j int)) {
		// Matches count in characters.
		i, runes := 0, 0
		offset := func(character int) int {
			for ; runes < character; runes++ {
				_, size := utf8.DecodeRuneInString(text[i:])
				i += size
			}
			return i
		}
		m, err := re.FindStringMatch(text)
		for m != nil && err == nil {
			if from := offset(m.Index); m.Length > 0 {
				yield(from, offset(m.Index+m.Length))
			}
			m, err = re.FindNextMatch(m)
		}
	}, nil
}

// split cuts a text at the matches of a pattern, and hands on the matches, what lies
// between them, or both.
func split(find finder, matches, rest bool) cutter {
	return func(s string, next func(string)) {
		done := 0
		between := func(end int) {
			if rest && done < end {
				next(s[done:end])
			}
		}
		find(s, func(i, j int) {
			between(i)
			if matches {
				next(s[i:j])
			}
			done = j
		})
		between(len(s))
	}
}

// spaced puts a space before a text that begins with none.
func spaced(s string, next func(string)) {
	if s != "" && s[0] != ' ' {
		s = " " + s
	}
	next(s)
}

// punctuation is what BERT takes for it: all of ASCII's signs too. Hugging
// Face's library does not know the punctuation that came after Unicode 8.
func punctuation(r rune) bool {
	return unicode.IsPunct(r) || r < utf8.RuneSelf && unicode.In(r, unicode.S)
}
