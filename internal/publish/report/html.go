package report

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"

	"recallbench/internal/calc/lists"
)

// pageTemplate lays out printed tables as a page without scripts or loaded parts, as HTML that
// is also well-formed XML. Its content security policy allows only its style sheet. Each table
// is a section of the class "results" with an id made of its name, containing a table and an
// ordered list of the notes that its cells link to. Cells have the classes "number" and "best";
// a data element holds the full value of a number. [TableStyle] has rules for them.
var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"anchor": anchor, "full": full, "legend": (*Table).legend, "class": cellClass, "links": noteLinks,
	"next": func(i int) int { return i + 1 },
}).Parse(`<!DOCTYPE html>
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
{{range $t := .Tables}}{{$id := anchor .Name}}<section class="results" id="{{$id}}">
{{if .Rows}}<div class="scroll" tabindex="0">
<table>
<caption>{{.Title}}{{template "marks" links $id .TitleNotes}}</caption>
<thead>
<tr>{{range .Columns}}<th scope="col"{{if .Number}} class="number"{{end}}>{{.Head}}{{template "marks" links $id .Notes}}</th>{{end}}</tr>
</thead>
<tbody>
{{range .Rows}}<tr>{{range $i, $c := .}}{{if $i}}<td{{else}}<th scope="row"{{end}}{{with class (index $t.Columns $i) $c}} class="{{.}}"{{end}}>{{template "text" .}}{{if .Mark}}<sup>{{.Mark}}</sup>{{end}}{{template "marks" links $id .Notes}}{{if $i}}</td>{{else}}</th>{{end}}{{end}}</tr>
{{end}}</tbody>
</table>
</div>
{{else}}<p class="title">{{.Title}}{{template "marks" links $id .TitleNotes}}</p>
{{end}}{{with legend .}}<p class="legend">{{.}}.</p>
{{end}}{{if .Notes}}<ol class="notes">
{{range $i, $n := .Notes}}<li id="{{$id}}-note-{{next $i}}">{{$n}}</li>
{{end}}</ol>
{{end}}</section>
{{end}}</main>
</body>
</html>
{{define "marks"}}{{if .}}<sup>{{range $i, $m := .}}{{if $i}}, {{end}}<a href="#{{$m.ID}}">{{$m.N}}</a>{{end}}</sup>{{end}}{{end}}
{{- define "text"}}{{if .Best}}<b>{{end}}{{if .Value}}<data value="{{full .Value}}">{{.Text}}</data>{{else}}{{.Text}}{{end}}{{if .Best}}</b>{{end}}{{end}}`))

// A noteLink refers to a note by the id of its element and its number.
type noteLink struct {
	ID string
	N  int
}

// noteLinks returns the links to notes of the table with an id, each once, in order.
func noteLinks(id string, notes []int) []noteLink {
	return lists.Map(once(notes), func(n int) noteLink { return noteLink{fmt.Sprintf("%s-note-%d", id, n), n} })
}

func cellClass(column Column, c Cell) string {
	switch {
	case column.Number && c.Best:
		return "number best"
	case column.Number:
		return "number"
	case c.Best:
		return "best"
	}
	return ""
}

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

// TableStyle is the style sheet for what [Document.Write] writes. It uses the custom
// properties --rule, --faint and --target for colours, with defaults if they are not set.
const TableStyle = `.results { margin: 0 0 2.5rem; }
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

// html writes the document as a page of its own.
func (d *Document) html(w io.Writer) error {
	style := pageStyle + TableStyle
	sum := sha256.Sum256([]byte(style))
	tables := lists.Map(d.Tables, func(t *Table) *Table { return t.printed(printable) })
	title := "Tables"
	if len(tables) > 0 {
		title = tables[0].Title
	}
	return pageTemplate.Execute(w, map[string]any{
		"Hash": base64.StdEncoding.EncodeToString(sum[:]), "Title": title, "Style": template.CSS(style), "Tables": tables,
	})
}
