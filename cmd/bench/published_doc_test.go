package main

import (
	"os"
	"strings"
	"testing"
)

// docs/published.md holds what the commands that it names print.
func TestPublishedDoc(t *testing.T) {
	doc, err := os.ReadFile("../../docs/published.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"published", "list"}, {"published", "audit"}} {
		want := must(t, append(args, "--format", "markdown")...).stdout
		if !strings.Contains(string(doc), want) {
			t.Errorf("docs/published.md does not hold what 'bench %s --format markdown' prints; put this into it:\n%s", strings.Join(args, " "), want)
		}
	}
}
