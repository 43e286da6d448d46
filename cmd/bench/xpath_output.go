package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"recallbench/internal/plain"
	"recallbench/internal/semxpath"
	"recallbench/internal/spreadsheet"
	"recallbench/internal/tree"
)

// write prints a result in a format.
func (r *xpathResult) write(w io.Writer, format string, explain bool) error {
	switch format {
	case "json":
		return r.writeJSON(w)
	case "xml":
		return r.writeXML(w)
	case "csv":
		return r.writeCSV(w)
	default:
		return r.writeText(w, explain)
	}
}

// path is where a match stands, for people.
func (r *xpathResult) path(m semxpath.Match) string {
	return tree.Label(tree.PathAt(r.tree.Root(), m.At))
}

// scorerName names the scorer; empty for a query without conditions.
func (r *xpathResult) scorerName() string {
	if r.scorer == nil {
		return ""
	}
	return r.scorer.name
}

// maxFields is how many characters of a node's fields a table shows.
const maxFields = 60

// fieldsInBrief writes the fields of a node on one line, less the name, which
// the path says.
func fieldsInBrief(n *tree.Node) string {
	var parts []string
	for _, f := range n.Fields {
		if v := f.Value(); v != "" && v != n.Name() && n.Type+" "+v != n.Name() {
			parts = append(parts, f.Name+": "+v)
		}
	}
	if n.Text != "" {
		parts = append(parts, n.Text)
	}
	return beginning(strings.Join(parts, " | "), maxFields)
}

func (r *xpathResult) writeText(w io.Writer, explain bool) error {
	var head strings.Builder
	fmt.Fprintf(&head, "query\t%s\n", plain.Text(r.query.String()))
	if r.scorer != nil {
		fmt.Fprintf(&head, "profile\t%s\nscorer\t%s\ntext\t%s\n", r.profile, plain.Text(r.scorer.name), r.text)
	}
	fmt.Fprintf(&head, "matches\t%d\n", len(r.Matches))
	if err := writeColumns(w, head.String()); err != nil {
		return err
	}
	if explain {
		if err := r.writeSteps(w); err != nil {
			return err
		}
	}
	if len(r.Matches) == 0 {
		return nil
	}
	var b strings.Builder
	weight := ""
	if r.scorer != nil {
		weight = "WEIGHT\t"
	}
	b.WriteString("\n#\t" + weight + "PATH\tID\tFIELDS\n")
	for i, m := range r.Matches {
		if r.scorer != nil {
			weight = fmt.Sprintf("%.4f\t", m.Weight)
		}
		fmt.Fprintf(&b, "%d\t%s%s\t%s\t%s\n", i+1, weight, plain.Text(r.path(m)), plain.Text(m.Node.ID), fieldsInBrief(m.Node))
	}
	return writeColumns(w, b.String())
}

// An xpathJSON is the output of xpath as JSON.
type xpathJSON struct {
	Query   string          `json:"query"`
	Profile string          `json:"profile"`
	Scorer  string          `json:"scorer,omitempty"`
	Text    string          `json:"text,omitempty"`
	Matches []matchJSON     `json:"matches"`
	Steps   []semxpath.Step `json:"steps,omitempty"`
}

// A matchJSON is one match. Weight is null for a query without conditions.
type matchJSON struct {
	Rank   int          `json:"rank"`
	Weight *float64     `json:"weight"`
	Path   string       `json:"path"`
	ID     string       `json:"id"`
	At     int          `json:"at"`
	Type   string       `json:"type"`
	Name   string       `json:"name"`
	Fields []tree.Field `json:"fields"`
	Text   string       `json:"text,omitempty"`
}

func (r *xpathResult) writeJSON(w io.Writer) error {
	out := xpathJSON{
		Query: r.query.String(), Profile: r.profile, Scorer: r.scorerName(), Matches: []matchJSON{}, Steps: r.Steps,
	}
	if r.scorer != nil {
		out.Text = r.text
	}
	for i, m := range r.Matches {
		j := matchJSON{
			Rank: i + 1, Path: r.path(m), ID: m.Node.ID, At: m.At,
			Type: m.Node.Type, Name: m.Node.Name(), Fields: append([]tree.Field{}, m.Node.Fields...), Text: m.Node.Text,
		}
		if r.scorer != nil {
			j.Weight = new(m.Weight)
		}
		out.Matches = append(out.Matches, j)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

// weightText writes a weight in full; empty for a query without conditions.
func (r *xpathResult) weightText(m semxpath.Match) string {
	if r.scorer == nil {
		return ""
	}
	return strconv.FormatFloat(m.Weight, 'g', -1, 64)
}

func (r *xpathResult) writeCSV(w io.Writer) error {
	rows := [][]string{{"rank", "weight", "path", "id", "type", "name", "scorer"}}
	for i, m := range r.Matches {
		rows = append(rows, []string{
			strconv.Itoa(i + 1), r.weightText(m), r.path(m), m.Node.ID, m.Node.Type, m.Node.Name(), r.scorerName(),
		})
	}
	return spreadsheet.NewWriter(w).WriteAll(rows)
}

// writeXML writes the matched subtrees, each in an element of its own below
// one root.
func (r *xpathResult) writeXML(w io.Writer) error {
	var b strings.Builder
	b.WriteString("<matches" + attribute("query", r.query.String()) + attribute("profile", r.profile))
	if r.scorer != nil {
		b.WriteString(attribute("scorer", r.scorer.name))
	}
	b.WriteString(">\n")
	for i, m := range r.Matches {
		b.WriteString("<match" + attribute("rank", strconv.Itoa(i+1)))
		if r.scorer != nil {
			b.WriteString(attribute("weight", r.weightText(m)))
		}
		b.WriteString(attribute("path", r.path(m)) + ">\n")
		text, err := tree.XML(m.Node, r.tree.Schema(), tree.WriteOptions{IDs: true, Indent: true})
		if err != nil {
			return err
		}
		b.WriteString(strings.TrimSuffix(text, "\n") + "\n</match>\n")
	}
	b.WriteString("</matches>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// attribute writes an attribute of XML with a blank before it.
func attribute(name, value string) string {
	var b strings.Builder
	b.WriteString(" " + name + `="`)
	_ = xml.EscapeText(&b, []byte(value)) // a Builder takes all
	b.WriteString(`"`)
	return b.String()
}
