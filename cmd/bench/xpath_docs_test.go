package main

import (
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/testkit/golden"
)

const xpathManual = "../../docs/xpath.md"

// TestXPathManual has the parts of docs/xpath.md that commands print, and the
// files that they read.
func TestXPathManual(t *testing.T) {
	text := read(t, xpathManual)
	set := func(name, fence, content string) {
		t.Helper()
		text = part(t, text, name, "```"+fence+"\n"+strings.ReplaceAll(content, "testdata/xpath/", "")+"```\n")
	}
	command := func(name string, args ...string) {
		t.Helper()
		args = append([]string{"xpath"}, args...)
		r := run(t, args...)
		set(name, "", "$ bench "+quoted(args)+"\n"+r.stdout+r.stderr)
	}
	set("plan", "xml", read(t, xpathPlan))
	set("scores", "jsonl", read(t, xpathScores))
	command("structure", xpathPlan, "/Itinerary/Day[2]/POI[-1]")
	command("offline", xpathPlan, `//POI[node ~= "outdoor activities"]`)
	command("explain", xpathPlan, `/Itinerary/Day[avg(/POI[node ~= "outdoor"])]`, "--scorer", "recorded="+xpathScores, "--k", "1", "--explain")
	command("xml", xpathPlan, `//Restaurant[node ~= "seafood"]`, "--k", "1", "--format", "xml")
	command("faults", xpathPlan, `/Itinerary/Dya/POI[highlight ~= "ships"]`)
	golden.Check(t, filepath.Join("..", xpathManual), text)
}
