package interchange

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/result/predictions"
)

// eachLine calls read for each JSON object that stands on a line of its own.
func (r *reading) eachLine(read func(c *jsontree.Cursor, line int)) error {
	scanner := bufio.NewScanner(r.in)
	scanner.Buffer(make([]byte, 0, 64<<10), predictions.MaxLine)
	n := 0
	for scanner.Scan() {
		n++
		if err := r.ctx.Err(); err != nil {
			return err
		}
		data := scanner.Bytes()
		if n == 1 {
			data = datafile.TrimBOM(data)
		}
		if len(bytes.TrimSpace(data)) == 0 {
			continue
		}
		r.linesRead++
		if r.scores && !json.Valid(data) { // a few broken lines are left out, and counted
			r.lineFaults++
			if r.firstBroken == nil {
				r.firstBroken = fmt.Errorf("%s:%d: the line is not JSON", r.file.Name, n)
			}
			continue
		}
		c := r.tree("", data, func(int) int { return n })
		if c != nil && c.Is(jsontree.Object) {
			read(c, n)
		}
	}
	switch err := scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		r.faults.Addf(n+1, "the line is longer than %d MiB; the lines after it were not read", predictions.MaxLine>>20)
	case err != nil:
		return fmt.Errorf("%s:%d: %w", r.file.Name, n+1, err)
	}
	return nil
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

var errTooLong = fmt.Errorf("the value is longer than %d MiB", MaxItem>>20)

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

func newNullReader(in io.Reader) *nullReader {
	return &nullReader{in: bufio.NewReaderSize(in, 64<<10)}
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

// follow notes whether what comes next is in a string. No string goes on in the
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
