package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/publish/figure"
	"recallbench/internal/publish/report"
	"recallbench/internal/testkit/try"
)

func TestPlot(t *testing.T) {
	dir := smallRun(t)

	t.Run("list", func(t *testing.T) {
		want := `pareto    sample: quality against cost, stand-in
ablation  sample: methods and variants, stand-in
axes      not of sample: no method has rows that differ in an option
`
		if got := must(t, "plot", dir).stdout; got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	})
	t.Run("stdout", func(t *testing.T) {
		out := must(t, "plot", dir, "--figure", "pareto").stdout
		records, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil || !slices.ContainsFunc(records, func(r []string) bool { return r[1] == "Naive RAG" && r[8] == "8" }) {
			t.Errorf("%v:\n%s", err, out)
		}
		if svg := must(t, "plot", dir, "--figure", "pareto", "--format", "svg").stdout; !strings.Contains(svg, "<svg ") {
			t.Errorf("the SVG begins with %.20q", svg)
		}
	})
	t.Run("folder", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "figures")
		must(t, "plot", dir, "--out", out, "--format", strings.Join(figure.Formats(), ","))
		for _, name := range []string{"pareto-sample", "ablation-sample"} {
			for _, format := range figure.Formats() {
				if data, err := os.ReadFile(filepath.Join(out, name+"."+format)); err != nil || len(data) == 0 {
					t.Errorf("%d bytes, %v", len(data), err)
				}
			}
		}
	})
	t.Run("file", func(t *testing.T) {
		out := t.TempDir()
		must(t, "plot", dir, "--figure", "by", "--by", "category", "--columns", "f1@mem0,tokens-query", "--width", "7", "--out", filepath.Join(out, "a.tex"))
		must(t, "plot", dir, "--figure", "ablation", "--out", filepath.Join(out, "b.svg"))
		var names []string
		files := try.Get(os.ReadDir(out))(t)
		for _, f := range files {
			names = append(names, f.Name())
		}
		if want := []string{"a.csv", "a.tex", "b.csv", "b.svg"}; !slices.Equal(names, want) {
			t.Errorf("wrote %q, want %q", names, want)
		}
	})
}

// docs/tables.md holds all names of figures.
func TestFiguresDoc(t *testing.T) {
	doc := try.Get(os.ReadFile("../../docs/tables.md"))(t)
	names, _ := report.FigureNames()
	for _, name := range names {
		if !bytes.Contains(doc, []byte("`"+name+"`")) {
			t.Errorf("docs/tables.md does not name %s", name)
		}
	}
}
