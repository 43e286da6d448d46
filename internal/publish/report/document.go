package report

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
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

// head returns the head of a column, without its notes.
func (c Column) head() string {
	if c.Head != "" {
		return c.Head
	}
	return c.Name
}

// once returns the numbers of notes in order, each once.
func once(notes []int) []int { return slices.Compact(slices.Sorted(slices.Values(notes))) }

// marks returns references to notes as "[1]" or "[1, 2]", empty for none.
func marks(notes []int) string {
	if len(notes) == 0 {
		return ""
	}
	var b strings.Builder
	for i, n := range once(notes) {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(n))
	}
	return "[" + b.String() + "]"
}

// has reports whether a cell of the table is of a kind.
func (t *Table) has(kind func(Cell) bool) bool {
	return slices.ContainsFunc(t.Rows, func(row []Cell) bool { return slices.ContainsFunc(row, kind) })
}

func (t *Table) hasBest() bool { return t.has(func(c Cell) bool { return c.Best }) }

// shown returns the text of a cell for people: nothing if it repeats the cell above.
func (t *Table) shown(row, column int) string {
	if t.repeats(row, column) {
		return ""
	}
	return t.cellText(row, column)
}

// cellText returns the text of a cell for people, whatever the cell above says, with a
// dash for a missing number.
func (t *Table) cellText(row, column int) string {
	cell := t.Rows[row][column]
	switch {
	case cell.Blank:
		return ""
	case cell.Text == "" && t.Columns[column].Number:
		return "–"
	}
	return cell.Text
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

// A format is a way to write documents.
type format struct {
	name  string
	write func(*Document, io.Writer) error
}

// formats are the formats in the order of lists.
func formats() []format {
	return []format{
		{"text", tableByTable("\n", (*Table).text)},
		{"markdown", tableByTable("\n", (*Table).markdown)},
		{"csv", (*Document).csv},
		{"json", (*Document).json},
		{"html", (*Document).html},
		{"latex", (*Document).latex},
	}
}

// tableByTable writes each table by itself, with a separator between them.
func tableByTable(between string, one func(*Table, *strings.Builder) error) func(*Document, io.Writer) error {
	return func(d *Document, w io.Writer) error {
		var b strings.Builder
		for i, t := range d.Tables {
			if i > 0 {
				b.WriteString(between)
			}
			if err := one(t, &b); err != nil {
				return fmt.Errorf("table %s: %w", t.Name, err)
			}
		}
		_, err := io.WriteString(w, b.String())
		return err
	}
}

// Formats returns the names of the formats that [Document.Write] supports: text for a
// terminal, GitHub-flavoured Markdown, CSV, JSON, HTML and LaTeX.
func Formats() []string { return lists.Map(formats(), func(f format) string { return f.name }) }

// Write writes the document in a format by name.
func (d *Document) Write(w io.Writer, name string) error {
	for _, f := range formats() {
		if f.name == name {
			return f.write(d, w)
		}
	}
	return errors.New(suggest.Unknown("format", name, Formats()))
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
