package main

import (
	"fmt"
	"strings"
	"testing"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/published"
)

// docs/reproduce.md says how many checks the audit has, and how many disagree.
func TestPublishedDoc(t *testing.T) {
	off := lists.Filter(published.Audit(), func(c published.Check) bool { return !c.Agrees })
	want := fmt.Sprintf("Of %d checks, %d disagree", len(published.Audit()), len(off))
	if !strings.Contains(read(t, "../../docs/reproduce.md"), want) {
		t.Errorf("docs/reproduce.md does not say %q", want)
	}
}
