package pytext

import "unicode/utf8"

// A Separator cuts text into fields, which are the longest runs of characters
// that do not separate.
type Separator struct {
	// kinds tells what each byte is: inside a field, a separator, or the start
	// of a longer sequence, which separates decides.
	kinds     [256]byteKind
	separates func(rune) bool
}

type byteKind uint8

const (
	inside byteKind = iota
	separator
	wideByte
)

// Separate returns a Separator for the characters that separates holds for.
func Separate(separates func(rune) bool) *Separator {
	p := &Separator{separates: separates}
	for c := range p.kinds {
		switch {
		case c >= utf8.RuneSelf:
			p.kinds[c] = wideByte
		case separates(rune(c)):
			p.kinds[c] = separator
		}
	}
	return p
}

var spaces = Separate(IsSpace)

// AppendFields appends to dst the fields of s between white space, as Python's
// str.split splits it.
func AppendFields(dst []string, s string) []string { return spaces.Append(dst, s) }

// Append appends the fields of s to dst.
func (p *Separator) Append(dst []string, s string) []string {
	for i := 0; i < len(s); {
		end := p.end(s, i)
		if end > i {
			dst = append(dst, s[i:end])
		}
		if i = end + 1; end < len(s) && s[end] >= utf8.RuneSelf {
			_, n := utf8.DecodeRuneInString(s[end:])
			i = end + n
		}
	}
	return dst
}

// end returns where the field that starts at s[i] ends.
func (p *Separator) end(s string, i int) int {
	for i < len(s) {
		switch p.kinds[s[i]] {
		case inside:
			i++
		case separator:
			return i
		case wideByte:
			r, n := utf8.DecodeRuneInString(s[i:])
			if p.separates(r) {
				return i
			}
			i += n
		}
	}
	return i
}
