package main

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"recallbench/datasets/board"
	"recallbench/internal/publish/figure"
	"recallbench/internal/publish/published"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/realdata"
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
	has(t, "the table", text, "Naive RAG [", "f1@mem0 by category", "stand-in: no language model", "not measured: the table is about locomo, the run has sample")
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

func TestPublished(t *testing.T) {
	list := must(t, "list", "published").stdout
	for _, name := range published.Names() {
		has(t, "the list", list, name+"\n")
		must(t, "table", name)
	}
	has(t, "the audit does not find Nemori's average", must(t, "table", "xmemory-table1", "--format", "markdown").stdout, "40.45", "39.7438")
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
		has(t, "the SVG", must(t, "plot", dir, "--figure", "pareto", "--format", "svg").stdout, "<svg ")
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
	names, _ := report.FigureNames()
	for _, name := range names {
		has(t, "docs/tables.md", read(t, "../../docs/tables.md"), "`"+name+"`")
	}
}

// boardRows runs board and returns its cells by system and column.
func boardRows(t *testing.T, args ...string) (title string, rows map[string]map[string]string) {
	t.Helper()
	doc := decode[report.Document](t, must(t, append([]string{"table", "board", "--format", "json"}, args...)...).stdout)
	rows = make(map[string]map[string]string)
	for _, row := range doc.Tables[0].Rows {
		cells := make(map[string]string)
		for i, c := range doc.Tables[0].Columns {
			cells[c.Name] = row[i].Text
		}
		rows[row[0].Text] = cells
	}
	return doc.Tables[0].Title, rows
}

// TestBoard scores the published answers at hand: what sources claim comes out, and
// docs/board.md and the README have the rows.
func TestBoard(t *testing.T) {
	longtest.Skip(t)
	data := realdata.Datasets(t)
	// The conversations of a system that answers every question with the gold answer,
	// in a form of its own.
	conversations := decode[[]struct {
		QA []struct {
			Question string
			Answer   any
			Category int
		}
	}](t, read(t, filepath.Join(data, "locomo", "locomo10.json")))
	mine := make(map[string][]map[string]any)
	for i, c := range conversations {
		for j, qa := range c.QA {
			if qa.Category != 5 && (i > 0 || j > 0) { // one is missing
				mine[fmt.Sprint("talk_", i)] = append(mine[fmt.Sprint("talk_", i)], map[string]any{"ask": qa.Question, "said": map[string]any{"text": fmt.Sprint(qa.Answer)}, "ok": true})
			}
		}
	}
	raw := try.Get(json.Marshal(mine))(t)
	file, layout := write(t, "mine.json", string(raw)), write(t, "mine.yaml", "name: mine\nitems: \"*[*]\"\ncluster: \"@1\"\nquestion: ask\nanswer: said.text\nverdicts: [{judge: mine, path: ok}]\n")
	cards := write(t, "cards.yaml", fmt.Sprintf("- {system: Mine, dataset: locomo, source: here, licence: none, claimed: 100, layout: %q, read: %q}\n", layout, file))
	title, rows := boardRows(t, "--data", data, "--cards", cards)
	if !strings.HasPrefix(title, "Mine has the best answers, significantly better than all others") {
		t.Errorf("title %q", title)
	}
	if r := rows["Mine"]; r["rank"] != "1" || r["missing"] != "1" || r["own-judge"] != "99.94" {
		t.Errorf("a system of one's own: %v", r)
	}
	pages := map[string]string{"docs/board.md": read(t, "../../docs/board.md"), "README.md": read(t, "../../README.md")}
	seen := 0
	for _, c := range board.Shipped() {
		r := rows[c.Label()]
		if r == nil {
			t.Logf("%s is not here", c.Label())
			continue
		}
		seen++
		var judged float64
		if _, err := fmt.Sscan(r["own-judge"], &judged); err != nil || math.Abs(judged-*c.Claimed) > 0.15 {
			t.Errorf("%s: its judge says %s, it claims %g", c.Label(), r["own-judge"], *c.Claimed)
		}
		for name, text := range pages {
			if !hasRow(text, c.Label(), r["f1@span"], r["own-judge"], r["words"], r["f1@mem0"]) {
				t.Errorf("%s has another row of %s than %v", name, c.Label(), r)
			}
		}
	}
	if seen < 7 {
		t.Errorf("%d systems, want at least 7", seen)
	}
}

// hasRow reports whether a page has a row of a table that begins with a name and has all
// cells.
func hasRow(page, name string, cells ...string) bool {
	for line := range strings.Lines(page) {
		if rest, ok := strings.CutPrefix(line, "| "+name); ok {
			found := true
			for _, c := range cells {
				found = found && strings.Contains(rest, " "+c+" |")
			}
			return found
		}
	}
	return false
}

// TestQuickstartTicks: no answer of the quickstart is right that lacks a number of its gold
// answer, such as the day of a date.
func TestQuickstartTicks(t *testing.T) {
	dir := runOf(t, "../../configs/quickstart.yaml")
	header := header(t, dir)
	run := try.Get(scored.Open(record.Folder(dir), header))(t)
	right := 0
	for _, c := range header.Cells {
		for q := range try.Each(t, run.Requests(c)) {
			if q.Outcome("") != scored.Right {
				continue
			}
			right++
			for _, number := range regexp.MustCompile(`\d+`).FindAllString(q.Gold.Answer, -1) {
				has(t, q.Gold.Question, q.Record.Answer, number)
			}
		}
	}
	if right < 10 {
		t.Errorf("%d answers are right, want more", right)
	}
}

func TestReport(t *testing.T) {
	dir := smallRun(t)
	file := filepath.Join(dir, "report.html")
	if got := must(t, "report", dir).stdout; got != file+"\n" {
		t.Errorf("bench report prints %q, want the file's path", got)
	}
	first := try.Get(os.ReadFile(file))(t)
	for want, part := range map[string]string{
		`"judging":{"by":"","column":"f1@mem0"}`: "index", "Naive RAG": "overview", "stand-in: no language model": "tables", "f1@mem0 by category": "tables", `"config":`: "settings", `"svg":`: "figures",
	} {
		has(t, part, reportPart(t, first, part), want)
	}
	if want := "<title>small</title>"; !strings.Contains(string(first), want) {
		t.Errorf("the page has no %q", want)
	}
	must(t, "report", dir)
	if again, err := os.ReadFile(file); err != nil || string(again) != string(first) {
		t.Errorf("the same run gives another page the second time (%v)", err)
	}

	out := filepath.Join(t.TempDir(), "page.html")
	must(t, "report", dir, "--out", out, "--anonymous")
	page := try.Get(os.ReadFile(out))(t)
	for _, bad := range []string{`"config":`, `"argv"`} {
		if strings.Contains(reportPart(t, page, "settings"), bad) {
			t.Errorf("the settings have %q", bad)
		}
	}

	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{dir, dir}, "several runs need --out"},
		{[]string{dir, dir, "--out", out}, dir + " is named twice"},
		{[]string{dir, "--column", "f1@mem0"}, "no column decides which answers are right"},
		{[]string{t.TempDir()}, "is not a run folder"},
	} {
		refused(t, c.want, append([]string{"report"}, c.args...)...)
	}
}

// reportPart inflates a data element of a report.
func reportPart(t *testing.T, page []byte, name string) string {
	t.Helper()
	_, rest, _ := strings.Cut(string(page), `id="_`+name+`">`)
	text, _, _ := strings.Cut(rest, "</script>")
	r := try.Get(gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text))))(t)
	return string(try.Get(io.ReadAll(r))(t))
}
