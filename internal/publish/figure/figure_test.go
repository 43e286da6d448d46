package figure

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// front is a figure of points, a front and error bars.
func front() *Figure {
	point := func(x, y, e float64) []Point { return []Point{{X: x, Y: y, Low: new(y - e), High: new(y + e), N: 120}} }
	return &Figure{
		Name: "pareto", Title: "made up: quality against cost", Caption: "stand-in; made up for a test",
		Notes: []string{"made up"},
		Panels: []Panel{{
			X: Axis{Label: "tokens per request", Log: true}, Y: Axis{Label: "f1 (%)"},
			Series: []Series{
				{Name: "front", Kind: Steps, Look: Look{Color: 6, Shape: 1}, Points: []Point{{X: 50, Y: 2}, {X: 1200, Y: 44}}},
				{Name: "stateless", Look: Nth(0), Points: point(50, 2, 0.5)},
				{Name: "RAG", Look: Nth(1), Points: point(1200, 44, 3)},
				{Name: "in-context", Look: Look{Color: 2, Shape: 2, Grey: true}, Points: point(22000, 42, 2)},
			},
		}},
	}
}

// ablation is a figure of two panels of bars.
func ablation() *Figure {
	places := []string{"plain RAG", "memory only", "with selection", "with a stop", "all of it together, and more"}
	bars := func(name string, look int, of ...float64) Series {
		s := Series{Name: name, Kind: Bars, Look: Nth(look)}
		for i, y := range of {
			s.Points = append(s.Points, Point{X: float64(i), Y: y, Low: new(y * 0.9), High: new(y * 1.1), SD: new(0.25)})
		}
		return s
	}
	return &Figure{
		Name: "ablation", Title: "made up: ablation",
		Panels: []Panel{
			{Y: Axis{Label: "score (%)"}, Places: places, Series: []Series{bars("bleu1", 0, 20, 25, 26, 27, 29), bars("f1", 1, 30, 36, 37, 38, 41)}},
			{Y: Axis{Label: "tokens per request"}, Places: places, Series: []Series{bars("tokens", 2, 6000, 7000, 6100, 5900, 4200)}},
		},
	}
}

func written(t *testing.T, f *Figure, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, format, Size{}); err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return b.Bytes()
}

// parsed reads an SVG and returns what its texts say, after holding it to what a
// page allows that runs no script and asks nobody.
func parsed(t *testing.T, svg []byte) []string {
	t.Helper()
	dec := xml.NewDecoder(bytes.NewReader(svg))
	dec.Strict = true
	var says []string
	inText := false
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return says
		}
		if err != nil {
			t.Fatalf("the SVG is no XML: %v", err)
		}
		if text, ok := token.(xml.CharData); ok && inText {
			says = append(says, string(text))
		}
		e, ok := token.(xml.StartElement)
		inText = ok && e.Name.Local == "text"
		if !ok {
			continue
		}
		if !slices.Contains([]string{"svg", "title", "desc", "path", "text"}, e.Name.Local) {
			t.Errorf("the SVG has an element %s", e.Name.Local)
		}
		for _, a := range e.Attr {
			switch a.Name.Local {
			case "xmlns", "role", "width", "height", "viewBox", "d", "fill", "stroke", "stroke-width", "stroke-dasharray",
				"x", "y", "font-family", "font-size", "font-weight", "text-anchor", "textLength", "lengthAdjust", "transform":
			default:
				t.Errorf("the SVG has an attribute %s", a.Name.Local)
			}
		}
	}
}

func TestSVG(t *testing.T) {
	says := parsed(t, written(t, front(), "svg"))
	for _, want := range []string{"made up: quality against cost", "stand-in; made up for a test", "tokens per request", "f1 (%)", "front", "stateless", "RAG", "in-context", "1k"} {
		if !slices.Contains(says, want) {
			t.Errorf("the SVG does not say %q but %q", want, says)
		}
	}
}

// The label of an axis is set smaller before it is cut.
func TestAxisLabel(t *testing.T) {
	f := ablation()
	for label, want := range map[string]string{
		"tokens@xmemory per request":  "tokens@xmemory per request",
		strings.Repeat("tokens ", 20): "tokens tokens tokens tokens tok…",
	} {
		f.Panels[1].Y.Label = label
		if says := parsed(t, written(t, f, "svg")); !slices.Contains(says, want) {
			t.Errorf("the SVG does not say %q but %q", want, says)
		}
	}
}

// Names of places, of series and of panels are drawn whole; a height that has no room
// for them cuts names of places in the middle.
func TestNamesAreWhole(t *testing.T) {
	f := ablation()
	long := []string{"memory only, no uncertainty and episode 0.03", "a name of forty letters or somewhat more", "xMemory, k=20, search.episodes=10, ranking=rrf and no uncertainty"}
	f.Panels[0].Places = slices.Concat(f.Panels[0].Places[:2], long)
	f.Panels[1].Places = f.Panels[0].Places
	f.Panels[0].Series[0].Name = strings.Repeat("of a method with axes ", 8)
	f.Panels[0].Title = strings.Repeat("of a panel ", 8)
	says := parsed(t, written(t, f, "svg"))
	for _, want := range long {
		if !slices.Contains(says, want) {
			t.Errorf("the SVG does not say %q but %q", want, says)
		}
	}
	all := strings.Join(says, " ")
	for _, want := range []string{f.Panels[0].Series[0].Name, f.Panels[0].Title} {
		if !strings.Contains(all, strings.TrimSpace(want)) {
			t.Errorf("the SVG does not say %q but %q", want, all)
		}
	}
	var b bytes.Buffer
	try.Do(t, f.Write(&b, "svg", Size{Height: 3}))
	if cut := regexp.MustCompile(`^xMemory,.*…`); !slices.ContainsFunc(parsed(t, b.Bytes()), cut.MatchString) {
		t.Errorf("the SVG of a low page does not say %s but %q", cut, parsed(t, b.Bytes()))
	}
}

// heat is a heat map with a cell that has no value.
func heat() *Figure {
	row := func(name string, of ...float64) Series {
		s := Series{Name: name, Kind: Heat}
		for i, y := range of {
			s.Points = append(s.Points, Point{X: float64(i), Y: y})
		}
		return s
	}
	return &Figure{Name: "heat", Title: "made up: heat", Panels: []Panel{{
		Title: "f1", X: Axis{Label: "k"}, Y: Axis{Label: "ranking", Log: true}, Places: []string{"5", "10", "20"},
		Series: []Series{row("bm25", 30.5, 31.25, -2), row("rrf", 40, math.NaN(), 44)},
	}}}
}

// A heat map names its rows and places and has a number in each cell with a value,
// white where the cell is dark.
func TestHeat(t *testing.T) {
	svg := written(t, heat(), "svg")
	says := parsed(t, svg)
	for _, want := range []string{"made up: heat", "f1", "k", "ranking", "5", "10", "20", "bm25", "rrf", "30.5", "31.2", "-2.0", "40.0", "44.0"} {
		if !slices.Contains(says, want) {
			t.Errorf("the SVG does not say %q but %q", want, says)
		}
	}
	if len(says) != 13+2-1 {
		t.Errorf("the SVG says %q", says)
	}
	for _, want := range []string{`fill="#ffffff"[^>]*>44.0<`, `fill="#000000"[^>]*>-2.0<`, `fill="#0072b2"`} {
		if !regexp.MustCompile(want).Match(svg) {
			t.Errorf("the SVG has no %s", want)
		}
	}
}

// The same figure gives the same bytes, whatever the hour.
func TestSameBytes(t *testing.T) {
	for _, f := range []*Figure{front(), ablation()} {
		for _, format := range Formats() {
			if !bytes.Equal(written(t, f, format), written(t, f, format)) {
				t.Errorf("%s as %s differs from one time to the next", f.Name, format)
			}
		}
	}
}

func TestMarks(t *testing.T) {
	for _, f := range []*Figure{front(), ablation()} {
		d := try.Get(f.draw(Size{}))(t)
		golden.Check(t, f.Name+".marks", d.dump())
		golden.Check(t, f.Name+".csv", string(written(t, f, "csv")))
	}
}

// dump prints a drawing to the tenth of a point.
func (d *drawing) dump() string {
	var b strings.Builder
	fmt.Fprintf(&b, "page %.1f x %.1f\n", d.w, d.h)
	for _, m := range d.marks {
		if m.kind == letters {
			fmt.Fprintf(&b, "text #%s %g %q at %.1f %.1f align %g turn %.0f\n", hex(m.color), m.font.size, m.text, m.at.x, m.at.y, m.align, m.angle)
			continue
		}
		fmt.Fprintf(&b, "%s #%s %g %v", []string{"stroke", "fill"}[m.kind], hex(m.color), m.width, m.dash)
		for _, s := range m.path {
			fmt.Fprintf(&b, " %c", s.op)
			if s.op != 'Z' {
				to := s.to[0]
				if s.op == 'C' {
					to = s.to[2]
				}
				fmt.Fprintf(&b, "%.1f,%.1f", to.x, to.y)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Every text is on the page, and none runs out of it.
func TestInside(t *testing.T) {
	for _, f := range []*Figure{front(), ablation(), hostile(), heat()} {
		for _, size := range []Size{{}, {Width: 2, Height: 2}, {Width: 7}} {
			d, err := f.draw(size)
			if err != nil {
				t.Fatalf("%s at %v: %v", f.Name, size, err)
			}
			for _, m := range d.marks {
				for p := range m.corners() {
					if p.x < -1 || p.y < -1 || p.x > d.w+1 || p.y > d.h+1 {
						t.Fatalf("%s at %v: %q is at %v of a page of %.0f x %.0f", f.Name, size, m.text, p, d.w, d.h)
					}
				}
			}
		}
	}
}

// corners yields the points that a mark reaches.
func (m mark) corners() iter.Seq[point] {
	return func(yield func(point) bool) {
		for _, s := range m.path {
			for _, p := range s.to[:map[byte]int{'M': 1, 'L': 1, 'C': 3}[s.op]] {
				if !yield(p) {
					return
				}
			}
		}
		if m.kind != letters {
			return
		}
		sin, cos := math.Sincos(m.angle * math.Pi / 180)
		for _, along := range []float64{-m.align, 1 - m.align} {
			for _, up := range []float64{-0.21, 0.73} {
				x, y := along*m.font.width(m.text), up*m.font.size
				if !yield(point{m.at.x + x*cos - y*sin, m.at.y + x*sin + y*cos}) {
					return
				}
			}
		}
	}
}

// hostile has labels as nobody would choose them.
func hostile() *Figure {
	texts := []string{
		"<script>alert(1)</script>", `\input{/etc/passwd} $x_1^2$ #1 % ~ {`, "a\nb\r\n\x00\x1b[31mred", "שלום עולם, hello", "\u202eesrever\u202c", "a\xff\xfeb",
		strings.Repeat("long ", 200_000), strings.Repeat("x", 1<<20), "日本語 🎉 \U0010ffff", `"quotes" & 'more' ]]> -->`, "", " ", "\ufffe\uffff",
	}
	f := &Figure{Name: "hostile", Title: strings.Join(texts, " "), Caption: strings.Join(texts, "; "), Notes: texts}
	p := Panel{Title: texts[0] + texts[6], X: Axis{Label: texts[7]}, Y: Axis{Label: texts[6]}, Places: texts}
	for i, name := range texts {
		p.Series = append(p.Series, Series{Name: name, Kind: Bars, Look: Nth(i), Points: []Point{{X: float64(i), Y: float64(i), Note: name}}})
	}
	f.Panels = []Panel{p}
	return f
}

func TestHostile(t *testing.T) {
	f := hostile()
	says := strings.Join(parsed(t, written(t, f, "svg")), "\n")
	for _, want := range []string{"<script>alert(1)</script>", "שלום עולם, hello", `"quotes" & 'more' ]]> -->`} {
		if !strings.Contains(says, want) {
			t.Errorf("the SVG does not say %q", want)
		}
	}
	if strings.ContainsAny(says, "\x00\x1b\u202e") {
		t.Error("the SVG has control characters")
	}
	if len(says) > 10_000 {
		t.Errorf("the SVG says %d bytes", len(says))
	}
	tex := string(written(t, f, "tex"))
	if strings.Contains(tex, `\input{/etc`) || !strings.Contains(tex, `\textbackslash{}input\{/etc/passwd\} \$x\_1\textasciicircum{}2\$ \#1`) {
		t.Error("the TeX is not escaped")
	}
	records, err := csv.NewReader(bytes.NewReader(written(t, f, "csv"))).ReadAll()
	if err != nil || len(records) != 1+len(f.Panels[0].Series) {
		t.Errorf("the CSV has %d records, %v", len(records), err)
	}
}

// Data that have no range, no value or no place are drawn as far as they go.
func TestOddData(t *testing.T) {
	points := func(of ...float64) []Point {
		var all []Point
		for i := 0; i+1 < len(of); i += 2 {
			all = append(all, Point{X: of[i], Y: of[i+1], Low: new(of[i+1]), High: new(math.NaN())})
		}
		return all
	}
	var many []Series
	for i := range 200 {
		many = append(many, Series{Name: fmt.Sprintf("method %d", i), Look: Nth(i), Points: points(float64(i*i+1), math.Sin(float64(i)))})
	}
	for name, series := range map[string][]Series{
		"none":       nil,
		"no points":  {{Name: "a"}},
		"one point":  {{Name: "a", Kind: Lines, Points: points(3, 4)}},
		"all equal":  {{Name: "a", Points: points(5, 5, 5, 5)}, {Name: "b", Kind: Steps, Points: points(5, 5)}},
		"all zero":   {{Name: "a", Points: points(0, 0, 0, 0)}},
		"absent":     {{Name: "a", Points: points(1, math.NaN(), math.Inf(1), 2, 3, 4)}},
		"negative":   {{Name: "a", Kind: Lines, Points: points(-1, -5, 2, -3)}},
		"far apart":  {{Name: "a", Kind: Lines, Points: points(1e-300, 1e-300, 1e99, 1e99, -1e99, 1)}},
		"too large":  {{Name: "a", Points: points(1, math.MaxFloat64, 2, -math.MaxFloat64)}},
		"close":      {{Name: "a", Points: points(1e15, 1e15, 1e15+1, 1e15+1)}},
		"many":       many,
		"many lines": {{Name: "a", Kind: Lines, Points: many[0].Points}, {Name: "b", Kind: Lines, Points: points(1, 1, 2, 2, 3, 3)}},
	} {
		for _, log := range []bool{false, true} {
			for _, places := range []int{0, 1, 200} {
				if places > 1 && name != "many" && name != "absent" {
					continue // a place is a place
				}
				p := Panel{X: Axis{Label: "x", Log: log}, Y: Axis{Label: "y", Log: log}, Series: slices.Clone(series)}
				for i := range places {
					p.Places = append(p.Places, fmt.Sprint("place ", i))
				}
				if places > 0 {
					for i := range p.Series {
						p.Series[i].Kind = Bars
					}
				}
				f := &Figure{Title: name, Panels: []Panel{p}}
				parsed(t, written(t, f, "svg"))
			}
		}
	}
}

func TestChecked(t *testing.T) {
	f := &Figure{Panels: []Panel{
		{X: Axis{Log: true}, Series: []Series{{Points: []Point{{X: 0, Y: 1}, {X: 1, Y: math.NaN()}, {X: 2, Y: 3}}}}},
		{Y: Axis{Log: true}, Places: []string{"a"}, Series: []Series{{Kind: Bars, Points: []Point{{Y: -1}}}}},
	}}
	got := f.Checked()
	want := []string{"bars begin at 0, so their axis is not logarithmic", "without a value, so not drawn: 1", "at or below 0, which a logarithmic axis does not have, so not drawn: 1"}
	if diff := cmp.Diff(want, got.Notes); diff != "" {
		t.Error(diff)
	}
	if n := len(got.Panels[0].Series[0].Points); n != 1 {
		t.Errorf("%d points are left, want 1", n)
	}
	if len(f.Notes) > 0 || len(f.Panels[0].Series[0].Points) != 3 {
		t.Error("the figure itself was changed")
	}
}

func TestWriteFaults(t *testing.T) {
	for want, write := range map[string]func() error{
		`unknown format "jpg"`:                 func() error { return front().Write(io.Discard, "jpg", Size{}) },
		"width is 0.5 inches, want 1.5 to 20":  func() error { return front().Write(io.Discard, "svg", Size{Width: 0.5}) },
		"height is 100 inches, want 1.5 to 20": func() error { return front().Write(io.Discard, "svg", Size{Height: 100}) },
		"width is NaN inches":                  func() error { return front().Write(io.Discard, "svg", Size{Width: math.NaN()}) },
		"the figure does not fit: give it more --width": func() error {
			f := front()
			f.Across = 9
			f.Panels = slices.Repeat(f.Panels, 9)
			return f.Write(io.Discard, "svg", Size{})
		},
	} {
		if err := write(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		n      numbers
		lo, hi float64
		want   string
	}{
		{numbers{most: 5}, 0, 100, "0 20 40 60 80 100"},
		{numbers{most: 5}, 0, 0.31, "0 0.1 0.2 0.3"},
		{numbers{most: 5}, -3, 3, "−2 0 2"},
		{numbers{most: 5}, 1200, 22000, "5k 10k 15k 20k"},
		{numbers{most: 5}, 0, 2.4e6, "0 500k 1000k 1500k 2000k"},
		{numbers{most: 5}, 0, 24e6, "0 5M 10M 15M 20M"},
		{numbers{most: 5}, 0, 2e-7, "0 5e-08 1e-07 1.5e-07 2e-07"},
		{numbers{most: 5, whole: true}, 0.9, 3.1, "1 2 3"},
		{numbers{most: 5, log: true}, 2, 5, "100 1k 10k 100k"},
		{numbers{most: 6, log: true}, 2, 4, "100 200 500 1k 2k 5k 10k"},
		{numbers{most: 5, log: true}, 3, 3.1, "1000 1100 1200"},
	} {
		var got []string
		for _, tick := range c.n.ticks(c.lo, c.hi) {
			got = append(got, tick.label)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%+v from %g to %g: %s, want %s", c.n, c.lo, c.hi, s, c.want)
		}
	}
}

// Marks are in the range, in order, and not more than fit.
func TestTicksProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(-1e12, 1e12).Draw(t, "a"), rapid.Float64Range(1e-6, 1e12).Draw(t, "width")
		s := airy([]float64{a, a + b}, false, 0.06)
		n := numbers{most: rapid.IntRange(2, 9).Draw(t, "most")}
		ticks := n.ticks(s.lo, s.hi)
		if len(ticks) > n.most+1 {
			t.Fatalf("%d marks, want at most %d", len(ticks), n.most+1)
		}
		for i, tick := range ticks {
			if tick.value < s.lo-1e-6*(s.hi-s.lo) || tick.value > s.hi+1e-6*(s.hi-s.lo) || i > 0 && tick.value <= ticks[i-1].value {
				t.Fatalf("marks %v between %g and %g", ticks, s.lo, s.hi)
			}
		}
	})
}

// Whatever is in a figure, its SVG is one.
func TestSVGProperty(t *testing.T) {
	numbers := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-100, 100), rapid.SampledFrom([]float64{0, 1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, 5e-324}))
	rapid.Check(t, func(r *rapid.T) {
		p := Panel{
			Title: rapid.String().Draw(r, "title"),
			X:     Axis{Label: rapid.String().Draw(r, "x label"), Log: rapid.Bool().Draw(r, "log x")},
			Y:     Axis{Label: rapid.String().Draw(r, "y label"), Log: rapid.Bool().Draw(r, "log y")},
		}
		kinds := []Kind{Points, Lines, Steps}
		if rapid.Bool().Draw(r, "bars") {
			kinds, p.Places = []Kind{Bars}, rapid.SliceOfN(rapid.String(), 1, 30).Draw(r, "places")
		}
		for i := range rapid.IntRange(0, 4).Draw(r, "series") {
			s := Series{Name: rapid.String().Draw(r, "name"), Kind: rapid.SampledFrom(kinds).Draw(r, "kind"), Look: Nth(i)}
			for range rapid.IntRange(0, 4).Draw(r, "points") {
				s.Points = append(s.Points, Point{X: numbers.Draw(r, "x"), Y: numbers.Draw(r, "y"), Low: new(numbers.Draw(r, "low")), High: new(numbers.Draw(r, "high"))})
			}
			p.Series = append(p.Series, s)
		}
		f := &Figure{Title: rapid.String().Draw(r, "figure"), Panels: []Panel{p}}
		svg := written(t, f, "svg")
		parsed(t, svg)
		if bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
			r.Fatal("the SVG has a number that is none")
		}
	})
}

// 64 series can be told apart, each by its marker where colours fail.
func TestLooks(t *testing.T) {
	seen := make(map[string]int)
	for i := range Colors * Shapes {
		l := Nth(i)
		key := fmt.Sprint(hex(l.color()), l.Shape%Shapes)
		if k, ok := seen[key]; ok {
			t.Errorf("series %d looks like series %d", i, k)
		}
		seen[key] = i
	}
	for i := range Colors - 1 {
		if Nth(i).Shape%Shapes == Nth(i+1).Shape%Shapes {
			t.Errorf("series %d and %d have one marker", i, i+1)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, format := range Formats() {
		b.Run(format, func(b *testing.B) {
			for b.Loop() {
				try.Do(b, ablation().Write(io.Discard, format, Size{}))
			}
		})
	}
}
