package interchange

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
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

var (
	errTooLong = fmt.Errorf("the value is longer than %d MiB", MaxItem>>20)
	errCutOff  = errors.New("unexpected end of JSON input; the file is cut off")
	// errEnough ends the reading of a file of which no more is needed.
	errEnough = errors.New("no more is read")
)

// A stream is a file that is read one value at a time.
type stream struct {
	ctx    context.Context //nolint:containedctx // for as long as reading lasts
	name   string
	faults datafile.Faults
	in     *bufio.Reader
	line   int  // of the next byte
	strict bool // text that is not UTF-8 is a fault
}

// open begins to read a file.
func (s *stream) open(name string, in io.Reader) {
	s.name, s.faults.File, s.in, s.line = name, name, bufio.NewReaderSize(in, 64<<10), 1
	if mark, _ := s.in.Peek(3); string(mark) == "\ufeff" {
		_, _ = s.in.Discard(len(mark)) // it was seen
	}
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

// broken returns the error of a file that is not JSON.
func (s *stream) broken(path string, err error) error {
	if errors.Is(err, io.EOF) {
		err = errCutOff
	}
	return fmt.Errorf("%s:%d: %s%w", s.name, s.line, prefix(path), err)
}

// prefix is what stands before a fault of what is at a path.
func prefix(path string) string {
	if path == "" {
		return ""
	}
	return path + ": "
}

// next returns the first byte that is no white space, and leaves it to be read.
func (s *stream) next() (byte, error) {
	for {
		switch c, err := s.in.ReadByte(); {
		case err != nil:
			return 0, err
		case c == '\n':
			s.line++
		case c != ' ' && c != '\t' && c != '\r':
			return c, s.in.UnreadByte()
		}
	}
}

// more reports whether anything but white space follows.
func (s *stream) more() bool {
	_, err := s.next()
	return err == nil
}

// take reads the next byte but white space, which has to be one of some.
func (s *stream) take(want string) (byte, error) {
	c, err := s.next()
	if err == nil && strings.IndexByte(want, c) < 0 {
		err = fmt.Errorf("invalid character %q", c)
	}
	if err == nil {
		_, err = s.in.ReadByte()
	}
	return c, err
}

// raw reads the next value, which it returns if it is to be kept.
func (s *stream) raw(keep bool) (data []byte, err error) {
	if _, err := s.next(); err != nil {
		return nil, err
	}
	var v valueScanner
	for ends := false; !ends; {
		if _, err := s.in.Peek(1); err != nil {
			if v.atNumber && errors.Is(err, io.EOF) {
				return data, nil
			}
			return nil, err
		}
		chunk, _ := s.in.Peek(s.in.Buffered()) // it is there
		var n int
		n, ends = v.scan(chunk)
		if keep {
			data = append(data, chunk[:n]...)
		}
		if len(data) > MaxItem {
			return nil, errTooLong
		}
		s.line += bytes.Count(chunk[:n], []byte("\n"))
		_, _ = s.in.Discard(n) // it was seen
	}
	return data, nil
}

// A valueScanner finds the end of a value, by its quotes and brackets alone.
type valueScanner struct {
	depth           int
	quoted, escaped bool
	atNumber        bool // or at a word, which ends where something else begins
}

// scan returns how many bytes of a chunk belong to the value, and whether it ends there.
func (v *valueScanner) scan(chunk []byte) (n int, ends bool) {
	for i, c := range chunk {
		switch {
		case v.escaped:
			v.escaped = false
		case v.quoted && c != '"':
			v.escaped = c == '\\'
		case v.atNumber && strings.IndexByte(" \t\r\n,:]}", c) >= 0:
			return i, true
		case c == '"':
			if v.quoted = !v.quoted; !v.quoted && v.depth == 0 {
				return i + 1, true
			}
		case c == '{' || c == '[':
			v.depth++
		case c == '}' || c == ']':
			if v.depth--; v.depth <= 0 {
				return i + 1, true
			}
		case v.depth == 0:
			v.atNumber = true
		}
	}
	return len(chunk), false
}

// each reads a list or an object and calls read for each item or field, which reads it, with
// its name or "[0]" and so on.
func (s *stream) each(path string, read func(name string) error) error {
	bracket, err := s.take("{[")
	for i := 0; err == nil; i++ {
		c, end := s.next()
		switch {
		case end != nil:
			return s.broken(path, end)
		case c == bracket+2: // "}" and "]"
			_, err := s.in.ReadByte()
			return err
		}
		if i > 0 {
			_, err = s.take(",")
		}
		name := "[" + strconv.Itoa(i) + "]"
		if bracket == '{' && err == nil {
			name, err = s.key()
		}
		if err != nil {
			break
		}
		if err := cmp.Or(s.ctx.Err(), read(name)); err != nil {
			return err
		}
	}
	return s.broken(path, err)
}

// key reads the name of a field and the colon behind it.
func (s *stream) key() (name string, err error) {
	data, err := s.raw(true)
	if err == nil {
		err = json.Unmarshal(data, &name)
	}
	if err == nil {
		_, err = s.take(":")
	}
	return name, err
}

// skip passes over the next value, whatever its size.
func (s *stream) skip(path string) error {
	if _, err := s.raw(false); err != nil {
		return s.broken(path, err)
	}
	return nil
}

// value reads the next value whole. It is nil after a fault that is noted.
func (s *stream) value(path string) (c *jsontree.Cursor, line int, err error) {
	if _, err := s.next(); err != nil {
		return nil, 0, s.broken(path, err)
	}
	line = s.line
	data, err := s.raw(true)
	if err != nil {
		return nil, 0, s.broken(path, err)
	}
	return s.tree(path, data, line), line, s.ctx.Err()
}

// constants are the numbers of Python that JSON does not have, and texts, in which they stay.
var constants = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|NaN|-?Infinity`)

// withoutConstants makes null of numbers that JSON does not have.
func withoutConstants(data []byte) []byte {
	if !bytes.Contains(data, []byte("NaN")) && !bytes.Contains(data, []byte("Infinity")) {
		return data
	}
	return constants.ReplaceAllFunc(data, func(part []byte) []byte {
		if part[0] == '"' {
			return part
		}
		return []byte("null")
	})
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
	if !s.strict {
		data = withoutConstants(data)
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
	bracket, err := s.next()
	if err != nil {
		return v, s.broken("", err)
	}
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
	lines := bufio.NewScanner(s.in)
	lines.Buffer(make([]byte, 0, 64<<10), MaxItem)
	for ; lines.Scan(); s.line++ {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if data := lines.Bytes(); len(bytes.TrimSpace(data)) > 0 {
			if c := s.tree("", data, s.line); c != nil && c.Is(jsontree.Object) {
				read(c, s.line)
			}
		}
	}
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		s.faults.Addf(s.line, "the line is longer than %d MiB; the lines after it were not read", MaxItem>>20)
		return nil
	}
	if err != nil {
		err = s.broken("", err)
	}
	return err
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
		return s.broken("", err)
	}
	header := slices.Clone(row)
	for i, name := range header {
		if slices.Contains(header[:i], name) {
			return s.broken("", fmt.Errorf("column %q occurs twice", name))
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
