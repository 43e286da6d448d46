package report

import (
	"io"
	"strings"
)

// texHead begins a file of tables.
const texHead = `% Tables written by bench. To \input them the preamble needs:
%   \usepackage{booktabs}
% and for LaTeX from before 2018 also \usepackage[utf8]{inputenc}.
`

// texFloats is how many tables LaTeX is given before it has to set them all:
// more than it keeps back are an error.
const texFloats = 16

// LaTeX writes the document as tables to \input, for pdflatex and the package
// booktabs alone. The best are bold, numbers stand with their points below each
// other, deviations in parentheses, rows below the name of their model, notes by
// letters below the table. The label of a table is "tab:" and its name as in
// [Table.HTML]. A table that is wide spans both columns of a page that has two,
// with a smaller font, broken heads and broken texts where it takes that; one that
// does not fit on a page then is continued in another.
//
// All text is escaped; a character that the fonts of LaTeX lack is shown by its
// code point.
func (d *Document) LaTeX(w io.Writer) error {
	var b strings.Builder
	b.WriteString(texHead)
	floats := 0
	for _, t := range d.Tables {
		for _, float := range t.latex() {
			if floats > 0 && floats%texFloats == 0 {
				b.WriteString("\n\\clearpage\n")
			}
			floats++
			b.WriteString("\n" + float)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// latex returns the table as floats, with its notes in or behind the last.
func (t *Table) latex() []string {
	rows, above, parts := t.texRows()
	var columns []*texColumn
	for i := range t.Columns {
		if i != parts {
			columns = append(columns, t.texColumn(i, above))
		}
	}
	if len(t.Rows) == 0 || len(columns) == 0 {
		f := texFloat{table: t}
		return []string{f.begin() + f.notes() + f.end()}
	}
	size, tables := texFit(columns)
	var floats []string
	for i, of := range tables {
		size.fit(of) // columns that stand in several tables differ in width between them
		chunks := texPages(rows, of, size)
		for j, chunk := range chunks {
			f := texFloat{table: t, size: size, columns: of, rows: chunk, continued: i+j > 0}
			s := f.begin() + f.tabular()
			switch last := i == len(tables)-1 && j == len(chunks)-1; {
			case !last:
				s += f.end()
			case !f.fits():
				s += f.end() + f.notesBehind()
			default:
				s += f.notes() + f.end()
			}
			floats = append(floats, s)
		}
	}
	return floats
}

// A texRow is a row of a table, or the name that stands above some.
type texRow struct {
	name string // empty for a row
	row  int
}

// texRows returns the rows in the order in which they are set: those with the
// same entry in the column that parts them below that entry. It returns the row
// that stands above each, negative for none, and the place of that column, which is
// not set, negative for none.
func (t *Table) texRows() (rows []texRow, above []int, parts int) {
	parts = -1
	for i, c := range t.Columns {
		if c.Parts && parts < 0 {
			parts = i
		}
	}
	above = make([]int, len(t.Rows))
	var names []string
	of := make(map[string][]int)
	for r, row := range t.Rows {
		name := ""
		if parts >= 0 {
			name = row[parts].Text
		}
		if of[name] == nil {
			names = append(names, name)
		}
		of[name] = append(of[name], r)
	}
	for _, name := range names {
		if parts >= 0 {
			cell := t.Rows[of[name][0]][parts]
			s, _ := tex(printable(name, longestCell))
			marks, _ := texMarks(cell.Mark, cell.Notes)
			rows = append(rows, texRow{name: `\textit{` + s + `}` + marks})
		}
		for i, r := range of[name] {
			above[r] = -1
			if i > 0 {
				above[r] = of[name][i-1]
			}
			rows = append(rows, texRow{row: r})
		}
	}
	return rows, above, parts
}
