package report

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"recallbench/internal/calc/lists"
	"recallbench/internal/text/termsafe"
)

// terminal is the width that tables should fit.
const terminal = 80

// text writes the table for a terminal. A table that is too wide goes without the columns that
// repeat its title, and its heads have several lines.
func (t *Table) text(b *strings.Builder) error {
	p := t.printed(printable)
	wide := p.width() > terminal
	for i := len(p.Columns) - 1; wide && i >= 0; i-- {
		if p.Columns[i].Said {
			p.Columns = slices.Delete(p.Columns, i, i+1)
			p.Rows = lists.Map(p.Rows, func(row []Cell) []Cell { return slices.Delete(row, i, i+1) })
		}
	}
	b.WriteString(join(p.Title, marks(p.TitleNotes)) + "\n")
	if len(p.Rows) > 0 {
		b.WriteString("\n")
		if err := p.grid(b, wide); err != nil {
			return err
		}
	}
	if p.hasBest() {
		b.WriteString(join(p.bestSign()+" best", p.BestOf) + "\n")
	}
	for i, n := range p.Notes {
		fmt.Fprintf(b, "[%d] %s\n", i+1, n)
	}
	return nil
}

func (t *Table) width() int {
	width := 0
	rows := t.aligned()
	for i, c := range t.Columns {
		width += 3 + max(utf8.RuneCountInString(c.Head), widest(rows, i))
	}
	return width
}

// widest returns the width of the texts of a column.
func widest(rows [][]string, column int) (most int) {
	for _, row := range rows {
		most = max(most, utf8.RuneCountInString(row[column]))
	}
	return most
}

// broken breaks a head after spaces, @ and hyphens into at most three lines of a width, or as
// wide as its longest part.
func broken(head string, width int) string {
	parts := headPart.FindAllString(head, -1)
	for _, p := range parts {
		width = max(width, utf8.RuneCountInString(strings.TrimSpace(p)))
	}
	if lines := fold(parts, width); len(lines) <= 3 {
		return strings.Join(lines, "\n")
	}
	return head
}

// fold joins parts to lines of a width, or as wide as a part, without blanks at their ends.
func fold(parts []string, width int) []string {
	lines := []string{""}
	for _, p := range parts {
		line := &lines[len(lines)-1]
		if *line != "" && utf8.RuneCountInString(strings.TrimSpace(*line+p)) > width {
			lines = append(lines, p)
		} else {
			*line += p
		}
	}
	return lists.Map(lines, strings.TrimSpace)
}

var headPart = regexp.MustCompile(`[^-@ ]+(-\P{Ll}[^-@ ]*)*[-@ ]*|[-@ ]+`)

// grid draws the cells; heads of a wide table have several lines.
func (t *Table) grid(w io.Writer, wide bool) error {
	rows := t.aligned()
	align := make(tw.Alignment, len(t.Columns))
	header := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		align[i] = tw.AlignLeft
		if c.Number {
			align[i] = tw.AlignRight
		}
		header[i] = join(c.Head, marks(c.Notes))
		if wide {
			header[i] = broken(header[i], widest(rows, i))
		}
	}
	style := tw.Rendition{
		Borders: tw.BorderNone,
		Symbols: tw.NewSymbols(tw.StyleLight),
		Settings: tw.Settings{
			Separators: tw.Separators{BetweenColumns: tw.On, BetweenRows: tw.Off},
			Lines:      tw.Lines{ShowHeaderLine: tw.On},
		},
	}
	grid := tablewriter.NewTable(w,
		tablewriter.WithRenderer(renderer.NewBlueprint(style)),
		// Off, else f1@mem0 becomes F 1 @ MEM 0.
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		// Off, else the spaces that align numbers are lost.
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithAlignment(align),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: align}),
	)
	grid.Header(header)
	for _, row := range rows {
		if err := grid.Append(row); err != nil {
			return err
		}
	}
	return grid.Render()
}

// aligned returns the texts of the cells. In columns of numbers, the stars and notes after
// them are padded so that digits line up.
func (t *Table) aligned() [][]string {
	widths := make([]int, len(t.Columns))
	for _, row := range t.Rows {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(t.tail(c)))
		}
	}
	return lists.Map(t.Rows, func(row []Cell) []string {
		texts := make([]string, len(row))
		for i, c := range row {
			tail := t.tail(c)
			if t.Columns[i].Number {
				tail = fmt.Sprintf("%-*s", widths[i], tail)
			}
			texts[i] = c.Text + tail
		}
		return texts
	})
}

// tail returns what follows a cell's text.
func (t *Table) tail(c Cell) string {
	s := ""
	if c.Best {
		s = t.bestSign()
	}
	s += c.Mark
	if len(c.Notes) > 0 {
		s += " " + marks(c.Notes)
	}
	return s
}

// bestSign returns the sign of the best of a column: a star, or another one if stars mark
// test results.
func (t *Table) bestSign() string {
	if t.has(func(c Cell) bool { return c.Mark != "" }) {
		return "^"
	}
	return "*"
}

// join joins two texts with a space, unless one is empty.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// markdown writes the table as GitHub-flavoured Markdown.
func (t *Table) markdown(b *strings.Builder) error {
	p := t.printed(escape)
	fmt.Fprintf(b, "### %s\n", join(p.Title, marks(p.TitleNotes)))
	if len(p.Rows) > 0 {
		b.WriteString("\n")
		p.pipes(b)
	}
	if legend := p.legend(); legend != "" {
		fmt.Fprintf(b, "\n%s.\n", legend)
	}
	if len(p.Notes) > 0 {
		b.WriteString("\n")
	}
	for i, n := range p.Notes {
		fmt.Fprintf(b, "%d. %s\n", i+1, n)
	}
	return nil
}

// pipes writes the cells, padded to keep the source readable.
func (t *Table) pipes(b *strings.Builder) {
	lines := [][]string{lists.Map(t.Columns, func(c Column) string { return join(c.Head, marks(c.Notes)) })}
	for _, row := range t.Rows {
		lines = append(lines, lists.Map(row, func(c Cell) string {
			if c.Best {
				c.Text = "**" + c.Text + "**"
			}
			return join(c.Text+markdownEscapes.Replace(c.Mark), marks(c.Notes))
		}))
	}
	var rule strings.Builder
	for i, c := range t.Columns {
		width, end := max(3, widest(lines, i)), "-"
		for _, line := range lines {
			if c.Number {
				line[i] = fmt.Sprintf("%*s", width, line[i])
			} else {
				line[i] = fmt.Sprintf("%-*s", width, line[i])
			}
		}
		if c.Number {
			end = ":"
		}
		rule.WriteString("|" + strings.Repeat("-", width+1) + end)
	}
	for i, line := range lines {
		b.WriteString("| " + strings.Join(line, " | ") + " |\n")
		if i == 0 {
			b.WriteString(rule.String() + "|\n")
		}
	}
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "~", `\~`, "$", `\$`, "](", `]\(`, "&", "&amp;", "<", "&lt;",
	"\r\n", "<br>", "\n", "<br>", "\r", "<br>",
)

// escape keeps a text from being read as Markdown or as the end of a cell, and cuts it to
// some number of characters.
func escape(s string, most int) string {
	return termsafe.Text(markdownEscapes.Replace(cut(strings.ToValidUTF8(s, "�"), most)))
}
