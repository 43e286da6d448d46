package report

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"recallbench/internal/calc/lists"
	"recallbench/internal/text/termsafe"
)

// markdown writes the table as GitHub-flavoured Markdown.
func (t *Table) markdown(b *strings.Builder) error {
	fmt.Fprintf(b, "### %s\n", join(escape(t.Title, longestCell), marks(t.TitleNotes)))
	if len(t.Rows) > 0 {
		b.WriteString("\n")
		t.pipes(b)
	}
	if t.hasBest() {
		b.WriteString("\n" + join("Bold marks the best", escape(t.BestOf, longestCell)) + ".\n")
	}
	if len(t.Notes) > 0 {
		b.WriteString("\n")
	}
	for i, n := range t.Notes {
		fmt.Fprintf(b, "%d. %s\n", i+1, escape(n, longestNote))
	}
	return nil
}

// pipes writes the cells, padded to keep the source readable.
func (t *Table) pipes(b *strings.Builder) {
	lines := [][]string{lists.Map(t.Columns, func(c Column) string { return join(escape(c.head(), longestCell), marks(c.Notes)) })}
	for r, row := range t.Rows {
		cells := make([]string, len(row))
		for i, c := range row {
			if cells[i] = escape(t.shown(r, i), longestCell); c.Best {
				cells[i] = "**" + cells[i] + "**"
			}
			cells[i] += markdownEscapes.Replace(c.Mark)
			if !t.repeats(r, i) {
				cells[i] = join(cells[i], marks(c.Notes))
			}
		}
		lines = append(lines, cells)
	}
	widths := make([]int, len(t.Columns))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(3, widths[i], utf8.RuneCountInString(cell))
		}
	}
	for n, line := range lines {
		var rule strings.Builder
		for i, c := range t.Columns {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(line[i]))
			if c.Number {
				b.WriteString("| " + pad + line[i] + " ")
				rule.WriteString("|" + strings.Repeat("-", widths[i]+1) + ":")
			} else {
				b.WriteString("| " + line[i] + pad + " ")
				rule.WriteString("|" + strings.Repeat("-", widths[i]+2))
			}
		}
		b.WriteString("|\n")
		if n == 0 {
			b.WriteString(rule.String() + "|\n")
		}
	}
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "*", `\*`, "`", "\\`", "~", `\~`, "](", `]\(`, "&", "&amp;", "<", "&lt;",
	"\r\n", "<br>", "\n", "<br>", "\r", "<br>",
)

// lonely finds underscores that are not between letters or digits; only those can begin
// emphasis.
var lonely = regexp.MustCompile(`(?:^|[^0-9A-Za-z_])_+|_+(?:[^0-9A-Za-z_]|$)`)

// escape keeps a text from being read as Markdown or as the end of a cell, and cuts it to
// some number of characters.
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
