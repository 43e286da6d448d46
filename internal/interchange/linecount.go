package interchange

import (
	"io"
	"slices"
)

// A lineCount knows the lines of what is read through it. It keeps the ends of
// those alone that nobody has passed yet, so that a large file takes no more room
// than its largest value.
type lineCount struct {
	in     io.Reader
	read   int64
	passed int     // ends of lines before those of ahead
	ahead  []int64 // offsets of ends of lines
}

func (l *lineCount) Read(p []byte) (int, error) {
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

// pass lets go of what lies before an offset.
func (l *lineCount) pass(offset int64) {
	before, _ := slices.BinarySearch(l.ahead, offset)
	l.passed += before
	l.ahead = l.ahead[before:]
}
