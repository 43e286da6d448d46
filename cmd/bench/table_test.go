package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/publish/published"
	"recallbench/internal/publish/report"
	"recallbench/internal/testkit/try"
	metricsuite "recallbench/metrics/suite"
)

// smallRun runs two methods over a part of the sample.
func smallRun(t *testing.T) string {
	t.Helper()
	config := write(t, "small.yaml", `
datasets: [{use: sample}]
methods: [{use: stateless}, {use: flat-rag, label: Naive RAG, options: {k: 3}}]
metrics: [f1@mem0, tokens]
published: [xmemory-table3]
`)
	dir := filepath.Join(t.TempDir(), "run")
	must(t, "run", config, "--out", dir, "--limit", "8", "--display", "none")
	return dir
}

func TestTable(t *testing.T) {
	dir := smallRun(t)

	text := must(t, "table", dir, "--by", "category", "--ci").stdout
	for _, want := range []string{"Naive RAG [", "f1@mem0 by category", "stand-in: no language model", "not measured: the table is about locomo, the run has sample"} {
		if !strings.Contains(text, want) {
			t.Errorf("the table has no %q:\n%s", want, text)
		}
	}
	if again := must(t, "table", dir, "--by", "category", "--ci").stdout; again != text {
		t.Error("the same table prints differently")
	}
	for _, none := range []string{"", "none"} {
		if text := must(t, "table", dir, "--published", none).stdout; strings.Contains(text, "xmemory") {
			t.Errorf("--published %q prints a published table:\n%s", none, text)
		}
	}

	records := try.Get(csv.NewReader(strings.NewReader(must(t, "table", dir, "--columns", "f1@mem0", "--published", "", "--format", "csv").stdout)).ReadAll())(t)
	if len(records) != 3 || records[2][1] != "Naive RAG" || !slices.Contains(records[0], "f1@mem0") || slices.Contains(records[0], "tokens-query") {
		t.Errorf("csv = %q", records)
	}

	doc := decode[report.Document](t, must(t, "table", dir, "--format", "json").stdout)
	if len(doc.Tables) != 3 || doc.Tables[0].Name != "sample" || doc.Tables[1].Name != "sample: tokens" || doc.Tables[2].Name != "xmemory-table3" {
		t.Errorf("json has %d tables", len(doc.Tables))
	}
}

// --out takes the format from the file's name and leaves nothing half-written.
func TestTableOut(t *testing.T) {
	dir := smallRun(t)
	file := filepath.Join(t.TempDir(), "table.md")
	if r := must(t, "table", dir, "--out", file); r.stdout != "" {
		t.Errorf("stdout has %q", r.stdout)
	}
	data := try.Get(os.ReadFile(file))(t)
	if want := must(t, "table", dir, "--format", "markdown").stdout; string(data) != want || !strings.HasPrefix(want, "### sample") {
		t.Errorf("file has\n%s\nwant\n%s", data, want)
	}
	r := run(t, "table", dir, "--out", filepath.Join(file, "below.md"))
	if r.code != exitUsage || !strings.Contains(r.stderr, file) {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
}

func TestPublished(t *testing.T) {
	list := must(t, "list", "published").stdout
	for _, name := range published.Names() {
		if !strings.Contains(list, name+"\n") {
			t.Errorf("the list has no %s", name)
		}
		must(t, "table", name)
	}
	if table := must(t, "table", "xmemory-table1", "--format", "markdown").stdout; !strings.Contains(table, "40.45") || !strings.Contains(table, "39.7438") {
		t.Errorf("the audit does not find Nemori's average:\n%s", table)
	}
}

// The columns that published metrics name are columns of this program, but for those
// whose names go on with that of a judge.
func TestPublishedColumns(t *testing.T) {
	later := []string{"pass", "fr", "dc@b3", "nugget@beam-int"}
	var have []string
	for _, m := range metricsuite.All() {
		for _, c := range m.Columns {
			have = append(have, c.Name)
		}
	}
	for _, table := range published.List() {
		for _, m := range table.Metrics {
			column := regexp.MustCompile(`@\d+$`).ReplaceAllString(m.Column, "") // of any rank
			if m.Column != "" && !slices.Contains(have, column) && !slices.Contains(later, m.Column) {
				t.Errorf("%s: metric %s is measured by %q, which is no column", table.Name, m.Name, m.Column)
			}
		}
	}
}

// TestChoosePublished reads --published with the tables of the config beside it.
func TestChoosePublished(t *testing.T) {
	for _, c := range []struct {
		chosen string
		want   []string
		all    bool
	}{
		{"", []string{"a"}, false},
		{"all", []string{"a"}, true},
		{"b,c", []string{"b", "c"}, false},
		{"all,b", []string{"b"}, true},
		{"none", nil, false},
	} {
		var o report.Options
		choosePublished(&o, strings.FieldsFunc(c.chosen, func(r rune) bool { return r == ',' }), []string{"a"})
		if !slices.Equal(o.Published, c.want) || o.AllReaders != c.all {
			t.Errorf("%q prints %q, all readers %v; want %q, %v", c.chosen, o.Published, o.AllReaders, c.want, c.all)
		}
	}
}
