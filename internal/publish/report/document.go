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

// A Document is tables in the order in which they are read.
type Document struct {
	Tables []*Table `json:"tables"`
}

// A Table is what all renderers print. It holds every number in full and every
// text as it should read; how it looks is the renderer's business.
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
	// "of its model"; empty for all.
	BestOf string `json:"best_of,omitempty"`
}

// A Column heads the cells of a column.
type Column struct {
	Name string `json:"name"`
	// Head is what people read, the name by default.
	Head   string `json:"head,omitempty"`
	Number bool   `json:"number,omitempty"` // set flush right
	Notes  []int  `json:"notes,omitempty"`
	// Group is what stands above this column and those beside it of the same
	// group, such as a category above its metrics, in renderers that have two
	// lines of heads. In one line, the head says it too.
	Group string `json:"group,omitempty"`
	// Repeats is set for a column whose value often repeats from row to row;
	// renderers for people leave repetitions blank.
	Repeats bool `json:"-"`
	// Said is set for a column that says no more than the title and the other columns; a
	// table that is wider than a terminal goes without it.
	Said bool `json:"-"`
}

// A Cell is one entry of a table.
type Cell struct {
	// Text is the entry as people read it, empty for a number that is not there.
	Text string `json:"text"`
	// Value is the number in full, in the unit of the text; nil for a text.
	Value *float64 `json:"value,omitempty"`
	// Deviation is the standard deviation of Value over seeds, nil for one seed.
	Deviation *float64 `json:"sd,omitempty"`
	// Interval is the 95 % interval of Value, nil where none was computed.
	Interval *stats.Interval `json:"interval,omitempty"`
	Best     bool            `json:"best,omitempty"`
	// Mark says what a test found of Value, a difference: "*", "**" and "***" for
	// one that is shown, by how small P is, "~" for one that is not, and nothing
	// where there was no test.
	Mark string `json:"mark,omitempty"`
	// P is the adjusted p-value that the mark stands for.
	P     *float64 `json:"p,omitempty"`
	Notes []int    `json:"notes,omitempty"`
	// Source names the file and the line of a published number.
	Source string `json:"source,omitempty"`
	// Blank is set for a text that people need not see, as it says what another
	// row says.
	Blank bool `json:"-"`
}

// shownNot is the mark of a difference that a test does not show.
const shownNot = "~"

func text(s string, notes ...int) Cell { return Cell{Text: s, Notes: notes} }

// scaled prints a number of the unit of the scores in that of a column; nil is none.
func scaled(x *float64, scale float64, digits int) Cell {
	if x == nil {
		return Cell{}
	}
	return Cell{Text: decimal(*x*scale, digits), Value: new(*x * scale)}
}

// pCell prints a p-value, nil for none: those too small for four decimals by a bound, as
// their digits depend on the tails of the assumption.
func pCell(p *float64) Cell {
	switch {
	case p == nil:
		return Cell{}
	case *p < 0.0001:
		return Cell{Text: "<0.0001", Value: p}
	}
	return scaled(p, 1, 4)
}

func count(n int) Cell { return Cell{Text: strconv.Itoa(n), Value: new(float64(n))} }

// Note returns the number of a footnote, adding it unless it is there.
func (t *Table) Note(s string) int {
	if i := slices.Index(t.Notes, s); i >= 0 {
		return i + 1
	}
	t.Notes = append(t.Notes, s)
	return len(t.Notes)
}

// notes returns the numbers of footnotes as [Table.Note] does; empty ones have none.
func (t *Table) notes(texts ...string) []int {
	var numbers []int
	for _, s := range texts {
		if s != "" {
			numbers = append(numbers, t.Note(s))
		}
	}
	return numbers
}

// NoteTitle adds footnotes about the whole table, but for empty ones.
func (t *Table) NoteTitle(texts ...string) { t.TitleNotes = append(t.TitleNotes, t.notes(texts...)...) }

// head returns what heads a column, without its notes.
func (c Column) head() string {
	if c.Head != "" {
		return c.Head
	}
	return c.Name
}

// under returns what heads a column below the head of its group.
func (c Column) under() string {
	head := c.head()
	if head == c.Group {
		return "mean"
	}
	return strings.TrimPrefix(head, c.Group+" ")
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

// shown returns the text of a cell for people: nothing for what the cell above
// says too.
func (t *Table) shown(row, column int) string {
	if t.repeats(row, column) {
		return ""
	}
	return t.cellText(row, column)
}

// cellText returns the text of a cell for people, whatever stands above it: a
// dash for a number that is not there.
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

// repeats reports whether a cell says what the cell above it says, in a column
// where such a cell is left blank, and so do all such columns before it.
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

// deviation prints what stands behind a number for its standard deviation.
func deviation(sd float64, digits int) string { return " (" + decimal(sd, digits) + ")" }

// Plural counts things of a kind.
func Plural(n int, kind string) string {
	if n != 1 {
		kind += "s"
	}
	return strconv.Itoa(n) + " " + kind
}

// enumerate lists names with a word before the last.
func enumerate(names []string, last string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + last + " " + names[len(names)-1]
}

// decimal prints a number with a fixed number of decimals, and no minus before
// a zero.
func decimal(x float64, digits int) string {
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

// signed prints a difference: with a plus where it is above 0 as printed.
func signed(x float64, digits int) string {
	s := decimal(x, digits)
	if x > 0 && strings.Trim(s, "0.") != "" {
		s = "+" + s
	}
	return s
}

// A format is how documents are written.
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

// tableByTable writes each table by itself, with something between them.
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

// Formats are the names of the formats that [Document.Write] knows: text for a terminal,
// GitHub-flavoured Markdown, CSV, JSON, HTML and LaTeX.
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

// Texts longer than these, in characters, are cut where people read them: a
// label of a megabyte would push everything else off the screen. CSV and JSON
// have them in full.
const (
	longestCell = 400
	longestNote = 4000
)

// directions finds the characters that turn the direction of what follows them,
// so that a label could rewrite its neighbours. They are shown: without them two
// labels could look the same.
var directions = regexp.MustCompile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

// printable makes a text safe to show to people, in one line of at most so many
// characters and a sign that there are more.
func printable(s string, most int) string { return termsafe.Text(cut(s, most)) }

// cut shortens a text to so many characters and a sign that there are more, and
// shows what turns its direction.
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
