package report

import (
	"crypto/sha256"
	"encoding/hex"
	"html/template"
	"io"
	"slices"
	"strings"

	"recallbench/internal/lists"
)

// tableTemplate lays out one table. What it prints is well-formed XML too. The
// styles are the page's: a strict content security policy refuses them here.
var tableTemplate = template.Must(template.New("table").Parse(`<section class="results" id="{{.ID}}">
{{if .Rows}}<div class="scroll" tabindex="0">
<table>
<caption>{{.Title}}{{template "marks" .TitleMarks}}</caption>
<thead>
{{range .Head}}<tr>{{range .}}<th scope="{{.Scope}}"{{if .Class}} class="{{.Class}}"{{end}}{{if gt .Columns 1}} colspan="{{.Columns}}"{{end}}{{if gt .Rows 1}} rowspan="{{.Rows}}"{{end}}>{{.Text}}{{template "marks" .Marks}}</th>{{end}}</tr>
{{end}}</thead>
<tbody>
{{range .Rows}}<tr>{{range .}}{{if .Head}}<th scope="row"{{else}}<td{{end}}{{if .Class}} class="{{.Class}}"{{end}}>{{template "text" .}}{{if .Mark}}<sup>{{.Mark}}</sup>{{end}}{{template "marks" .Marks}}{{if .Head}}</th>{{else}}</td>{{end}}{{end}}</tr>
{{end}}</tbody>
</table>
</div>
{{else}}<p class="title">{{.Title}}{{template "marks" .TitleMarks}}</p>
{{end}}{{if .Legend}}<p class="legend">{{.Legend}}</p>
{{end}}{{if .Notes}}<ol class="notes">
{{range .Notes}}<li id="{{.ID}}">{{.Text}}</li>
{{end}}</ol>
{{end}}</section>
{{define "marks"}}{{if .}}<sup>{{range $i, $m := .}}{{if $i}}, {{end}}<a href="#{{$m.ID}}">{{$m.N}}</a>{{end}}</sup>{{end}}{{end}}
{{- define "text"}}{{if .Best}}<b>{{end}}{{if .Value}}<data value="{{.Value}}">{{.Text}}</data>{{else}}{{.Text}}{{end}}{{if .Best}}</b>{{end}}{{end}}`))

// Of a table the template takes these.
type (
	tableHTML struct {
		ID, Title  string
		TitleMarks []markHTML
		Head       [][]headHTML
		Rows       [][]cellHTML
		Legend     string
		Notes      []noteHTML
	}
	headHTML struct {
		Scope, Class, Text string
		Columns, Rows      int
		Marks              []markHTML
	}
	cellHTML struct {
		Text, Value, Mark, Class string // the value in full
		Head, Best               bool
		Marks                    []markHTML
	}
	markHTML struct {
		ID string // of the note
		N  int
	}
	noteHTML struct{ ID, Text string }
)

// HTML writes the table as a part of a page, without styles: a section of the
// class "results" whose id is made of the table's name, with a table and an
// ordered list of the notes that its cells link to. Cells have the classes
// "number" and "best"; a number in full is the value of a data element.
// [TableStyle] has rules for them. Every text is escaped.
func (t *Table) HTML(w io.Writer) error {
	id := anchor(t.Name)
	title := printable(t.Title, longestCell)
	of := tableHTML{ID: id, Title: title, TitleMarks: markLinks(id, t.TitleNotes)}
	if t.hasBest() {
		of.Legend = join("In bold the best", printable(t.BestOf, longestCell)) + "."
	}
	of.Head = t.htmlHead(id)
	for r, row := range t.Rows {
		var cells []cellHTML
		for i, c := range row {
			cells = append(cells, t.htmlCell(id, r, i, c))
		}
		of.Rows = append(of.Rows, cells)
	}
	for i, n := range t.Notes {
		of.Notes = append(of.Notes, noteHTML{ID: noteAnchor(id, i+1), Text: printable(n, longestNote)})
	}
	return tableTemplate.Execute(w, of)
}

// htmlHead returns the lines of heads: two where columns have groups.
func (t *Table) htmlHead(id string) [][]headHTML {
	grouped := slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Group != "" })
	var above, below []headHTML
	for i, c := range t.Columns {
		h := headHTML{Scope: "col", Text: printable(c.head(), longestCell), Marks: markLinks(id, c.Notes)}
		if c.Number {
			h.Class = "number"
		}
		switch {
		case !grouped:
			below = append(below, h)
			continue
		case c.Group == "":
			h.Rows = 2
			above = append(above, h)
			continue
		case i > 0 && t.Columns[i-1].Group == c.Group:
			above[len(above)-1].Columns++
		default:
			above = append(above, headHTML{Scope: "colgroup", Class: "group", Text: printable(c.Group, longestCell), Columns: 1})
		}
		h.Text = printable(c.under(), longestCell)
		below = append(below, h)
	}
	if grouped {
		return [][]headHTML{above, below}
	}
	return [][]headHTML{below}
}

func (t *Table) htmlCell(id string, row, column int, c Cell) cellHTML {
	h := cellHTML{Text: printable(t.shown(row, column), longestCell), Mark: c.Mark, Head: column == 0, Best: c.Best}
	var classes []string
	if t.Columns[column].Number {
		classes = append(classes, "number")
	}
	if c.Best {
		classes = append(classes, "best")
	}
	h.Class = strings.Join(classes, " ")
	if c.Value != nil {
		h.Value = full(*c.Value)
	}
	if !t.repeats(row, column) {
		h.Marks = markLinks(id, c.Notes)
	}
	return h
}

// markLinks returns the links to notes, each once, in order.
func markLinks(id string, notes []int) []markHTML {
	return lists.Map(once(notes), func(n int) markHTML { return markHTML{ID: noteAnchor(id, n), N: n} })
}

func noteAnchor(id string, n int) string { return id + "-note-" + count(n).Text }

// anchor makes a name fit for an id or a label: lower-case letters, digits and
// hyphens, with a digest of a name that is not made of these alone, so that two
// names do not become one.
func anchor(name string) string {
	const longest = 48
	var b strings.Builder
	for _, r := range name {
		if b.Len() == longest {
			break
		}
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			b.WriteRune(r)
		case 'A' <= r && r <= 'Z':
			b.WriteRune(r - 'A' + 'a')
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	id := strings.Trim(b.String(), "-")
	if id == name && id != "" {
		return id
	}
	sum := sha256.Sum256([]byte(name))
	return strings.TrimPrefix(id+"-"+hex.EncodeToString(sum[:3]), "-")
}
