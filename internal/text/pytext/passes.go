package pytext

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// openQuotes sets apart opening quotes of other shapes and backticks, and
// makes two backticks of a double quote that opens the text.
func openQuotes(e *edit) {
	for i := 0; i < len(e.src); {
		switch c := e.src[i]; {
		case c == '`':
			e.replace(i, i, " ")
			for ; e.at(i, "``"); i += 2 {
				e.replace(i, i+2, " `` ")
			}
			if e.at(i, "`") {
				i++
			}
			e.replace(i, i, " ")
		case c == '"' && i == 0:
			e.replace(0, 1, " `` ")
			i++
		case c < utf8.RuneSelf:
			i++
		default:
			r, n := e.rune(i)
			if r == '«' || r == '“' || r == '‘' || r == '„' {
				e.pad(i, i+n)
			}
			i += n
		}
	}
}

// openDouble makes two backticks of a double quote, or two single ones, after
// a space or an opening bracket.
func openDouble(e *edit) {
	for i := 1; i < len(e.src); i++ {
		if !is(e.src[i-1], " ([{<") {
			continue
		}
		if e.src[i] == '"' {
			e.replace(i, i+1, " `` ")
		} else if e.at(i, "''") {
			e.replace(i, i+2, " `` ")
			i++
		}
	}
}

// openSingle sets a single quote apart from a word of one character, unless
// that is a clitic.
func openSingle(e *edit) {
	for i, c := range e.src {
		if c != '\'' {
			continue
		}
		r, n := e.rune(i + 1)
		if n > 0 && IsWord(r) && !strings.ContainsRune("mtsdn", fold(r)) && e.boundary(i+1+n) {
			e.replace(i+1, i+1, " ")
		}
	}
}

// finalPeriod sets apart the period that ends the sentence; quotes, brackets
// and white space may follow it. Periods elsewhere stay in their words.
func finalPeriod(e *edit) {
	dot := bytes.LastIndexByte(e.src, '.')
	if dot < 1 || e.src[dot-1] == '.' {
		return
	}
	after := bytes.TrimRightFunc(e.src[dot+1:], IsSpace)
	if len(bytes.TrimLeft(after, `])}>"'»”’ `)) > 0 {
		return
	}
	e.pad(dot, dot+1)
	end := dot + 1 + len(after)
	e.replace(end, end, " ")
}

// commas sets apart commas and colons, unless a digit follows. What follows is
// not looked at as a comma itself, so that the second of two in a row stays
// with the word behind it.
func commas(e *edit) {
	end := len(bytes.TrimSuffix(e.src, []byte("\n")))
	for i := 0; i < len(e.src); i++ {
		if !is(e.src[i], ",:") {
			continue
		}
		if r, n := e.rune(i + 1); n > 0 && !isDigit(r) {
			e.pad(i, i+1)
			i += n
			if i != end-1 || !is(e.src[i], ",:") {
				continue
			}
		}
		if i == end-1 { // the last character is always set apart
			e.pad(i, i+1)
		}
	}
}

// marks sets apart ellipses of periods and the marks ? ! ; @ # $ % &.
func marks(e *edit) {
	for i := 0; i < len(e.src); i++ {
		switch {
		case is(e.src[i], "?!;@#$%&"):
			e.pad(i, i+1)
		case e.at(i, ".."):
			run := i
			for e.at(i+1, ".") {
				i++
			}
			e.pad(run, i+1)
		}
	}
}

// lastSingle sets apart a single quote that ends a word.
func lastSingle(e *edit) {
	for i := 1; i < len(e.src); i++ {
		if e.src[i] == '\'' && e.src[i-1] != '\'' && e.done < i && e.at(i+1, " ") {
			e.replace(i, i+2, " ' ")
		}
	}
}

// brackets sets apart brackets, asterisks and double dashes.
func brackets(e *edit) {
	for i := 0; i < len(e.src); i++ {
		switch {
		case is(e.src[i], "()[]{}<>*"):
			e.pad(i, i+1)
		case e.at(i, "--"):
			e.pad(i, i+2)
			i++
		}
	}
}

// margins puts a space before and after the text.
func margins(e *edit) { e.pad(0, len(e.src)) }

// closeQuotes sets apart closing quotes of other shapes and two single
// quotes, which it also makes of a double quote.
func closeQuotes(e *edit) {
	for i := 0; i < len(e.src); {
		switch c := e.src[i]; {
		case c == '"':
			e.replace(i, i+1, " '' ")
			i++
		case c == '\'' && e.at(i, "''"):
			e.pad(i, i+2)
			i += 2
		case c < utf8.RuneSelf:
			i++
		default:
			r, n := e.rune(i)
			if r == '»' || r == '”' || r == '’' {
				e.pad(i, i+n)
			}
			i += n
		}
	}
}

// plainSpaces makes a space of each character of white space.
func plainSpaces(e *edit) {
	for i := 0; i < len(e.src); {
		r, n := e.rune(i)
		if r != ' ' && IsSpace(r) {
			e.replace(i, i+n, " ")
		}
		i += n
	}
}

func is(c byte, of string) bool { return strings.IndexByte(of, c) >= 0 }

// An edit is a text while passes rewrite it. A pass reads src from left to
// right and says what to replace; what lies between is copied.
type edit struct {
	src, dst []byte
	done     int // src[:done] is in dst as rewritten
}

// run lets a pass rewrite src.
func (e *edit) run(rewrite func(*edit)) {
	e.dst, e.done = e.dst[:0], 0
	rewrite(e)
	if e.done == 0 {
		return // nothing was replaced
	}
	e.dst = append(e.dst, e.src[e.done:]...)
	e.src, e.dst = e.dst, e.src
}

// replace puts text in the place of src[i:j].
func (e *edit) replace(i, j int, text string) {
	e.dst = append(e.dst, e.src[e.done:i]...)
	e.dst = append(e.dst, text...)
	e.done = j
}

// pad puts a space on either side of src[i:j].
func (e *edit) pad(i, j int) {
	e.replace(i, i, " ")
	e.replace(j, j, " ")
}

// at reports whether s stands at src[i].
func (e *edit) at(i int, s string) bool {
	return i+len(s) <= len(e.src) && string(e.src[i:i+len(s)]) == s
}

// rune returns the character at src[i] and its length; 0 at the end.
func (e *edit) rune(i int) (r rune, length int) {
	return utf8.DecodeRune(e.src[i:])
}

// boundary reports whether no word character stands at src[i].
func (e *edit) boundary(i int) bool {
	r, n := e.rune(i)
	return n == 0 || !IsWord(r)
}
