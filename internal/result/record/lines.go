package record

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"slices"

	fastjson "github.com/segmentio/encoding/json"
	each "github.com/sourcegraph/conc/iter"

	"recallbench/internal/files/durable"
	"recallbench/internal/text/redact"
)

// A Line is one line of a log with its place.
type Line[T any] struct {
	Value  T
	Offset int64 // of the line's first byte
	Length int   // in bytes, with the line feed
}

// Lines reads the JSON lines of a file, strictly: a field that T does not have
// is an error, and errors are a [Fault] that names file and line. A last line
// that was not written to its end is left out. A file that is not there has no
// lines.
func Lines[T any](path string) iter.Seq2[Line[T], error] {
	return decoded(RawLines(path), path, Decode[T])
}

// Decode decodes a line as [Lines] does: it holds one value and nothing else.
func Decode[T any](data []byte) (value T, err error) {
	rest, err := fastjson.Parse(data, &value, fastjson.DisallowUnknownFields)
	if err != nil { // the library of Go words its errors better
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.DisallowUnknownFields()
		return value, cmp.Or(dec.Decode(new(T)), err)
	}
	if rest = bytes.TrimSpace(rest); len(rest) > 0 {
		err = fmt.Errorf("%d bytes behind the value", len(rest))
	}
	return value, err
}

// torn reports whether a last line without a line feed is the beginning of one
// that was to be written: JSON that lacks nothing but its end. Anything else did
// not come from a kill.
func torn(tail []byte) bool {
	var value json.RawMessage
	err := json.NewDecoder(bytes.NewReader(tail)).Decode(&value)
	return bytes.HasPrefix(tail, []byte("{")) && (err == nil || errors.Is(err, io.ErrUnexpectedEOF))
}

// Parts reads the JSON lines of a file as [Lines] does, but of each line only the
// fields that T has, which takes a fraction of the time.
func Parts[T any](path string) iter.Seq2[Line[T], error] {
	return decoded(RawLines(path), path, parse[T])
}

// PartsMade is [Parts] of what is made of each value, which may happen on all processors.
func PartsMade[T, M any](path string, of func(T) M) iter.Seq2[Line[M], error] {
	return decoded(RawLines(path), path, func(data []byte) (made M, err error) {
		value, err := parse[T](data)
		if err == nil {
			made = of(value)
		}
		return made, err
	})
}

// LineAt reads one line of an open file at its place as [Line] has it, as [Lines] would.
func LineAt[T any](f *os.File, offset int64, length int) (value T, err error) {
	data := make([]byte, length)
	if _, err = f.ReadAt(data, offset); err == nil {
		value, err = Decode[T](data)
	}
	if err != nil {
		err = fmt.Errorf("%s: line at byte %d: %w", f.Name(), offset, err)
	}
	return value, err
}

func parse[T any](data []byte) (value T, err error) {
	if err = fastjson.Unmarshal(data, &value); err != nil {
		err = cmp.Or(json.Unmarshal(data, new(T)), err)
	}
	return value, err
}

// The bounds of the lines that are decoded together.
const (
	batchLines = 256
	batchBytes = 1 << 20
)

// decoded decodes lines, many at a time on all processors, and returns them in order.
func decoded[T any](raw iter.Seq2[[]byte, error], path string, decode func([]byte) (T, error)) iter.Seq2[Line[T], error] {
	type result struct {
		value T
		err   error
	}
	return func(yield func(Line[T], error) bool) {
		var line Line[T]
		n := 0
		take := func(lines [][]byte) (more bool) {
			results := each.Map(lines, func(data *[]byte) (r result) {
				if bytes.HasSuffix(*data, []byte("\n")) {
					r.value, r.err = decode(*data)
				}
				return r
			})
			for i, data := range lines {
				n++
				switch err := results[i].err; {
				case data[len(data)-1] != '\n' && torn(data):
					return false
				case data[len(data)-1] != '\n':
					yield(line, faultf(Unparsable, path, n, noEnd))
					return false
				case err != nil:
					yield(line, faultOf(Unparsable, path, n, err))
					return false
				}
				line.Value, line.Length = results[i].value, len(data)
				if !yield(line, nil) {
					return false
				}
				line.Offset += int64(len(data))
			}
			return true
		}
		var lines [][]byte
		size := 0
		for data, err := range raw {
			if err != nil {
				if take(lines) {
					yield(line, err)
				}
				return
			}
			lines, size = append(lines, data), size+len(data)
			if len(lines) == batchLines || size > batchBytes {
				if !take(lines) {
					return
				}
				lines, size = lines[:0], 0
			}
		}
		take(lines)
	}
}

// noEnd is the fault of a last line that no kill left.
const noEnd = "the last line is incomplete, and not the beginning of a line that was being written"

// RawLines reads the lines of a file with their line feeds, which the last may
// lack. A file that is not there has no lines.
func RawLines(path string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		f, err := OpenRegular(path)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		rawLines(f)(yield)
	}
}

// rawLines reads the lines of an open file from its beginning.
func rawLines(f *os.File) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		r := bufio.NewReaderSize(io.NewSectionReader(f, 0, math.MaxInt64), 256<<10)
		for n := 1; ; n++ {
			line, err := r.ReadBytes('\n')
			switch {
			case err != nil && !errors.Is(err, io.EOF):
				yield(nil, faultOf(Unreadable, f.Name(), n, err))
				return
			case len(line) == 0 || !yield(line, nil) || err != nil:
				return
			}
		}
	}
}

// Values reads the values of a log's lines.
func Values[T any](path string) iter.Seq2[T, error] { return values(Lines[T](path)) }

func values[T any](lines iter.Seq2[Line[T], error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for line, err := range lines {
			if !yield(line.Value, err) {
				return
			}
		}
	}
}

// Last returns of values with the same key only the last, in the order of the first.
func Last[T any, K comparable](values iter.Seq2[T, error], key func(T) K) (all []T, err error) {
	at := make(map[K]int)
	for v, err := range values {
		if err != nil {
			return nil, err
		}
		i, again := at[key(v)]
		if again {
			all[i] = v
			continue
		}
		at[key(v)] = len(all)
		all = append(all, v)
	}
	return all, nil
}

// OpenLogs opens those of some files that exist.
func OpenLogs(paths []string) (logs []*os.File, closeAll func(), err error) {
	closeAll = func() {
		for _, f := range logs {
			_ = f.Close() // it was read
		}
	}
	for _, path := range paths {
		f, err := OpenRegular(path)
		switch {
		case err == nil:
			logs = append(logs, f)
		case !errors.Is(err, fs.ErrNotExist):
			closeAll()
			return nil, nil, err
		}
	}
	return logs, closeAll, nil
}

// Join writes the lines of several logs as one: of the lines with the same key only
// the last stays, and lines stand in the order of compare. A key K is a struct of
// some of a line's fields. Without logs nothing is written. It is atomic, and returns
// the digest of what it wrote.
func Join[K comparable](path string, logs []*os.File, compare func(a, b K) int) (Digest, error) {
	type place struct {
		key    K
		log    *os.File
		offset int64
		length int
	}
	var read iter.Seq2[place, error] = func(yield func(place, error) bool) {
		for _, f := range logs {
			// A key is a small part of its line, so that the rest is not decoded.
			for line, err := range decoded(rawLines(f), f.Name(), parse[K]) {
				if !yield(place{line.Value, f, line.Offset, line.Length}, err) {
					return
				}
			}
		}
	}
	places, err := Last(read, func(p place) K { return p.key })
	if err != nil || len(logs) == 0 {
		return Digest{}, err
	}
	slices.SortStableFunc(places, func(a, b place) int { return compare(a.key, b.key) })
	var line []byte
	return WriteDigested(path, func(w io.Writer) error {
		for _, p := range places {
			line = slices.Grow(line[:0], p.length)[:p.length]
			if _, err := p.log.ReadAt(line, p.offset); err != nil {
				return err
			}
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
}

// WriteFile writes a file as [durable.WriteFile] does, without secrets.
func WriteFile(path string, write func(io.Writer) error) error {
	_, err := WriteDigested(path, write)
	return err
}

// WriteDigested is [WriteFile], and returns the digest of what it wrote, without a name.
func WriteDigested(path string, write func(io.Writer) error) (Digest, error) {
	h := newHasher()
	err := durable.WriteFile(path, func(w io.Writer) error {
		return write(redact.Writer{Writer: io.MultiWriter(w, h)})
	})
	return h.digest(), err
}

// WriteBytes is [WriteFile] for content that is there.
func WriteBytes(path string, data []byte) error {
	return WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// OpenRegular opens a file for reading. Anything else is a [Fault], as opening a pipe could
// block forever.
func OpenRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, faultf(Unreadable, path, 0, "is not a regular file")
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = faultOf(Unreadable, path, 0, err)
	}
	return f, err
}

// readable returns the error of opening a file, if there is one.
func readable(path string) error {
	f, err := OpenRegular(path)
	if err == nil {
		err = f.Close()
	}
	return err
}

// maxWhole is the largest file that is read as a whole, in bytes.
const maxWhole = 256 << 20

// ReadRegular returns the bytes of a file of a run. A folder, a pipe, which reading
// could wait on for ever, and a file of more than 256 MiB are errors.
func ReadRegular(path string) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxWhole+1))
	switch {
	case err != nil:
		return nil, faultOf(Unreadable, path, 0, err)
	case len(data) > maxWhole:
		return nil, faultf(Unreadable, path, 0, "is larger than %d MiB, the maximum", maxWhole>>20)
	}
	return data, nil
}

// ReadJSON decodes a file that holds one value, read by [ReadRegular].
func ReadJSON(path string, into any) error {
	data, err := ReadRegular(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
