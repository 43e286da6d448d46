package report

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/calc/stats"
	"recallbench/internal/files/spreadsheet"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// hostile has texts that would break out of a cell, and all kinds of cells.
func hostile() *Document {
	t := &Table{
		Name: "hostile", Title: "a *title* | with <b>\x1b[31m",
		Columns: []Column{{Name: "method", Repeats: true}, {Name: "f1@mem0", Head: "f1@mem0 (3)", Number: true}, {Name: "why"}},
	}
	odd := t.Note("a note\nof two lines | with a bar")
	t.TitleNotes = []int{odd}
	t.Columns[1].Notes = []int{t.Note("second")}
	t.Rows = [][]Cell{
		{text("a|b\\"), {Text: "36.42 (33.10, 39.80)", Value: new(36.4249), Interval: &stats.Interval{Lo: 33.1, Hi: 39.8}, Best: true, Notes: []int{odd}}, text("line\r\nbreak")},
		{text("a|b\\", odd), {Text: "-1.00", Value: new(-1.0)}, text("\x1b[2J`code` *bold* \u202eback")},
		{text("日本語, \"quoted\""), {}, text("<script>")},
		{text("bad \xff utf-8"), Whole(7), text("")},
	}
	return &Document{Tables: []*Table{t, {Name: "empty", Title: "no rows", Columns: []Column{{Name: "only here"}}, Rows: [][]Cell{}}}}
}

func TestHostile(t *testing.T) {
	for _, format := range Formats() {
		golden.Check(t, "hostile."+format, unstyled(t, hostile(), format))
	}
	try.Equal(t, "an empty document", "{\n  \"tables\": []\n}\n", render(t, &Document{Tables: []*Table{}}, "json"))
}

// What is written as CSV is read back as it was.
func TestCSV(t *testing.T) {
	records := try.Get(csv.NewReader(strings.NewReader(render(t, hostile(), "csv"))).ReadAll())(t)
	want := [][]string{
		{"table", "method", "f1@mem0", "f1@mem0 low", "f1@mem0 high", "why", "only here", "notes"},
		{"hostile", `a|b\`, "36.4249", "33.1", "39.8", "line\nbreak", "", "a note\nof two lines | with a bar; f1@mem0: second; f1@mem0: a note\nof two lines | with a bar"},
		{"hostile", `a|b\`, "-1", "", "", "\x1b[2J`code` *bold* \u202eback", "", "a note\nof two lines | with a bar; method: a note\nof two lines | with a bar; f1@mem0: second"},
		{"hostile", `日本語, "quoted"`, "", "", "", "<script>", "", "a note\nof two lines | with a bar; f1@mem0: second"},
		{"hostile", "bad � utf-8", "7", "", "", "", "", "a note\nof two lines | with a bar; f1@mem0: second"},
	}
	try.Equal(t, "records", want, records)
}

// failing is a writer on a full disk.
type failing struct{}

var errFull = errors.New("no space left")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrors(t *testing.T) {
	for _, format := range Formats() {
		if err := hostile().Write(failing{}, format); !errors.Is(err, errFull) {
			t.Errorf("%s: error = %v, want %v", format, err, errFull)
		}
	}
}

func TestDecimal(t *testing.T) {
	for _, c := range []struct {
		x      float64
		digits int
		want   string
	}{{36.425, 2, "36.42"}, {-0.001, 2, "0.00"}, {-0.5, 0, "0"}, {-1.25, 1, "-1.2"}, {1540, 0, "1540"}, {1e21, 1, "1000000000000000000000.0"}} {
		if got := decimal(c.x, c.digits); got != c.want {
			t.Errorf("decimal(%g, %d) = %s, want %s", c.x, c.digits, got, c.want)
		}
	}
}

// hostiles are texts that models, datasets and people write to break out of what
// they are printed in, or that do so by themselves.
var hostiles = map[string]string{
	"html":          `<script>alert(1)</script><img src=x onerror="alert(2)">&amp;</td></table><!-- --> <![CDATA[ ]]> &#x3c;`,
	"attribute":     `" onmouseover="alert(1)' x='`,
	"latex":         `\input{/etc/passwd} \end{tabular} $x^2_3$ 100% & # ~ {} \\[2pt] \write18{ls} ^^5c ^^M \def\x{`,
	"ligatures":     `--- '' "" ,, << >> ?` + "`" + ` !` + "`",
	"start of row":  `[1pt] * next`,
	"ansi":          "\x1b[2J\x1b[31mred\x1b[0m\x1b]0;title\x07 \u009b31m \r\b\b\bover",
	"right to left": "abc\u202edef\u202c \u2066ghi\u2069 \u200fjkl\u200e \u061c שלום عربي",
	"nul":           "a\x00b\x7fc\ufeffd",
	"invalid utf-8": "a\xffb\xc3\x28c\xed\xa0\x80",
	"bars":          `a | b || c \| d |`,
	"lines":         "one\ntwo\r\nthree\rfour\u2028five\u2029six\vseven\feight\u0085nine",
	"markdown":      "# *bold* _em_ `code` ~~gone~~ [a](http://example.org) ![b](http://example.org/b.png) <https://example.org> $x$ &lt; **",
	"beyond latin":  "日本語 emoji 😀 \U0010ffff e\u0301 ﬁ ½ α → ∑",
	"long word":     strings.Repeat("x", 3000),
	"a megabyte":    strings.Repeat("<b>\\x|\n\u202e ", 80_000),
}

// everywhere is a document that has a text wherever it can have one.
func everywhere(s string) *Document {
	t := &Table{Name: s, Title: s, BestOf: s, Notes: []string{s, "plain"}, TitleNotes: []int{1}}
	t.Columns = []Column{
		{Name: s, Repeats: true, Notes: []int{1}},
		{Name: s + " part"},
		{Name: s + " number", Number: true},
		{Name: "other", Head: s, Number: true},
	}
	t.Rows = [][]Cell{
		{text(s, 1), text(s), {Text: s, Best: true, Mark: "**", P: new(0.004), Notes: []int{1, 2}}, {Text: "1.5 (0.2)", Value: new(1.5), Deviation: new(0.2), Interval: &stats.Interval{Lo: 1, Hi: 2}}},
		{text(s, 1), text("plain"), {}, {Text: "-22.25", Value: new(-22.25), Mark: "~"}},
	}
	return &Document{Tables: []*Table{t}}
}

// No text breaks out of any format.
func TestHostileTexts(t *testing.T) {
	for name, s := range hostiles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := everywhere(s)
			of := make(map[string]string)
			for _, format := range Formats() {
				of[format] = render(t, d, format)
				if !utf8.ValidString(of[format]) {
					t.Errorf("%s is not valid UTF-8", format)
				}
			}
			for _, format := range []string{"text", "markdown", "html", "latex"} {
				if i := strings.IndexFunc(of[format], unprintable); i >= 0 {
					t.Errorf("%s has %q", format, of[format][i:min(len(of[format]), i+20)])
				}
				if n := len(of[format]); n > 200_000 {
					t.Errorf("%s has %d bytes", format, n)
				}
			}
			// Title, blank, heads of one line to three, rule, two rows, legend, two notes.
			if n := strings.Count(of["text"], "\n"); n < 9 || n > 11 {
				t.Errorf("text has %d lines, want 9 to 11:\n%.2000s", n, of["text"])
			}
			checkMarkdown(t, of["markdown"])
			checkCSV(t, of["csv"], s)
			checkHTML(t, of["html"])
			var back Document
			try.Do(t, json.Unmarshal([]byte(of["json"]), &back))
			if utf8.ValidString(s) {
				try.Equal(t, "cells read back", d.Tables[0].Rows, back.Tables[0].Rows)
			}
		})
	}
}

// unprintable reports whether a character moves the cursor or turns the
// direction of text.
func unprintable(r rune) bool {
	return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) || r == '\u2028' || r == '\u2029'
}

// checkMarkdown wants each row to have four cells, and no text to be read as a
// link, an image or an element.
func checkMarkdown(t *testing.T, s string) {
	t.Helper()
	rows := 0
	for line := range strings.Lines(s) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		rows++
		bare := strings.ReplaceAll(strings.ReplaceAll(line, `\\`, ""), `\|`, "")
		if n := strings.Count(bare, "|"); n != 5 {
			t.Errorf("a row of Markdown has %d bars, want 5: %.300q", n, line)
		}
	}
	if rows != 4 {
		t.Errorf("Markdown has %d rows, want 4", rows)
	}
	if bad := regexp.MustCompile(`(^|[^\\])(\\\\)*\]\(|<[^b]|<b[^r]`).FindString(s); bad != "" {
		t.Errorf("Markdown has %q", bad)
	}
}

// checkCSV wants the text to come back as it was, but for what CSV and UTF-8
// cannot hold.
func checkCSV(t *testing.T, s, want string) {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(s)).ReadAll()
	if err != nil {
		t.Fatalf("CSV: %v", err)
	}
	want = strings.ReplaceAll(strings.ToValidUTF8(want, "�"), "\r\n", "\n")
	if len(records) != 3 || spreadsheet.Text(records[1][0]) != want || spreadsheet.Text(records[1][1]) != want {
		t.Errorf("CSV has %d records, the first %.200q", len(records), records[1][0])
	}
}

// checkHTML wants one table with as many cells as there are, and every link to
// lead to a note.
func checkHTML(t *testing.T, s string) {
	t.Helper()
	p := readPage(t, s)
	for element, want := range map[string]int{"table": 1, "td": 6, "th": 4 + 2, "li": 2, "b": 1, "style": 1} {
		if p.elements[element] != want {
			t.Errorf("HTML has %d <%s>, want %d", p.elements[element], element, want)
		}
	}
	for _, target := range p.targets {
		if !strings.HasPrefix(target, p.ids[0]+"-note-") {
			t.Errorf("a link leads to %q", target)
		}
	}
}

// All of them as LaTeX compile, in one document.
func TestLaTeXHostileTexts(t *testing.T) {
	var b strings.Builder
	for _, s := range hostiles {
		b.WriteString(render(t, everywhere(s), "latex"))
	}
	compile(t, "6.5in", b.String())
}

// A page is what a test reads of HTML that is well-formed XML too.
type page struct {
	elements map[string]int
	ids      []string
	targets  []string // of links, without their #
	text     string
	style    string
	policy   string
}

// readPage reads HTML, and fails t if an element is not closed where it should
// be, or if there is one, or an attribute, that tables have no use for.
func readPage(t *testing.T, s string) page {
	t.Helper()
	known := strings.Fields("html head meta title style body main section div table caption thead tbody tr th td p ol li sup a b data")
	attributes := strings.Fields("lang charset http-equiv content name class id scope colspan rowspan value href tabindex")
	p := page{elements: make(map[string]int)}
	d := xml.NewDecoder(strings.NewReader(s))
	inStyle := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return p
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			p.elements[e.Name.Local]++
			if !slices.Contains(known, e.Name.Local) {
				t.Errorf("there is an element <%s>", e.Name.Local)
			}
			inStyle = e.Name.Local == "style"
			for _, a := range e.Attr {
				if !slices.Contains(attributes, a.Name.Local) {
					t.Errorf("<%s> has an attribute %s", e.Name.Local, a.Name.Local)
				}
				switch a.Name.Local {
				case "id":
					p.ids = append(p.ids, a.Value)
				case "href":
					p.targets = append(p.targets, strings.TrimPrefix(a.Value, "#"))
				case "content":
					if strings.Contains(a.Value, "default-src") {
						p.policy = a.Value
					}
				}
			}
		case xml.EndElement:
			inStyle = false
		case xml.CharData:
			if inStyle {
				p.style += string(e)
			} else {
				p.text += string(e)
			}
		}
	}
}

// A page stands by itself: its policy allows the style sheet that it has, every
// link leads to a note of it, and no two things have the same id.
func TestHTMLPage(t *testing.T) {
	o := fakeOptions()
	o.By, o.Against, o.Intervals = Category, "stateless", true
	d := try.Get(Build([]*Run{standInRun()}, o))(t)
	p := readPage(t, render(t, d, "html"))
	if p.elements["table"] != len(d.Tables) {
		t.Errorf("%d tables, want %d", p.elements["table"], len(d.Tables))
	}
	sum := sha256.Sum256([]byte(p.style))
	if want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.HasPrefix(p.policy, want) {
		t.Errorf("policy %q, want %q at its start", p.policy, want)
	}
	for _, target := range p.targets {
		if !slices.Contains(p.ids, target) {
			t.Errorf("a link leads to #%s, which is not there", target)
		}
	}
	slices.Sort(p.ids)
	if n := len(p.ids); len(slices.Compact(p.ids)) != n {
		t.Error("an id is there twice")
	}
	if len(p.targets) == 0 || !strings.Contains(p.text, standInNote) {
		t.Error("the page has no notes")
	}
}

func TestAnchor(t *testing.T) {
	for in, want := range map[string]string{
		"xmemory-table1":         "xmemory-table1",
		"locomo by f1@mem0":      "locomo-by-f1-mem0-5ddbba",
		"LoCoMo":                 "locomo-584123",
		"":                       "e3b0c4",
		"\x1b\"><script>":        "script-380765",
		strings.Repeat("ab", 99): strings.Repeat("ab", 24) + "-dbdc7d",
	} {
		if got := anchor(in); got != want {
			t.Errorf("anchor(%.20q) = %q, want %q", in, got, want)
		}
	}
}

// compile sets LaTeX as it stands in a document of one column of a width. It skips t
// without pdflatex.
func compile(t *testing.T, width, tables string) {
	t.Helper()
	if _, err := exec.LookPath("pdflatex"); err != nil {
		if os.Getenv("BENCH_REQUIRE_LATEX") == "1" {
			t.Fatalf("pdflatex: %v, and BENCH_REQUIRE_LATEX=1", err)
		}
		t.Skipf("pdflatex: %v", err)
	}
	dir := t.TempDir()
	for name, s := range map[string]string{
		"table.tex": tables,
		"main.tex": `\documentclass{article}
\usepackage{booktabs,graphicx}
\setlength\textwidth{` + width + `}\setlength\textheight{9in}\setlength\topmargin{0pt}\setlength\headheight{0pt}\setlength\headsep{0pt}
\begin{document}
\input{table}
\end{document}
`,
	} {
		try.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(s), 0o644))
	}
	cmd := exec.CommandContext(t.Context(), "pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-file-line-error", "-draftmode", "main.tex")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("pdflatex: %v\n%s", err, out[max(0, len(out)-2000):])
	}
}

func TestTeX(t *testing.T) {
	if got, want := tex("results/runs/20260101/a"+strings.Repeat("b", 30)), `results/\allowbreak{}runs/20260101/\allowbreak{}abbbbbbbbbbbbbbbbbbb\allowbreak{}bbbbbbbbbbb`; got != want {
		t.Errorf("tex = %s, want %s", got, want)
	}
}
