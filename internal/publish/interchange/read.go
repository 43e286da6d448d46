package interchange

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/text/suggest"
)

// MaxSize is the size in bytes above which a file is refused unread, 1 GiB. A file
// is read as a stream, but its answers and what they were made from are held.
const MaxSize = 1 << 30

// Read reads the answers of a file in a format. All that is not as the format has
// it comes as one error, with the lines, the first [datafile.MaxFaults] in words.
func Read(ctx context.Context, format, path string) (File, error) {
	f, err := Find(format)
	if err != nil || f.read == nil {
		return File{}, errors.New(suggest.Unknown("format to import", format, ImportFormats()))
	}
	in, err := datafile.Open(path, MaxSize)
	if err != nil {
		return File{}, err
	}
	defer in.Close()
	hash := sha256.New()
	all := io.TeeReader(io.LimitReader(in, MaxSize), hash)
	file, err := f.answers(ctx, path, all)
	if err != nil {
		return File{}, err
	}
	if _, err := io.Copy(io.Discard, all); err != nil { // what the format had no need of
		return File{}, fmt.Errorf("%s: %w", path, err)
	}
	file.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return file, nil
}

// answers reads the answers of a file.
func (f *Format) answers(ctx context.Context, name string, in io.Reader) (File, error) {
	lines := &lineCount{in: newNullReader(in)}
	r := reading{ctx: ctx, in: lines, dec: json.NewDecoder(lines), lines: lines, file: File{Name: name, Format: f.Name}, faults: datafile.Faults{File: name}}
	if err := f.read(&r); err != nil {
		return File{}, err
	}
	if err := r.faults.Err(); err != nil {
		return File{}, err
	}
	// Of a format of lines everything has been read, and the decoder finds the end.
	_, err := r.dec.Token()
	if _, invalid := errors.AsType[*json.SyntaxError](err); err == nil || invalid {
		return File{}, fmt.Errorf("%s:%d: more stands behind the end of the JSON value, want one value in the file", name, r.lines.at(r.dec.InputOffset()))
	}
	if len(r.file.Answers) == 0 {
		return File{}, fmt.Errorf("%s: there is no answer in it; is it %s?", name, f.Name)
	}
	return r.file, nil
}

// A reading is a file while it is read.
type reading struct {
	ctx    context.Context //nolint:containedctx // for as long as Read lasts
	in     io.Reader
	dec    *json.Decoder
	lines  *lineCount
	faults datafile.Faults
	file   File
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

// items calls read for each item of an array whose bracket has been read.
func (r *reading) items(path string, read func(at string, c *jsontree.Cursor, line int)) error {
	for i := 0; r.dec.More(); i++ {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		at := path + "[" + strconv.Itoa(i) + "]"
		c, line, err := r.value(at)
		if err != nil {
			return err
		}
		if c != nil {
			read(at, c, line)
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
	if err := r.dec.Decode(&raw); err != nil {
		return nil, 0, r.broken(path, err)
	}
	start := r.dec.InputOffset() - int64(len(raw))
	r.lines.pass(start)
	return r.tree(path, raw, func(offset int) int { return r.lines.at(start + int64(offset)) }), r.lines.at(start), nil
}

// tree parses a value; at returns the line of an offset into it. It is nil after a
// fault that is noted.
func (r *reading) tree(path string, raw []byte, at func(offset int) int) *jsontree.Cursor {
	v, err := jsontree.Parse(raw)
	if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
		r.faults.Addf(at(se.Offset), "%s%w", prefix(path), se)
		return nil
	}
	return jsontree.Root(v, path, func(offset int, path, fault string) { r.faults.Addf(at(offset), "%s%s", prefix(path), fault) })
}

func prefix(path string) string {
	if path == "" {
		return ""
	}
	return strings.TrimSuffix(path, ": ") + ": "
}

func (r *reading) skip(path string) error {
	var raw json.RawMessage
	if err := r.dec.Decode(&raw); err != nil {
		return r.broken(path, err)
	}
	return nil
}
