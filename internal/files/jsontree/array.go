package jsontree

import (
	"errors"
	"fmt"
	"io"
	"iter"
)

// An Element is an item of an array that is read piece by piece.
type Element struct {
	Start, End int64 // its bytes in the text
	Line       int   // of its first byte, from 1
	// Data is the element; its syntax is not checked. It is valid until the next
	// element is read.
	Data []byte
}

// arrayBuffer is how much is read at once, 1 MiB.
const arrayBuffer = 1 << 20

// Elements returns the elements of the array that a text holds, which may be larger
// than memory. An element has at most limit bytes. What stands between elements
// is checked; an error is that of the reader, or a [*SyntaxError] beside an
// element that says where.
func Elements(r io.Reader, limit int) iter.Seq2[Element, error] {
	return func(yield func(Element, error) bool) {
		a := arrayScanner{limit: limit, line: 1, state: beforeArray}
		buf := make([]byte, arrayBuffer)
		for {
			n, err := r.Read(buf)
			if !a.feed(buf[:n], yield) {
				return
			}
			switch {
			case errors.Is(err, io.EOF):
				a.end(yield)
				return
			case err != nil:
				yield(Element{Start: a.at, End: a.at, Line: a.line}, err)
				return
			}
		}
	}
}

type arrayState int

const (
	beforeArray  arrayState = iota
	beforeFirst             // an element, or the end
	beforeNext              // an element, after a comma
	inScalar                // a number or a word
	inText                  // a string or what has depth
	afterElement            // a comma or the end
	afterArray
)

// An arrayScanner goes through the bytes of an array.
type arrayScanner struct {
	limit int
	at    int64 // of the byte looked at
	line  int
	state arrayState
	mark  int // bytes of a byte order mark so far

	depth           int
	quoted, escaped bool
	element         Element
}

const byteOrderMark = "\ufeff"

// feed takes the next bytes, and reports whether more are wanted.
func (a *arrayScanner) feed(data []byte, yield func(Element, error) bool) bool {
	from := 0 // of the element's bytes in data
	for i := range data {
		c := data[i]
		switch a.state {
		case inText:
			if !a.inside(c) {
				break
			}
			if a.state = afterElement; !a.yield(data[from:i+1], a.at+1, yield) {
				return false
			}
		case inScalar:
			if c != ',' && c != ']' && !space(c) {
				break
			}
			if !a.yield(data[from:i], a.at, yield) {
				return false
			}
			a.state = afterElement
			fallthrough
		default:
			begins, err := a.between(c)
			if err != nil {
				yield(Element{Start: a.at, End: a.at, Line: a.line}, err)
				return false
			}
			if begins {
				from = i
				a.element.Start, a.element.Line, a.element.Data = a.at, a.line, a.element.Data[:0]
			}
		}
		if c == '\n' {
			a.line++
		}
		a.at++
	}
	if a.state == inText || a.state == inScalar {
		a.element.Data = append(a.element.Data, data[from:]...)
		if len(a.element.Data) > a.limit {
			yield(a.element, a.tooLarge())
			return false
		}
	}
	return true
}

func (a *arrayScanner) tooLarge() *SyntaxError {
	return &SyntaxError{Offset: int(a.element.Start), Reason: fmt.Sprintf("an element is larger than %d MiB, the most that is read", a.limit>>20)}
}

// yield hands over the element; rest are its last bytes.
func (a *arrayScanner) yield(rest []byte, end int64, yield func(Element, error) bool) bool {
	a.element.Data = append(a.element.Data, rest...)
	a.element.End = end
	if len(a.element.Data) > a.limit {
		yield(a.element, a.tooLarge())
		return false
	}
	return yield(a.element, nil)
}

// inside takes a byte of a string, an object or an array, and reports whether it
// is the last.
func (a *arrayScanner) inside(c byte) bool {
	switch {
	case a.escaped:
		a.escaped = false
	case a.quoted:
		a.escaped = c == '\\'
		a.quoted = c != '"'
	case c == '"':
		a.quoted = true
	case c == '{' || c == '[':
		a.depth++
	case c == '}' || c == ']':
		a.depth--
	}
	return a.depth == 0 && !a.quoted
}

// between takes a byte that is in no element, and reports whether one begins.
func (a *arrayScanner) between(c byte) (begins bool, err *SyntaxError) {
	if a.state == beforeArray && a.mark < len(byteOrderMark) && a.at == int64(a.mark) && c == byteOrderMark[a.mark] {
		a.mark++
		return false, nil
	}
	if space(c) {
		return false, nil
	}
	switch a.state { //nolint:exhaustive // the others are within an element
	case beforeArray:
		if c != '[' {
			return false, a.fault("want %s, have %s", Array, kindOf(c))
		}
		a.state = beforeFirst
	case beforeFirst, beforeNext:
		switch {
		case c == ']' && a.state == beforeFirst:
			a.state = afterArray
		case c == ']' || c == ',' || c == '}' || c == ':':
			return false, a.fault("%q where an element should be", c)
		case c == '"', c == '{', c == '[':
			a.state, a.depth, a.quoted, a.escaped = inText, 0, false, false
			a.inside(c)
			return true, nil
		default:
			a.state = inScalar
			return true, nil
		}
	case afterElement:
		switch c {
		case ',':
			a.state = beforeNext
		case ']':
			a.state = afterArray
		default:
			return false, a.fault("%q after an element, want a comma or the end of the array", c)
		}
	case afterArray:
		return false, a.fault("%q after the end of the array", c)
	}
	return false, nil
}

func (a *arrayScanner) fault(format string, args ...any) *SyntaxError {
	return &SyntaxError{Offset: int(a.at), Reason: fmt.Sprintf(format, args...)}
}

// end checks that the array has ended with the text.
func (a *arrayScanner) end(yield func(Element, error) bool) {
	switch a.state {
	case afterArray:
		return
	case beforeArray:
		yield(Element{Line: 1}, &SyntaxError{Reason: "no JSON: there is nothing in it"})
	default:
		yield(Element{Start: a.at, End: a.at, Line: a.line}, &SyntaxError{Offset: int(a.at), Reason: "unexpected end of JSON input; the file is cut off"})
	}
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// kindOf returns the kind of the value that begins with a byte.
func kindOf(c byte) Kind {
	switch c {
	case '{':
		return Object
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	default:
		return Number
	}
}
