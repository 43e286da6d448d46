// Package transcript writes the turns of a conversation as lines of text, the
// same for every method that shows turns to a model.
package transcript

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"recallbench/datasets"
)

// Images says what of a shared image becomes text, in brackets behind the
// turn's own words.
type Images string

// The ways to write images.
const (
	NoImages         Images = "none"
	Captions         Images = "caption"
	CaptionsAndQuery Images = "caption+query" // with the search words, as Nemori's and xMemory's loaders do
)

// Values lists the ways to write images.
func (Images) Values() []string {
	return []string{string(NoImages), string(Captions), string(CaptionsAndQuery)}
}

// Validate reports a way that is not known.
func (i Images) Validate() error {
	if !slices.Contains(i.Values(), string(i)) {
		return fmt.Errorf("unknown images %q; have %s", string(i), strings.Join(i.Values(), ", "))
	}
	return nil
}

// A Line is one turn, or the part of one that is shown.
type Line struct {
	Speaker string
	// Time is when the line was said; the zero time when unknown. It has no
	// time zone: the clock of the conversation is read as UTC.
	Time time.Time
	Text string
}

// Line returns a turn as a line. White space, line breaks
// included, is folded, so that a line stays one line.
func (i Images) Line(t datasets.Turn) Line {
	text := strings.Join(strings.Fields(t.Text), " ")
	if img := t.Image; img != nil && i != NoImages {
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
// that no reader takes the day for the month.
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

// Texts writes lines as a transcript, a line each.
func Texts(lines []Line) string {
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = Text(l)
	}
	return strings.Join(texts, "\n")
}
