package figure

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// svg writes the drawing as an SVG element. It stands alone and may as well stand
// in an HTML page whose policy allows no script, style or other source: looks are
// attributes.
func (d *drawing) svg(out io.Writer, title, caption string) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="%[1]spt" height="%[2]spt" viewBox="0 0 %[1]s %[2]s" font-family="Liberation Sans, Arial, Helvetica, sans-serif">`+"\n",
		short(d.w), short(d.h))
	fmt.Fprintf(w, "<title>%s</title>\n", escapeXML(label(title)))
	if caption != "" {
		fmt.Fprintf(w, "<desc>%s</desc>\n", escapeXML(label(caption)))
	}
	for _, m := range d.marks {
		switch m.kind {
		case fill:
			fmt.Fprintf(w, `<path fill="#%s" d="%s"/>`+"\n", hex(m.color), d.svgPath(m.path))
		case stroke:
			dash := ""
			if len(m.dash) > 0 {
				var lengths []string
				for _, x := range m.dash {
					lengths = append(lengths, short(x))
				}
				dash = ` stroke-dasharray="` + strings.Join(lengths, " ") + `"`
			}
			fmt.Fprintf(w, `<path fill="none" stroke="#%s" stroke-width="%s"%s d="%s"/>`+"\n", hex(m.color), short(m.width), dash, d.svgPath(m.path))
		case letters:
			d.svgText(w, m)
		}
	}
	fmt.Fprintln(w, "</svg>")
	return w.Flush()
}

// svgText writes a text. One whose width is known is set in that width, whichever
// of the fonts a viewer has.
func (d *drawing) svgText(w *bufio.Writer, m mark) {
	x, y := short(m.at.x), short(d.h-m.at.y)
	look := ""
	if m.font.bold {
		look = ` font-weight="bold"`
	}
	switch m.align {
	case 0.5:
		look += ` text-anchor="middle"`
	case 1:
		look += ` text-anchor="end"`
	}
	if !strings.ContainsFunc(m.text, func(r rune) bool { return r > '~' && r != '…' }) {
		look += fmt.Sprintf(` textLength="%s" lengthAdjust="spacingAndGlyphs"`, short(m.font.width(m.text)))
	}
	if m.angle != 0 {
		look += fmt.Sprintf(` transform="rotate(%s %s %s)"`, short(-m.angle), x, y)
	}
	fmt.Fprintf(w, `<text x="%s" y="%s" font-size="%s" fill="#%s"%s>%s</text>`+"\n", x, y, short(m.font.size), hex(m.color), look, escapeXML(m.text))
}

// svgPath writes a path, with y from the upper edge as SVG has it. Points are to the
// hundredth, each relative to the one before, which takes half the space.
func (d *drawing) svgPath(p path) string {
	var b strings.Builder
	var at, start [2]int // in hundredths
	relative := func(p point, from [2]int) [2]int {
		to := [2]int{int(math.Round(p.x * 100)), int(math.Round((d.h - p.y) * 100))}
		for i := range to {
			n := short(float64(to[i]-from[i]) / 100)
			if last := b.Len() - 1; n[0] != '-' && b.String()[last] <= '9' {
				b.WriteByte(' ')
			}
			b.WriteString(n)
		}
		return to
	}
	for _, s := range p {
		switch s.op {
		case 'M':
			b.WriteByte('M')
			at = relative(s.to[0], [2]int{})
			start = at
		case 'L':
			b.WriteByte('l')
			at = relative(s.to[0], at)
		case 'C':
			b.WriteByte('c')
			relative(s.to[0], at)
			relative(s.to[1], at)
			at = relative(s.to[2], at)
		case 'Z':
			b.WriteByte('z')
			at = start
		}
	}
	return b.String()
}

// short prints a number with at most two decimals.
func short(x float64) string {
	x = math.Round(x*100) / 100
	if x == 0 {
		return "0" // and not -0
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder has no errors
	return b.String()
}
