package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/realdata"
)

const reproductionManual = "../../docs/reproduction.md"

// printed is what a command printed of methods, by row and column.
type printed map[string]map[string]report.Cell

// TestReproductionManual makes the runs of docs/reproduction.md and holds the page
// to what their tables print: -update writes the columns that are named for a
// metric, and the sentences with numbers have to be in it word for word. Below
// BENCH_LONG=0.05 that is the first table.
func TestReproductionManual(t *testing.T) {
	longtest.Skip(t)
	data := realdata.Datasets(t)
	text := read(t, reproductionManual)
	run := func(config string) string {
		dir := filepath.Join(t.TempDir(), "run")
		must(t, "run", filepath.Join("..", "..", "configs", config+".yaml"), "--data", data, "--out", dir, "--display", "none")
		return dir
	}
	table := func(name, dir string, args ...string) printed {
		p := printedBy(t, append([]string{"table", dir}, args...)...)
		if name != "" {
			text = p.fill(t, text, name)
		}
		return p
	}
	says := func(format string, args ...any) {
		t.Helper()
		want := fmt.Sprintf(format, args...)
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("docs/reproduction.md does not say %q", want)
		}
	}

	p := table("xmemory-table1", run("papers/xmemory-table1"), "--columns", "f1@mem0,tokens@xmemory,evidence-recall")
	says("xMemory shows more brings %.1f points of recall", *p["xMemory"]["evidence-recall"].Value-*p["Nemori"]["evidence-recall"].Value)
	if longtest.N(0, 10) == 0 { // the other tables take ten minutes
		golden.Check(t, filepath.Join("..", reproductionManual), text)
		return
	}

	dir := run("papers/xmemory-table4")
	p = table("xmemory-table4", dir, "--columns", "f1@mem0,tokens@xmemory")
	f1 := func(row string) float64 { return *p[row]["f1@mem0"].Value }
	says("%.1f points below, where the paper has 3.2 above", f1("Memory-only")-f1("xMemory"))
	says("Stage I adds %.1f points to Memory-only (paper: takes 0.1) and %.1f to +UncSion (adds 1.4)", f1("+RepSel")-f1("Memory-only"), f1("xMemory")-f1("+UncSion"))
	says("Stage II takes %.1f from Memory-only and %.1f from +RepSel (adds 1.8 and 3.3)", f1("Memory-only")-f1("+UncSion"), f1("+RepSel")-f1("xMemory"))
	lost := make([]float64, 0, 4)
	for _, row := range []string{"Memory-only", "+RepSel", "+UncSion", "xMemory"} {
		lost = append(lost, f1("Naive RAG")-f1(row))
	}
	says("All rows below Naive RAG: yes, by %.1f to %.1f points", slices.Min(lost), slices.Max(lost))
	whole, own := probesOf(t, dir, "xMemory"), probesOf(t, dir, "xMemory, include 0.03")
	says("the messages of %.1f episodes a question", whole.expanded)
	says("it takes %.2f of %.2f episodes that it tries", whole.included, whole.tried)
	says("of the gains %.1f %% are below 0 and %.1f %% at most -0.4", whole.below, whole.far)
	says("With a threshold of its own scale (0.03) it takes %.1f episodes a question", own.included)
	says("at the cost of %.1f points", f1("xMemory")-f1("xMemory, include 0.03"))

	table("xmemory-offline", run("xmemory-offline"), "--columns", "f1@mem0,evidence-recall")

	p = table("xmemory-table5", run("papers/xmemory-table5"), "--columns", "hit-2,hit-3+,covered,prefix-blocks,prefix-tokens,f1@mem0")
	says("it loses %.1f points of F1", f1("Naive RAG")-f1("RAG + Pruning"))

	p = table("xmemory-table6", run("papers/xmemory-table6"), "--columns", "f1@mem0,themes,reassigned,semantics")
	all := []float64{f1("w/o merge&split"), f1("w/o split"), f1("w/o merge"), f1("xMemory")}
	says("all four lie within %.1f points", slices.Max(all)-slices.Min(all))
	says("All rows have the same %s facts", p["xMemory"]["semantics"].Text)
	p = table("xmemory-table8", run("papers/xmemory-table8"), "--columns", "f1@mem0,semantics-per-theme")
	says("12 is the best here too, by %.1f points", f1("12")-max(f1("14"), f1("10"), f1("8")))
	table("xmemory-table2", run("papers/xmemory-table2"), "--columns", "f1@mem0,evidence-recall")

	dir = run("papers/semantic-anchoring-table1")
	fr := func(row string) float64 { return *p[row]["fr"].Value }
	p = table("semantic-anchoring-table1", dir, "--columns", "fr,dc@b3,evidence-recall")
	says("On MultiWOZ-Long by %.1f points of FR", fr("Semantic Anchoring")-fr("Entity-RAG"))
	table("semantic-anchoring-table4", dir, "--columns", "wrong,not-retrieved,partly-retrieved,not-used,coreference-wrong")
	table("semantic-anchoring-figure2", dir, "--by", "distance", "--columns", "fr")
	p = table("semantic-anchoring-table2", run("papers/semantic-anchoring-table2"), "--columns", "fr,dc@b3,evidence-recall")
	says("on DialogRE-L by %.1f over it", fr("Semantic Anchoring")-fr("Entity-RAG"))
	p = table("semantic-anchoring-table3", run("papers/semantic-anchoring-table3"), "--columns", "fr,dc@b3")
	says("confirmed in direction**, %.1f points of FR", fr("Full Model")-fr("without coreference resolution"))

	for _, name := range []string{"semantic-xpath-table1", "semantic-xpath-table2"} {
		table(name, run("papers/"+name), "--wide")
	}
	golden.Check(t, filepath.Join("..", reproductionManual), text)
}

// printedBy runs a command and reads the tables of methods that it prints.
func printedBy(t *testing.T, args ...string) printed {
	t.Helper()
	var doc report.Document
	if err := json.Unmarshal([]byte(must(t, append(args, "--format", "json")...).stdout), &doc); err != nil {
		t.Fatal(err)
	}
	p := make(printed)
	for _, table := range doc.Tables {
		columns := table.Columns
		wide := columns[0].Name == "source" // a paper's table, with published rows beside measured ones
		if wide {
			columns = columns[1:]
		}
		if columns[0].Name != "method" {
			continue
		}
		for _, row := range table.Rows {
			if wide {
				if !strings.HasPrefix(row[0].Text, "measured") {
					continue
				}
				row = row[1:]
			}
			if p[row[0].Text] == nil {
				p[row[0].Text] = make(map[string]report.Cell)
			}
			for i, c := range columns[1:] {
				p[row[0].Text][c.Name] = row[1+i]
			}
		}
	}
	return p
}

// fill writes the cells of the table in a part of a document whose column and row
// were printed.
func (p printed) fill(t *testing.T, doc, name string) string {
	t.Helper()
	_, rest, _ := strings.Cut(doc, "<!-- "+name+" -->\n")
	rest, _, _ = strings.Cut(rest, "<!-- end of "+name+" -->\n")
	lines := strings.Split(strings.TrimSpace(rest), "\n")
	heads := strings.Split(lines[0], "|")
	for i, line := range lines[2:] {
		cells := strings.Split(line, "|")
		row, ok := p[strings.TrimSpace(cells[1])]
		if !ok || len(cells) != len(heads) {
			t.Fatalf("%s: no row %s is printed, or it has not %d columns", name, strings.TrimSpace(cells[1]), len(heads)-2)
		}
		held := 0
		for j, head := range heads {
			if cell, ok := row[strings.TrimSpace(head)]; ok && j > 1 {
				cells[j] = " " + cell.Text + " "
				held++
			}
		}
		if held == 0 {
			t.Fatalf("%s: none of the columns%s is printed", name, lines[0])
		}
		lines[2+i] = strings.Join(cells, "|")
	}
	return part(t, doc, name, strings.Join(lines, "\n")+"\n")
}

// probes is what stage II of a row of xmemory did, as scripts/probes.sh prints it:
// episodes for a question, and shares of gains in percent.
type probes struct{ tried, included, expanded, below, far float64 }

func probesOf(t *testing.T, dir, method string) (p probes) {
	t.Helper()
	folder, h, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(h.Cells, func(c record.Cell) bool { return c.Method == method })
	if i < 0 {
		t.Fatalf("no cell of %s", method)
	}
	questions := 0.0
	for line, err := range record.Lines[record.Record](folder.Records(h.Cells[i].ID)) {
		if err != nil {
			t.Fatal(err)
		}
		questions++
		for _, step := range line.Value.Trace {
			all, ok := step.Data["tried"].([]any)
			if step.Name != "episodes" || !ok {
				continue
			}
			for _, x := range all {
				tried, ok := x.(map[string]any)
				if !ok {
					t.Fatalf("%s tried %v", method, x)
				}
				gain, _ := tried["gain"].(float64)
				p.tried++
				p.included += indicator(tried["included"] == true)
				p.expanded += indicator(tried["expanded"] == true)
				p.below += indicator(gain < 0)
				p.far += indicator(gain <= -0.4)
			}
		}
	}
	return probes{p.tried / questions, p.included / questions, p.expanded / questions, 100 * p.below / p.tried, 100 * p.far / p.tried}
}

func indicator(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
