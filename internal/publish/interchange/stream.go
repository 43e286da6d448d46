package interchange

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
)

const (
	// MaxItem is the size of the largest value that is read whole, in bytes.
	MaxItem = 16 << 20
	// maxValues is how many values an item may hold: each takes far more memory than in JSON.
	maxValues = 1 << 20
	// maxDepth is how deep a file is looked into to recognise it.
	maxDepth = 16
	// maxFields is how many fields of an object are looked at to recognise a file.
	maxFields = 400
)

// errEnough ends the reading of a file of which no more is needed.
var errEnough = errors.New("no more is read")

// A stream is a file that is read one value at a time.
type stream struct {
	*jsontree.Stream

	ctx    context.Context //nolint:containedctx // for as long as reading lasts
	name   string
	faults datafile.Faults
	in     *bufio.Reader
	text   io.Reader // in, as JSON
	strict bool      // text that is not JSON in UTF-8 is a fault
}

// open begins to read a file.
func (s *stream) open(name string, in io.Reader) {
	s.name, s.faults.File, s.in = name, name, bufio.NewReaderSize(in, 64<<10)
	if mark, _ := s.in.Peek(3); string(mark) == "\ufeff" {
		_, _ = s.in.Discard(len(mark)) // it was seen
	}
	if s.text = s.in; !s.strict {
		s.text = &pythonText{in: s.in}
	}
	s.Stream = jsontree.NewStream(s.text)
}

// head is the beginning of a file of which nothing was read.
func (s *stream) head() []byte {
	head, _ := s.in.Peek(64 << 10) // of a shorter file what there is
	return bytes.TrimLeft(head, " \t\r\n")
}

// isJSON reports whether a file begins like JSON.
func (s *stream) isJSON() bool {
	head := s.head()
	return len(head) > 0 && (head[0] == '{' || head[0] == '[')
}

// broken returns the error of a file that cannot be read on; nil stays nil.
func (s *stream) broken(path string, line int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s:%d: %s%w", s.name, line, prefix(path), err)
}

// prefix is what stands before a fault of what is at a path.
func prefix(path string) string {
	if path == "" {
		return ""
	}
	return path + ": "
}

// each reads a list or an object and calls read for each item or field, which reads it, with
// its name or "[0]" and so on.
func (s *stream) each(path string, read func(name string) error) error {
	var stopped error
	err := s.Each(func(name string) error {
		stopped = cmp.Or(s.ctx.Err(), read(name))
		return stopped
	})
	if stopped != nil {
		return stopped
	}
	return s.broken(path, s.Line(), err)
}

// skip passes over the next value, whatever its size.
func (s *stream) skip(path string) error {
	err := s.Skip()
	return s.broken(path, s.Line(), err)
}

// value reads the next value whole. It is nil after a fault that is noted.
func (s *stream) value(path string) (c *jsontree.Cursor, line int, err error) {
	s.Next()
	line = s.Line()
	data, err := s.Value(MaxItem)
	if err != nil {
		return nil, line, s.broken(path, s.Line(), err)
	}
	return s.tree(path, data, line), line, s.ctx.Err()
}

// A pythonText is JSON with null in place of the numbers of Python that JSON does not have.
type pythonText struct {
	in              *bufio.Reader
	quoted, escaped bool
	rest            []byte // of a null
	err             error  // of in, behind what is buffered
}

// Read implements [io.Reader].
func (t *pythonText) Read(p []byte) (n int, err error) {
	if t.err == nil {
		_, t.err = t.in.Peek(len("-Infinity")) // says an error once
	}
	ahead, _ := t.in.Peek(t.in.Buffered()) // it is there
	for _, constant := range []string{"NaN", "Infinity", "-Infinity"} {
		if !t.quoted && len(t.rest) == 0 && bytes.HasPrefix(ahead, []byte(constant)) {
			t.rest = []byte("null")
			_, _ = t.in.Discard(len(constant)) // it was seen
		}
	}
	if n = copy(p, t.rest); n > 0 {
		t.rest = t.rest[n:]
		return n, nil
	}
	if len(ahead) == 0 {
		return 0, t.err
	}
	n = copy(p, ahead[:t.plain(ahead[:min(len(p), len(ahead))])])
	_, _ = t.in.Discard(n)
	return n, nil
}

// plain returns how many bytes of a chunk stand before one that may begin a constant.
func (t *pythonText) plain(chunk []byte) int {
	for i, c := range chunk {
		switch {
		case c == '\n':
			t.quoted, t.escaped = false, false // no text of JSON has one
		case t.escaped:
			t.escaped = false
		case c == '"':
			t.quoted = !t.quoted
		case t.quoted:
			t.escaped = c == '\\'
		case i > 0 && (c == 'N' || c == 'I' || c == '-'):
			return i
		}
	}
	return len(chunk)
}

// tree parses a value that begins in a line. It is nil after a fault that is noted.
func (s *stream) tree(path string, data []byte, line int) *jsontree.Cursor {
	note := func(offset int, path, fault string) {
		s.faults.Addf(line+bytes.Count(data[:min(offset, len(data))], []byte("\n")), "%s%s", prefix(path), fault)
	}
	if n := bytes.Count(data, []byte(",")) + bytes.Count(data, []byte("[")) + bytes.Count(data, []byte("{")); n > maxValues {
		note(0, path, fmt.Sprintf("the value has more than %d parts", maxValues))
		return nil
	}
	if i := datafile.Invalid(data); s.strict && i >= 0 {
		note(i, path, fmt.Sprintf("byte %#02x is not UTF-8; save the file as UTF-8", data[i]))
		return nil
	}
	v, err := jsontree.Parse(data)
	if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
		note(se.Offset, path, se.Error())
		return nil
	}
	return jsontree.Root(v, path, note)
}

// An excerpt is how much of a file is read to recognise it.
type excerpt struct {
	items int // of each list
	left  int // values that may still be read
	// enough tells after each part of the outermost value whether it was the last that is
	// needed; nil for never.
	enough func(*jsontree.Value) bool
}

// some reads the beginning of each list and object of a value.
func (s *stream) some(of *excerpt, depth int) (v jsontree.Value, err error) {
	of.left--
	bracket := s.Next()
	if bracket != '{' && bracket != '[' {
		c, _, err := s.value("")
		if err == nil && c != nil {
			v = *c.Value
		}
		return v, err
	}
	v.Kind = jsontree.Object
	if bracket == '[' {
		v.Kind = jsontree.Array
	}
	err = s.each("", func(name string) error {
		if depth == maxDepth || of.left <= 0 || len(v.Items) >= of.items || len(v.Fields) >= maxFields {
			return s.skip("")
		}
		part, err := s.some(of, depth+1)
		if bracket == '[' {
			v.Items = append(v.Items, part)
		} else {
			v.Fields = append(v.Fields, jsontree.Field{Name: name, Value: part})
		}
		if err == nil && depth == 0 && of.enough != nil && of.enough(&v) {
			return errEnough
		}
		return err
	})
	return v, err
}

// eachLine calls read for each JSON object that stands on a line of its own.
func (s *stream) eachLine(read func(c *jsontree.Cursor, line int)) error {
	lines := bufio.NewScanner(s.text)
	lines.Buffer(make([]byte, 0, 64<<10), MaxItem)
	line := 1
	for ; lines.Scan(); line++ {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if data := lines.Bytes(); len(bytes.TrimSpace(data)) > 0 {
			if c := s.tree("", data, line); c != nil && c.Is(jsontree.Object) {
				read(c, line)
			}
		}
	}
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		s.faults.Addf(line, "the line is longer than %d MiB; the lines after it were not read", MaxItem>>20)
		return nil
	}
	return s.broken("", line, err)
}

// isTable reports whether a file looks like a table: no JSON, and with a header of two names
// or more.
func (s *stream) isTable() bool {
	line, _, _ := bytes.Cut(s.head(), []byte("\n"))
	if s.isJSON() || datafile.Invalid(line) >= 0 || bytes.ContainsFunc(line, func(c rune) bool { return c < ' ' && c != '\t' && c != '\r' }) {
		return false
	}
	row, err := newTable(bytes.NewReader(line), line).Read()
	return err == nil && len(row) > 1 && !slices.ContainsFunc(row, func(name string) bool { return strings.TrimSpace(name) == "" })
}

// newTable reads a table that is separated as its header is.
func newTable(in io.Reader, header []byte) *csv.Reader {
	table := csv.NewReader(in)
	table.ReuseRecord = true
	if bytes.Contains(header, []byte("\t")) && !bytes.Contains(header, []byte(",")) {
		table.Comma = '\t'
	}
	return table
}

// eachRow calls read for each row of a table, an object by the names of the header.
func (s *stream) eachRow(read func(c *jsontree.Cursor, line int)) error {
	head, _, _ := bytes.Cut(s.head(), []byte("\n"))
	in := newTable(s.in, slices.Clone(head))
	row, err := in.Read()
	if err != nil {
		return s.broken("", 1, err)
	}
	header := slices.Clone(row)
	for i, name := range header {
		if slices.Contains(header[:i], name) {
			return s.broken("", 1, fmt.Errorf("column %q occurs twice", name))
		}
	}
	for {
		row, err := in.Read()
		if pe, ok := errors.AsType[*csv.ParseError](err); ok {
			s.faults.Addf(pe.Line, "%w, want %d fields as the header has", pe.Err, len(header))
			if errors.Is(err, csv.ErrFieldCount) {
				continue
			}
			return nil
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err = cmp.Or(s.ctx.Err(), err); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		line, _ := in.FieldPos(0)
		v := jsontree.Value{Kind: jsontree.Object}
		for i, name := range header {
			v.Fields = append(v.Fields, jsontree.Field{Name: name, Value: fieldValue(strings.Clone(row[i]))})
		}
		read(jsontree.Root(&v, "", func(_ int, _, fault string) { s.faults.Addf(line, "%s", fault) }), line)
	}
}

// fieldValue returns the field of a table as the value that its text may stand for; of an
// empty one and of NaN null.
func fieldValue(text string) jsontree.Value {
	lower := strings.ToLower(strings.TrimSpace(text))
	switch x, err := strconv.ParseFloat(lower, 64); {
	case lower == "true" || lower == "false":
		return jsontree.Value{Kind: jsontree.Bool, Text: lower}
	case lower == "" || err == nil && math.IsNaN(x):
		return jsontree.Value{Kind: jsontree.Null}
	case err == nil && !math.IsInf(x, 0):
		return jsontree.Value{Kind: jsontree.Number, Text: text}
	}
	return jsontree.Value{Kind: jsontree.String, Text: text}
}
