package report

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"recallbench/internal/calc/lists"
	"recallbench/internal/text/termsafe"
)

// Markdown writes the document as GitHub-flavoured Markdown.
func (d *Document) Markdown(w io.Writer) error {
	var b strings.Builder
	for i, t := range d.Tables {
		if i > 0 {
			b.WriteString("\n")
		}
		t.markdown(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *Table) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "### %s\n", join(escape(t.Title, longestCell), marks(t.TitleNotes)))
	if len(t.Rows) > 0 {
		b.WriteString("\n")
		t.pipes(b)
	}
	if t.hasBest() {
		b.WriteString("\n" + join("In bold the best", escape(t.BestOf, longestCell)) + ".\n")
	}
	if len(t.Notes) > 0 {
		b.WriteString("\n")
	}
	for i, n := range t.Notes {
		fmt.Fprintf(b, "%d. %s\n", i+1, escape(n, longestNote))
	}
}

// pipes writes the cells, padded so that the source is readable too.
func (t *Table) pipes(b *strings.Builder) {
	lines := make([][]string, 0, len(t.Rows)+1)
	header := lists.Map(t.Columns, func(c Column) string { return join(escape(c.head(), longestCell), marks(c.Notes)) })
	lines = append(lines, header)
	for r, row := range t.Rows {
		var line []string
		for i, c := range row {
			s := escape(t.shown(r, i), longestCell)
			if c.Best {
				s = "**" + s + "**"
			}
			s += markdownEscapes.Replace(c.Mark)
			if !t.repeats(r, i) {
				s = join(s, marks(c.Notes))
			}
			line = append(line, s)
		}
		lines = append(lines, line)
	}
	widths := make([]int, len(t.Columns))
	for _, line := range lines {
		for i, s := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(s), 3)
		}
	}
	for n, line := range lines {
		for i, s := range line {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(s))
			if t.Columns[i].Number {
				s = pad + s
			} else {
				s += pad
			}
			b.WriteString("| " + s + " ")
		}
		b.WriteString("|\n")
		if n == 0 {
			t.rule(b, widths)
		}
	}
}

// rule writes the line below the header.
func (t *Table) rule(b *strings.Builder, widths []int) {
	for i, c := range t.Columns {
		end := "-"
		if c.Number {
			end = ":"
		}
		b.WriteString("|" + strings.Repeat("-", widths[i]+1) + end)
	}
	b.WriteString("|\n")
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "*", `\*`, "`", "\\`", "~", `\~`, "](", `]\(`, "&", "&amp;", "<", "&lt;",
	"\r\n", "<br>", "\n", "<br>", "\r", "<br>",
)

// lonely finds underscores that do not stand between letters or digits: those
// that do begin no emphasis.
var lonely = regexp.MustCompile(`(?:^|[^0-9A-Za-z_])_+|_+(?:[^0-9A-Za-z_]|$)`)

// escape keeps a text from being read as Markdown or as the end of a cell, and
// cuts it after so many characters.
func escape(s string, most int) string {
	escaped := markdownEscapes.Replace(cut(strings.ToValidUTF8(s, "�"), most))
	if strings.Contains(escaped, "_") {
		escaped = lonely.ReplaceAllStringFunc(escaped, func(s string) string { return strings.ReplaceAll(s, "_", `\_`) })
	}
	if strings.Count(escaped, "$") > 1 { // one is an amount, two hold a formula
		escaped = strings.ReplaceAll(escaped, "$", `\$`)
	}
	return termsafe.Text(escaped)
}
