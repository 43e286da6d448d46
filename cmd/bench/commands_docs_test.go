package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
)

var (
	// copied matches what a reader may copy from a page: fenced blocks and lines that
	// are indented.
	copied = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$|^    (\\S[^\n]*)$")
	// saved matches a file that a page asks its reader to save.
	saved      = regexp.MustCompile("(?ms)as `([a-z.]+)`:\n\n```[a-z]+\n(.*?)^```$|^```yaml\n# ([a-z.]+)\n(.*?)^```$")
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
		if !slices.Contains([]string{"", "sh", "console"}, m[1]) {
			continue
		}
		for line := range strings.Lines(m[2] + m[3]) {
			line, shown := strings.CutPrefix(strings.TrimSpace(line), "$ ")
			line, ok := strings.CutPrefix(line, "bench ")
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
			for _, m := range saved.FindAllStringSubmatch(page, -1) {
				put(t, m[1]+m[3], []byte(m[2]+m[4]))
			}
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
