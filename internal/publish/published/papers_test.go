package published

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

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

// printedNumber is a number of a text that is no part of a word: a percentage, a
// time, a mean or a deviation.
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
