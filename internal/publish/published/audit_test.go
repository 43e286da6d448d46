package published

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/calc/lists"
	"recallbench/internal/testkit/try"
)

// TestAuditIsRecomputed recomputes the embedded findings about numbers of tables.
func TestAuditIsRecomputed(t *testing.T) {
	checks := try.Get(recompute())(t)
	embedded := lists.Filter(Audit(), func(c Check) bool { return c.Kind != Claim })
	if diff := cmp.Diff(checks, embedded); diff != "" || len(Audit()) == len(embedded) {
		t.Errorf("%d embedded claims; embedded findings (-recomputed +embedded):\n%s", len(Audit())-len(embedded), diff)
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
