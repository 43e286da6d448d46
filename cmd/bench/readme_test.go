package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
