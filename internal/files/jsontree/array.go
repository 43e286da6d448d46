package jsontree

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// An Element is an item of an array, or a field of an object, that is read piece by
// piece.
type Element struct {
	Name       string // of a field
	Start, End int64  // its bytes in the text
	Line       int    // of its first byte, from 1
	Data       []byte // of one valid value
}

// Elements returns the items of the array, or the fields of the object, in a text that
// may be larger than memory. An element has at most limit bytes. An error is that of
// the reader, or a [*SyntaxError] with an element that says where.
func Elements(r io.Reader, kind Kind, limit int) iter.Seq2[Element, error] {
	return func(yield func(Element, error) bool) {
		s := newScanner(r, limit)
		err := s.open(kind)
		for err == nil && s.decoder.More() {
			var e Element
			if e, err = s.next(kind); err == nil && !yield(e, nil) {
				return
			}
		}
		if err == nil {
			err = s.end()
		}
		if err != nil {
			yield(s.fault(err))
		}
	}
}

const (
	byteOrderMark = "\ufeff"
	// readAtOnce is the most that is read at once, 64 KiB: little is read ahead of what is
	// decoded, so that its lines are soon counted.
	readAtOnce = 64 << 10
)

// A scanner decodes the elements of a text.
type scanner struct {
	decoder *json.Decoder
	reader  *bufio.Reader
	limit   int
	skipped int64 // bytes before the JSON
	read    int64 // bytes that the decoder has read
	before  int64 // the element at hand
	lines   int   // line ends in what it has read
}

var errTooLarge = errors.New("element too large")

func newScanner(r io.Reader, limit int) *scanner {
	s := &scanner{reader: bufio.NewReaderSize(r, 1<<20), limit: limit}
	if start, _ := s.reader.Peek(len(byteOrderMark)); string(start) == byteOrderMark {
		n, _ := s.reader.Discard(len(byteOrderMark)) // it is there
		s.skipped = int64(n)
	}
	s.decoder = json.NewDecoder(s)
	return s
}

// Read implements [io.Reader] for the decoder.
func (s *scanner) Read(p []byte) (int, error) {
	if s.read >= s.before+int64(s.limit)+readAtOnce {
		return 0, errTooLarge
	}
	n, err := s.reader.Read(p[:min(len(p), readAtOnce)])
	s.read += int64(n)
	s.lines += bytes.Count(p[:n], []byte("\n"))
	return n, err
}

// ahead returns what has been read and not decoded.
func (s *scanner) ahead() []byte {
	ahead, _ := io.ReadAll(s.decoder.Buffered()) // never fails
	return ahead
}

// line returns the line where ahead begins.
func (s *scanner) line() int { return 1 + s.lines - bytes.Count(s.ahead(), []byte("\n")) }

// open reads the beginning of the array or object.
func (s *scanner) open(kind Kind) error {
	token, err := s.decoder.Token()
	if err != nil {
		return err
	}
	if have := kindOf(token); have != kind {
		return &SyntaxError{Offset: int(s.skipped+s.decoder.InputOffset()) - 1, Reason: fmt.Sprintf("want %s, have %s", kind, have)}
	}
	return nil
}

// next reads an element.
func (s *scanner) next(kind Kind) (e Element, err error) {
	s.before = s.decoder.InputOffset()
	if kind == Object {
		token, err := s.decoder.Token()
		if err != nil {
			return e, err
		}
		e.Name, _ = token.(string)
	}
	var raw json.RawMessage
	if err := s.decoder.Decode(&raw); err != nil {
		return e, err
	}
	e.Data, e.End = raw, s.skipped+s.decoder.InputOffset()
	e.Start = e.End - int64(len(raw))
	e.Line = s.line() - bytes.Count(raw, []byte("\n"))
	if len(raw) > s.limit {
		return e, errTooLarge
	}
	return e, nil
}

// end reads the end of the array or object, and of the text.
func (s *scanner) end() error {
	s.before = s.decoder.InputOffset()
	if _, err := s.decoder.Token(); err != nil {
		return err
	}
	token, err := s.decoder.Token()
	if err == nil {
		return &SyntaxError{Offset: int(s.skipped + s.decoder.InputOffset() - 1), Reason: fmt.Sprintf("%v after the end", token)}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// fault returns an error with its place.
func (s *scanner) fault(err error) (Element, error) {
	at := s.decoder.InputOffset()
	e := Element{Line: s.line()}
	syntax, isSyntax := errors.AsType[*json.SyntaxError](err)
	own, isOwn := errors.AsType[*SyntaxError](err)
	switch {
	case isOwn:
	case errors.Is(err, errTooLarge):
		own = &SyntaxError{Offset: int(s.skipped + s.before), Reason: fmt.Sprintf("an element is larger than %d MiB, the limit", s.limit>>20)}
	case errors.Is(err, io.EOF) && at == 0:
		own = &SyntaxError{Reason: noJSON}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.Line, own = 1+s.lines, &SyntaxError{Offset: int(s.skipped + s.read), Reason: cutOff}
	case isSyntax && syntax.Offset == at: // between elements
		own = &SyntaxError{Offset: int(s.skipped + at), Reason: syntax.Error()}
	case isSyntax: // within one, from whose beginning the decoder does not count
		ahead := s.ahead()
		element := bytes.TrimLeft(ahead, " \t\r\n,:")
		_, err := Parse(element)
		if own, isOwn = errors.AsType[*SyntaxError](err); !isOwn {
			own = &SyntaxError{Reason: syntax.Error()}
		}
		within := len(ahead) - len(element) + own.Offset
		e.Line += bytes.Count(ahead[:within], []byte("\n"))
		own.Offset = int(s.skipped+at) + within
	default:
		return e, err
	}
	e.Start, e.End = int64(own.Offset), int64(own.Offset)
	return e, own
}

func kindOf(token json.Token) Kind {
	switch token.(type) {
	case string:
		return String
	case bool:
		return Bool
	case json.Delim:
		return map[json.Token]Kind{json.Delim('['): Array, json.Delim('{'): Object}[token]
	case nil:
		return Null
	}
	return Number
}
