package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A table too wide and too long for a page is continued: every cell is set once,
// below its head and beside its row's name.
func TestLaTeXContinued(t *testing.T) {
	const rows, numbers = 120, 30
	table := &Table{Name: "large", Title: "large", Columns: []Column{{Name: "method"}, {Name: "model", Parts: true}}, Notes: []string{strings.Repeat("a long note ", 300)}, TitleNotes: []int{1}}
	for n := range numbers {
		table.Columns = append(table.Columns, Column{Name: fmt.Sprintf("number %d", n), Number: true})
	}
	for r := range rows {
		row := []Cell{text(fmt.Sprintf("row %d of all", r)), text(fmt.Sprintf("model %d", r%2))}
		for n := range numbers {
			row = append(row, Cell{Text: fmt.Sprintf("%d.%02d", 1000+r, n), Value: new(float64(r))})
		}
		table.Rows = append(table.Rows, row)
	}
	s := render(t, &Document{Tables: []*Table{table}}, "latex")
	for r := range rows {
		for n := range numbers {
			if cell := fmt.Sprintf(" %d.%02d", 1000+r, n); strings.Count(s, cell) != 1 {
				t.Fatalf("%s is there %d times", cell, strings.Count(s, cell))
			}
		}
	}
	floats := strings.Count(s, `\begin{tabular}{`)
	if n := strings.Count(s, `\tablename~\ref{tab:large}, continued`); n != floats-1 || n < 5 {
		t.Errorf("%d of %d tables are continued", n, floats)
	}
	if n := strings.Count(s, "model 1"); n < floats/2 {
		t.Errorf("the model's name stands in %d of %d tables", n, floats)
	}
	for _, fault := range compile(t, "6.5in", s) {
		t.Error(fault)
	}
}

func TestTexLines(t *testing.T) {
	for _, c := range []struct {
		head  string
		width float64
		want  []string
	}{
		{"f1@mem0", 2, []string{"f1", "@mem0"}},
		{"f1@mem0", 5, []string{"f1@mem0"}},
		{"rouge-l@rouge_score", 2, []string{"rouge-l", "@rouge_score"}},
		{"multi-hop (282)", 3, []string{"multi-", "hop", "(282)"}},
		{"search.uncertainty", 2, []string{"search.", "uncertainty"}},
		{"p by samples (Holm)", 6, []string{"p by samples", "(Holm)"}},
		{"", 2, []string{""}},
	} {
		if diff := cmp.Diff(c.want, texLines(c.head, c.width)); diff != "" {
			t.Errorf("texLines(%q, %g) (-want +got):\n%s", c.head, c.width, diff)
		}
	}
}

// Numbers stand with their points below each other, whatever stands around them.
func TestTexNumbers(t *testing.T) {
	table := &Table{Columns: []Column{{Name: "x", Number: true}}}
	for _, c := range []Cell{
		{Text: "36.42 (1.50)", Best: true}, {Text: "-1.5"}, {Text: "+7", Notes: []int{2, 1}}, {Text: "~ 0.3210"}, {Text: "<0.0001", Mark: "***"}, {}, {Text: "1m30s"}, {Blank: true, Text: "4"},
	} {
		table.Rows = append(table.Rows, []Cell{c})
	}
	c := table.texColumn(0, make([]int, len(table.Rows)))
	var got []string
	for _, cell := range c.cells {
		got = append(got, cell.in(0))
	}
	want := []string{
		`\textbf{36.42}\phantom{10}~(1.50)`,
		`$-$1.5\phantom{210~(1.50)}`,
		`$+$7\phantom{.3210}\rlap{\textsuperscript{a,b}}\phantom{~(1.50)}`,
		`$\sim$0.3210\phantom{~(1.50)}`,
		`$<$0.0001\rlap{\textsuperscript{***}}\phantom{~(1.50)}`,
		`--\phantom{.3210~(1.50)}`,
		`1m30s`,
		``,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
}
