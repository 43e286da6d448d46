package figure

import (
	"strings"
	"unicode"
	"unicode/utf8"

	stdfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/bidi"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"recallbench/internal/plain"
)

// The fonts of figures: Liberation Sans, which gonum brings along.
var (
	regular = font.Font{Typeface: "Liberation", Variant: "Sans", Size: 7}
	bold    = font.Font{Typeface: "Liberation", Variant: "Sans", Weight: stdfont.WeightBold, Size: 8}
)

// maxLabel is how many characters of a text are looked at.
const maxLabel = 2000

// label makes a text safe to draw: one line, no control characters, no marks of
// direction, no blanks at its ends or beside each other.
func label(s string) string {
	if len(s) > 4*maxLabel {
		s = s[:4*maxLabel]
	}
	return strings.Join(strings.Fields(plain.Text(s)), " ")
}

func face(f font.Font) font.Face { return plot.DefaultTextHandler.Cache().Lookup(f, f.Size) }

func width(s string, f font.Font) vg.Length {
	fc := face(f)
	return fc.Width(s)
}

// handler sets the texts of gonum's axes.
var handler = typesetter{text.Plain{Fonts: plot.DefaultTextHandler.Cache()}}

const ellipsis = "…"

// head returns as much of a text as could be that wide if all its characters were
// narrow ones: to measure more would take time for nothing.
func head(s string, f font.Font, most vg.Length) string {
	n := max(0, int(most/(f.Size*0.18))) + 2
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// fit cuts a text so that it is no wider than most.
func fit(s string, f font.Font, most vg.Length) string {
	s = head(label(s), f, most)
	fc := face(f)
	if fc.Width(s) <= most {
		return s
	}
	runes := []rune(s)
	lo, hi := 0, len(runes)
	for lo < hi { // the longest beginning that fits
		mid := (lo + hi + 1) / 2
		if fc.Width(string(runes[:mid])+ellipsis) <= most {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return strings.TrimRight(string(runes[:lo]), " ") + ellipsis
}

// fitEnds is fit, but cuts in the middle: names often differ at their end, of which
// whole words are left where there are some.
func fitEnds(s string, f font.Font, most vg.Length) string {
	s = label(s)
	fc := face(f)
	if start := head(s, f, most); start == s && fc.Width(s) <= most {
		return s
	}
	end := []rune(s)
	end = end[max(0, len(end)-int(most/(f.Size*0.36))-2):]
	for len(end) > 0 && fc.Width(ellipsis+string(end)) > most/2 {
		end = end[1:]
	}
	if _, words, ok := strings.Cut(string(end), " "); ok && words != "" {
		end = []rune(" " + words) // no half of a word
	}
	return fit(s, f, most-fc.Width(string(end))) + string(end)
}

// wrap breaks a text into at most some lines; what does not fit is cut.
func wrap(s string, f font.Font, most vg.Length, lines int) []string {
	words := strings.Fields(head(label(s), f, most*vg.Length(lines)))
	fc := face(f)
	var all []string
	for len(words) > 0 {
		if len(all) == lines-1 {
			return append(all, fit(strings.Join(words, " "), f, most))
		}
		n := 1
		for n < len(words) && fc.Width(strings.Join(words[:n+1], " ")) <= most {
			n++
		}
		all = append(all, fit(strings.Join(words[:n], " "), f, most))
		words = words[n:]
	}
	return all
}

// visual puts the characters of a text into the order in which they are drawn,
// from left to right: those of right-to-left scripts are turned round.
func visual(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= 0x590 }) < 0 {
		return s
	}
	var p bidi.Paragraph
	if _, err := p.SetString(s); err != nil {
		return s
	}
	o, err := p.Order()
	if err != nil {
		return s
	}
	var b strings.Builder
	for i := range o.NumRuns() {
		run := o.Run(i)
		if run.Direction() == bidi.RightToLeft {
			b.WriteString(bidi.ReverseString(run.String()))
		} else {
			b.WriteString(run.String())
		}
	}
	return b.String()
}

// typeset reports whether a font has a glyph for all characters of a text, none
// of them beyond the first plane, which the writer of PDF does not have.
func typeset(s string, f font.Font) bool {
	var buf sfnt.Buffer
	fc := face(f)
	for _, r := range s {
		if r > 0xFFFF || r == utf8.RuneError || unicode.Is(unicode.Mn, r) {
			return false
		}
		if i, err := fc.Face.GlyphIndex(&buf, r); err != nil || i == 0 {
			return false
		}
	}
	return true
}
