package interchange

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"recallbench/internal/datafile"
	"recallbench/internal/jsontree"
	"recallbench/internal/near"
)

// MaxSize is the size in bytes above which a file is refused unread, 1 GiB. A file
// is read as a stream, but its answers and what they were made from are held.
const MaxSize = 1 << 30

// Read reads the answers of a file in a format. All that is not as the format has
// it comes as one error, with the lines, the first [datafile.MaxFaults] in words.
func Read(ctx context.Context, format, path string) (File, error) {
	f, err := Find(format)
	if err != nil || f.read == nil {
		return File{}, errors.New(near.Unknown("format to import", format, ImportFormats()))
	}
	in, err := datafile.Open(path, MaxSize)
	if err != nil {
		return File{}, err
	}
	defer in.Close()
	hash := sha256.New()
	r := reading{ctx: ctx, in: newNullReader(io.TeeReader(io.LimitReader(in, MaxSize), hash)), lines: func(offset int64) int { return lineOf(path, offset) }}
	r.file, r.faults.File = File{Name: path, Format: f.Name}, path
	if err := r.read(f); err != nil {
		return File{}, err
	}
	if _, err := io.Copy(io.Discard, r.in); err != nil { // what the reader had no need of
		return File{}, fmt.Errorf("%s: %w", path, err)
	}
	r.file.SHA256 = hex.EncodeToString(hash.Sum(nil))
	return r.file, nil
}

// A reading is a file while it is read.
type reading struct {
	ctx    context.Context //nolint:containedctx // for as long as Read lasts
	in     io.Reader
	dec    *json.Decoder
	lines  func(offset int64) int // the line of an offset, from 1
	faults datafile.Faults
	file   File
}

func (r *reading) read(f *Format) error {
	r.dec = json.NewDecoder(r.in)
	if err := f.read(r); err != nil {
		return err
	}
	if err := r.faults.Err(); err != nil {
		return err
	}
	if len(r.file.Answers) == 0 {
		return fmt.Errorf("%s: there is no answer in it; is it %s?", r.file.Name, f.Name)
	}
	return nil
}

// lineOf counts the lines of a file up to an offset of what is read of it. It is
// asked for faults only.
func lineOf(path string, offset int64) int {
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		return 1
	}
	defer f.Close()
	line := 1
	buf := make([]byte, 64<<10)
	for in := io.LimitReader(newNullReader(f), offset); ; {
		n, err := in.Read(buf)
		line += strings.Count(string(buf[:n]), "\n")
		if err != nil {
			return line
		}
	}
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
	return fmt.Errorf("%s:%d: %s%w", r.file.Name, r.lines(offset), path, err)
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
	return 0, fmt.Errorf("%s:%d: %swant %s", r.file.Name, r.lines(r.dec.InputOffset()), path, want)
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
func (r *reading) items(path string, read func(at string, c *jsontree.Cursor, line func() int)) error {
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
func (r *reading) value(path string) (c *jsontree.Cursor, line func() int, err error) {
	var raw json.RawMessage
	if err := r.dec.Decode(&raw); err != nil {
		return nil, nil, r.broken(path, err)
	}
	return r.tree(path, raw, r.dec.InputOffset()-int64(len(raw)))
}

// tree parses a value that begins at an offset of the file.
func (r *reading) tree(path string, raw []byte, start int64) (c *jsontree.Cursor, line func() int, err error) {
	at := func(offset int) int {
		if r.faults.Full() {
			return 0 // only counted: spare the search for the line
		}
		return r.lines(start + int64(offset))
	}
	v, err := jsontree.Parse(raw)
	if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
		r.faults.Addf(at(se.Offset), "%s%w", prefix(path), se)
		return nil, nil, nil
	}
	c = jsontree.Root(v, path, func(offset int, path, fault string) { r.faults.Addf(at(offset), "%s%s", prefix(path), fault) })
	return c, func() int { return r.lines(start) }, nil
}

func prefix(path string) string {
	if path == "" {
		return ""
	}
	return strings.TrimSuffix(path, ": ") + ": "
}

// skip passes over the next value.
func (r *reading) skip(path string) error {
	var raw json.RawMessage
	if err := r.dec.Decode(&raw); err != nil {
		return r.broken(path, err)
	}
	return nil
}
