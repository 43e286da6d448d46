package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

func TestRuns(t *testing.T) {
	root := t.TempDir()
	config := write(t, "small.yaml", smallConfig)
	first, second := filepath.Join(root, "first"), filepath.Join(root, "second")
	screen := must(t, "run", config, "--out", first, "--display", "none", "--limit", "6").stdout
	must(t, "run", config, "--out", second, "--display", "none", "--limit", "3")
	list := must(t, "runs", "list", root).stdout
	has(t, "the list", list, "2 runs", first, second, "complete", "sample")
	if shown := must(t, "runs", "show", first).stdout; !strings.HasPrefix(shown, screen) || !strings.Contains(shown, "complete, begun ") {
		t.Errorf("bench run printed\n%s\nand bench runs show\n%s", screen, shown)
	}

	// A folder that is no run keeps those beside it from being removed.
	other := filepath.Join(root, "other")
	if err := os.Mkdir(other, 0o755); err != nil {
		t.Fatal(err)
	}
	refused(t, "it has no run.json", "runs", "remove", first, other, "--yes")
	if r := must(t, "runs", "remove", first); !strings.Contains(r.stdout, "would remove "+first) {
		t.Errorf("without --yes it says\n%s", r.stdout)
	}
	if _, err := os.Stat(first); err != nil {
		t.Fatal(err)
	}
	must(t, "runs", "remove", first, "--yes")
	if list := must(t, "runs", "list", root).stdout; strings.Contains(list, first) || !strings.Contains(list, second) {
		t.Errorf("the list after removing one has\n%s", list)
	}
}

// TestModelNone leaves out what a model must build, and ranks the rest by evidence.
func TestModelNone(t *testing.T) {
	config := write(t, "none.yaml", `name: none
datasets: [{use: changes, options: {tokens: 4000, histories: 1, questions: 20, end_only: true}}]
methods: [{use: grep}, {use: recent}, {use: nemori}]
models: [{use: none}]
metrics: [changes, changes-evidence]
`)
	r := must(t, "run", config, "--out", filepath.Join(t.TempDir(), "run"), "--display", "plain")
	has(t, "what is told", r.stderr, "skipped method nemori", "memories to build: 2") // one place, two methods
	has(t, "the screen", r.stdout, "found")
	refused(t, "no cell to run", "run", config, "--set", "methods=[nemori]")
}

// TestErrors runs a config whose requests all fail: the run says why at its end,
// prints no published table, and the verb lists what failed.
func TestErrors(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	config := write(t, "small.yaml", smallConfig)
	r := run(t, "run", config, "--out", dir, "--display", "none", "--limit", "3",
		"--set", "limits.request.tokens=1", "--set", "published=[xmemory-table1]")
	if r.code != exitErrors || strings.Contains(r.stdout, "Nemori") || !strings.Contains(r.stdout, "stateless") {
		t.Errorf("exit %d, want %d, measured rows and no published ones\n%s", r.code, exitErrors, r.stdout)
	}
	golden.Check(t, "errors_run.txt", strings.ReplaceAll(r.stderr, dir, "DIR"))

	all := must(t, "runs", "show", dir, "--limit", "1").stdout
	_, all, _ = strings.Cut(all, "\nsmall: complete, begun ") // what bench run prints, then when it began
	_, all, _ = strings.Cut(all, "\n")
	golden.Check(t, "errors.txt", strings.ReplaceAll(all, dir, "DIR"))
	if r := must(t, "runs", "show", smallRun(t)); !strings.HasSuffix(r.stdout, "\n0 of 16 questions failed\n") {
		t.Error(r.stdout)
	}
}

// begun writes the header of a run as far as it is read to find the latest.
func begun(t *testing.T, folder, content string) {
	t.Helper()
	try.Do(t, os.MkdirAll(folder, 0o755))
	try.Do(t, os.WriteFile(filepath.Join(folder, "run.json"), []byte(content), 0o644))
}

// TestLatest takes the newest run by its name in every verb that takes a run.
func TestLatest(t *testing.T) {
	config := write(t, "small.yaml", smallConfig)
	t.Chdir(t.TempDir())
	refused(t, "there is no latest run: "+pastRuns+" has none", "table", "latest")
	must(t, "run", config, "--display", "none")
	made, err := filepath.Glob(filepath.Join(pastRuns, "*"))
	if err != nil || len(made) != 1 {
		t.Fatalf("%v, %v", made, err)
	}
	is := "bench: latest is " + made[0] + "\n"
	for _, args := range [][]string{
		{"table", "latest"},
		{"score", "latest"},
		{"runs", "show", "latest"},
		{"plot", "latest"},
		{"gate", "latest"},
		{"resume", "latest", "--display", "none"},
		{"diff", "latest:stateless", "latest:Naive RAG"},
		{"compare", "latest:stateless", "latest:Naive RAG"},
		{"baseline", "set", "mine", "latest"},
		{"report", "latest", "--out", "page.html"},
		{"export", "latest", "--format", "csv", "--out", "out.csv"},
		{"judge", "people", "export", "latest", "--out", "sheets"},
	} {
		r := run(t, args...)
		has(t, strings.Join(args, " "), r.stderr, is)
		if rest := strings.ReplaceAll(r.stderr, is, ""); strings.Contains(rest, "latest") {
			t.Errorf("bench %q: its messages name latest and not the folder\n%s", args, rest)
		}
	}
	// A folder of the name comes first.
	begun(t, "latest", `{}`)
	if r := run(t, "table", "latest"); !strings.Contains(r.stderr, fmt.Sprint("latest", string(filepath.Separator), "run.json")) {
		t.Errorf("a folder called latest: exit %d\n%s", r.code, r.stderr)
	}
}

// contents returns the files below a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.Contains(path, ".lock") {
			files[path] = read(t, path)
		}
		return err
	})
	try.Do(t, err)
	return files
}

// TestOutReplaces has outputs in the place of a run's own files and of inputs.
func TestOutReplaces(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	config := write(t, "small.yaml", "datasets: [{use: sample}]\nmethods: [{use: stateless}, {use: flat-rag}]\nmetrics: [f1@mem0]\n")
	must(t, "run", config, "--out", dir, "--display", "none")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		if runtime.GOOS != "windows" {
			t.Fatal(err)
		}
		t.Logf("not by a link: %v", err)
		link = dir
	}
	rules := write(t, "rules.json", `{"rules": [{"column": "f1@mem0", "least": 0}]}`)
	samples := t.TempDir()
	put(t, filepath.Join(samples, "a.csv"), []byte("id,score\n1,1\n2,0\n"))
	put(t, filepath.Join(samples, "b.csv"), []byte("id,score\n1,1\n2,1\n"))
	a, b := filepath.Join(samples, "a.csv"), filepath.Join(samples, "b.csv")
	records, err := filepath.Glob(filepath.Join(dir, "cells", "*", "records.jsonl"))
	if err != nil || len(records) == 0 {
		t.Fatal(records, err)
	}
	folders := []string{dir, samples, filepath.Dir(rules)}
	var before []map[string]string
	for _, folder := range folders {
		before = append(before, contents(t, folder))
	}
	for _, args := range [][]string{
		{"export", dir, "--format", "jsonl", "--out", records[0]},
		{"export", dir, "--format", "jsonl", "--out", filepath.Join(link, "new.jsonl")},
		{"export", dir, "--format", "lm-eval", "--out", dir},
		{"table", dir, "--out", filepath.Join(dir, "run.json")},
		{"table", dir, "--out", filepath.Join(dir, "cells", "table.txt")},
		{"compare", a, b, "--out", a},
		{"compare", a, b + "#x", "--out", b},
		{"compare", a, b, "--out", filepath.Join(samples, ".", "b.csv")},
		{"gate", dir, "--rules", rules, "--out", rules},
		{"gate", dir, "--rules", rules, "--out", filepath.Join(dir, "run.json")},
		{"plot", dir, "--out", dir},
		{"report", dir, "--out", filepath.Join(dir, "cells", "page.html")},
		{"data", "export", "sample", "--out", records[0]},
		{"calls", "export", records[0]},
	} {
		r := run(t, args...)
		if r.code == exitOK {
			t.Errorf("bench %s: exit 0", strings.Join(args, " "))
		}
	}
	for i, folder := range folders {
		after := contents(t, folder)
		for path, text := range before[i] {
			if after[path] != text {
				t.Errorf("%s changed", path)
			}
		}
		if len(after) != len(before[i]) {
			t.Errorf("%s has %d files, had %d", folder, len(after), len(before[i]))
		}
	}
	must(t, "report", dir)
	must(t, "table", dir, "--out", filepath.Join(filepath.Dir(dir), "table.txt"))
	must(t, "table", dir, "--out", filepath.Join(filepath.Dir(dir), "table.txt"))
}
