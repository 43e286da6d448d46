package main

import (
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/testkit/golden"
)

const xpathManual = "../../docs/xpath.md"

// TestXPathManual has the parts of docs/xpath.md that commands print, and what
// its other options print.
func TestXPathManual(t *testing.T) {
	text := read(t, xpathManual)
	printed := func(args ...string) string {
		t.Helper()
		args = append([]string{"xpath"}, args...)
		r := run(t, args...)
		return strings.ReplaceAll("$ bench "+quoted(args)+"\n"+r.stdout+r.stderr, "testdata/xpath/", "")
	}
	text = part(t, text, "stand-in", "```\n"+printed(xpathPlan, `//POI[node ~= "outdoor activities"]`)+"```\n")
	text = part(t, text, "faults", "```\n"+printed(xpathPlan, `/Itinerary/Dya/POI[highlight ~= "ships"]`)+"```\n")
	golden.Check(t, filepath.Join("..", xpathManual), text)
	golden.Check(t, "xpath_manual.txt",
		printed(xpathPlan, "/Itinerary/Day[2]/POI[-1]")+
			printed(xpathPlan, `/Itinerary/Day[avg(/POI[node ~= "outdoor"])]`, "--scorer", "recorded="+xpathScores, "--k", "1", "--explain")+
			printed(xpathPlan, `//Restaurant[node ~= "seafood"]`, "--k", "1", "--format", "xml"))
}
