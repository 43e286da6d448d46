package published

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"recallbench/internal/calc/lists"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// Every line of every file is a cell, and every embedded file is a table.
func TestNothingIsLeftOut(t *testing.T) {
	files := try.Get(data.ReadDir("data"))(t)
	lines := make(map[string]int)
	for _, f := range files {
		content := try.Get(data.ReadFile("data/" + f.Name()))(t)
		records := try.Get(csv.NewReader(bytes.NewReader(content)).ReadAll())(t)
		lines[f.Name()] = len(records) - 1
	}
	for _, table := range List() {
		cells := 0
		for _, r := range table.Rows {
			cells += len(r.Cells)
		}
		lines[table.File] -= cells
	}
	for name, left := range lines {
		if left != 0 {
			t.Errorf("%s: %d lines more than cells in tables", name, left)
		}
	}
}

// The files of secondary sources are embedded as they were published; the cells of the others
// are held to the papers.
func TestDataIsAsPublished(t *testing.T) {
	dir := realdata.Published(t)
	for _, table := range List() {
		if table.Paper.Secondary == "" {
			continue
		}
		want := try.Get(os.ReadFile(filepath.Join(dir, "field", table.File)))(t)
		if got := try.Get(data.ReadFile("data/" + table.File))(t); !bytes.Equal(got, want) {
			t.Errorf("%s is not as published", table.File)
		}
	}
}

// A protocol covers its table: methods, readers and groups of all rows.
func TestProtocolsCoverTables(t *testing.T) {
	for _, table := range List() {
		if table.Paper.Citation() == "" || table.Number == "" || table.Title == "" {
			t.Errorf("%s lacks a citation, number or title", table.Name)
		}
		for _, r := range table.Rows {
			for i, c := range r.Cells {
				if _, ok := table.Metric(c.Metric); !ok {
					t.Errorf("%s: metric %q is not in the protocol", table.Name, c.Metric)
				}
				if slices.ContainsFunc(r.Cells[:i], func(other Cell) bool { return other.Name() == c.Name() }) || c.Line < 1 && table.Paper.Secondary == "" {
					t.Errorf("%s, %s: %s is there twice, or has no line", table.Name, r.Key(), c.Name())
				}
			}
			if r.Model == "" {
				continue
			}
			if _, ok := table.Reader(r.Model); !ok {
				t.Errorf("%s: reader %q is not in the protocol", table.Name, r.Model)
			}
			if m, ok := table.Method(r); !ok || m.Use == "" {
				t.Errorf("%s: method %q is not in the protocol", table.Name, r.Label)
			}
		}
		for _, g := range table.Groups() {
			known := slices.ContainsFunc(table.Parts, func(p Part) bool { return p.Name == g })
			if g != "" && g != table.Average && !known {
				t.Errorf("%s: group %q is not in the protocol", table.Name, g)
			}
		}
	}
}

func TestGet(t *testing.T) {
	table := try.Get(Get("XMemory-Table1"))(t)
	row, _ := find(table.Rows, func(r Row) bool { return r.Key() == "Qwen3-8B, Naive RAG" })
	c, _ := row.Cell("temporal", "f1")
	try.Equal(t, "cell", Cell{Group: "temporal", Metric: "f1", Printed: "21.18", Value: 21.18, Line: 129}, c)
	for _, of := range []struct {
		group, metric string
		want          int
	}{{"temporal", "f1", 321}, {"average", "f1", 1540}, {"average", "tokens_per_query", 1986}} {
		m, _ := table.Metric(of.metric)
		try.Equal(t, "questions of "+of.metric+", "+of.group, of.want, table.N(of.group, m))
	}
	if _, err := Get("xmemory-tabel1"); err == nil || !strings.Contains(err.Error(), `did you mean "xmemory-table1"?`) {
		t.Errorf("error = %v", err)
	}
}

// Each average of the audit is the mean of the groups' cells, weighted as the protocol
// says, and agrees with the printed one if rounding explains the difference.
func TestAveragesAreRecomputed(t *testing.T) {
	averages := lists.Filter(Audit(), func(c Check) bool { return c.Kind == "average" })
	if len(averages) < 100 {
		t.Fatalf("%d averages", len(averages))
	}
	for _, c := range averages {
		table := try.Get(Get(c.Table))(t)
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

// printedAs has the names of rows that the papers print in another way, some in
// one table only.
var printedAs = map[string]string{
	"Semantic XPath (Sem)": "Semantic XPath\t<i>Sem</i>", "Semantic XPath (Entail)": "Semantic XPath\t<i>Entail</i>",
	"without discourse tagging": "– Discourse Tagging", "without coreference resolution": "– Coreference Resolution", "without dependency parsing": "– Dependency Parsing",
	"dense_search_ms": "dense search", "symbolic_search_ms": "symbolic search", "fusion_ms": "fusion",
	"xmemory-table3: xMemory": "Ours", "xmemory-table7: xMemory": "Full",
	"xmemory-figure4: RAG + Pruning": "reduces", // a sentence, whose subject stands on the page before
}

// TestCellsAreInPapers reads every cell back from its line of the paper's text:
// the line names the row, and the numbers that it holds are the row's cells with
// their deviations, in order and all of them.
func TestCellsAreInPapers(t *testing.T) {
	dir := realdata.Papers(t)
	texts := make(map[string][]string)
	for _, table := range List() {
		if table.Paper.Secondary != "" {
			continue
		}
		name := table.Paper.Text()
		if texts[name] == nil {
			text := try.Get(os.ReadFile(filepath.Join(dir, name)))(t)
			texts[name] = strings.Split(string(text), "\n")
		}
		byLine, numbers := make(map[int][]string), make(map[int][]string)
		for _, r := range table.Rows {
			for _, c := range r.Cells {
				if c.Line > len(texts[name]) {
					t.Fatalf("%s: %s, %s: %s has no line %d", table.Name, r.Key(), c.Name(), name, c.Line)
				}
				byLine[c.Line] = append(byLine[c.Line], c.Printed)
				if c.StDev != "" {
					byLine[c.Line] = append(byLine[c.Line], c.StDev)
				}
			}
			line, label := texts[name][r.Cells[0].Line-1], r.Label
			label = cmp.Or(printedAs[table.Name+": "+label], printedAs[label], label)
			_, rest, ok := strings.Cut(line, label)
			if !ok {
				t.Errorf("%s:%d: %s: no %q in %q", name, r.Cells[0].Line, table.Name, label, line)
			}
			if _, sentence := numbers[r.Cells[0].Line]; sentence {
				rest = line // of several rows
			}
			numbers[r.Cells[0].Line] = numbersOf(rest)
			if model := modelOf(texts[name], r.Cells[0].Line); table.Reads == "" && r.Model != "" && !strings.HasPrefix(r.Model, model) {
				t.Errorf("%s:%d: %s: the row is of %q, want %q", name, r.Cells[0].Line, table.Name, model, r.Model)
			}
		}
		for line, want := range byLine {
			if diff := gocmp.Diff(want, numbers[line]); diff != "" {
				t.Errorf("%s:%d: %s (-embedded +printed):\n%s", name, line, table.Name, diff)
			}
		}
	}
}

// modelOf returns what the nearest line that does not begin with a tab, from one
// upwards, begins with: the model of a table whose rows of a model stand together.
func modelOf(lines []string, line int) string {
	for line > 1 && strings.HasPrefix(lines[line-1], "\t") {
		line--
	}
	model, _, _ := strings.Cut(lines[line-1], "\t")
	return model
}

// printedNumber matches a number that stands alone in a text: a percentage, a time, a mean
// or a standard deviation.
var printedNumber = regexp.MustCompile(`(?:^|[\s(]|\\sim)([0-9][0-9,]*(?:\.[0-9]+)?)(?:%|ms)?[).,]*(?:\s|$)`)

// numbersOf returns the numbers of a line, without commas in thousands.
func numbersOf(line string) []string {
	var all []string
	for word := range strings.FieldsSeq(line) {
		if m := printedNumber.FindStringSubmatch(word); m != nil {
			all = append(all, strings.ReplaceAll(m[1], ",", ""))
		}
	}
	return all
}
