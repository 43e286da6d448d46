package main

import (
	"strings"
	"testing"
)

// docs/published.md says how many checks the audit makes, and how many disagree.
func TestPublishedDoc(t *testing.T) {
	title, _, _ := strings.Cut(must(t, "published", "audit", "--format", "markdown").stdout, "\n")
	_, want, ok := strings.Cut(title, ": ")
	if !ok || !strings.Contains(read(t, "../../docs/published.md"), want) {
		t.Errorf("docs/published.md does not say %q", want)
	}
}
