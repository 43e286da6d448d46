package published

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/testkit/golden"
)

// TestAuditIsRecomputed recomputes the embedded findings.
func TestAuditIsRecomputed(t *testing.T) {
	checks, err := recompute()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	lines := json.NewEncoder(&b)
	lines.SetEscapeHTML(false)
	for _, c := range checks {
		if err := lines.Encode(c); err != nil {
			t.Fatal(err)
		}
	}
	golden.Check(t, "../data/audit.jsonl", b.String())
	if diff := cmp.Diff(checks, Audit()); diff != "" {
		t.Errorf("embedded findings (-recomputed +embedded):\n%s", diff)
	}
}

func TestAudit(t *testing.T) {
	number := func(x *float64) string {
		if x == nil {
			return ""
		}
		return fmt.Sprintf("%.5g", *x)
	}
	var b strings.Builder
	done, off := make(map[Kind]int), make(map[Kind]int)
	for _, c := range Audit() {
		done[c.Kind]++
		if c.Agrees {
			continue
		}
		off[c.Kind]++
		fmt.Fprintln(&b, strings.Join([]string{string(c.Kind), c.Table, c.Row, c.Cell, c.Printed, number(c.Recomputed), number(c.Tolerance), c.Note}, " | "))
	}
	for _, k := range Kinds() {
		fmt.Fprintf(&b, "%s: %d checks, %d disagree\n", k, done[k], off[k])
	}
	golden.Check(t, "audit.txt", b.String())
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

// The tolerance is what rounding allows and nothing more.
func TestTolerance(t *testing.T) {
	for _, c := range []struct {
		name      string
		printed   string
		computed  number
		tolerance float64
		agrees    bool
	}{
		{"same digits", "1.25", rounded("1.25"), 0.01, true},
		{"a mean of two, each half a unit off", "2.50", rounded("2.51").plus(rounded("2.51")).times(0.5), 0.01, true},
		{"beyond", "2.50", rounded("2.52").plus(rounded("2.51")).times(0.5), 0.01, false},
		{"a difference adds both errors", "0.30", rounded("1.02").minus(rounded("0.70")), 0.015, false},
		{"just within", "0.31", rounded("1.02").minus(rounded("0.70")), 0.015, true},
		{"exact counts have none but the printed quotient's", "4.48", whole(2879).over(whole(642)), 0.005, true},
		{"and the other count is beyond it", "4.48", whole(2897).over(whole(642)), 0.005, false},
		{"not a number", "1.0", rounded("n/a"), math.NaN(), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			printed := rounded(c.printed)
			if got := c.computed.tolerance(printed); math.Abs(got-c.tolerance) > 1e-9 || math.IsNaN(got) != math.IsNaN(c.tolerance) {
				t.Errorf("tolerance = %g, want %g", got, c.tolerance)
			}
			if got := c.computed.agrees(printed); got != c.agrees {
				t.Errorf("agrees = %v, want %v", got, c.agrees)
			}
		})
	}
}

// small returns a table of two groups with 1 and 3 questions, and its average.
func small(a, b, average string) *Table {
	row := Row{Model: "m", Label: "r"}
	for group, printed := range map[string]string{"x": a, "y": b, "all": average} {
		row.Cells = append(row.Cells, Cell{Group: group, Metric: "f1", Printed: printed, Value: rounded(printed).at})
	}
	return &Table{Name: "small", Rows: []Row{row}, Protocol: &Protocol{
		Parts: []Part{{"x", 1}, {"y", 3}}, Average: "all", Averaging: OverQuestions,
		Metrics: []Metric{{Name: "f1", Unit: Percent}},
	}}
}

func TestAverages(t *testing.T) {
	for _, c := range []struct {
		a, b, average string
		how           Averaging
		agrees        bool
	}{
		{"10.0", "20.0", "17.5", OverQuestions, true},
		{"10.0", "20.0", "17.6", OverQuestions, true},
		{"10.0", "20.0", "17.7", OverQuestions, false},
		{"10.0", "20.0", "15.0", OverQuestions, false},
		{"10.0", "20.0", "15.0", OverGroups, true},
	} {
		table := small(c.a, c.b, c.average)
		table.Averaging = c.how
		a := &audit{tables: []*Table{table}}
		a.averages(table)
		if len(a.checks) != 1 || a.checks[0].Agrees != c.agrees {
			t.Errorf("%+v: checks %+v", c, a.checks)
		}
	}
}

func TestTwinsAndSteps(t *testing.T) {
	table := &Table{Name: "rates", Protocol: &Protocol{
		Parts:   []Part{{"x", 20}, {"y", 20}, {"z", 20}},
		Metrics: []Metric{{Name: "pass", Unit: Percent, Binary: true}, {Name: "tokens", Unit: Tokens}},
	}}
	add := func(label, tokens string, rates ...string) {
		row := Row{Label: label, Cells: []Cell{{Metric: "tokens", Printed: tokens}}}
		for i, r := range rates {
			row.Cells = append(row.Cells, Cell{Group: table.Parts[i].Name, Metric: "pass", Printed: r, Value: rounded(r).at})
		}
		table.Rows = append(table.Rows, row)
	}
	add("a", "100", "10.0", "30.0", "64.0")
	add("b", "101", "10.0", "30.0", "64.0")
	add("c", "101", "10.0", "30.0", "66.0")
	a := &audit{tables: []*Table{table}}
	a.twins(table)
	a.steps(table)
	var got []string
	for _, c := range a.checks {
		got = append(got, fmt.Sprintf("%s %s %s %v: %s", c.Row, c.Cell, c.Printed, c.Agrees, c.Note))
	}
	want := []string{
		"b all scores 10.0, 30.0, 64.0 false: the same scores as a; but tokens is 100 there and 101 here; every rate of the table is a multiple of 2, so chance may do it",
		"c all scores 10.0, 30.0, 66.0 true: no earlier row has the same scores",
		"all rows x pass n = 20 true: every rate is a number of 20ths",
		"all rows y pass n = 20 true: every rate is a number of 20ths",
		"all rows z pass n = 20 false: no number of 20ths gives 64.0, 64.0, 66.0; recomputed is the smallest n that gives every rate",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("checks (-want +got):\n%s", diff)
	}
}

func TestClaimsAboutCellsThatAreNotThere(t *testing.T) {
	a := &audit{tables: List()}
	a.of("xmemory-table9").cell("m", "r", "", "f1")
	a.of("xmemory-table1").cell("Qwen3-8B", "Nemory", "average", "f1")
	a.of("xmemory-table1").cell("Qwen3-8B", "Nemori", "mean", "f1")
	var got []string
	for _, err := range a.faults {
		got = append(got, err.Error())
	}
	want := []string{
		"xmemory-table9 has no row m, r",
		"xmemory-table1 has no row Qwen3-8B, Nemory",
		"xmemory-table1, Qwen3-8B, Nemori: no cell mean f1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}
