package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"recallbench/internal/calc/lists"
	"recallbench/internal/config/suite"
	"recallbench/internal/result/judge"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// TestList lists each kind as lines of JSON and as text, each item with what it is and with
// its options and columns.
func TestList(t *testing.T) {
	byKind := make(map[string][]suite.Item)
	for line := range strings.Lines(must(t, "list", "--json").stdout) {
		it := decode[suite.Item](t, line)
		byKind[it.Kind] = append(byKind[it.Kind], it)
	}
	for _, kind := range suite.Kinds() {
		text := must(t, "list", kind, "-v").stdout
		for _, it := range byKind[kind] {
			if it.Doc == "" || !strings.Contains("\n"+text, "\n"+it.Name+"\n") {
				t.Errorf("%s: %+v has no doc or is not listed", kind, it)
			}
			for _, o := range it.Options {
				// A price is a table's unless an entry has its own, and few adapters are MCP
				// servers.
				if o.Doc == "" || o.Default == nil && !strings.HasSuffix(o.Key, ".price") && o.Key != "mcp" || !strings.Contains(text, "      "+o.Key+" ") || !strings.Contains(text, o.Doc) {
					t.Errorf("%s: option %s has no doc or default, or is not listed", it.Name, o.Key)
				}
			}
			for _, c := range it.Columns {
				has(t, it.Kind+" "+it.Name, text, "      "+c.Name+" ")
			}
		}
		if len(byKind[kind]) == 0 || !strings.Contains(must(t, "list").stdout, strings.ToUpper(kind)+"\n\n"+byKind[kind][0].Name+"\n") {
			t.Errorf("list without a kind lacks %s", kind)
		}
	}
	names := func(kind string) []string {
		return lists.Map(byKind[kind], func(it suite.Item) string { return it.Name })
	}
	if !slices.Equal(names("metrics"), suite.Plugins().MetricNames) || !slices.Equal(names("judges"), judge.ProfileNames()) || len(names("methods")) != len(suite.Plugins().Methods) {
		t.Errorf("listed are %v", byKind)
	}
	text := must(t, "list", "methods", "xmemory", "stateless").stdout
	if !strings.HasPrefix(text, "xmemory\n") || !strings.Contains(text, "\nstateless\n") || strings.Contains(text, "flat-rag\n") || !strings.Contains(text, "reader.max_tokens") {
		t.Errorf("got\n%s", text)
	}
	refused(t, `"stateles"; did you mean "stateless"`, "list", "methods", "xmemori", "stateles")
}

// TestProfile writes a profile of a verb, and over nothing that a run consists of.
func TestProfile(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "list", "metrics", "--cpuprofile", "cpu.out")
	if data := try.Get(os.ReadFile("cpu.out"))(t); !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) { // gzip
		t.Errorf("the profile begins with %x", data[:min(8, len(data))])
	}
	config := write(t, "small.yaml", smallConfig)
	must(t, "run", config, "--out", "run", "--limit", "2", "--display", "none")
	refused(t, "the folder of a run", "table", "run", "--cpuprofile", "run/run.json")
}

// What a user can name stays small: verbs in groups, and names of flags over all of
// them.
func TestSurface(t *testing.T) {
	root := newRootCommand(&app{})
	verbs := 0
	for _, cmd := range root.Commands() {
		if cmd.GroupID != "" {
			verbs++
		}
	}
	if verbs > 24 {
		t.Errorf("%d verbs in groups, want 24 at most", verbs)
	}
	flags := make(map[string]bool)
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(root)
	if len(flags) > 110 {
		t.Errorf("%d names of flags, want 110 at most: %v", len(flags), slices.Sorted(maps.Keys(flags)))
	}
}

// TestMessages gives every verb what users get wrong. Each message says where, what
// and what would be right; none panics, is silent, names an unfinished file, or
// exits with 0 or 1.
func TestMessages(t *testing.T) {
	var text strings.Builder
	dir := t.TempDir()
	t.Run("commands", func(t *testing.T) {
		t.Setenv("BENCH_DATA", "")
		t.Chdir(dir)
		for path, content := range map[string]string{
			"small.yaml":    smallConfig,
			"windows.yaml":  "\ufeff" + strings.ReplaceAll(smallConfig, "\n", "\r\n"),
			"empty":         "",
			"binary":        "\x00\xff\x1b[2J\xf1",
			"cut.json":      "[1,2",
			"folder/file":   "",
			"missing.yaml":  strings.Replace(smallConfig, "use: sample", "use: locomo", 1),
			"optional.yaml": strings.Replace(smallConfig, "{use: sample}", "{use: locomo, optional: true}", 1),
			"unpriced.yaml": smallConfig + "models: [{use: live, options: {chat: {base_url: 'http://127.0.0.1:1/v1', model: m}}}]\n",
			"column.yaml":   "rules: [{columns: [f1@mem], margin: 1}]",
			"margin.yaml":   "rules: [{columns: [f1@mem0], margin: 1}]",
			"model.yaml":    "use: stand-in\n",
		} {
			try.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
			try.Do(t, os.WriteFile(path, []byte(content), 0o644))
		}
		must(t, "run", "windows.yaml", "--out", "one", "--display", "none", "--limit", "2")
		must(t, "run", "small.yaml", "--out", "two", "--display", "none", "--limit", "2", "--set", "seed=2")
		must(t, "baseline", "set", "main", "one")
		try.Do(t, errors.Join(os.CopyFS("unscored", os.DirFS("one")), os.Remove("unscored/scores.jsonl")))
		for line := range strings.SplitSeq(strings.TrimSpace(wrong), "\n") {
			if line == "" {
				continue
			}
			args := strings.Fields(line)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "␣", " ")
			}
			r := run(t, args...)
			if r.code < 2 || r.stderr == "" || r.stdout != "" || strings.Contains(r.stderr, ".unfinished") {
				t.Errorf("bench %s: exit %d, stdout %q, stderr %q", line, r.code, r.stdout, r.stderr)
			}
			fmt.Fprintf(&text, "$ bench %s\n%sexit %d\n\n", line, strings.ReplaceAll(r.stderr, dir, "DIR"), r.code)
		}
	})
	golden.Check(t, "messages.txt", text.String())
}

// wrong are command lines that are wrong; ␣ is a blank within an argument.
const wrong = `
rnu
data ftch
run
run small.yaml two
run folder
run one
run empty
run binary
run small.yaml --modl x
run -limit 2 small.yaml
run small.yaml --limit
run small.yaml --limit many
run small.yaml --display loud
run small.yaml --shard 5/4
run small.yaml --calls repaly
run small.yaml --data nowhere
run small.yaml --data empty
run small.yaml --model model.yml
run small.yaml --model small.yaml
run small.yaml --set metods.k=5
run small.yaml --set methods.stateles.options={}
run small.yaml --set sede=2
run small.yaml --set seed=many
run small.yaml --set methods=[{use:␣statless}]
run small.yaml --out one
run small.yaml --out empty/run
run small.yaml --format csv
resume nowhere
resume one --set seed=3
doctor
doctor --faults small.ymal
estimate small.yaml
run small.yaml --plan --out table.pdf
runs show nowhere
score one --metrics f1
score --predictions cut.json --metrics f1@mem0
table nowhere
table one/run.json
table one --out table.pdf
table one --out table.csv --format markdown
table one --out none/table.csv
table latest
compare one one
compare one:stateles two
gate one --baseline mian
gate one --rules none.yaml
baseline set latest one
plot one --figure pareot
plot one --out plot.svg --format tex
report one --out page.pdf
resume one --out merged
export one
export one --format csvv
import cut.json --from mem0
import none.json --from mem0 --dataset sample --out imported
judge people export one --out empty
judge people export one --out one/sheets
judge people import one none.csv
judge one --model model.yml
table xmemory-tabel1
list methos
data fetch locmo
data export multiwoz
xpath none.xml //a
calls show 123
calls export out.db
calls import none.db
calls prune --older-than soon
version now
run small.yaml --set prompts=none
run missing.yaml
run optional.yaml
score
score --predictions none.jsonl
score --predictions none.jsonl --metrics f1@mem0
score --predictions small.yaml --metrics tokens
table unscored
table one one
table one --by categories
table one --against Naive
table one --published xmemory
gate one --baseline main --rules column.yaml
gate one --rules margin.yaml
gate one --baseline main --out gate.html --format xml
plot one --figure pareto,ablation
plot one --figure by
plot one --figure pareto --x tokens-qery
plot one --figure pareto --out plot.svg --format svg,tex
plot one --figure pareto --width 0.1
plot one --figure pareto --dataset smple
diff one two --column tokens-query
diff one two --category tempral
run unpriced.yaml --plan --set budget.usd=1
doctor --schema small.yaml
list methods models
compare one two --by dataste --unit samples --correct bonferroni
`
