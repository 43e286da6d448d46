package figure

import (
	"strings"
	"unicode"

	"recallbench/internal/text/termsafe"
)

// A font is a sans serif in a size, in points. Texts are measured with the widths of
// Helvetica, which Arial and Liberation Sans share.
type font struct {
	size float64
	bold bool
}

// The fonts of figures.
var (
	regular = font{size: 7}
	axis    = font{size: 7.5}
	small   = font{size: 6}
	heading = font{size: 8, bold: true}

	panelTitle = font{size: 7.5, bold: true}
)

// The widths of the characters from ' ' to '~', in thousandths of the size.
var (
	regularWidths = [...]uint16{
		278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
		556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
		1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
		667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
		333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
		556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
	}
	boldWidths = [...]uint16{
		278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278,
		556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611,
		975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,
		667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556,
		333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611,
		611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
	}
)

// width returns the width of a text. That of characters beyond ASCII is an estimate,
// rather too much than too little.
func (f font) width(s string) float64 {
	widths := regularWidths
	if f.bold {
		widths = boldWidths
	}
	sum := 0
	for _, r := range s {
		switch {
		case r >= ' ' && r <= '~':
			sum += int(widths[r-' '])
		case unicode.Is(unicode.Mn, r):
		case r == '−' || r == '–':
			sum += 584
		case r < 0x1100 && r != '…':
			sum += 700
		default:
			sum += 1000
		}
	}
	return float64(sum) / 1000 * f.size
}

// line is the height of a line of text.
func (f font) line() float64 { return f.size * 1.2 }

// middle is how far below the middle of its characters a text has its baseline.
func (f font) middle() float64 { return f.size * 0.36 }

// maxLabel is how many characters of a text are looked at.
const maxLabel = 2000

// label makes a text safe to draw: one line, no control characters, no marks of
// direction, no blanks at its ends or beside each other.
func label(s string) string {
	if len(s) > 4*maxLabel {
		s = s[:4*maxLabel]
	}
	return strings.Join(strings.Fields(termsafe.Text(s)), " ")
}

const ellipsis = "…"

// head returns as much of a text as could be that wide if all its characters were
// narrow ones: to measure more would take time for nothing.
func head(s string, f font, most float64) string {
	n := max(0, int(most/(f.size*0.18))) + 2
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// fit cuts a text so that it is no wider than most.
func fit(s string, f font, most float64) string {
	s = head(label(s), f, most)
	if f.width(s) <= most {
		return s
	}
	runes := []rune(s)
	lo, hi := 0, len(runes)
	for lo < hi { // the longest beginning that fits
		mid := (lo + hi + 1) / 2
		if f.width(string(runes[:mid])+ellipsis) <= most {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return strings.TrimRight(string(runes[:lo]), " ") + ellipsis
}

// fitEnds is fit, but cuts in the middle: names often differ at their end, so its
// whole words stay.
func fitEnds(s string, f font, most float64) string {
	s = label(s)
	if start := head(s, f, most); start == s && f.width(s) <= most {
		return s
	}
	end := []rune(s)
	end = end[max(0, len(end)-int(most/(f.size*0.36))-2):]
	for len(end) > 0 && f.width(ellipsis+string(end)) > most/2 {
		end = end[1:]
	}
	if _, words, ok := strings.Cut(string(end), " "); ok && words != "" {
		end = []rune(" " + words) // no half of a word
	}
	return fit(s, f, most-f.width(string(end))) + string(end)
}

// wrap breaks a text into at most some lines, between words where it can; what does not
// fit is cut.
func wrap(s string, f font, most float64, lines int) []string {
	words := strings.Fields(head(label(s), f, most*float64(lines)))
	var all []string
	for len(words) > 0 {
		if len(all) == lines-1 {
			return append(all, fit(strings.Join(words, " "), f, most))
		}
		n := 1
		for n < len(words) && f.width(strings.Join(words[:n+1], " ")) <= most {
			n++
		}
		line := strings.Join(words[:n], " ")
		if words = words[n:]; n == 1 && f.width(line) > most {
			runes := []rune(line)
			for len(runes) > 1 && f.width(string(runes)) > most {
				runes = runes[:len(runes)-1]
			}
			line, words = string(runes), append([]string{line[len(string(runes)):]}, words...)
		}
		all = append(all, line)
	}
	return all
}
