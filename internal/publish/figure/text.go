package figure

import (
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgtex"

	"recallbench/internal/text/termsafe"
)

// The sizes of texts, in points.
const (
	plain   = 7.0
	small   = 6.0
	heading = 8.0
)

// style returns how texts of a size look.
func style(size vg.Length, c color.Color) text.Style {
	return text.Style{Color: c, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size), YAlign: draw.YTop, Handler: plot.DefaultTextHandler}
}

const (
	maxLabel = 300 // characters of a text
	ellipsis = "…"
)

// label makes a text safe to draw: one line, no control characters, no marks of
// direction, no blanks at its ends or beside each other.
func label(s string) string {
	s = strings.Join(strings.Fields(termsafe.Text(s[:min(len(s), 4*maxLabel)])), " ")
	s = strings.NewReplacer("\ufffe", "", "\uffff", "").Replace(s) // which XML has not
	if r := []rune(s); len(r) > maxLabel {
		return string(r[:maxLabel]) + ellipsis
	}
	return s
}

// fit cuts a label that is too wide in the middle, as names often differ at their end.
func fit(s string, sty text.Style, most vg.Length) string {
	s = label(s)
	r := []rune(s)
	for keep := len(r) - 1; keep > 0 && sty.Width(s) > most; keep-- {
		s = string(r[:(keep+1)/2]) + ellipsis + string(r[len(r)-keep/2:])
	}
	return s
}

// wrap breaks a text into at most some lines, between words; what does not fit is cut.
func wrap(s string, sty text.Style, most vg.Length, lines int) []string {
	var all []string
	for word := range strings.FieldsSeq(label(s)) {
		last := len(all) - 1
		switch {
		case last >= 0 && sty.Width(all[last]+" "+word) <= most:
			all[last] += " " + word
		case len(all) == lines:
			all[last] = fit(all[last]+" "+ellipsis, sty, most)
			return all
		default:
			all = append(all, fit(word, sty, most))
		}
	}
	return all
}

// A texCanvas escapes texts for LaTeX.
type texCanvas struct{ *vgtex.Canvas }

// FillString draws a text.
func (c texCanvas) FillString(f font.Face, at vg.Point, s string) {
	at.X += (f.Width(s) - f.Width(escapeTeX(s))) / 2 // it sets the middle by what it is given
	c.Canvas.FillString(f, at, escapeTeX(s))
}

// The characters that mean something to TeX or that its first fonts lack, and
// those beyond ASCII that LaTeX always has.
var inTeX = map[rune]string{
	'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '&': `\&`, '#': `\#`, '_': `\_`, '%': `\%`,
	'^': `\textasciicircum{}`, '~': `\textasciitilde{}`, '<': `\textless{}`, '>': `\textgreater{}`, '|': `\textbar{}`,
	'-': `{-}`, '"': `{''}`, '\'': `{'}`, '`': "{`}",
	'–': `\textendash{}`, '—': `\textemdash{}`, '…': `\ldots{}`, '×': `$\times$`, '·': `$\cdot$`, '±': `$\pm$`, '≥': `$\ge$`, '≤': `$\le$`, '−': `$-$`,
}

func escapeTeX(s string) string {
	var b strings.Builder
	for _, r := range s {
		if tex, ok := inTeX[r]; ok {
			b.WriteString(tex)
		} else if r >= ' ' && r <= '~' {
			b.WriteRune(r)
		} else {
			b.WriteByte('?')
		}
	}
	return b.String()
}
