package figure

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/files/spreadsheet"
)

// CSV writes a line for each point, in the format of RFC 4180 except for its line
// ends, which are a line feed: the panel, the series, the name of the place, x and
// y in full, the ends of the error bar, the standard deviation over seeds, the
// number of values behind y, and notes about the value, in the first line about the
// figure too. What is not known is empty; a point that is not drawn is there too, without what
// it lacks.
func (f *Figure) CSV(w io.Writer) error {
	out := spreadsheet.NewWriter(w)
	if err := out.Write([]string{"panel", "series", "place", "x", "y", "y low", "y high", "y sd", "n", "notes"}); err != nil {
		return err
	}
	about := f.Checked().Notes
	for _, p := range f.Panels {
		panel := p.Title
		if panel == "" {
			panel = p.Y
		}
		for _, s := range p.Series {
			for _, v := range s.Points {
				notes := slices.DeleteFunc(append([]string{v.Note}, about...), func(n string) bool { return n == "" })
				about = nil
				record := []string{
					panel, s.Name, p.place(v.X), full(&v.X), full(&v.Y), full(v.Low), full(v.High), full(v.SD), "", strings.Join(notes, "; "),
				}
				if v.N > 0 {
					record[8] = strconv.Itoa(v.N)
				}
				if err := out.Write(record); err != nil {
					return err
				}
			}
		}
	}
	return out.Flush()
}

// place returns the name of the place at x, empty if places have no names.
func (p *Panel) place(x float64) string {
	if i := int(x); finite(x) && i >= 0 && i < len(p.Places) {
		return p.Places[i]
	}
	return ""
}

func full(x *float64) string {
	if x == nil || math.IsNaN(*x) || math.IsInf(*x, 0) {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}
