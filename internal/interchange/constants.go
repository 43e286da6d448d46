package interchange

import (
	"bufio"
	"io"
)

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
