package semxpath

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/tree"
	"recallbench/internal/text/termsafe"
)

// maxDetails is how many conditions on nodes an explanation shows, in all steps.
const maxDetails = 5000

// A Step is what one step of a query did, for people and viewers to read.
type Step struct {
	Query string `json:"query"` // the step with its axis, in the canonical spelling
	// Reached counts the nodes that the axis leads to, Tested those of the type,
	// and Selected those at the position.
	Reached  int `json:"reached"`
	Tested   int `json:"tested"`
	Selected int `json:"selected"`
	// Weighted is set if the step has a condition.
	Weighted bool `json:"weighted"`
	// Candidates are the selected nodes in document order. If there are many,
	// those that lead to a match are shown, and then the heaviest; Omitted
	// counts the others.
	Candidates []Candidate `json:"candidates"`
	Omitted    int         `json:"omitted,omitempty"`
}

// A Candidate is a node that a step selects, and how its weight continues.
type Candidate struct {
	ID   string `json:"id"`
	Path string `json:"path"` // for people: "Plan > Day 2"
	At   int    `json:"at"`   // position of [tree.Walk]
	// Weight is Previous, from the nodes above, times Score, the value of the
	// step's condition for the node: 1 without a condition.
	Previous float64 `json:"previous"`
	Score    float64 `json:"score"`
	Weight   float64 `json:"weight"`
	// Sibling is the path of the node that replaces this one for [@+k]; empty
	// if there is none.
	Sibling string `json:"sibling,omitempty"`
	// Matched is set if the node, or one below it, is among the matches.
	Matched bool    `json:"matched"`
	Detail  *Detail `json:"detail,omitempty"` // how Score came about
}

// A Detail is a condition on a node and its relevance, with that of its parts.
type Detail struct {
	Condition string `json:"condition"` // in the canonical spelling
	// Operator is "~=", "=", "1-", "*", "avg", "min", "max" or "gmean".
	Operator string  `json:"operator"`
	Score    float64 `json:"score"`
	// Text is what ~= and = looked at, cut when it is long.
	Text string `json:"text,omitempty"`
	// Of are the conditions that an operator joins.
	Of []Detail `json:"of,omitempty"`
	// Nodes counts the nodes of evidence that an aggregation joins, and
	// Evidence has the first of them.
	Nodes    *int       `json:"nodes,omitempty"`
	Evidence []Evidence `json:"evidence,omitempty"`
	Omitted  int        `json:"omitted,omitempty"`
}

// An Evidence is a node that an aggregation looks at.
type Evidence struct {
	ID     string `json:"id"`
	Path   string `json:"path"`
	At     int    `json:"at"`
	Detail Detail `json:"detail"`
}

// An explainer writes steps from what an evaluation left behind.
type explainer struct {
	e      *evaluation
	cursor *cursor
	left   int // details that may still be written
}

func (e *evaluation) explain(matches []Match) []Step {
	x := explainer{e: e, cursor: newCursor(e.root), left: maxDetails}
	at := lists.Map(matches, func(m Match) int { return m.At })
	slices.Sort(at)
	steps := make([]Step, len(e.stages))
	for i := range e.stages {
		steps[i] = x.step(&e.stages[i], at)
	}
	return steps
}

func (x *explainer) step(st *stage, matched []int) Step {
	s := Step{
		Query: st.step.String(), Reached: st.reached, Tested: st.tested, Selected: len(st.nodes),
		Weighted: st.step.cond != nil, Candidates: []Candidate{},
	}
	leads := make([]bool, len(st.nodes))
	moved := make([]*Match, len(st.nodes))
	for i := range st.moved {
		moved[st.anchors[i]] = &st.moved[i]
	}
	for i := range st.nodes {
		next := moved[i]
		if st.step.sibling == 0 {
			next = &st.nodes[i]
		}
		leads[i] = next != nil && contains(next, matched)
	}
	shown := choose(st.nodes, leads, x.e.o.Explain)
	s.Omitted = len(st.nodes) - len(shown)
	for _, i := range shown {
		m := st.nodes[i]
		c := Candidate{
			ID: m.Node.ID, Path: tree.Label(x.cursor.seek(m.At)), At: m.At,
			Score: 1, Weight: m.Weight, Previous: m.Weight, Matched: leads[i],
		}
		if st.step.cond != nil {
			c.Score = x.e.scoring.clamp(x.e.scoring.relevance(st.outcomes[i]))
			c.Previous = st.previous[i]
			if x.left > 0 {
				c.Detail = new(x.detail(st.outcomes[i]))
			}
		}
		if moved[i] != nil {
			c.Sibling = tree.Label(x.cursor.seek(moved[i].At))
		}
		s.Candidates = append(s.Candidates, c)
	}
	return s
}

// contains reports whether one of the positions, in order, is that of a node or
// below it.
func contains(m *Match, positions []int) bool {
	i, _ := slices.BinarySearch(positions, m.At)
	return i < len(positions) && positions[i] < m.end()
}

// choose returns the indexes of the at most so many nodes that are shown, in order.
func choose(nodes []Match, leads []bool, most int) []int {
	all := make([]int, len(nodes))
	for i := range all {
		all[i] = i
	}
	if len(all) <= most {
		return all
	}
	slices.SortStableFunc(all, func(a, b int) int {
		switch {
		case leads[a] == leads[b]:
			return cmp.Compare(nodes[b].Weight, nodes[a].Weight)
		case leads[a]:
			return -1
		}
		return 1
	})
	all = all[:most]
	slices.Sort(all)
	return all
}

// detail says how the relevance of a condition on a node came about.
func (x *explainer) detail(o outcome) Detail {
	x.left--
	d := Detail{Condition: o.cond.String(), Operator: string(o.cond.op), Score: x.e.scoring.relevance(o)}
	switch {
	case o.pair < 0:
		v, _ := attribute(o.node, o.cond.attr)
		d.Text = excerpt(v)
	case o.cond.match():
		d.Text = excerpt(x.e.scoring.pairs[o.pair].Text)
	case o.cond.evidence == nil:
		d.Of = lists.Map(o.of, x.detail)
	default:
		d.Nodes = new(len(o.of))
		for i, of := range o.of {
			if i >= x.e.o.Explain || x.left <= 0 {
				d.Omitted = len(o.of) - i
				break
			}
			v := Evidence{ID: of.node.ID, Path: tree.Label(x.cursor.seek(int(of.at))), At: int(of.at)}
			v.Detail = x.detail(of)
			d.Evidence = append(d.Evidence, v)
		}
	}
	return d
}

// Explanation describes for people what each step did: the nodes that it selects with
// previous weight times score, and below each how the score came about. A star marks what
// leads to a match.
func Explanation(steps []Step) string {
	var b strings.Builder
	for i, s := range steps {
		fmt.Fprintf(&b, "\nstep %d  %s\n  %d reached, %d of the type, %d selected\n", i+1, termsafe.Text(s.Query), s.Reached, s.Tested, s.Selected)
		for _, c := range s.Candidates {
			mark := map[bool]string{true: "*", false: " "}[c.Matched]
			fmt.Fprintf(&b, "%s %.4f = %.4f x %.4f  %s  (%s)\n", mark, c.Weight, c.Previous, c.Score, termsafe.Text(c.Path), termsafe.Text(c.ID))
			if c.Sibling != "" {
				fmt.Fprintf(&b, "    goes on with %s\n", termsafe.Text(c.Sibling))
			}
			if c.Detail != nil {
				writeDetail(&b, *c.Detail, "    ")
			}
		}
		if s.Omitted > 0 {
			fmt.Fprintf(&b, "  %d more nodes\n", s.Omitted)
		}
	}
	return b.String()
}

// writeDetail writes the score of a condition and, indented, those of its parts.
func writeDetail(b *strings.Builder, d Detail, indent string) {
	nodes := ""
	if d.Nodes != nil {
		nodes = fmt.Sprintf("  %s of %d nodes", d.Operator, *d.Nodes)
	}
	fmt.Fprintf(b, "%s%.4f  %s%s\n", indent, d.Score, termsafe.Text(d.Condition), nodes)
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
