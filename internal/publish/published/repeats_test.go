package published

import "fmt"

// A repeat is a row of a table that another table prints again.
type repeat struct {
	table, row string // the row's label; the model is the table's own
	of         string
	model, as  string
}

// The rows that the papers print more than once.
var allRepeats = []repeat{
	{"xmemory-table3", "Naive RAG", "xmemory-table1", "Qwen3-8B", "Naive RAG"},
	{"xmemory-table3", "xMemory", "xmemory-table1", "Qwen3-8B", "xMemory"},
	{"xmemory-table4", "Naive RAG", "xmemory-table1", "Qwen3-8B", "Naive RAG"},
	{"xmemory-table4", "xMemory", "xmemory-table1", "Qwen3-8B", "xMemory"},
	{"xmemory-table5", "Naive RAG", "xmemory-table1", "Qwen3-8B", "Naive RAG"},
	{"xmemory-table5", "xMemory", "xmemory-table1", "Qwen3-8B", "xMemory"},
	{"xmemory-table5", "Naive RAG", "xmemory-table3", "Qwen3-8B", "Naive RAG"},
	{"xmemory-table5", "RAG + Pruning", "xmemory-table3", "Qwen3-8B", "RAG + Pruning"},
	{"xmemory-table5", "xMemory", "xmemory-table3", "Qwen3-8B", "xMemory"},
	{"xmemory-table6", "xMemory", "xmemory-table1", "Qwen3-8B", "xMemory"},
	{"xmemory-table8", "12", "xmemory-table1", "Qwen3-8B", "xMemory"},
	{"xmemory-table8", "12", "xmemory-table7", "Qwen3-8B", "xMemory"},
	{"semantic-anchoring-table3", "Full Model", "semantic-anchoring-table1", "GPT-3.5-turbo", "Semantic Anchoring"},
	{"semantic-anchoring-table3", "Dense-only (Vector RAG)", "semantic-anchoring-table1", "GPT-3.5-turbo", "Vector RAG"},
}

// repeats compares the cells that two tables print of the same row.
func (a *audit) repeats() {
	for _, rep := range allRepeats {
		t, r := a.row(rep.table, rep.model, rep.row)
		u, s := a.row(rep.of, rep.model, rep.as)
		if t == nil || u == nil {
			continue
		}
		shared := 0
		for _, c := range r.Cells {
			d, ok := u.same(s, t, c)
			if !ok {
				continue
			}
			shared++
			printed, other := t.number(r, c), u.number(s, d)
			if half(c.Printed) == half(d.Printed) {
				// Printed to the same digit, one number is printed one way.
				printed, other.lo, other.hi = whole(c.Value), d.Value, d.Value
				printed.from = place{t.Name, r.Key(), c.Name()}
			}
			a.compare(Repeat, printed.from, c.Printed, printed, other, fmt.Sprintf("%s, %s, %s", u.Name, s.Key(), d.Name()))
		}
		if shared == 0 {
			a.faults = append(a.faults, fmt.Errorf("%s, %s: no cell is in %s", rep.table, rep.row, rep.of))
		}
	}
}

// same returns the cell of row r that stands for the same thing as a cell of
// another table. A table without groups prints averages only.
func (t *Table) same(r Row, other *Table, c Cell) (Cell, bool) {
	group := c.Group
	switch {
	case t.Group == "" && group == other.Average:
		group = ""
	case t.Group != "" && group == "":
		group = t.Average
	}
	return r.Cell(group, c.Metric)
}

// row finds a row and records a fault where there is none.
func (a *audit) row(table, model, label string) (*Table, Row) {
	for _, t := range a.tables {
		if t.Name == table {
			if r, ok := t.Row(model, label); ok {
				return t, r
			}
		}
	}
	a.faults = append(a.faults, fmt.Errorf("%s has no row %s, %s", table, model, label))
	return nil, Row{}
}
