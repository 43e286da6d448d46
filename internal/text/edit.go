package text

import (
	"sync"
	"unicode/utf8"
)

// An edit is a text while passes rewrite it. A pass reads src from left to
// right and says what to replace; what lies between is copied.
type edit struct {
	src, dst []byte
	done     int // src[:done] is in dst as rewritten
}

var edits = sync.Pool{New: func() any { return new(edit) }}

// run lets a pass rewrite src.
func (e *edit) run(rewrite func(*edit)) {
	e.dst, e.done = e.dst[:0], 0
	rewrite(e)
	if e.done == 0 {
		return // nothing was replaced
	}
	e.dst = append(e.dst, e.src[e.done:]...)
	e.src, e.dst = e.dst, e.src
}

// replace puts text in the place of src[i:j].
func (e *edit) replace(i, j int, text string) {
	e.dst = append(e.dst, e.src[e.done:i]...)
	e.dst = append(e.dst, text...)
	e.done = j
}

// pad puts a space on either side of src[i:j].
func (e *edit) pad(i, j int) {
	e.dst = append(e.dst, e.src[e.done:i]...)
	e.dst = append(e.dst, ' ')
	e.dst = append(e.dst, e.src[i:j]...)
	e.dst = append(e.dst, ' ')
	e.done = j
}

// at reports whether s stands at src[i].
func (e *edit) at(i int, s string) bool {
	return i+len(s) <= len(e.src) && string(e.src[i:i+len(s)]) == s
}

// rune returns the character at src[i] and its length; 0 at the end.
func (e *edit) rune(i int) (r rune, length int) {
	return utf8.DecodeRune(e.src[i:])
}

// boundary reports whether no word character stands at src[i].
func (e *edit) boundary(i int) bool {
	r, n := e.rune(i)
	return n == 0 || !IsWord(r)
}
