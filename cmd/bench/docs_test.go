package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v4"

	"recallbench/internal/backend/price"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/publish/gate"
	"recallbench/internal/publish/published"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

var (
	// copied matches what a reader may copy from a page: fenced blocks and lines that
	// are indented.
	copied = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$|^    (\\S[^\n]*)$")
	// saved matches a file that a page asks its reader to save.
	saved = regexp.MustCompile("(?ms)as `([a-z.]+)`:\n\n```[a-z]+\n(.*?)^```$|^```yaml\n# ([a-z.]+)\n(.*?)^```$")
	// jobStep matches the beginning of a command in a job of a CI.
	jobStep    = regexp.MustCompile(`^\s*(?:- )?(?:run: )?(?:\./)?bench `)
	shellWords = regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"])+`)
	quotes     = regexp.MustCompile(`'([^']*)'|"([^"]*)"`)
	// needs matches what keeps a command of a document from running anywhere: a name
	// to be filled in, a model, data to be fetched, a page to look at.
	needs = regexp.MustCompile(`\b(?:RUN\d?|DIR|FILE|BASE|NEW|STORE|ENTRY|[AB])\b|\.\.\.|\$|configs/(?:models|field|papers|external)|^(?:view|judge|doctor|table board|adapter check|\w+ fetch)\b|mine/run|locomo|dialogre|corenlp|suites|questions\.jsonl|results\.json|runs/a`)
)

// docCommand is a command line of this program on a page.
type docCommand struct {
	args  []string
	shown bool // with what it prints, which another test compares
}

func commandsOf(page string) (all []docCommand) {
	for _, m := range copied.FindAllStringSubmatch(page, -1) {
		if !slices.Contains([]string{"", "sh", "console", "yaml"}, m[1]) {
			continue
		}
		for line := range strings.Lines(m[2] + m[3]) {
			line, shown := strings.CutPrefix(strings.TrimSpace(jobStep.ReplaceAllString(line, "bench ")), "$ ")
			line, ok := strings.CutPrefix(strings.ReplaceAll(line, "${{ matrix.shard }}", "1"), "bench ")
			if !ok || strings.HasSuffix(line, `\`) {
				continue
			}
			line, _, _ = strings.Cut(line, " #")
			line, _, _ = strings.Cut(line, " | ")
			var args []string
			for _, w := range shellWords.FindAllString(line, -1) {
				args = append(args, quotes.ReplaceAllString(w, "$1$2"))
			}
			all = append(all, docCommand{args, shown})
		}
	}
	return all
}

// pages returns the pages of docs, the README and CONTRIBUTING.md.
func pages(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("../../docs/*.md")
	design, err2 := filepath.Glob("../../docs/design/*.md")
	if err != nil || err2 != nil || len(all) < 15 {
		t.Fatal(all, err, err2)
	}
	return append(append(all, design...), "../../README.md", "../../CONTRIBUTING.md")
}

// TestDocsCommands checks that each command in the documents is one of this program,
// with the flags and as many arguments as it takes.
func TestDocsCommands(t *testing.T) {
	n := 0
	for _, path := range pages(t) {
		for _, c := range commandsOf(read(t, path)) {
			n++
			if err := takes(newRootCommand(&app{}), c.args); err != nil {
				t.Errorf("%s: bench %s: %v", path, strings.Join(c.args, " "), err)
			}
		}
	}
	if n < 150 {
		t.Errorf("the documents have %d commands, want at least 150", n)
	}
	for _, args := range [][]string{{"gate", "run", "--basline", "x"}, {"gaet", "run"}, {"gate", "a", "b"}} {
		if takes(newRootCommand(&app{}), args) == nil {
			t.Errorf("bench %q passes for a command", args)
		}
	}
}

// TestDocsRun runs the commands of a page one after another, those that need neither
// a network nor what only a reader has. It takes some pages, drawn by a seed, and all
// of them with BENCH_LONG=1.
func TestDocsRun(t *testing.T) {
	longtest.SkipRace(t)
	forbidDialling(t)
	root := try.Get(filepath.Abs("../.."))(t)
	all := pages(t)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	const first = "../../docs/start.md"
	all = append([]string{first}, slices.DeleteFunc(all, func(path string) bool { return path == first })...)
	ran := 0
	for _, path := range all[:longtest.N(2, len(all))] {
		page := read(t, path)
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, name := range []string{"configs", "cmd", "docs"} {
				if err := os.Symlink(filepath.Join(root, name), name); err != nil {
					t.Skip(err)
				}
			}
			try.Do(t, os.CopyFS("results/baselines", os.DirFS(filepath.Join(root, "results", "baselines"))))
			saveFiles(t, page)
			for _, c := range commandsOf(page) {
				line := strings.Join(c.args, " ")
				if c.shown || needs.MatchString(line) || !inputsExist(c.args) {
					t.Logf("not run: bench %s", line)
					continue
				}
				ran++
				if r := run(t, c.args...); r.code != 0 {
					t.Errorf("bench %s: exit %d\n%s", line, r.code, r.stderr)
				}
			}
		})
	}
	if ran < 3 {
		t.Errorf("%d commands were run, want at least 3", ran)
	}
}

// saveFiles saves the files that a page asks its reader to save.
func saveFiles(t *testing.T, page string) {
	t.Helper()
	for _, m := range saved.FindAllStringSubmatch(page, -1) {
		put(t, m[1]+m[3], []byte(m[2]+m[4]))
	}
}

// inputsExist tells whether the files and folders that a command reads are there.
func inputsExist(args []string) bool {
	exists := func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	}
	if args[0] == "calls" {
		i := slices.Index(args, "--store")
		return i >= 0 && exists(args[i+1])
	}
	for i, a := range args[1:] {
		a, _, _ = strings.Cut(a, ":")
		switch {
		case args[i] == "--out" || args[i] == "--set" || args[i] == "init" || args[0] == "help":
		case a == "main" && args[i] != "set" && !exists("results/baselines/main"):
			return false
		case (a == "run" || strings.HasPrefix(a, "results/runs/") || slices.Contains(inputs, filepath.Ext(a))) && !exists(a):
			return false
		}
	}
	return true
}

// inputs are the endings of files that commands of documents read.
var inputs = []string{".yaml", ".json", ".jsonl", ".xml", ".csv", ".eval"}

const ciManual = "../../docs/ci.md"

// TestCIManual has the parts of docs/ci.md that the program can write.
func TestCIManual(t *testing.T) {
	text := read(t, ciManual)
	ids := strings.NewReplacer("altered (altered)", "run (5e6f7a8b)", "RUNID", "1a2b3c4d", "the first | of them", "release 1")
	text = part(t, text, "gate", "```\n$ bench gate run --baseline main --unit request\n"+ids.Replace(read(t, "testdata/gate.txt"))+"```\n")
	var b strings.Builder
	what := map[string]string{
		"data": "hash of the dataset", "settings": "options of the dataset",
		"key": "answer key and its [errata](data.md), for columns that use gold answers", "questions": "number of questions",
		"reader": "model that answers", "embedder": "model that makes vectors", "k": "the method's option",
		"tokenizer": "for columns about tokens", "judge": "for columns of verdicts",
	}
	for _, a := range gate.Attribute("").Values() {
		b.WriteString("- `" + a + "`: " + what[a] + "\n")
	}
	text = part(t, text, "attributes", "\n"+b.String()+"\n")
	golden.Check(t, filepath.Join("..", ciManual), text)

	for _, of := range []any{gate.Rules{}, gate.Rule{}} {
		for _, f := range strictyaml.Fields(reflect.TypeOf(of)) {
			has(t, ciManual, text, "`"+f.Key+"`")
		}
	}
}

// The YAML of docs/ci.md can be read, and rules in it are rules.
func TestCIManualYAML(t *testing.T) {
	kinds := make(map[string]int)
	for _, block := range blocks(t, ciManual) {
		var doc map[string]any
		if err := yaml.Unmarshal([]byte(block), &doc); err != nil {
			t.Errorf("%v in\n%s", err, block)
		}
		switch {
		case doc["rules"] != nil:
			kinds["rules"]++
			if _, err := gate.Parse("gate.yaml", []byte(block)); err != nil {
				t.Error(err)
			}
		case doc["jobs"] != nil:
			kinds["github"]++
		case doc["steps"] != nil:
			kinds["action"]++
		default:
			kinds["gitlab"]++
		}
	}
	try.Equal(t, "kinds of YAML", map[string]int{"rules": 1, "github": 1, "action": 1, "gitlab": 1}, kinds)
}

// blocks returns the YAML of a page.
func blocks(t *testing.T, path string) []string {
	t.Helper()
	var all []string
	for _, block := range strings.Split(read(t, path), "```yaml\n")[1:] {
		block, _, _ = strings.Cut(block, "```\n")
		all = append(all, block)
	}
	return all
}

// takes reports what keeps a command from being begun.
func takes(root *cobra.Command, args []string) error {
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if !cmd.Runnable() || cmd == root {
		return errors.New("no such verb")
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}

// docs/reproduce.md says how many checks the audit has, and how many disagree.
func TestPublishedDoc(t *testing.T) {
	off := lists.Filter(published.Audit(), func(c published.Check) bool { return !c.Agrees })
	want := fmt.Sprintf("Of %d checks, %d disagree", len(published.Audit()), len(off))
	has(t, "docs/reproduce.md does not say", read(t, "../../docs/reproduce.md"), want)
}

// TestSweepsManual runs the commands of docs/sweeps.md on its own files.
func TestSweepsManual(t *testing.T) {
	longtest.Skip(t)
	longtest.SkipRace(t)
	home := try.Get(os.Getwd())(t)
	manual := filepath.Join("..", "..", "docs", "sweeps.md")
	text := read(t, manual)
	t.Chdir(t.TempDir())
	saveFiles(t, text)
	plans := must(t, "run", "grid.yaml", "--plan").stdout + must(t, "run", "ablation.yaml", "--plan").stdout
	must(t, "doctor", "--faults", "grid.yaml", "--set", "matrix.methods.RAG.options.k=[5, 10, 20]")
	must(t, "doctor", "--faults", "grid.yaml", "--set", "methods.RAG.options.k=7", "--set", "seed=3")
	t.Chdir(home)
	golden.Check(t, "sweeps.txt", plans)
}

const tablesManual = "../../docs/tables.md"

// TestTablesManual has the parts of docs/tables.md that commands print, and holds
// the verb to what it says of formats, labels and LaTeX.
func TestTablesManual(t *testing.T) {
	longtest.Skip(t)
	longtest.SkipRace(t)
	manual := read(t, tablesManual)
	config := write(t, "ablation.yaml", fenced(t, manual, "```yaml\n"))
	dir := runOf(t, config)

	ablation := []string{"table", dir, "--ablation=full", "--unit", "request"}
	text := must(t, ablation...).stdout
	golden.Check(t, "tables_ablation.txt", text)

	t.Run("formats", func(t *testing.T) {
		for ext, start := range map[string]string{".tex": "% Tables", ".html": "<!DOCTYPE html>", ".HTM": "<!DOCTYPE html>", ".csv": "table,", ".json": "{", ".md": "### ", ".txt": "ablation of"} {
			file := filepath.Join(t.TempDir(), "table"+ext)
			must(t, append(ablation, "--out", file)...)
			if got := read(t, file); !strings.HasPrefix(got, start) {
				t.Errorf("%s begins %.40q, want %q", ext, got, start)
			}
		}
	})
	t.Run("labels", func(t *testing.T) {
		if got := must(t, "table", dir, "--ablation", "Full", "--unit", "request").stdout; got != text {
			t.Errorf("a label behind a blank prints\n%s", got)
		}
		refused(t, `name one of "Full", "one block", "short blocks"`, "table", dir, "--ablation", "auto")
		refused(t, `unknown method label "Ful"; did you mean "Full"?`, "table", dir, "--ablation", "Ful")
	})
	t.Run("latex", func(t *testing.T) {
		var files []string
		for _, args := range [][]string{
			{"--ci"}, {"--against", "Full"}, {"--by", "category", "--seeds"}, {"--ablation=Full"}, {"--published", "xmemory-table1"},
		} {
			files = append(files, filepath.Join(t.TempDir(), "table.tex"))
			must(t, slices.Concat([]string{"table", dir, "--out", files[len(files)-1]}, args)...)
		}
		latex(t, files)
	})
}

// latex sets files of tables on a page of 6.5 inches, where all of them have to
// fit. It skips t without pdflatex.
func latex(t *testing.T, files []string) {
	t.Helper()
	if _, err := exec.LookPath("pdflatex"); err != nil {
		if os.Getenv("BENCH_REQUIRE_LATEX") == "1" {
			t.Fatalf("pdflatex: %v, and BENCH_REQUIRE_LATEX=1", err)
		}
		t.Skipf("pdflatex: %v", err)
	}
	var b strings.Builder
	b.WriteString("\\documentclass{article}\n\\usepackage{booktabs,graphicx}\n\\setlength\\textwidth{6.5in}\n\\begin{document}\n")
	for _, file := range files {
		b.WriteString("\\input{" + file + "}\\clearpage\n")
	}
	b.WriteString("\\end{document}\n")
	cmd := exec.CommandContext(t.Context(), "pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-draftmode", write(t, "main.tex", b.String()))
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("pdflatex: %v\n%s", err, out)
	}
	if log := string(out); strings.Contains(log, "Overfull") {
		t.Errorf("a table does not fit:\n%s", log)
	}
}

const modelsManual = "../../docs/models.md"

// TestModelsManual finds the lines of docs/models.md in what bench doctor prints.
func TestModelsManual(t *testing.T) {
	t.Setenv("EXAMPLE_API_KEY", "sk-example-0123456789")
	data := t.TempDir()
	t.Setenv("BENCH_DATA", data)
	t.Setenv("BENCH_CALLS", filepath.Join(data, "calls"))
	s := modelserver.New(t, modelserver.Options{
		Models: []string{"some-model", "some-embedder"}, NoTemperature: true, WantMaxCompletionTokens: true, NoLogprobs: true,
	})
	entry := write(t, "my.yaml", fmt.Sprintf(`
use: live
label: my model
options:
  chat: {base_url: %[1]s, key: {env: EXAMPLE_API_KEY}, model: some-model}
  embed: {use: openai, base_url: %[1]s, key: {env: EXAMPLE_API_KEY}, model: some-embedder, price: {input: 0.02, output: 0}}
`, s.URL))
	doctor := run(t, "doctor", quickstart, "--model", entry)
	if doctor.code != exitUnavailable {
		t.Errorf("doctor: exit %d", doctor.code)
	}
	found := strings.NewReplacer(s.URL, "https://api.example.com/v1", filepath.Join(data, "calls"), "results/calls", data, "data").Replace(doctor.stdout + doctor.stderr)
	shown := slices.Collect(strings.Lines(fenced(t, read(t, modelsManual), "<!-- doctor -->\n```\n")))
	if has(t, "doctor", found, shown...); len(shown) < 2 {
		t.Errorf("the page shows %q of doctor, want at least 2 lines", shown)
	}
}

// TestModelsManualExamples reads what docs/models.md shows of files.
func TestModelsManualExamples(t *testing.T) {
	counts := make(map[string]int)
	for _, block := range blocks(t, modelsManual) {
		kind, text := "prices", block
		if strings.HasPrefix(block, "use: ") {
			kind, text = "entries", "datasets: [{use: sample}]\nmethods: [{use: stateless}]\nmodels: ["+write(t, "entry.yaml", block)+"]\n"
		} else if strings.HasPrefix(block, "datasets: ") {
			kind = "configs"
		}
		counts[kind]++
		if kind == "prices" {
			if r, ok := try.Get(price.Load(write(t, "prices.yaml", block)))(t).Find("some-model"); !ok || r.Output != 2 {
				t.Errorf("the price of some-model is %+v", r)
			}
		} else if _, err := config.Parse("models.md", []byte(text), suite.Plugins()); err != nil {
			t.Errorf("%v:\n%s", err, block)
		}
	}
	if counts["entries"] < 5 || counts["configs"] != 1 || counts["prices"] != 1 {
		t.Errorf("the page has %v", counts)
	}
}

// TestRecordings replays each config that has recordings, without a network, and
// finds its table in the document that shows it.
func TestRecordings(t *testing.T) {
	longtest.SkipRace(t)
	forbidDialling(t)
	t.Chdir(filepath.Join("..", ".."))
	documents := map[string]string{
		"quickstart":           "README.md",
		"changes":              "docs/changes.md",
		"quickstart-embedders": "docs/models.md",
		"semantic-xpath-small": "docs/reproduce.md",
	}
	for _, folder := range try.Get(os.ReadDir(filepath.Join("configs", "recordings")))(t) {
		if documents[folder.Name()] == "" {
			t.Errorf("no document shows what the recordings %s answer", folder.Name())
		}
	}
	for name, path := range documents {
		document := try.Get(os.ReadFile(path))(t)
		config, recordings := filepath.Join("configs", name+".yaml"), filepath.Join("configs", "recordings", strings.TrimSuffix(name, "-embedders"))
		before := folderOf(t, recordings)
		dir := filepath.Join(t.TempDir(), "run")
		r := run(t, "run", config, "--out", dir, "--display", "none")
		if r.code != 0 {
			t.Fatalf("%s: exit %d; where a prompt or a method has changed, the recordings are stale, and scripts/record.sh %s records them anew\n%s", config, r.code, name, r.stderr)
		}
		table, _, _ := strings.Cut(must(t, "table", dir, "--format", "markdown").stdout, "\n### ")
		screen, _, _ := strings.Cut(r.stdout, "\nbench view")
		table, screen = strings.TrimSpace(table), strings.TrimSpace(screen)
		if name == "changes" {
			has(t, path+" does not have", string(document), changesRows(t, dir)...)
		} else if !strings.Contains(string(document), table) && !strings.Contains(string(document), screen) {
			t.Errorf("%s has neither the screen nor the table that %s prints:\n%s\n\n%s", path, config, screen, table)
		}
		again := must(t, "run", config, "--out", filepath.Join(t.TempDir(), "run"), "--display", "none")
		if table, _, _ := strings.Cut(r.stdout, "\nbench view"); !strings.HasPrefix(again.stdout, table) {
			t.Errorf("the second run prints\n%s\nthe first\n%s", again.stdout, r.stdout)
		}
		try.Equal(t, recordings, before, folderOf(t, recordings))
	}
}

// changesRows are the rows that docs/changes.md has of a run, without its last two columns.
func changesRows(t *testing.T, run string) (rows []string) {
	t.Helper()
	out := must(t, "table", run, "--format", "csv", "--columns", "changes,stale,invent,found,stored,tokens-query").stdout
	for _, cells := range try.Get(csv.NewReader(strings.NewReader(out)).ReadAll())(t)[1:] {
		row := []string{"| " + cells[1]}
		for i, cell := range cells[4:10] {
			digits := 1
			if i == 5 { // tokens
				digits = 0
			}
			if value, err := strconv.ParseFloat(cell, 64); err == nil {
				cell = strconv.FormatFloat(value, 'f', digits, 64)
			}
			row = append(row, cell)
		}
		rows = append(rows, strings.Join(row, " | ")+" | ")
	}
	return rows
}

// The answers of memory systems by others have the scores that the manual shows.
func TestChangesExternal(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	dir := filepath.Join(t.TempDir(), "run")
	files := try.Get(filepath.Glob("results/changes-external/*.jsonl"))(t)
	options := []string{"import", "--dataset", "changes", "--options", "{tokens: 4000, histories: 1, questions: 20, end_only: true}", "--out", dir}
	must(t, append(options, files...)...)
	document := read(t, "docs/changes.md")
	out := must(t, "table", dir, "--format", "csv", "--columns", "changes,found").stdout
	for _, cells := range try.Get(csv.NewReader(strings.NewReader(out)).ReadAll())(t)[1:] {
		value := func(cell string) float64 { return try.Get(strconv.ParseFloat(cell, 64))(t) }
		has(t, "docs/changes.md does not have", document, fmt.Sprintf("| %s | %.1f | %.1f | ", cells[1], value(cells[4]), value(cells[5])))
	}
}

// folderOf returns the sizes of a folder's files.
func folderOf(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	entries := try.Get(os.ReadDir(dir))(t)
	sizes := make(map[string]int64)
	for _, e := range entries {
		info := try.Get(e.Info())(t)
		if sizes[e.Name()] = info.Size(); info.Size() > 1<<20 {
			t.Errorf("%s has %d bytes, want at most 1 MiB", e.Name(), info.Size())
		}
	}
	return sizes
}

// TestStaleRecording checks what a user is told whose prompt is not the recorded
// one, and that other models need no recording.
func TestStaleRecording(t *testing.T) {
	longtest.SkipRace(t)
	forbidDialling(t)
	t.Chdir(filepath.Join("..", ".."))
	config := filepath.Join("configs", "quickstart.yaml")
	r := run(t, "run", config, "--out", filepath.Join(t.TempDir(), "run"), "--display", "none", "--set", "methods.stateless.options.reader.max_tokens=63")
	if has(t, "a stale recording", r.stderr, "replay-miss", "--calls reuse", "--model stand-in"); r.code != exitMiss {
		t.Errorf("exit %d, want %d", r.code, exitMiss)
	}
	tried := must(t, "run", config, "--model", "stand-in", "--limit", "1", "--out", filepath.Join(t.TempDir(), "run"), "--display", "none")
	has(t, "--model stand-in", tried.stdout, "The stand-in answered")
}

// TestTrials tries the run files of papers with the stand-in, on four questions of small
// conversations where they do not bring their data.
func TestTrials(t *testing.T) {
	longtest.SkipRace(t)
	forbidDialling(t)
	files, err := filepath.Glob(filepath.Join("..", "..", "configs", "papers", "*.yaml"))
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	small := "datasets=[{use: jsonl, options: {files: [" + chats(t, 3) + "]}}]"
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			args := []string{"run", file, "--model", "stand-in", "--limit", "4", "--display", "none", "--out", filepath.Join(t.TempDir(), "run")}
			switch text := read(t, file); {
			case strings.Contains(text, "\ntuning: "): // needs the data that weights are chosen on
				longtest.Skip(t)
				args = append(args, "--data", realdata.Datasets(t), "--set", "tuning.requests=5")
			case !strings.Contains(text, "use: tasks"):
				args = append(args, "--set", small)
			}
			if r := must(t, args...); !strings.Contains(r.stdout, "The stand-in answered") {
				t.Errorf("the screen does not say who answered:\n%s", r.stdout)
			}
		})
	}
}
