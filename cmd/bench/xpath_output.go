package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/tree"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/files/spreadsheet"
	"recallbench/internal/text/termsafe"
)

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
	fmt.Fprintf(&head, "query\t%s\n", termsafe.Text(r.query.String()))
	if r.scorer != nil {
		fmt.Fprintf(&head, "profile\t%s\nscorer\t%s\ntext\t%s\n", r.profile, termsafe.Text(r.scorer.name), r.text)
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
		fmt.Fprintf(&b, "%d\t%s%s\t%s\t%s\n", i+1, weight, termsafe.Text(r.path(m)), termsafe.Text(m.Node.ID), fieldsInBrief(m.Node))
	}
	return writeColumns(w, b.String())
}

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
	return jsonout.Indented(w, out)
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

// writeColumns aligns lines at tabs. No line ends with blanks.
func writeColumns(w io.Writer, text string) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	if _, err := io.WriteString(t, text); err != nil {
		return err
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(b.String()) {
		if _, err := io.WriteString(w, strings.TrimRight(line, " \n")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// writeSteps writes what each step did: the nodes that it selects with previous
// weight times score, and below each how the score came about. A star marks
// what leads to a match.
func (r *xpathResult) writeSteps(w io.Writer) error {
	var b strings.Builder
	for i, s := range r.Steps {
		fmt.Fprintf(&b, "\nstep %d  %s\n", i+1, termsafe.Text(s.Query))
		fmt.Fprintf(&b, "  %d reached, %d of the type, %d selected\n", s.Reached, s.Tested, s.Selected)
		for _, c := range s.Candidates {
			writeCandidate(&b, s, c)
		}
		if s.Omitted > 0 {
			fmt.Fprintf(&b, "  %d more nodes\n", s.Omitted)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeCandidate(b *strings.Builder, s semxpath.Step, c semxpath.Candidate) {
	mark := " "
	if c.Matched {
		mark = "*"
	}
	fmt.Fprintf(b, "%s ", mark)
	if s.Weighted {
		fmt.Fprintf(b, "%.4f = %.4f x %.4f  ", c.Weight, c.Previous, c.Score)
	}
	fmt.Fprintf(b, "%s  (%s)\n", termsafe.Text(c.Path), termsafe.Text(c.ID))
	if c.Sibling != "" {
		fmt.Fprintf(b, "    goes on with %s\n", termsafe.Text(c.Sibling))
	}
	if c.Detail != nil {
		writeDetail(b, *c.Detail, "    ")
	}
}

// writeDetail writes the score of a condition and, indented, those of its
// parts.
func writeDetail(b *strings.Builder, d semxpath.Detail, indent string) {
	fmt.Fprintf(b, "%s%.4f  %s", indent, d.Score, termsafe.Text(d.Condition))
	if d.Nodes != nil {
		fmt.Fprintf(b, "  %s of %d nodes", d.Operator, *d.Nodes)
	}
	b.WriteString("\n")
	if d.Text != "" {
		fmt.Fprintf(b, "%s        %s\n", indent, termsafe.Text(d.Text))
	}
	for _, of := range d.Of {
		writeDetail(b, of, indent+"  ")
	}
	for _, e := range d.Evidence {
		fmt.Fprintf(b, "%s  %s  (%s)\n", indent, termsafe.Text(e.Path), termsafe.Text(e.ID))
		writeDetail(b, e.Detail, indent+"    ")
	}
	if d.Omitted > 0 {
		fmt.Fprintf(b, "%s  %d more\n", indent, d.Omitted)
	}
}
