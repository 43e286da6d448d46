package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/files/spreadsheet"
	"recallbench/internal/text/suggest"
	"recallbench/internal/text/termsafe"
)

// A Document is a list of tables in reading order.
type Document struct {
	Tables []*Table `json:"tables"`
}

// A Table is what all renderers print. It holds every number in full and every text as it
// should read; the renderer decides how it looks.
type Table struct {
	// Name tells the tables of a document apart in files, such as "locomo".
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Columns []Column `json:"columns"`
	Rows    [][]Cell `json:"rows"`
	// Notes are the footnotes; note n is Notes[n-1].
	Notes []string `json:"notes,omitempty"`
	// TitleNotes are the numbers of the notes about the whole table.
	TitleNotes []int `json:"title_notes,omitempty"`
	// BestOf says among which rows a cell is the best of its column, such as
	// "of its model"; empty for all rows.
	BestOf string `json:"best_of,omitempty"`
}

// A Column heads the cells of a column.
type Column struct {
	Name string `json:"name"`
	// Head is what people read, the name by default.
	Head   string `json:"head,omitempty"`
	Number bool   `json:"number,omitempty"` // right-aligned
	Notes  []int  `json:"notes,omitempty"`
	// Repeats is set for a column whose value often repeats from row to row;
	// renderers for people leave repetitions blank.
	Repeats bool `json:"-"`
	// Said is set for a column that repeats the title and other columns; a table wider than
	// a terminal leaves it out.
	Said bool `json:"-"`
}

// A Cell is one entry of a table.
type Cell struct {
	// Text is the entry as people read it, empty for a missing number.
	Text string `json:"text"`
	// Value is the number in full, in the unit of the text; nil for a text.
	Value *float64 `json:"value,omitempty"`
	// Deviation is the standard deviation of Value over seeds, nil for one seed.
	Deviation *float64 `json:"sd,omitempty"`
	// Interval is the 95 % interval of Value, nil where none was computed.
	Interval *stats.Interval `json:"interval,omitempty"`
	Best     bool            `json:"best,omitempty"`
	// Mark is the result of a test of Value, a difference: "*", "**" and "***" if it is
	// significant, by how small P is, "~" if it is not, and nothing without a test.
	Mark string `json:"mark,omitempty"`
	// P is the adjusted p-value behind the mark.
	P     *float64 `json:"p,omitempty"`
	Notes []int    `json:"notes,omitempty"`
	// Source names the file and the line of a published number.
	Source string `json:"source,omitempty"`
	// Blank is set for a text that is not shown to people, because it repeats another row.
	Blank bool `json:"-"`
}

// shownNot is the mark of a difference that is not significant.
const shownNot = "~"

// Note returns the number of a footnote, adding it if it is new.
func (t *Table) Note(s string) int {
	if i := slices.Index(t.Notes, s); i >= 0 {
		return i + 1
	}
	t.Notes = append(t.Notes, s)
	return len(t.Notes)
}

// notes returns the numbers of footnotes as [Table.Note] does, skipping empty ones.
func (t *Table) notes(texts ...string) []int {
	var numbers []int
	for _, s := range texts {
		if s != "" {
			numbers = append(numbers, t.Note(s))
		}
	}
	return numbers
}

// NoteTitle adds footnotes about the whole table, skipping empty ones.
func (t *Table) NoteTitle(texts ...string) { t.TitleNotes = append(t.TitleNotes, t.notes(texts...)...) }

// once returns the numbers of notes in order, each once.
func once(notes []int) []int { return slices.Compact(slices.Sorted(slices.Values(notes))) }

// marks returns references to notes as "[1]" or "[1, 2]", empty for none.
func marks(notes []int) string {
	if len(notes) == 0 {
		return ""
	}
	return "[" + strings.Join(lists.Map(once(notes), strconv.Itoa), ", ") + "]"
}

// has reports whether a cell of the table is of a kind.
func (t *Table) has(kind func(Cell) bool) bool {
	return slices.ContainsFunc(t.Rows, func(row []Cell) bool { return slices.ContainsFunc(row, kind) })
}

func (t *Table) hasBest() bool { return t.has(func(c Cell) bool { return c.Best }) }

// legend says what the best of a column look like in formats with bold text; empty without any.
func (t *Table) legend() string {
	if !t.hasBest() {
		return ""
	}
	return join("Bold marks the best", t.BestOf)
}

// printed returns the table as people read it: texts made safe and cut to some number of
// characters, a dash for a missing number, and nothing in cells that repeat those above.
func (t *Table) printed(safe func(s string, most int) string) *Table {
	p := *t
	p.Title, p.BestOf = safe(t.Title, longestCell), safe(t.BestOf, longestCell)
	p.Notes = lists.Map(t.Notes, func(n string) string { return safe(n, longestNote) })
	p.Columns = lists.Map(t.Columns, func(c Column) Column {
		c.Head = safe(cmp.Or(c.Head, c.Name), longestCell)
		return c
	})
	p.Rows = make([][]Cell, len(t.Rows))
	for r, row := range t.Rows {
		for i, c := range row {
			switch {
			case t.repeats(r, i):
				c = Cell{}
			case c.Blank:
				c.Text = ""
			case c.Text == "" && t.Columns[i].Number:
				c.Text = "–"
			default:
				c.Text = safe(c.Text, longestCell)
			}
			p.Rows[r] = append(p.Rows[r], c)
		}
	}
	return &p
}

// repeats reports whether a cell is left blank: it and the cells in all repeating columns
// before it have the same text as those above.
func (t *Table) repeats(row, column int) bool {
	if row == 0 {
		return false
	}
	for i := range column + 1 {
		cell, other := t.Rows[row][i], t.Rows[row-1][i]
		if !t.Columns[i].Repeats || cell.Text != other.Text || !slices.Equal(cell.Notes, other.Notes) {
			return false
		}
	}
	return true
}

// Formats returns the names of the formats that [Document.Write] supports: text for a
// terminal, GitHub-flavoured Markdown, CSV, JSON, HTML and LaTeX.
func Formats() []string { return []string{"text", "markdown", "csv", "json", "html", "latex"} }

// Write writes the document in a format by name.
func (d *Document) Write(w io.Writer, format string) error {
	switch format {
	case "text":
		return d.tableByTable(w, (*Table).text)
	case "markdown":
		return d.tableByTable(w, (*Table).markdown)
	case "csv":
		return d.csv(w)
	case "json":
		return jsonout.Indented(w, d)
	case "html":
		return d.html(w)
	case "latex":
		return d.latex(w)
	}
	return errors.New(suggest.Unknown("format", format, Formats()))
}

// tableByTable writes each table by itself, with an empty line between them.
func (d *Document) tableByTable(w io.Writer, one func(*Table, *strings.Builder) error) error {
	var b strings.Builder
	for i, t := range d.Tables {
		if i > 0 {
			b.WriteString("\n")
		}
		if err := one(t, &b); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Texts longer than these, in characters, are cut in formats for people: a label of a
// megabyte would push everything else off the screen. CSV and JSON have them in full.
const (
	longestCell = 400
	longestNote = 4000
)

// directions finds the characters that change the direction of the text after them, with
// which a label could rewrite its neighbours. They are made visible: without them two
// labels could look the same.
var directions = regexp.MustCompile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

// printable makes a text safe to show to people, in one line of limited length with a sign
// if it was cut.
func printable(s string, most int) string { return termsafe.Text(cut(s, most)) }

// cut shortens a text to some number of characters, with a sign that it was cut, and makes
// direction characters visible.
func cut(s string, most int) string {
	n, end := 0, ""
	for i := range s {
		if n == most {
			s, end = s[:i], "…"
			break
		}
		n++
	}
	return directions.ReplaceAllStringFunc(s, termsafe.Visible) + end
}

// Words returns a row of texts.
func Words(texts ...string) []Cell {
	return lists.Map(texts, func(s string) Cell { return text(s) })
}

func text(s string, notes ...int) Cell { return Cell{Text: s, Notes: notes} }

// Count returns the cell of a whole number, empty for 0.
func Count(n int) Cell {
	if n == 0 {
		return Cell{}
	}
	return Whole(n)
}

// Whole returns the cell of a whole number.
func Whole(n int) Cell { return Cell{Text: strconv.Itoa(n), Value: new(float64(n))} }

// Decimal returns the cell of a number with some digits after the point, and its interval,
// if any, in parentheses.
func Decimal(x float64, digits int, i *stats.Interval) Cell {
	return numberCell(x, i, func(x float64) string { return decimal(x, digits) })
}

// Percent returns the cell of a share from 0 to 1 in percent, as [Decimal] does.
func Percent(x float64, i *stats.Interval) Cell {
	if i != nil {
		i = new(i.Scale(100))
	}
	return Decimal(100*x, 2, i)
}

// Change returns the cell of a difference as [Decimal] does, with a plus sign if it is above
// 0 as printed.
func Change(x float64, digits int, i *stats.Interval) Cell {
	return numberCell(x, i, func(x float64) string { return signed(x, digits) })
}

func numberCell(x float64, i *stats.Interval, text func(float64) string) Cell {
	c := Cell{Text: text(x), Value: &x, Interval: i}
	if i != nil {
		c.Text += fmt.Sprintf(" (%s, %s)", text(i.Lo), text(i.Hi))
	}
	return c
}

// PValue returns the cell of a p-value, nil for none. Values too small for four decimals are
// printed as a bound, because their digits depend on the tails of the assumed distribution.
func PValue(p *float64) Cell {
	if p != nil && *p < 0.0001 {
		return Cell{Text: "<0.0001", Value: p}
	}
	return scaled(p, 1, 4)
}

// scaled prints a number in the unit of the scores in that of a column; nil is none.
func scaled(x *float64, scale float64, digits int) Cell {
	if x == nil {
		return Cell{}
	}
	return Decimal(*x*scale, digits, nil)
}

// decimal prints a number with fixed decimals, and zero without a minus sign.
func decimal(x float64, digits int) string {
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

// signed prints a difference, with a plus sign if it is above 0 as printed.
func signed(x float64, digits int) string {
	s := decimal(x, digits)
	if x > 0 && strings.Trim(s, "0.") != "" {
		s = "+" + s
	}
	return s
}

// withDeviation adds a standard deviation over seeds to a number, behind it; nil for none.
func (c Cell) withDeviation(sd *float64, digits int) Cell {
	if c.Deviation = sd; sd != nil {
		c.Text += " (" + decimal(*sd, digits) + ")"
	}
	return c
}

// Numbers returns a column of labels followed by columns of numbers.
func Numbers(label string, names ...string) []Column {
	return append([]Column{{Name: label}}, lists.Map(names, func(n string) Column { return Column{Name: n, Number: true} })...)
}

// Plural prints a number with its noun, in the plural unless it is 1.
func Plural(n int, kind string) string {
	if n != 1 {
		kind += "s"
	}
	return strconv.Itoa(n) + " " + kind
}

// enumerate lists names with a conjunction before the last.
func enumerate(names []string, last string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + last + " " + names[len(names)-1]
}

// csv writes all tables as one, as RFC 4180 but with line feeds: a column "table" with
// the table's name, then the columns of all tables by name, with numbers in full. The
// standard deviation of a number over seeds is in a column "sd", its interval in "low" and
// "high", and the result of its test in "mark" and "p". In the last column, "notes", a note
// about a cell begins with its column. Columns that a table lacks are empty in its rows.
func (d *Document) csv(w io.Writer) error {
	columns := []string{"table"}
	for _, t := range d.Tables {
		for i, c := range t.Columns {
			columns = lists.AddNew(columns, c.Name)
			for _, row := range t.Rows {
				for _, f := range row[i].fields() {
					columns = lists.AddNew(columns, c.Name+f[0])
				}
			}
		}
	}
	out := spreadsheet.NewWriter(w)
	if err := out.Write(append(columns, "notes")); err != nil {
		return err
	}
	for _, t := range d.Tables {
		for _, row := range t.Rows {
			of := map[string]string{"table": t.Name}
			notes := t.spell("", t.TitleNotes)
			for i, c := range row {
				name := t.Columns[i].Name
				for _, f := range c.fields() {
					of[name+f[0]] = f[1]
				}
				notes = slices.Concat(notes, t.spell(name+": ", t.Columns[i].Notes), t.spell(name+": ", c.Notes))
			}
			record := lists.Map(columns, func(name string) string { return of[name] })
			if err := out.Write(append(record, strings.Join(notes, "; "))); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// fields returns the cell's fields in a line of CSV: the suffix of a column's name, and the text.
func (c Cell) fields() [][2]string {
	fields := [][2]string{{"", c.full()}}
	if c.Deviation != nil {
		fields = append(fields, [2]string{" sd", full(*c.Deviation)})
	}
	if c.Interval != nil {
		fields = append(fields, [2]string{" low", full(c.Interval.Lo)}, [2]string{" high", full(c.Interval.Hi)})
	}
	if c.Mark != "" {
		fields = append(fields, [2]string{" mark", c.Mark})
	}
	if c.P != nil {
		fields = append(fields, [2]string{" p", full(*c.P)})
	}
	return fields
}

// full returns the cell's number with all its digits, or its text.
func (c Cell) full() string {
	if c.Value != nil {
		return full(*c.Value)
	}
	return c.Text
}

func full(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// spell writes out notes behind a text.
func (t *Table) spell(before string, notes []int) []string {
	return lists.Map(notes, func(n int) string { return before + t.Notes[n-1] })
}
