package report

import (
	"regexp"

	"recallbench/internal/plain"
)

// Texts longer than these, in characters, are cut where people read them: a
// label of a megabyte would push everything else off the screen. CSV and JSON
// have them in full.
const (
	longestCell = 400
	longestNote = 4000
)

// directions finds the characters that turn the direction of what follows them,
// so that a label could rewrite its neighbours. They are shown: without them two
// labels could look the same.
var directions = regexp.MustCompile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

// printable makes a text safe to show to people, in one line of at most so many
// characters and a sign that there are more.
func printable(s string, most int) string { return plain.Text(cut(s, most)) }

// cut shortens a text to so many characters and a sign that there are more, and
// shows what turns its direction.
func cut(s string, most int) string {
	n, end := 0, ""
	for i := range s {
		if n == most {
			s, end = s[:i], "…"
			break
		}
		n++
	}
	return directions.ReplaceAllStringFunc(s, plain.Visible) + end
}
