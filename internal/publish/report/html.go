package report

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"html/template"
	"io"
	"regexp"
	"strings"

	"recallbench/internal/calc/lists"
)

// pageTemplate lays out tables as a page without scripts or loaded parts, as HTML that is also
// well-formed XML. Its content security policy allows only its style sheet.
var pageTemplate = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-{{.Hash}}'; base-uri 'none'; form-action 'none'"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>{{.Title}}</title>
<style>{{.Style}}</style>
</head>
<body>
<main>
{{range .Tables}}<section class="results" id="{{.ID}}">
{{if .Rows}}<div class="scroll" tabindex="0">
<table>
<caption>{{.Title}}{{template "marks" .TitleMarks}}</caption>
<thead>
<tr>{{range .Head}}<th scope="col"{{if .Class}} class="{{.Class}}"{{end}}>{{.Text}}{{template "marks" .Marks}}</th>{{end}}</tr>
</thead>
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
{{end}}</main>
</body>
</html>
{{define "marks"}}{{if .}}<sup>{{range $i, $m := .}}{{if $i}}, {{end}}<a href="#{{$m.ID}}">{{$m.N}}</a>{{end}}</sup>{{end}}{{end}}
{{- define "text"}}{{if .Best}}<b>{{end}}{{if .Value}}<data value="{{.Value}}">{{.Text}}</data>{{else}}{{.Text}}{{end}}{{if .Best}}</b>{{end}}{{end}}`))

// The template uses these types.
type (
	tableHTML struct {
		ID, Title  string
		TitleMarks []markHTML
		Head       []cellHTML
		Rows       [][]cellHTML
		Legend     string
		Notes      []noteHTML
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

// html returns what a page shows of the table: a section of the class "results" with an id made
// of the table's name, containing a table and an ordered list of the notes that its cells link
// to. Cells have the classes "number" and "best"; a data element holds the full value of a
// number. [TableStyle] has rules for them.
func (t *Table) html() tableHTML {
	id := anchor(t.Name)
	of := tableHTML{ID: id, Title: printable(t.Title, longestCell), TitleMarks: markLinks(id, t.TitleNotes)}
	if t.hasBest() {
		of.Legend = join("Bold marks the best", printable(t.BestOf, longestCell)) + "."
	}
	for _, c := range t.Columns {
		head := cellHTML{Text: printable(c.head(), longestCell), Marks: markLinks(id, c.Notes)}
		if c.Number {
			head.Class = "number"
		}
		of.Head = append(of.Head, head)
	}
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
	return of
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

func noteAnchor(id string, n int) string { return id + "-note-" + Whole(n).Text }

// notInAnchor are the characters that an id does not have.
var notInAnchor = regexp.MustCompile(`[^a-z0-9]+`)

// anchor turns a name into an id or a label of lower-case letters, digits and hyphens. If
// other characters are lost, it adds a digest of the name, so that ids stay different.
func anchor(name string) string {
	const longest = 48
	id := notInAnchor.ReplaceAllString(strings.ToLower(name), "-")
	id = strings.Trim(id[:min(len(id), longest)], "-")
	if id == name && id != "" {
		return id
	}
	sum := sha256.Sum256([]byte(name))
	return strings.TrimPrefix(id+"-"+hex.EncodeToString(sum[:3]), "-")
}

// tableStyle has the rules for what [Document.Write] writes. Colours come from variables, so
// that a page can change them.
const tableStyle = `.results { margin: 0 0 2.5rem; }
.results .scroll { overflow-x: auto; }
.results table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.results caption, .results .title { text-align: left; font-weight: 600; margin: 0; padding: 0 0 .5rem; overflow-wrap: anywhere; }
.results th, .results td { padding: .25rem .6rem; text-align: left; vertical-align: baseline; font-weight: normal; unicode-bidi: isolate; }
.results thead th { border-bottom: 1px solid var(--rule, #888); font-weight: 600; vertical-align: bottom; }
.results tbody tr + tr { border-top: 1px solid var(--faint, #8883); }
.results .number { text-align: right; white-space: nowrap; }
.results thead .number { white-space: normal; }
.results sup { line-height: 0; margin-left: .15em; }
.results .legend, .results .notes { font-size: .85em; margin: .5rem 0 0; max-width: 60rem; overflow-wrap: anywhere; }
.results .notes li:target { background: var(--target, #fd06); }
`

// pageStyle has the rules of a page that only has tables.
const pageStyle = `:root { color-scheme: light dark; --text: #1b1b1b; --page: #fff; --link: #0b57a4; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e6e6; --page: #16181b; --link: #8ab4f8; } }
body { margin: 2rem; font: 16px/1.45 system-ui, sans-serif; color: var(--text); background: var(--page); }
a { color: var(--link); }
`

// TableStyle returns the style sheet for what [Document.Write] writes. It uses the custom
// properties --rule, --faint and --target for colours, with defaults if they are not set.
func TableStyle() string { return tableStyle }

// html writes the document as a page of its own.
func (d *Document) html(w io.Writer) error {
	style := pageStyle + tableStyle
	sum := sha256.Sum256([]byte(style))
	title := "Tables"
	if len(d.Tables) > 0 {
		title = printable(d.Tables[0].Title, longestCell)
	}
	return pageTemplate.Execute(w, map[string]any{
		"Hash": base64.StdEncoding.EncodeToString(sum[:]), "Title": title, "Style": template.CSS(style), "Tables": lists.Map(d.Tables, (*Table).html),
	})
}
