package report

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/files/jsonout"
	"recallbench/internal/files/spreadsheet"
)

// JSON writes the document as indented JSON.
func (d *Document) JSON(w io.Writer) error {
	return jsonout.Indented(w, d)
}

// CSV writes all tables as one, in the format of RFC 4180 but for its line ends,
// which are a line feed: a column "table" with the table's name, then the columns of
// all tables by name, each number in full. Its standard deviation over seeds is in a
// column "sd", its interval in "low" and "high". What a test found of it is in "mark"
// and "p". A column "notes" is at the end, in which a note about a cell begins with
// its column. A column that a table does not have is empty in its rows.
func (d *Document) CSV(w io.Writer) error {
	columns := []string{"table"}
	at := make(map[string]int)
	add := func(name string) {
		if _, ok := at[name]; !ok {
			at[name] = len(columns)
			columns = append(columns, name)
		}
	}
	for _, t := range d.Tables {
		for i, c := range t.Columns {
			add(c.Name)
			if slices.ContainsFunc(t.Rows, func(row []Cell) bool { return row[i].Deviation != nil }) {
				add(c.Name + " sd")
			}
			if slices.ContainsFunc(t.Rows, func(row []Cell) bool { return row[i].Interval != nil }) {
				add(c.Name + " low")
				add(c.Name + " high")
			}
			if slices.ContainsFunc(t.Rows, func(row []Cell) bool { return row[i].Mark != "" }) {
				add(c.Name + " mark")
				add(c.Name + " p")
			}
		}
	}
	columns = append(columns, "notes")
	out := spreadsheet.NewWriter(w)
	if err := out.Write(columns); err != nil {
		return err
	}
	for _, t := range d.Tables {
		for _, row := range t.Rows {
			record := make([]string, len(columns))
			record[0] = t.Name
			notes := t.spell("", t.TitleNotes)
			for i, c := range row {
				name := t.Columns[i].Name
				record[at[name]] = c.full()
				if c.Deviation != nil {
					record[at[name+" sd"]] = full(*c.Deviation)
				}
				if c.Interval != nil {
					record[at[name+" low"]] = full(c.Interval.Lo)
					record[at[name+" high"]] = full(c.Interval.Hi)
				}
				if c.Mark != "" {
					record[at[name+" mark"]] = c.Mark
				}
				if c.P != nil {
					record[at[name+" p"]] = full(*c.P)
				}
				notes = append(notes, t.spell(name, t.Columns[i].Notes)...)
				notes = append(notes, t.spell(name, c.Notes)...)
			}
			record[len(record)-1] = strings.Join(notes, "; ")
			if err := out.Write(record); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// full returns the cell's number with all its digits, or its text.
func (c Cell) full() string {
	if c.Value != nil {
		return full(*c.Value)
	}
	return c.Text
}

func full(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// spell writes notes out, with the column that they are about.
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
