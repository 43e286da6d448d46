package pytext

import "strings"

// A Separator holds for the characters between the fields of a text.
type Separator func(rune) bool

// AppendFields appends to dst the fields of s between white space, as Python's
// str.split splits it.
func AppendFields(dst []string, s string) []string { return Separator(IsSpace).Append(dst, s) }

// Append appends the fields of s to dst, the longest runs of characters that do not
// separate.
func (p Separator) Append(dst []string, s string) []string {
	for field := range strings.FieldsFuncSeq(s, p) {
		dst = append(dst, field)
	}
	return dst
}
