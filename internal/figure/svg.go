package figure

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"recallbench/internal/lists"
)

// svg writes the drawing as an SVG element. It stands alone and may as well stand
// in an HTML page whose policy allows no script, style or other source: texts are
// outlines that carry what they say as aria-label, and looks are attributes.
func (d *drawing) svg(out io.Writer, title, caption string) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="%spt" height="%spt" viewBox="0 0 %s %s">`+"\n",
		short(float64(d.w)), short(float64(d.h)), short(float64(d.w)), short(float64(d.h)))
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
				lengths := lists.Map(m.dash, short)
				dash = ` stroke-dasharray="` + strings.Join(lengths, " ") + `"`
			}
			fmt.Fprintf(w, `<path fill="none" stroke="#%s" stroke-width="%s"%s d="%s"/>`+"\n", hex(m.color), short(m.width), dash, d.svgPath(m.path))
		case letters:
			fmt.Fprintf(w, `<path aria-label="%s" fill="#%s" d="%s"/>`+"\n", escapeXML(m.text), hex(m.color), d.svgPath(m.outline()))
		}
	}
	fmt.Fprintln(w, "</svg>")
	return w.Flush()
}

// svgPath writes a path, with y from the upper edge as SVG has it. Points are to the
// hundredth, each relative to the one before, which takes half the space.
func (d *drawing) svgPath(path []segment) string {
	var b strings.Builder
	var at, start [2]int // in hundredths
	point := func(p vg.Point, from [2]int) [2]int {
		to := [2]int{int(math.Round(float64(p.X) * 100)), int(math.Round(float64(d.h-p.Y) * 100))}
		for i := range to {
			n := short(float64(to[i]-from[i]) / 100)
			if last := b.Len() - 1; n[0] != '-' && b.String()[last] <= '9' {
				b.WriteByte(' ')
			}
			b.WriteString(n)
		}
		return to
	}
	for _, s := range path {
		switch s.op {
		case 'M':
			b.WriteByte('M')
			at = point(s.to[0], [2]int{})
			start = at
		case 'L':
			b.WriteByte('l')
			at = point(s.to[0], at)
		case 'C':
			b.WriteByte('c')
			point(s.to[0], at)
			point(s.to[1], at)
			at = point(s.to[2], at)
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
