package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// TestFetchedData has what bench data lists and counts in the real files.
func TestFetchedData(t *testing.T) {
	longtest.Skip(t)
	dir := realdata.Datasets(t)
	list, _, _ := strings.Cut(must(t, "data", "list", "--data", dir).stdout, "\n\n")
	golden.Check(t, "data_list.txt", list+"\n")
	golden.Check(t, "data_errata_locomo-audit.txt", must(t, "data", "errata", "locomo-audit", "--data", dir).stdout)
	for _, name := range []string{"locomo", "multiwoz-long", "dialogre-l"} {
		golden.Check(t, "data_stats_"+name+".txt", must(t, "data", "stats", name, "--data", dir).stdout)
	}
}

// TestDataManualExamples loads what docs/data.md shows of jsonl.
func TestDataManualExamples(t *testing.T) {
	data := try.Get(os.ReadFile(filepath.Join("..", "..", "docs", "data.md")))(t)
	t.Chdir(t.TempDir())
	example := fenced(t, string(data), "```jsonl\n")
	put(t, "chat.jsonl", []byte(example))
	put(t, "questions.jsonl", []byte("\n"))
	got := must(t, "data", "stats", "jsonl", "--options", "{files: [chat.jsonl, questions.jsonl]}").stdout
	if want := "questions         3\n"; !strings.Contains(got, want) {
		t.Errorf("the example has not %q:\n%s", want, got)
	}
	_, rest, _ := strings.Cut(string(data), "Questions may stand anywhere")
	if _, err := config.Parse("data.md", []byte(fenced(t, rest, "```yaml\n")), suite.Plugins()); err != nil {
		t.Errorf("the run file for jsonl: %v", err)
	}
}

// TestDataManualErrata checks the errata that docs/data.md shows.
func TestDataManualErrata(t *testing.T) {
	data := try.Get(os.ReadFile(filepath.Join("..", "..", "docs", "data.md")))(t)
	t.Chdir(t.TempDir())
	_, rest, _ := strings.Cut(string(data), "<!-- own errata -->")
	example := fenced(t, rest, "```json\n")
	put(t, "mine.jsonl", []byte(example))
	got := must(t, "data", "errata", "mine.jsonl").stdout
	if want := "matched                2"; !strings.Contains(got, want) {
		t.Errorf("the example has not %q:\n%s", want, got)
	}
	// The fault that it shows: an entry with the text of another question.
	put(t, "mine.jsonl", []byte(strings.Replace(strings.Replace(example, `"nadia-owen/q1"`, `"nadia-owen/q3"`, 1), `"nadia-owen/q2"`, `"nadia-owen/q1"`, 1)))
	got = strings.TrimSpace(run(t, "data", "errata", "mine.jsonl").stderr)
	if _, last, _ := strings.Cut(got, "\n"); last == "" || !strings.Contains(rest, strings.TrimPrefix(last, "bench: ")) {
		t.Errorf("the manual does not show the last fault:\n%s", got)
	}
}

// TestDataManualSuite loads the suite that docs/data.md shows.
func TestDataManualSuite(t *testing.T) {
	data := try.Get(os.ReadFile(filepath.Join("..", "..", "docs", "data.md")))(t)
	t.Chdir(t.TempDir())
	_, rest, _ := strings.Cut(string(data), "<!-- own suite -->")
	put(t, "suites/shelf/single.yaml", []byte(fenced(t, rest, "```yaml\n")))
	put(t, "suites/shelf/tree.xml", []byte(`<Shelf id="s"><Book id="b1" title="Salt Roads" pages="310" lent="no"/><Book id="b2" title="Low Tide" pages="120" lent="no"/></Shelf>`))
	got := must(t, "data", "stats", "tasks", "--options", "{dir: suites}").stdout
	if want := "2, 2 of them judged"; !strings.Contains(got, want) {
		t.Errorf("the example has not %q:\n%s", want, got)
	}
	_, rest, _ = strings.Cut(string(data), "### Suites of your own")
	if _, err := config.Parse("data.md", []byte(fenced(t, rest, "```yaml\n")), suite.Plugins()); err != nil {
		t.Errorf("the run file for a suite: %v", err)
	}
}

// part puts text between the marks of a part.
func part(t *testing.T, doc, name, text string) string {
	t.Helper()
	head, rest, ok := strings.Cut(doc, "<!-- "+name+" -->\n")
	_, tail, ok2 := strings.Cut(rest, "<!-- end of "+name+" -->\n")
	if !ok || !ok2 {
		t.Fatalf("there is no part %s", name)
	}
	return head + "<!-- " + name + " -->\n" + text + "<!-- end of " + name + " -->\n" + tail
}

// fenced returns the first block after a fence.
func fenced(t *testing.T, doc, fence string) string {
	t.Helper()
	_, rest, ok := strings.Cut(doc, fence)
	block, _, ok2 := strings.Cut(rest, "```")
	if !ok || !ok2 {
		t.Fatalf("there is no block %q", fence)
	}
	return block
}
