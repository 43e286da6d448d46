package report

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"recallbench/internal/calc/lists"
	"recallbench/internal/text/termsafe"
)

// text writes the table for a terminal.
func (t *Table) text(b *strings.Builder) error {
	wide := t.width() > terminal
	if wide {
		t = t.withoutSaid()
	}
	b.WriteString(join(printable(t.Title, longestCell), marks(t.TitleNotes)) + "\n")
	if len(t.Rows) > 0 {
		b.WriteString("\n")
		if err := t.grid(b, wide); err != nil {
			return err
		}
	}
	if t.hasBest() {
		b.WriteString(join(t.bestSign()+" best", printable(t.BestOf, longestCell)) + "\n")
	}
	for i, n := range t.Notes {
		fmt.Fprintf(b, "[%d] %s\n", i+1, printable(n, longestNote))
	}
	return nil
}

// terminal is the width that tables should fit.
const terminal = 80

func (t *Table) width() int {
	width := 0
	rows := t.aligned()
	for i, c := range t.Columns {
		width += 3 + max(utf8.RuneCountInString(c.head()), widest(rows, i))
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

// withoutSaid returns the table without the columns that repeat its title.
func (t *Table) withoutSaid() *Table {
	n := *t
	n.Columns, n.Rows = nil, make([][]Cell, len(t.Rows))
	for i, c := range t.Columns {
		if c.Said {
			continue
		}
		n.Columns = append(n.Columns, c)
		for r, row := range t.Rows {
			n.Rows[r] = append(n.Rows[r], row[i])
		}
	}
	return &n
}

// broken breaks a head after spaces, @ and hyphens into at most three lines of a width, or as
// wide as its longest part.
func broken(head string, width int) string {
	parts := headPart.FindAllString(head, -1)
	for _, p := range parts {
		width = max(width, utf8.RuneCountInString(strings.TrimSpace(p)))
	}
	lines := []string{""}
	for _, p := range parts {
		last := &lines[len(lines)-1]
		if *last != "" && utf8.RuneCountInString(strings.TrimSpace(*last+p)) > width {
			lines = append(lines, "")
			last = &lines[len(lines)-1]
		}
		*last += p
	}
	if len(lines) > 3 {
		return head
	}
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "\n")
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
		header[i] = join(printable(c.head(), longestCell), marks(c.Notes))
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
	out := make([][]string, len(t.Rows))
	for r, row := range t.Rows {
		for i, c := range row {
			s := printable(t.shown(r, i), longestCell)
			if !t.repeats(r, i) {
				s += t.tail(c)
			}
			if t.Columns[i].Number {
				s += strings.Repeat(" ", widths[i]-utf8.RuneCountInString(t.tail(c)))
			}
			out[r] = append(out[r], s)
		}
	}
	return out
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
