package figure

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
			X: "tokens per request", Y: "f1 (%)",
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
			{Y: "score (%)", Places: places, Series: []Series{bars("bleu1", 0, 20, 25, 26, 27, 29), bars("f1", 1, 30, 36, 37, 38, 41)}},
			{Y: "tokens per request", Places: places, Series: []Series{bars("tokens", 2, 6000, 7000, 6100, 5900, 4200)}},
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
		if ok && !slices.Contains([]string{"svg", "g", "path", "text"}, e.Name.Local) {
			t.Errorf("the SVG has an element %s", e.Name.Local)
		}
		for _, a := range e.Attr {
			if ok && strings.Contains(a.Value, "url(") || strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
				t.Errorf("the SVG has the attribute %s=%q", a.Name.Local, a.Value)
			}
		}
	}
}

// The numbers, and the marks of a picture that people looked at. The same figure gives the
// same bytes, whatever the hour.
func TestMarks(t *testing.T) {
	for _, f := range []*Figure{front(), ablation()} {
		golden.Check(t, f.Name+".csv", string(written(t, f, "csv")))
		golden.Check(t, f.Name+".svg", string(written(t, f, "svg")))
		for _, format := range Formats() {
			if !bytes.Equal(written(t, f, format), written(t, f, format)) {
				t.Errorf("%s as %s differs from one time to the next", f.Name, format)
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
	p := Panel{Title: texts[0] + texts[6], X: texts[7], Y: texts[6], Places: texts}
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
		for _, places := range []int{0, 1, 200} {
			if places > 1 && name != "many" && name != "absent" {
				continue // a place is a place
			}
			p := Panel{X: "x", Y: "y", Series: slices.Clone(series)}
			for i := range places {
				p.Places = append(p.Places, fmt.Sprint("place ", i))
			}
			if places > 0 {
				for i := range p.Series {
					p.Series[i].Kind = Bars
				}
			}
			parsed(t, written(t, &Figure{Title: name, Panels: []Panel{p}}, "svg"))
		}
	}
}

func TestChecked(t *testing.T) {
	f := &Figure{Panels: []Panel{{Series: []Series{{Points: []Point{{X: 0, Y: 1}, {X: 1, Y: math.NaN()}, {X: 2, Y: 3}}}}}}}
	got := f.Checked()
	try.Equal(t, "notes", []string{"without a value, so not drawn: 1"}, got.Notes)
	try.Equal(t, "points that are left", 2, len(got.Panels[0].Series[0].Points))
	try.Equal(t, "points of the figure itself", 3, len(f.Panels[0].Series[0].Points))
}

func TestWriteFaults(t *testing.T) {
	for want, write := range map[string]func() error{
		`unknown format "jpg"`:                func() error { return front().Write(io.Discard, "jpg", Size{}) },
		"width is 0.5 inches, want 1.5 to 20": func() error { return front().Write(io.Discard, "svg", Size{Width: 0.5}) },
		"width is NaN inches":                 func() error { return front().Write(io.Discard, "svg", Size{Width: math.NaN()}) },
		"the figure does not fit: give it more --width": func() error {
			f := front()
			f.Panels = slices.Repeat(f.Panels, 90)
			return f.Write(io.Discard, "svg", Size{})
		},
	} {
		if err := write(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// The TeX compiles within a document, whatever the labels are. It takes pdflatex with
// pgf; where BENCH_REQUIRE_LATEX is set the test fails without them.
func TestLaTeX(t *testing.T) {
	latex, err := exec.LookPath("pdflatex")
	if err == nil {
		err = exec.CommandContext(t.Context(), "kpsewhich", "pgf.sty").Run()
	}
	if err != nil {
		if os.Getenv("BENCH_REQUIRE_LATEX") != "" {
			t.Fatalf("pdflatex with pgf: %v", err)
		}
		t.Skipf("pdflatex with pgf: %v; BENCH_REQUIRE_LATEX=1, which .ci/run sets, makes this a failure", err)
	}
	dir := t.TempDir()
	for _, f := range []*Figure{front(), ablation(), hostile()} {
		var b bytes.Buffer
		try.Do(t, f.Write(&b, "tex", Size{}))
		try.Do(t, os.WriteFile(filepath.Join(dir, f.Name+".tex"), b.Bytes(), 0o644))
	}
	paper := `\documentclass[twocolumn]{article}\usepackage{pgf,xcolor}\begin{document}Before.
\input{pareto.tex} \begin{figure}\input{ablation.tex}\caption{Made up.}\end{figure} \input{hostile.tex} After.\end{document}`
	try.Do(t, os.WriteFile(filepath.Join(dir, "paper.tex"), []byte(paper), 0o644))
	cmd := exec.CommandContext(t.Context(), latex, "-interaction=nonstopmode", "-halt-on-error", "paper.tex")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out[max(0, len(out)-2000):])
	}
}
