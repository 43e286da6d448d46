package jsontree

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// A Stream reads values of a text that may be larger than memory, and knows their lines. An
// error of its methods is that of the reader, or a [*SyntaxError] in the line of the stream.
type Stream struct {
	text    *lines
	decoder *jsontext.Decoder
	line    int
}

// NewStream returns a stream of the values in a text. A field that comes twice in an object is
// for [Parse] to find.
func NewStream(r io.Reader) *Stream {
	text := &lines{in: r, limit: math.MaxInt64}
	return &Stream{text: text, decoder: newDecoder(text, true), line: 1}
}

// lines notes where the lines of a text end that is read through it.
type lines struct {
	in       io.Reader
	n, limit int64   // bytes read, and how many may be
	ends     []int64 // offsets of line feeds that are not passed yet
}

var errTooLong = errors.New("the value is too long")

// Read implements [io.Reader].
func (l *lines) Read(p []byte) (int, error) {
	if l.n >= l.limit {
		return 0, errTooLong
	}
	n, err := l.in.Read(p[:min(len(p), 64<<10)])
	for i, c := range p[:n] {
		if c == '\n' {
			l.ends = append(l.ends, l.n+int64(i))
		}
	}
	l.n += int64(n)
	return n, err
}

// Line returns the line, from 1, of what was looked at last.
func (s *Stream) Line() int { return s.line }

// Next looks at the next value and returns what it begins with, as [jsontext.Kind] has it; a
// bracket that closes the value around it, or 0 where there is neither.
func (s *Stream) Next() jsontext.Kind {
	kind := s.decoder.PeekKind()
	s.pass(s.offset())
	return kind
}

// offset returns where the next value begins.
func (s *Stream) offset() int64 {
	rest := s.decoder.UnreadBuffer()
	return s.decoder.InputOffset() + int64(len(rest)-len(bytes.TrimLeft(rest, separators)))
}

// pass counts the lines up to an offset.
func (s *Stream) pass(offset int64) {
	for len(s.text.ends) > 0 && s.text.ends[0] < offset {
		s.text.ends = s.text.ends[1:]
		s.line++
	}
}

// Value reads the next value, which has at most limit bytes and is valid until the next call.
func (s *Stream) Value(limit int) ([]byte, error) {
	s.Next()
	at := s.offset()
	s.text.limit = at + int64(limit)
	data, err := s.decoder.ReadValue()
	s.text.limit = math.MaxInt64
	if errors.Is(err, errTooLong) || len(data) > limit {
		return nil, &SyntaxError{int(at), fmt.Sprintf("the value is longer than %d MiB, the limit", limit>>20)}
	}
	return data, s.fault(err)
}

// Skip passes over the next value, whatever its size.
func (s *Stream) Skip() error { return s.fault(s.decoder.SkipValue()) }

// More reports whether anything but white space follows.
func (s *Stream) More() bool {
	if s.Next() != 0 {
		return true
	}
	_, err := s.decoder.ReadToken()
	return !errors.Is(err, io.EOF)
}

// End returns an error if anything but white space follows.
func (s *Stream) End() error {
	if !s.More() {
		return nil
	}
	return &SyntaxError{int(s.offset()), "there is more text after the JSON value, want one value in the file"}
}

// Each reads an array or an object. It calls read for each item or field, with "[0]" and so on
// or the name of the field; read must read the value.
func (s *Stream) Each(read func(name string) error) error {
	bracket := s.Next()
	_, err := s.decoder.ReadToken()
	for i := 0; err == nil; i++ {
		name := "[" + strconv.Itoa(i) + "]"
		if kind := s.Next(); kind == 0 || kind == '}' || kind == ']' {
			if _, err = s.decoder.ReadToken(); err == nil {
				return nil
			}
		} else if bracket == '{' {
			var token jsontext.Token
			token, err = s.decoder.ReadToken()
			name = token.String()
		}
		if err == nil {
			if err := read(name); err != nil {
				return err
			}
		}
	}
	return s.fault(err)
}

// fault says where a text is at fault.
func (s *Stream) fault(err error) error {
	if err == nil {
		return nil
	}
	syntax := syntaxError(err, int(s.text.n))
	if syntax == nil {
		return cmp.Or(errors.Unwrap(err), err) // of the reader
	}
	s.pass(int64(syntax.Offset))
	return syntax
}

// An Element is an item of an array, or a field of an object.
type Element struct {
	Name       string // of a field
	Start, End int64  // its bytes in the text
	Line       int    // of its first byte, from 1
	Data       []byte // of one valid value, until the next
}

// errStopped ends the reading of elements of which no more are wanted.
var errStopped = errors.New("no more is read")

// Elements returns the items of the array, or the fields of the object, in a text that
// may be larger than memory. An element has at most limit bytes. An error is that of
// the reader, or a [*SyntaxError], with an element that has its line.
func Elements(r io.Reader, kind Kind, limit int) iter.Seq2[Element, error] {
	return func(yield func(Element, error) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		mark := 0
		if head, _ := in.Peek(3); string(head) == "\ufeff" {
			mark, _ = in.Discard(len(head)) // it is there
		}
		s := NewStream(in)
		err := s.want(kind)
		if err == nil {
			err = s.Each(func(name string) error {
				s.Next()
				e := Element{Start: int64(mark) + s.offset(), Line: s.line}
				if kind == Object {
					e.Name = name
				}
				data, err := s.Value(limit)
				if e.Data, e.End = data, e.Start+int64(len(data)); err == nil && !yield(e, nil) {
					err = errStopped
				}
				return err
			})
		}
		if err == nil {
			err = s.End()
		}
		if err == nil || errors.Is(err, errStopped) {
			return
		}
		if syntax, ok := errors.AsType[*SyntaxError](err); ok && syntax.Offset > 0 {
			syntax.Offset += mark
		}
		yield(Element{Line: s.line}, err)
	}
}

// want returns an error if the next value is of another kind.
func (s *Stream) want(kind Kind) error {
	have, ok := kinds[s.Next()]
	if !ok || have == kind { // reading says what is wrong
		return nil
	}
	return &SyntaxError{int(s.offset()), fmt.Sprintf("want %s, have %s", kind, have)}
}
