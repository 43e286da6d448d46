package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

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
