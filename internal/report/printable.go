package report

import (
	"strings"

	"recallbench/internal/plain"
)

// Texts longer than these, in characters, are cut where people read them: a
// label of a megabyte would push everything else off the screen. CSV and JSON
// have them in full.
const (
	longestCell = 400
	longestNote = 4000
)

// directions are the characters that turn the direction of what follows them,
// so that a label could rewrite its neighbours. They are shown by their code
// points: without them two labels could look the same.
var directions = strings.NewReplacer(
	"\u061c", "<U+061C>", "\u200e", "<U+200E>", "\u200f", "<U+200F>",
	"\u202a", "<U+202A>", "\u202b", "<U+202B>", "\u202c", "<U+202C>", "\u202d", "<U+202D>", "\u202e", "<U+202E>",
	"\u2066", "<U+2066>", "\u2067", "<U+2067>", "\u2068", "<U+2068>", "\u2069", "<U+2069>",
)

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
	return directions.Replace(s) + end
}
