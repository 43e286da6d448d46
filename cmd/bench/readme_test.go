package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/golden"
	"recallbench/internal/longtest"
)

// TestReadme checks that the README's table is the one that its first command
// prints for the sample.
func TestReadme(t *testing.T) {
	root := filepath.Join("..", "..")
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	must(t, "run", filepath.Join(root, "configs", "quickstart.yaml"), "--set", "datasets=[{use: sample}]", "--out", dir, "--display", "none")
	table, _, _ := strings.Cut(must(t, "table", dir, "--format", "markdown").stdout, "\n### ")
	if table = strings.TrimSpace(table); !strings.Contains(string(readme), table) {
		t.Errorf("the README does not have the table that its command prints:\n%s", table)
	}
}

// TestReadmePapers checks that the README's tables of the Semantic XPath paper
// are those that its commands print.
func TestReadmePapers(t *testing.T) {
	longtest.Skip(t)
	root := filepath.Join("..", "..")
	path := filepath.Join(root, "README.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, name := range []string{"semantic-xpath-table1", "semantic-xpath-table2"} {
		dir := filepath.Join(t.TempDir(), "run")
		must(t, "run", filepath.Join(root, "configs", "papers", name+".yaml"), "--out", dir, "--display", "none")
		_, wide, ok := strings.Cut(must(t, "table", dir, "--wide", "--published", "all", "--format", "markdown").stdout, "\n### "+name)
		if !ok {
			t.Fatalf("%s is not printed", name)
		}
		text = part(t, text, name, "### "+name+wide)
	}
	golden.Check(t, filepath.Join("..", path), text)
}
