package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/modelserver"
)

const (
	xpathPlan   = "testdata/xpath/plan.xml"
	xpathManual = "../../docs/xpath.md"
)

// quoted writes arguments as one types them.
func quoted(args []string) string {
	var parts []string
	for _, a := range args {
		if strings.ContainsAny(a, " [(*=\"<") {
			a = "'" + a + "'"
		}
		parts = append(parts, a)
	}
	return strings.Join(parts, " ")
}

// TestXPath has what queries and wrong queries print, and the parts of docs/xpath.md that
// commands print.
func TestXPath(t *testing.T) {
	var b strings.Builder
	query := func(stdin string, args ...string) string {
		args = append([]string{"xpath"}, args...)
		r := runWith(t, stdin, args...)
		text := "$ bench " + quoted(args) + "\n" + r.stdout + r.stderr
		if r.code != 0 {
			fmt.Fprintf(&b, "%sexit %d\n\n", text, r.code)
		} else {
			b.WriteString(text + "\n")
		}
		return "```\n" + strings.ReplaceAll(text, "testdata/xpath/", "") + "```\n"
	}
	query("", xpathPlan, "/Itinerary/Day[2]/POI[-1]")
	query("", xpathPlan, "//Day", "--explain")
	query("", xpathPlan, `//POI[node ~= "ships and a bell"]`, "--threshold", "0.1")
	query("", xpathPlan, `/Itinerary/Day[avg(/POI[node ~= "cliff path"])]`, "--limit", "1", "--explain")
	query("", xpathPlan, `(//POI[node ~= "swimming"])[1]`, "--profile", "released", "--scorer", "sem")
	query("", xpathPlan, `//Restaurant[node ~= "seafood"]`, "--limit", "1", "--format", "json")
	query("", xpathPlan, "//Day[3]")
	query(read(t, xpathPlan), "-", `//POI[node ~= "outdoor"]`)
	query("", xpathPlan, "//Day[0]")
	query("", xpathPlan, `//POI[highlight ~= "ships"]`)
	query("", "testdata/xpath/nothing.xml", "//Day")
	query("<Plan>\n  <Day>\n</Plan>\n", "-", "//Day")
	query("<!DOCTYPE p [<!ENTITY a \"b\">]><p>&a;</p>", "-", "//p")
	query("", xpathPlan, `//Day[node ~= "wet"]`, "--scorer", "bert")
	golden.Check(t, "xpath.txt", b.String())
	text := part(t, read(t, xpathManual), "stand-in", query("", xpathPlan, `//POI[node ~= "ships and a bell"]`))
	text = part(t, text, "faults", query("", xpathPlan, `/Itinerary/Dya/POI[highlight ~= "ships"]`))
	golden.Check(t, filepath.Join("..", xpathManual), text)
}

// TestXPathLive scores by the models of an entry, and then by what was recorded
// of them, without a server.
func TestXPathLive(t *testing.T) {
	t.Setenv("BENCH_CALLS", t.TempDir())
	s := modelserver.New(t, modelserver.Options{})
	model := write(t, "model.yaml", fmt.Sprintf(`
use: live
label: test
options:
  chat: {base_url: %[1]s, provider: test, model: test-model}
  embed: {use: openai, base_url: %[1]s, provider: test, model: test-embedder}
  nli: {use: tei, base_url: %[2]s, provider: test, model: test-nli}
`, s.URL, s.Root))
	for _, scorer := range []string{"sem", "entail", "llm"} {
		args := []string{"xpath", xpathPlan, `//POI[node ~= "outdoor"]`, "--scorer", scorer, "--model", model}
		first := must(t, args...)
		if !strings.Contains(first.stdout, scorer+" by "+model) || !strings.Contains(first.stdout, "matches  4\n") {
			t.Errorf("%s is not named so, or has not 4 matches:\n%s", scorer, first.stdout)
		}
		before := s.Stats()
		if again := must(t, args...); again.stdout != first.stdout || !cmp.Equal(s.Stats(), before) {
			t.Errorf("%s asked again: %+v after %+v\n%s", scorer, s.Stats(), before, again.stdout)
		}
	}
}
