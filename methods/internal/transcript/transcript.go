// Package transcript writes the turns of a conversation as lines of text, the
// same for every method that shows turns to a model.
package transcript

import (
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
)

// Images says what of a shared image becomes text, in brackets after the turn's
// own words.
type Images int

// The ways to write images.
const (
	Captions         Images = iota
	CaptionsAndQuery        // with the search words, as Nemori's and xMemory's loaders do
)

// A Line is one turn, or the part of one that is shown.
type Line struct {
	Speaker string
	// Time is when the line was said; the zero time if unknown. It has no time zone: the
	// clock of the conversation is read as UTC.
	Time time.Time
	Text string
}

// Line returns a turn as a line. White space, line breaks
// included, is folded, so that a line stays one line.
func (i Images) Line(t datasets.Turn) Line {
	text := strings.Join(strings.Fields(t.Text), " ")
	if img := t.Image; img != nil {
		if img.Caption != "" {
			text += " [image: " + strings.Join(strings.Fields(img.Caption), " ") + "]"
		}
		if img.Query != "" && i == CaptionsAndQuery {
			text += " [image search: " + strings.Join(strings.Fields(img.Query), " ") + "]"
		}
	}
	return Line{Speaker: t.Speaker, Time: t.Time, Text: strings.TrimSpace(text)}
}

// timeLayout is how models see times: short, and with the month as a word, so
// that day and month are not confused.
const timeLayout = "2 January 2006 15:04"

// Text writes a line as "[8 May 2023 13:56] Ana: text".
func Text(l Line) string {
	var b strings.Builder
	if !l.Time.IsZero() {
		b.WriteString("[" + Time(l.Time) + "] ")
	}
	if l.Speaker != "" {
		b.WriteString(l.Speaker + ": ")
	}
	b.WriteString(l.Text)
	return b.String()
}

// Time writes a time as the lines of a transcript do.
func Time(t time.Time) string { return t.Format(timeLayout) }

// Texts writes lines as a transcript, one per line.
func Texts(lines []Line) string {
	texts := lists.Map(lines, Text)
	return strings.Join(texts, "\n")
}
