package token

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

// A cutter cuts a text into words, or words into smaller ones, and hands them
// to next in order.
type cutter func(s span, next func(span))

// scan cuts a text into the words of a scanner.
func scan(word scanner) cutter {
	return func(s span, next func(span)) {
		for i := 0; i < len(s.text); {
			j := i + word(s.text[i:])
			next(s.slice(i, j))
			i = j
		}
	}
}

// A finder calls yield with the start and end of each match in text, in order.
// Matches are not empty and do not overlap.
type finder func(text string, yield func(i, j int))

// literal finds a string.
func literal(s string) finder {
	return func(text string, yield func(i, j int)) {
		for i := 0; ; {
			k := strings.Index(text[i:], s)
			if k < 0 {
				return
			}
			yield(i+k, i+k+len(s))
			i += k + len(s)
		}
	}
}

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

// What a split does with the matches of its pattern: drop them, make each a
// word, make neighbours one word, or put a match to the word before or behind.
const (
	removed            = "Removed"
	isolated           = "Isolated"
	contiguous         = "Contiguous"
	mergedWithPrevious = "MergedWithPrevious"
	mergedWithNext     = "MergedWithNext"
)

// behaviors are those that split knows.
var behaviors = []string{removed, isolated, contiguous, mergedWithPrevious, mergedWithNext}

// split cuts a text at the matches of a pattern, or at what lies between them
// when it is inverted.
func split(find finder, behavior string, invert bool) cutter {
	return func(s span, next func(span)) {
		type part struct {
			i, j  int
			match bool
		}
		var parts []part
		done := 0
		find(s.text, func(i, j int) {
			if done < i {
				parts = append(parts, part{done, i, invert})
			}
			parts = append(parts, part{i, j, !invert})
			done = j
		})
		if done < len(s.text) {
			parts = append(parts, part{done, len(s.text), invert})
		}
		for k := 0; k < len(parts); k++ {
			p := parts[k]
			switch behavior {
			case removed:
				if p.match {
					continue
				}
			case contiguous:
				for ; k+1 < len(parts) && parts[k+1].match == p.match; k++ {
					p.j = parts[k+1].j
				}
			case mergedWithPrevious:
				if !p.match && k+1 < len(parts) && parts[k+1].match {
					k++
					p.j = parts[k].j
				}
			case mergedWithNext:
				if p.match && k+1 < len(parts) && !parts[k+1].match {
					k++
					p.j = parts[k].j
				}
			}
			next(s.slice(p.i, p.j))
		}
	}
}

// spaced puts a space before a text that begins with none.
func spaced(s span, next func(span)) {
	if s.text != "" && s.text[0] != ' ' {
		s = prepend(" ")(s)
	}
	next(s)
}

// metaspace writes mark for each space, puts one before the text, always or
// where it begins the original text only, and cuts before each.
func metaspace(mark string, always, first, cut bool) cutter {
	mend := replace(literal(" "), mark)
	words := split(literal(mark), mergedWithNext, false)
	return func(s span, next func(span)) {
		s = mend(s)
		if (always || first && s.first) && !strings.HasPrefix(s.text, mark) {
			s = prepend(mark)(s)
		}
		if cut {
			words(s, next)
		} else {
			next(s)
		}
	}
}

// punctuation is what BERT takes for it: all of ASCII's signs too. Hugging
// Face's library does not know the punctuation that came after Unicode 8.
func punctuation(r rune) bool {
	return unicode.IsPunct(r) || r < utf8.RuneSelf && unicode.In(r, unicode.S)
}

// wordCharacter is \w as Unicode defines it.
func wordCharacter(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic, unicode.Join_Control)
}
