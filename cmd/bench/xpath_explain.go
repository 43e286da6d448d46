package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"recallbench/internal/plain"
	"recallbench/internal/semxpath"
)

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
		fmt.Fprintf(&b, "\nstep %d  %s\n", i+1, plain.Text(s.Query))
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
	fmt.Fprintf(b, "%s  (%s)\n", plain.Text(c.Path), plain.Text(c.ID))
	if c.Sibling != "" {
		fmt.Fprintf(b, "    goes on with %s\n", plain.Text(c.Sibling))
	}
	if c.Detail != nil {
		writeDetail(b, *c.Detail, "    ")
	}
}

// writeDetail writes the score of a condition and, indented, those of its
// parts.
func writeDetail(b *strings.Builder, d semxpath.Detail, indent string) {
	fmt.Fprintf(b, "%s%.4f  %s", indent, d.Score, plain.Text(d.Condition))
	if d.Nodes != nil {
		fmt.Fprintf(b, "  %s of %d nodes", d.Operator, *d.Nodes)
	}
	b.WriteString("\n")
	if d.Text != "" {
		fmt.Fprintf(b, "%s        %s\n", indent, plain.Text(d.Text))
	}
	for _, of := range d.Of {
		writeDetail(b, of, indent+"  ")
	}
	for _, e := range d.Evidence {
		fmt.Fprintf(b, "%s  %s  (%s)\n", indent, plain.Text(e.Path), plain.Text(e.ID))
		writeDetail(b, e.Detail, indent+"    ")
	}
	if d.Omitted > 0 {
		fmt.Fprintf(b, "%s  %d more\n", indent, d.Omitted)
	}
}
