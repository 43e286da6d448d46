package published

import (
	"math"
	"testing"

	"recallbench/internal/calc/lists"
)

// The kinds of checks of numbers, besides [Claim].
const (
	Average  Kind = "average"  // a mean over groups from the groups' cells
	Quotient Kind = "quotient" // a column that is the quotient of two others
	Repeat   Kind = "repeat"   // the same cell in another table
	Twins    Kind = "twins"    // rows that should differ and do not
)

// Each average of the audit is the mean of the groups' cells, weighted as the protocol
// says, and agrees with the printed one if rounding explains the difference.
func TestAveragesAreRecomputed(t *testing.T) {
	averages := lists.Filter(Audit(), func(c Check) bool { return c.Kind == Average })
	if len(averages) < 100 {
		t.Fatalf("%d averages", len(averages))
	}
	for _, c := range averages {
		table, err := Get(c.Table)
		if err != nil {
			t.Fatal(err)
		}
		row, _ := find(table.Rows, func(r Row) bool { return r.Key() == c.Row })
		cell, ok := find(row.Cells, func(cell Cell) bool { return cell.Name() == c.Cell })
		if !ok || cell.Printed != c.Printed {
			t.Errorf("%s, %s: %s is printed %q, in the audit %q", c.Table, c.Row, c.Cell, cell.Printed, c.Printed)
		}
		var sum, weights, rounding float64
		for _, p := range table.Parts {
			part, ok := row.Cell(p.Name, cell.Metric)
			if !ok {
				t.Fatalf("%s, %s: no cell of %s", c.Table, c.Row, p.Name)
			}
			weight := 1.0
			if table.Averaging == OverQuestions {
				weight = float64(p.N)
			}
			sum, weights, rounding = sum+weight*part.Value, weights+weight, rounding+weight*part.Rounding()
		}
		mean, tolerance := sum/weights, rounding/weights+cell.Rounding()
		agrees := math.Abs(mean-cell.Value) <= tolerance+1e-9
		if math.Abs(mean-*c.Recomputed) > 1e-9*max(1, mean) || math.Abs(tolerance-*c.Tolerance) > 1e-9*max(1, tolerance) || agrees != c.Agrees {
			t.Errorf("%s, %s, %s: recomputed %g ± %g, agrees %v; the audit has %g ± %g, %v", c.Table, c.Row, c.Cell, mean, tolerance, agrees, *c.Recomputed, *c.Tolerance, c.Agrees)
		}
	}
}

// The disagreements that readers of the xMemory paper have found by hand.
func TestAuditFindsWhatIsKnown(t *testing.T) {
	checks := Audit()
	for _, want := range []struct {
		kind             Kind
		table, row, cell string
		recomputed       float64
	}{
		{Repeat, "xmemory-table8", "Qwen3-8B, 12", "average semantics", 2879},
		{Quotient, "xmemory-table8", "Qwen3-8B, 12", "average semantics_per_theme", 4.51},
		{Claim, "xmemory-table4", "Qwen3-8B, +RepSel", "average f1", -0.13},
		{Claim, "xmemory-table4", "Qwen3-8B, +RepSel", "single-hop f1", -1.94},
		{Average, "xmemory-table1", "Qwen3-8B, Nemori", "average bleu1", 28.43},
		{Average, "xmemory-table1", "Qwen3-8B, Nemori", "average f1", 39.74},
		{Average, "xmemory-table1", "Llama-3.1-8B-Ins, A-Mem", "average bleu1", 21.25},
		{Average, "xmemory-table1", "GPT-5 nano, MemoryOS", "average bleu1", 26.61},
		{Average, "xmemory-table1", "GPT-5 nano, MemoryOS", "average f1", 30.31},
		{Average, "xmemory-table1", "GPT-5 nano, Nemori", "average f1", 48.15},
		{Average, "xmemory-table4", "Qwen3-8B, Memory-only", "average bleu1", 31.85},
		{Average, "xmemory-table5", "Qwen3-8B, RAG + Pruning", "average f1", 34.54},
		{Twins, "xmemory-table2", "Llama-3.1-8B-Ins, MemoryOS", "all scores", 0},
	} {
		found := false
		for _, c := range checks {
			if c.Kind != want.kind || c.Table != want.table || c.Row != want.row || c.Cell != want.cell || c.Agrees {
				continue
			}
			found = true
			if c.Recomputed != nil && math.Abs(*c.Recomputed-want.recomputed) > 0.005 {
				t.Errorf("%s, %s, %s: recomputed %g, want %g", c.Table, c.Row, c.Cell, *c.Recomputed, want.recomputed)
			}
		}
		if !found {
			t.Errorf("%s: %s, %s, %s is not found", want.kind, want.table, want.row, want.cell)
		}
	}
}
