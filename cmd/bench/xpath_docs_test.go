package main

import (
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/testkit/golden"
)

const xpathManual = "../../docs/xpath.md"

// TestXPathManual has the parts of docs/xpath.md that commands print.
func TestXPathManual(t *testing.T) {
	text := read(t, xpathManual)
	printed := func(args ...string) string {
		t.Helper()
		args = append([]string{"xpath"}, args...)
		r := run(t, args...)
		return strings.ReplaceAll("$ bench "+quoted(args)+"\n"+r.stdout+r.stderr, "testdata/xpath/", "")
	}
	text = part(t, text, "stand-in", "```\n"+printed(xpathPlan, `//POI[node ~= "ships and a bell"]`)+"```\n")
	text = part(t, text, "faults", "```\n"+printed(xpathPlan, `/Itinerary/Dya/POI[highlight ~= "ships"]`)+"```\n")
	golden.Check(t, filepath.Join("..", xpathManual), text)
}
