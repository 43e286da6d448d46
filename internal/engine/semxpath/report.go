package semxpath

import (
	"fmt"
	"strings"

	"recallbench/internal/engine/tree"
	"recallbench/internal/text/termsafe"
)

// A Report is what a query selected in a tree, and how, as JSON and for people.
type Report struct {
	Query   string        `json:"query"`
	Profile Profile       `json:"profile"`
	Scorer  string        `json:"scorer,omitempty"` // empty for a query without conditions
	Matches []ReportMatch `json:"matches"`
	Steps   []Step        `json:"steps,omitempty"`
}

// A ReportMatch is a selected node.
type ReportMatch struct {
	Weight *float64     `json:"weight"` // null for a query without conditions
	Path   string       `json:"path"`   // for people: "Plan > Day 2"
	ID     string       `json:"id"`
	At     int          `json:"at"` // position of [tree.Walk]
	Type   string       `json:"type"`
	Name   string       `json:"name"`
	Fields []tree.Field `json:"fields"`
	Text   string       `json:"text,omitempty"`
}

// NewReport reports the result of a query of a profile over a whole tree. The scorer is a
// name for people.
func NewReport(q *Query, profile Profile, scorer string, t *tree.Tree, result Result) Report {
	r := Report{Query: q.String(), Profile: profile, Matches: []ReportMatch{}, Steps: result.Steps}
	if q.Conditions() {
		r.Scorer = scorer
	}
	for _, m := range result.Matches {
		n := m.Node
		found := ReportMatch{Path: tree.Label(t.Path(n.ID)), ID: n.ID, At: m.At, Type: n.Type, Name: n.Name(), Fields: append([]tree.Field{}, n.Fields...), Text: n.Text}
		if r.Scorer != "" {
			found.Weight = new(m.Weight)
		}
		r.Matches = append(r.Matches, found)
	}
	return r
}

// String writes the report for people, with tabs between columns.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "query\t%s\n", termsafe.Text(r.Query))
	if r.Scorer != "" {
		fmt.Fprintf(&b, "profile\t%s\nscorer\t%s\n", r.Profile, termsafe.Text(r.Scorer))
	}
	fmt.Fprintf(&b, "matches\t%d\n", len(r.Matches))
	b.WriteString(Explanation(r.Steps))
	if len(r.Matches) > 0 {
		b.WriteString("\n#\tWEIGHT\tPATH\tID\tFIELDS\n")
	}
	for i, m := range r.Matches {
		var fields []string
		for _, f := range append(m.Fields, tree.Field{Name: "text", Values: []string{m.Text}}) {
			if v := f.Value(); v != "" && v != m.Name && m.Type+" "+v != m.Name { // which the path says
				fields = append(fields, f.Name+": "+v)
			}
		}
		weight := "-"
		if m.Weight != nil {
			weight = fmt.Sprintf("%.4f", *m.Weight)
		}
		line := fmt.Sprintf("%d\t%s\t%s\t%s\t%s", i+1, weight, termsafe.Text(m.Path), termsafe.Text(m.ID), termsafe.Excerpt(strings.Join(fields, " | "), 60))
		b.WriteString(strings.TrimRight(line, "\t") + "\n")
	}
	return b.String()
}
