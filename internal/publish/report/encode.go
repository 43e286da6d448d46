package report

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/files/spreadsheet"
)

// json writes the document as indented JSON.
func (d *Document) json(w io.Writer) error {
	return jsonout.Indented(w, d)
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
				notes = slices.Concat(notes, t.spell(name, t.Columns[i].Notes), t.spell(name, c.Notes))
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

// spell writes out notes, with the column that they are about.
func (t *Table) spell(column string, notes []int) []string {
	var all []string
	for _, n := range notes {
		text := t.Notes[n-1]
		if column != "" {
			text = column + ": " + text
		}
		all = append(all, text)
	}
	return all
}
