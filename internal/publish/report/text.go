package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Text writes the document for a terminal.
func (d *Document) Text(w io.Writer) error {
	var b strings.Builder
	for i, t := range d.Tables {
		if i > 0 {
			b.WriteString("\n")
		}
		if err := t.text(&b); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *Table) text(b *strings.Builder) error {
	b.WriteString(join(printable(t.Title, longestCell), marks(t.TitleNotes)) + "\n")
	if len(t.Rows) > 0 {
		b.WriteString("\n")
		if err := t.grid(b); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
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

// grid draws the cells.
func (t *Table) grid(w io.Writer) error {
	align := make(tw.Alignment, len(t.Columns))
	header := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		align[i] = tw.AlignLeft
		if c.Number {
			align[i] = tw.AlignRight
		}
		header[i] = join(printable(c.head(), longestCell), marks(c.Notes))
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
		// Off, or f1@mem0 becomes F 1 @ MEM 0.
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		// Off, or the blanks that set numbers below each other are lost.
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithAlignment(align),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: align}),
	)
	grid.Header(header)
	for _, row := range t.aligned() {
		if err := grid.Append(row); err != nil {
			return err
		}
	}
	return grid.Render()
}

// aligned returns the texts of the cells. In columns of numbers, the stars and
// notes behind them are padded so that digits stand below digits.
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

// tail returns what stands behind a cell's text.
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

// bestSign is the sign of the best of a column: a star, or another one where
// stars mark what tests show.
func (t *Table) bestSign() string {
	if t.has(func(c Cell) bool { return c.Mark != "" }) {
		return "^"
	}
	return "*"
}

// join joins two texts with a blank, unless one is empty.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}
