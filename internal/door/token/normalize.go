package token

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A normalizer rewrites a text before it is cut.
type normalizer func(span) span

// form is a normal form of Unicode. A character with more than 30 marks on it,
// which Unicode calls unsafe for streams, is not made normal as a whole: the
// tokens of such text may be a few more or less than the model's.
func form(f norm.Form) normalizer {
	return func(s span) span {
		if f.IsNormalString(s.text) {
			return s
		}
		w := rewrite(s)
		for w.done < len(s.text) {
			normal, _ := f.SpanString(s.text[w.done:], true)
			w.keep(w.done + normal)
			end := w.done + max(0, f.NextBoundaryInString(s.text[w.done:], true))
			w.put(end, f.String(s.text[w.done:end]))
		}
		return w.span()
	}
}

// characters rewrites each character: edit returns what stands in its place,
// and whether that is something else.
func characters(edit func(r rune) (string, bool)) normalizer {
	return func(s span) span {
		w := rewrite(s)
		for i, r := range s.text {
			if other, ok := edit(r); ok {
				w.keep(i)
				w.put(i+utf8.RuneLen(r), other)
			}
		}
		return w.span()
	}
}

// lower writes the lower case of each character by itself.
func lower(r rune) (string, bool) {
	if r == 'İ' {
		return "i\u0307", true // the one character whose lower case is two
	}
	l := unicode.ToLower(r)
	return string(l), l != r
}

// clean does what BERT calls cleaning: it drops control characters and makes
// all white space a space.
func clean(r rune) (string, bool) {
	switch {
	case r == '\t', r == '\n', r == '\r':
		return " ", true
	case r == 0, r == utf8.RuneError, unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
		return "", true
	}
	return " ", r != ' ' && unicode.IsSpace(r)
}

// han are the characters that BERT takes each for a word.
var han = &unicode.RangeTable{
	R16: []unicode.Range16{{0x3400, 0x4dbf, 1}, {0x4e00, 0x9fff, 1}, {0xf900, 0xfaff, 1}},
	R32: []unicode.Range32{
		{0x20000, 0x2a6df, 1},
		{0x2a700, 0x2b73f, 1},
		{0x2b740, 0x2b81f, 1},
		{0x2b920, 0x2ceaf, 1},
		{0x2f800, 0x2fa1f, 1},
	},
}

// pad puts a space before and behind each Chinese character.
func pad(s span) span {
	w := rewrite(s)
	for i, r := range s.text {
		if unicode.Is(han, r) {
			w.keep(i)
			w.put(i, " ")
			w.keep(i + utf8.RuneLen(r))
			w.put(w.done, " ")
		}
	}
	return w.span()
}

// A span is a stretch of text on its way through a tokenizer.
type span struct {
	text string
	// at[i] is the offset in the original text of byte i of text, and the last
	// entry, one more than text has bytes, where the span ends there. It is
	// nil when nobody asks.
	at []int
	// token is set when the span is a token already, and id is its.
	token bool
	id    int32
}

// origin returns text as a span of itself that knows its offsets.
func origin(text string) span {
	at := make([]int, len(text)+1)
	for i := range at {
		at[i] = i
	}
	return span{text: text, at: at}
}

// slice returns the bytes from i up to j of s.
func (s span) slice(i, j int) span {
	part := span{text: s.text[i:j], token: s.token, id: s.id}
	if s.at != nil {
		part.at = s.at[i : j+1]
	}
	return part
}

// A rewriter builds a span from another, from left to right.
type rewriter struct {
	from span
	done int // of from.text
	text []byte
	at   []int
}

func rewrite(s span) *rewriter {
	return &rewriter{from: s, text: make([]byte, 0, len(s.text)+len(s.text)/4)}
}

// keep copies what is left before the offset to.
func (w *rewriter) keep(to int) {
	w.text = append(w.text, w.from.text[w.done:to]...)
	if w.from.at != nil {
		w.at = append(w.at, w.from.at[w.done:to]...)
	}
	w.done = to
}

// put writes s in the place of what is left before the offset to. All of s
// stands for the place where that begins.
func (w *rewriter) put(to int, s string) {
	w.text = append(w.text, s...)
	if w.from.at != nil {
		for range len(s) {
			w.at = append(w.at, w.from.at[w.done])
		}
	}
	w.done = to
}

// span keeps the rest and returns the result.
func (w *rewriter) span() span {
	w.keep(len(w.from.text))
	s := span{text: string(w.text)}
	if w.from.at != nil {
		w.at = append(w.at, w.from.at[len(w.from.text)])
		s.at = w.at
	}
	return s
}
