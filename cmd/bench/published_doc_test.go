package main

import (
	"os"
	"strings"
	"testing"
)

// docs/published.md holds what the audit prints.
func TestPublishedDoc(t *testing.T) {
	doc, err := os.ReadFile("../../docs/published.md")
	if err != nil {
		t.Fatal(err)
	}
	want := must(t, "published", "audit", "--format", "markdown").stdout
	if !strings.Contains(string(doc), want) {
		t.Errorf("docs/published.md does not hold what 'bench published audit --format markdown' prints; put this into it:\n%s", want)
	}
}
