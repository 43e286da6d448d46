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
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
)

// MaxItem is the size of the largest value that is read whole, in bytes.
const MaxItem = 16 << 20

// maxValues is how many values an item may hold: each takes far more memory than in JSON.
const maxValues = 1 << 20

var errTooLong = fmt.Errorf("the value is longer than %d MiB", MaxItem>>20)

// A stream is a file that is read one value at a time.
type stream struct {
	ctx    context.Context //nolint:containedctx // for as long as reading lasts
	name   string
	faults datafile.Faults
	nulls  *nullReader
	lines  *lineCount
	dec    *json.Decoder
	strict bool // text that is not UTF-8 is a fault
	// linesRead and badLines count lines, and those that are no JSON; firstBad is the
	// fault of the first.
	linesRead, badLines int
	firstBad            error
}

// open begins to read a file.
func (s *stream) open(name string, in io.Reader) {
	s.nulls = &nullReader{in: bufio.NewReaderSize(in, 64<<10)}
	if mark, _ := s.nulls.in.Peek(3); string(mark) == "\ufeff" {
		_, _ = s.nulls.in.Discard(len(mark)) // it was seen
	}
	s.lines = &lineCount{in: s.nulls}
	s.dec = json.NewDecoder(s.lines)
	s.dec.UseNumber()
	s.name, s.faults.File = name, name
}

// head is the beginning of a file of which nothing was read.
func (s *stream) head() []byte {
	head, _ := s.nulls.in.Peek(64 << 10) // of a shorter file what there is
	return bytes.TrimLeft(head, " \t\r\n")
}

// isJSON reports whether a file begins like JSON.
func (s *stream) isJSON() bool {
	head := s.head()
	return len(head) > 0 && (head[0] == '{' || head[0] == '[')
}

// isTable reports whether a file looks like a table: no JSON, and with a header of two names
// or more.
func (s *stream) isTable() bool {
	line, _, _ := bytes.Cut(s.head(), []byte("\n"))
	if s.isJSON() || datafile.Invalid(line) >= 0 || bytes.ContainsFunc(line, func(c rune) bool { return c < ' ' && c != '\t' && c != '\r' }) {
		return false
	}
	row, err := newTable(bytes.NewReader(line), string(line)).Read()
	return err == nil && len(row) > 1 && !slices.ContainsFunc(row, func(name string) bool { return strings.TrimSpace(name) == "" })
}

// newTable reads a table that is separated as its header is.
func newTable(in io.Reader, header string) *csv.Reader {
	table := csv.NewReader(in)
	table.ReuseRecord = true
	if strings.Contains(header, "\t") && !strings.Contains(header, ",") {
		table.Comma = '\t'
	}
	return table
}

// broken returns the error of a file that is not JSON.
func (s *stream) broken(path string, err error) error {
	offset := s.dec.InputOffset()
	if se, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = max(offset, se.Offset-1)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("unexpected end of JSON input; the file is cut off")
	}
	return fmt.Errorf("%s:%d: %s%w", s.name, s.lines.at(offset), prefix(path), err)
}

// prefix is what stands before a fault of what is at a path.
func prefix(path string) string {
	if path == "" {
		return ""
	}
	return path + ": "
}

// advance forgets the lines that were read, and lets the decoder read one value more: it
// reads ahead.
func (s *stream) advance() {
	s.lines.pass(s.dec.InputOffset())
	s.lines.until = s.dec.InputOffset() + 2*MaxItem
}

// token reads the next token.
func (s *stream) token(path string) (json.Token, error) {
	s.advance()
	t, err := s.dec.Token()
	if err == nil {
		err = s.ctx.Err()
	} else {
		err = s.broken(path, err)
	}
	return t, err
}

// each calls read for each item of the list, or each field of the object, whose bracket has
// been read, with its name or "[0]" and so on; read takes the value.
func (s *stream) each(bracket json.Delim, path string, read func(name string) error) error {
	for i := 0; s.dec.More(); i++ {
		name := "[" + strconv.Itoa(i) + "]"
		if bracket == '{' {
			t, err := s.token(path)
			if err != nil {
				return err
			}
			name, _ = t.(string) // a key is one
		}
		if err := read(name); err != nil {
			return err
		}
	}
	_, err := s.token(path)
	return err
}

// skip passes over the next value, whatever its size.
func (s *stream) skip(path string) error {
	for depth := 0; ; {
		t, err := s.token(path)
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// value reads the next value whole. It is nil after a fault that is noted.
func (s *stream) value(path string) (c *jsontree.Cursor, line int, err error) {
	var raw json.RawMessage
	s.advance()
	if err := s.dec.Decode(&raw); err != nil {
		return nil, 0, s.broken(path, err)
	}
	if len(raw) > MaxItem {
		return nil, 0, s.broken(path, errTooLong)
	}
	start := s.dec.InputOffset() - int64(len(raw))
	s.lines.pass(start)
	return s.tree(path, raw, func(offset int) int { return s.lines.at(start + int64(offset)) }), s.lines.at(start), s.ctx.Err()
}

// tree parses a value; line returns the line of an offset into it. It is nil after a fault
// that is noted.
func (s *stream) tree(path string, raw []byte, line func(offset int) int) *jsontree.Cursor {
	note := func(offset int, path, fault string) { s.faults.Addf(line(offset), "%s%s", prefix(path), fault) }
	if n := bytes.Count(raw, []byte(",")) + bytes.Count(raw, []byte("[")) + bytes.Count(raw, []byte("{")); n > maxValues {
		note(0, path, fmt.Sprintf("the value has more than %d parts", maxValues))
		return nil
	}
	if i := datafile.Invalid(raw); s.strict && i >= 0 {
		note(i, path, fmt.Sprintf("byte %#02x is not UTF-8; save the file as UTF-8", raw[i]))
		return nil
	}
	v, err := jsontree.Parse(raw)
	if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
		note(se.Offset, path, se.Error())
		return nil
	}
	if tooDeep(v, maxDepth) {
		note(0, path, fmt.Sprintf("values are nested more than %d deep", maxDepth))
		return nil
	}
	return jsontree.Root(v, path, note)
}

// maxDepth is how deep values may be nested.
const maxDepth = 64

func tooDeep(v *jsontree.Value, left int) bool {
	return left < 0 || slices.ContainsFunc(v.Items, func(of jsontree.Value) bool { return tooDeep(&of, left-1) }) ||
		slices.ContainsFunc(v.Fields, func(f jsontree.Field) bool { return tooDeep(&f.Value, left-1) })
}

// some reads a value, of each list and object so deep in it the first parts. Of those of the
// value itself enough, if it is not nil, tells after each whether it was the last that is
// needed; then the rest is not read.
func (s *stream) some(most, deep int, left *int, enough func(*jsontree.Value) bool) (v jsontree.Value, err error) {
	*left--
	token, err := s.token("")
	if err != nil {
		return v, err
	}
	switch t := token.(type) {
	case string:
		v = jsontree.Value{Kind: jsontree.String, Text: t}
	case json.Number:
		v = jsontree.Value{Kind: jsontree.Number, Text: t.String()}
	case bool:
		v = jsontree.Value{Kind: jsontree.Bool, Text: strconv.FormatBool(t)}
	case json.Delim:
		v.Kind = jsontree.Object
		if t == '[' {
			v.Kind = jsontree.Array
		}
		err = s.each(t, "", func(name string) error {
			if deep == 0 || *left <= 0 || len(v.Items) >= most || len(v.Fields) >= mostFields {
				return s.skip("")
			}
			of, err := s.some(most, deep-1, left, nil)
			if t == '[' {
				v.Items = append(v.Items, of)
			} else {
				v.Fields = append(v.Fields, jsontree.Field{Name: name, Value: of})
			}
			if err == nil && enough != nil && enough(&v) {
				return errEnough
			}
			return err
		})
	default:
		v.Kind = jsontree.Null
	}
	return v, err
}

// mostFields is how many fields of an object are looked at.
const mostFields = 400

// errEnough ends the reading of what need not be read further.
var errEnough = errors.New("the rest is not read")

// eachLine calls read for each JSON object that stands on a line of its own of in, which is
// the file. Where lenient, lines that are no JSON are left out, and counted.
func (s *stream) eachLine(in io.Reader, lenient bool, read func(c *jsontree.Cursor, line int)) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(make([]byte, 0, 64<<10), MaxItem)
	n := 0
	for ; scanner.Scan(); n++ {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		data := scanner.Bytes()
		if len(bytes.TrimSpace(data)) == 0 {
			continue
		}
		if s.linesRead++; lenient && !json.Valid(data) {
			if s.badLines++; s.badLines == 1 {
				s.firstBad = fmt.Errorf("%s:%d: the line is not JSON", s.name, n+1)
			}
			continue
		}
		if c := s.tree("", data, func(int) int { return n + 1 }); c != nil && c.Is(jsontree.Object) {
			read(c, n+1)
		}
	}
	err := scanner.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		s.faults.Addf(n+1, "the line is longer than %d MiB; the lines after it were not read", MaxItem>>20)
		return nil
	}
	if err != nil {
		err = fmt.Errorf("%s:%d: %w", s.name, n+1, err)
	}
	return err
}

// eachRow calls read for each row of a table, an object by the names of the header.
func (s *stream) eachRow(read func(c *jsontree.Cursor, line int)) error {
	line, _, _ := strings.Cut(string(s.head()), "\n")
	lines := &lineCount{in: s.nulls.in, until: 2 * MaxItem} // as it is: NaN is a text here
	in := newTable(lines, line)
	row, err := in.Read()
	if err != nil {
		return fmt.Errorf("%s:1: %w", s.name, err)
	}
	header := slices.Clone(row)
	for i, name := range header {
		if slices.Contains(header[:i], name) {
			return fmt.Errorf("%s:1: column %q occurs twice", s.name, name)
		}
	}
	for {
		lines.until = in.InputOffset() + 2*MaxItem
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
		at, _ := in.FieldPos(0)
		v := jsontree.Value{Kind: jsontree.Object}
		for i, name := range header {
			v.Fields = append(v.Fields, jsontree.Field{Name: name, Value: fieldValue(strings.Clone(row[i]))})
		}
		read(jsontree.Root(&v, "", func(_ int, _, fault string) { s.faults.Addf(at, "%s", fault) }), at)
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

// A lineCount knows the lines of what is read through it. It keeps the ends of
// those alone that nobody has passed yet, so that a large file takes no more room
// than its largest value.
type lineCount struct {
	in     io.Reader
	read   int64
	passed int     // ends of lines before those of ahead
	ahead  []int64 // offsets of ends of lines
	until  int64   // an offset at which reading ends with an error; 0 for none
}

func (l *lineCount) Read(p []byte) (int, error) {
	if l.until > 0 && l.read >= l.until {
		return 0, errTooLong
	}
	n, err := l.in.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			l.ahead = append(l.ahead, l.read+int64(i))
		}
	}
	l.read += int64(n)
	return n, err
}

// at returns the line of an offset, from 1; the offset is not before the last that
// was passed.
func (l *lineCount) at(offset int64) int {
	before, _ := slices.BinarySearch(l.ahead, offset)
	return 1 + l.passed + before
}

// pass releases what lies before an offset.
func (l *lineCount) pass(offset int64) {
	before, _ := slices.BinarySearch(l.ahead, offset)
	l.passed += before
	l.ahead = l.ahead[before:]
}

// A nullReader reads JSON as Python writes it: NaN, Infinity and -Infinity, which
// JSON does not have, become null. What stands in strings stays.
type nullReader struct {
	in       *bufio.Reader
	inString bool
	escaped  bool
	left     string // of what a constant became
}

func (r *nullReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if r.left != "" {
			k := copy(p[n:], r.left)
			r.left = r.left[k:]
			n += k
			continue
		}
		c, err := r.in.ReadByte()
		if err != nil {
			return n, err
		}
		if !r.inString && (c == 'N' || c == 'I' || c == '-') && r.constant(c) {
			r.left = "null"
			continue
		}
		r.follow(c)
		p[n] = c
		n++
	}
	return n, nil
}

// constant takes the rest of a constant that begins with c.
func (r *nullReader) constant(c byte) bool {
	rest := map[byte]string{'N': "aN", 'I': "nfinity", '-': "Infinity"}[c]
	if next, err := r.in.Peek(len(rest)); err != nil || string(next) != rest {
		return false
	}
	_, _ = r.in.Discard(len(rest)) // it has been seen
	return true
}

// follow notes whether what comes next is in a string. No string continues in the
// next line, so that a broken line spoils no other.
func (r *nullReader) follow(c byte) {
	switch {
	case c == '\n':
		r.inString, r.escaped = false, false
	case r.escaped:
		r.escaped = false
	case c == '\\':
		r.escaped = r.inString
	case c == '"':
		r.inString = !r.inString
	}
}
