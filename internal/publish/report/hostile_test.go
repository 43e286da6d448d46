package report

import (
	"encoding/csv"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/calc/stats"
	"recallbench/internal/files/spreadsheet"
)

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
			if err := json.Unmarshal([]byte(of["json"]), &back); err != nil {
				t.Errorf("JSON: %v", err)
			} else if want := strings.ToValidUTF8(s, "�"); utf8.ValidString(s) && back.Tables[0].Notes[0] != want {
				t.Errorf("JSON has %.100q, want %.100q", back.Tables[0].Notes[0], want)
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
