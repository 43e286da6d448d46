package interchange

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/result/predictions"
)

// MaxSize is the size in bytes above which a file is refused unread, 1 GiB. A file
// is read as a stream, but its answers and what they were made from are held.
const MaxSize = 1 << 30

// Read reads the answers of a file or folder, or of one side as FILE#SIDE, in a format,
// which may be the file of a layout; empty to find out. All that is not as the format has it comes as one error,
// with the lines, the first [datafile.MaxFaults] in words.
func Read(ctx context.Context, format, path string) (File, error) {
	if format != "" {
		if _, err := find("format to import", format, ImportFormats()); err != nil {
			return File{}, err
		}
	}
	path, side := splitSide(path)
	sources, format, err := sourcesOf(path, format)
	if err != nil {
		return File{}, err
	}
	f, err := find("format to import", format, ImportFormats())
	if err != nil {
		return File{}, err
	}
	if !f.imports {
		return File{}, fmt.Errorf("%s: the layout %s says where scores are, and no answer: 'bench compare' reads it", format, f.Name)
	}
	r := newReading(ctx, path, f.Name, strings.NewReader(""))
	r.take, r.side = r.collect, side
	hash, sum := sha256.New(), ""
	for _, s := range sources {
		if sum, err = s.read(r, f); err != nil {
			return File{}, misnamed(path, format, err)
		}
		fmt.Fprintln(hash, sum)
	}
	if len(sources) > 1 {
		sum = hex.EncodeToString(hash.Sum(nil))
	}
	r.file.Name, r.file.SHA256 = path, sum
	file, err := r.answers()
	return file, misnamed(path, format, err)
}

// splitSide takes FILE#SIDE apart.
func splitSide(name string) (path, side string) {
	if at := strings.LastIndexByte(name, '#'); at > 0 && !exists(name) {
		return name[:at], name[at+1:]
	}
	return name, ""
}

// all reads a file whose answers are to be imported, or whose scores are compared.
func (r *reading) all(f *Format) error {
	if err := f.read(r); err != nil || r.scores {
		return err
	}
	return cmp.Or(r.faults.Err(), r.atEnd())
}

// answers returns what was collected.
func (r *reading) answers() (File, error) {
	for _, passed := range []struct {
		n    int
		what string
	}{{r.laterEpochs, "samples of later epochs"}, {r.otherSides, fmt.Sprintf("answers of other sides than %q", r.side)}, {r.invalid, "answers that the file calls invalid"}} {
		if passed.n > 0 {
			r.file.Ignored = append(r.file.Ignored, fmt.Sprintf("%d %s", passed.n, passed.what))
		}
	}
	if len(r.file.Answers) == 0 && r.otherSides > 0 {
		return File{}, fmt.Errorf("%s: no side %s; it has %s", r.file.Name, quoted(r.side), strings.Join(lists.Map(r.sides, quoted), ", "))
	}
	if len(r.file.Answers) == 0 {
		return File{}, fmt.Errorf("%s: there is no answer in it; is it %s?", r.file.Name, r.file.Format)
	}
	return r.file, nil
}

// atEnd returns an error where more stands behind the value of a file. Of a format of
// lines everything has been read, and the decoder finds the end.
func (r *reading) atEnd() error {
	_, err := r.dec.Token()
	if _, invalid := errors.AsType[*json.SyntaxError](err); err == nil || invalid {
		return fmt.Errorf("%s:%d: more stands behind the end of the JSON value, want one value in the file", r.file.Name, r.lines.at(r.dec.InputOffset()))
	}
	return nil
}

// A reading is a file while it is read.
type reading struct {
	ctx    context.Context //nolint:containedctx // for as long as Read lasts
	in     io.Reader
	nulls  *nullReader
	dec    *json.Decoder
	lines  *lineCount
	faults datafile.Faults
	file   File
	about  map[string]string // what the file says of all items, such as its model
	notes  []string

	take     func(Item)
	fieldsAt ItemFields
	columns  map[string]ResultColumn // what the file says of columns
	wanted   []string                // columns that a person named
	combine  string                  // how votes become a score
	scores   bool                    // items are compared, and need a score and no text
	partial  bool                    // an unfinished log is taken as it is

	// Of what is passed over.
	side                             string // empty for the first that comes
	sides                            []string
	laterEpochs, otherSides, invalid int
	occurrences                      map[string]int
	lineFaults, linesRead            int // lines that are not JSON, and all
	firstBroken                      error
}

// MaxItem is the size of the largest value that is read whole, in bytes.
const MaxItem = predictions.MaxLine

// newReading begins to read a file.
func newReading(ctx context.Context, name, format string, in io.Reader) *reading {
	r := &reading{ctx: ctx, about: make(map[string]string), columns: make(map[string]ResultColumn), file: File{Format: format}}
	r.open(name, in)
	return r
}

// open goes on with another file.
func (r *reading) open(name string, in io.Reader) {
	r.nulls = newNullReader(in)
	r.lines = &lineCount{in: r.nulls}
	r.in, r.dec = r.lines, json.NewDecoder(r.lines)
	r.file.Name, r.faults.File = name, name
}

// first returns the first byte of the file that is no white space, before anything
// is read; 0 where there is none nearby.
func (r *reading) first() byte {
	head, _ := r.nulls.in.Peek(512) // of a shorter file what there is
	if head = bytes.TrimSpace(datafile.TrimBOM(head)); len(head) > 0 {
		return head[0]
	}
	return 0
}

// broken returns the error of a file that is not JSON.
func (r *reading) broken(path string, err error) error {
	offset := r.dec.InputOffset()
	if se, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = max(offset, se.Offset-1)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("unexpected end of JSON input; the file is cut off")
	}
	if path != "" {
		path += ": "
	}
	return fmt.Errorf("%s:%d: %s%w", r.file.Name, r.lines.at(offset), path, err)
}

// begin reads the bracket that opens the next value, and returns it.
func (r *reading) begin(path, want string, brackets ...json.Delim) (json.Delim, error) {
	t, err := r.dec.Token()
	if err != nil {
		return 0, r.broken(path, err)
	}
	for _, b := range brackets {
		if t == b {
			return b, nil
		}
	}
	if path != "" {
		path += ": "
	}
	return 0, fmt.Errorf("%s:%d: %swant %s", r.file.Name, r.lines.at(r.dec.InputOffset()), path, want)
}

// fields calls read for each field of an object whose bracket has been read; read
// takes the value.
func (r *reading) fields(path string, read func(name string) error) error {
	for r.dec.More() {
		t, err := r.dec.Token()
		if err != nil {
			return r.broken(path, err)
		}
		name, _ := t.(string) // a key is one
		if err := read(name); err != nil {
			return err
		}
	}
	return r.end(path)
}

// each calls read for each item of an array whose bracket has been read; read takes
// the value.
func (r *reading) each(path string, read func(at string) error) error {
	for i := 0; r.dec.More(); i++ {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := read(path + "[" + strconv.Itoa(i) + "]"); err != nil {
			return err
		}
	}
	return r.end(path)
}

// end reads the bracket that closes a value.
func (r *reading) end(path string) error {
	if _, err := r.dec.Token(); err != nil {
		return r.broken(path, err)
	}
	return nil
}

// value reads the next value whole. It is nil after a fault that is noted.
func (r *reading) value(path string) (c *jsontree.Cursor, line int, err error) {
	var raw json.RawMessage
	r.lines.until = r.dec.InputOffset() + 2*MaxItem // the decoder reads ahead
	if err := r.dec.Decode(&raw); err != nil {
		return nil, 0, r.broken(path, err)
	}
	if len(raw) > MaxItem {
		return nil, 0, r.broken(path, errTooLong)
	}
	start := r.dec.InputOffset() - int64(len(raw))
	r.lines.pass(start)
	return r.tree(path, raw, func(offset int) int { return r.lines.at(start + int64(offset)) }), r.lines.at(start), nil
}

// maxValues is how many values an item may hold: each takes far more memory than in JSON.
const maxValues = 1 << 20

// countValues counts the commas and brackets outside of strings.
func countValues(raw []byte) (n int) {
	in := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case in && c == '\\':
			i++
		case c == '"':
			in = !in
		case !in && (c == ',' || c == '[' || c == '{'):
			n++
		}
	}
	return n
}

// tree parses a value; at returns the line of an offset into it. It is nil after a
// fault that is noted.
func (r *reading) tree(path string, raw []byte, at func(offset int) int) *jsontree.Cursor {
	if n := countValues(raw); n > maxValues {
		r.faults.Addf(at(0), "%sthe value holds more than %d values", prefix(path), maxValues)
		return nil
	}
	v, err := jsontree.Parse(raw)
	if err == nil && tooDeep(v, maxDepth) {
		r.faults.Addf(at(0), "%svalues are nested more than %d deep", prefix(path), maxDepth)
		return nil
	}
	if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
		r.faults.Addf(at(se.Offset), "%s%w", prefix(path), se)
		return nil
	}
	return jsontree.Root(v, path, func(offset int, path, fault string) { r.faults.Addf(at(offset), "%s%s", prefix(path), fault) })
}

// maxDepth is how deep values may be nested.
const maxDepth = 64

func tooDeep(v *jsontree.Value, left int) bool {
	if left < 0 {
		return true
	}
	return slices.ContainsFunc(v.Items, func(of jsontree.Value) bool { return tooDeep(&of, left-1) }) ||
		slices.ContainsFunc(v.Fields, func(f jsontree.Field) bool { return tooDeep(&f.Value, left-1) })
}

func prefix(path string) string {
	if path == "" {
		return ""
	}
	return strings.TrimSuffix(path, ": ") + ": "
}

// skip passes over the next value, whatever its size.
func (r *reading) skip(path string) error {
	for depth := 0; ; {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		r.lines.until = r.dec.InputOffset() + 2*MaxItem
		t, err := r.dec.Token()
		if err != nil {
			return r.broken(path, err)
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		r.lines.pass(r.dec.InputOffset())
		if depth == 0 {
			return nil
		}
	}
}
