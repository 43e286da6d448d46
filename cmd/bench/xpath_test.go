package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/modelserver"
)

const xpathPlan = "testdata/xpath/plan.xml"

// transcript is what a command printed, for a golden file.
func (r ran) transcript(args ...string) string {
	var b strings.Builder
	b.WriteString("$ bench " + quoted(args) + "\n" + r.stdout)
	for line := range strings.Lines(r.stderr) {
		b.WriteString("! " + line)
	}
	if r.code != 0 {
		fmt.Fprintf(&b, "exit %d\n", r.code)
	}
	return b.String() + "\n"
}

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

func TestXPathOutput(t *testing.T) {
	var b strings.Builder
	for _, args := range [][]string{
		{xpathPlan, "/Itinerary/Day[2]/POI[-1]"},
		{xpathPlan, "//Day", "--explain"},
		{xpathPlan, `//POI[node ~= "ships and a bell"]`, "--threshold", "0.1"},
		{xpathPlan, `/Itinerary/Day[avg(/POI[node ~= "cliff path"])]`, "--limit", "1", "--explain"},
		{xpathPlan, `(//POI[node ~= "swimming"])[1]`, "--profile", "released", "--scorer", "sem"},
		{xpathPlan, `//Restaurant[node ~= "seafood"]`, "--limit", "1", "--format", "json"},
		{xpathPlan, "//Day[3]"},
	} {
		args = append([]string{"xpath"}, args...)
		b.WriteString(must(t, args...).transcript(args...))
	}
	golden.Check(t, "xpath.txt", b.String())
}

func TestXPathFaults(t *testing.T) {
	var b strings.Builder
	check := func(stdin string, args ...string) {
		args = append([]string{"xpath"}, args...)
		r := runWith(t, stdin, args...)
		b.WriteString(r.transcript(args...))
		if r.code != exitUsage {
			t.Errorf("bench %s: exit %d, want %d", quoted(args), r.code, exitUsage)
		}
	}
	check("", xpathPlan)
	check("", xpathPlan, "//Day[0]")
	check("", xpathPlan, `//POI[node ~= "outdoor]`)
	check("", xpathPlan, "/Itinerary/Dya/Restaurnt")
	check("", xpathPlan, `//POI[highlight ~= "ships"]`)
	check("", "testdata/xpath/nothing.xml", "//Day")
	check("", "testdata/xpath", "//Day")
	check("<Plan>\n  <Day>\n</Plan>\n", "-", "//Day")
	check("<!DOCTYPE p [<!ENTITY a \"b\">]><p>&a;</p>", "-", "//p")
	check("", "-", "//Day")
	check("", xpathPlan, "//Day", "--profile", "papr", "--format", "yaml")
	check("", xpathPlan, `//Day[node ~= "wet"]`, "--scorer", "bert")
	check("", xpathPlan, `//Day[node ~= "outdoor"]`, "--scorer", "entail", "--model", "testdata/xpath/nothing.yaml")
	golden.Check(t, "xpath_faults.txt", b.String())
}

// TestXPathStdin reads what the file gives from stdin.
func TestXPathStdin(t *testing.T) {
	const query = `//POI[node ~= "outdoor"]`
	stdin := runWith(t, read(t, xpathPlan), "xpath", "-", query)
	if file := must(t, "xpath", xpathPlan, query); stdin != file {
		t.Errorf("from stdin:\n%+v\nfrom the file:\n%+v", stdin, file)
	}
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
	for scorer, want := range map[string]string{
		"sem":    "sem by " + model,
		"entail": "entail by " + model,
		"llm":    "llm by " + model,
	} {
		args := []string{"xpath", xpathPlan, `//POI[node ~= "outdoor"]`, "--scorer", scorer, "--model", model}
		first := must(t, args...)
		if !strings.Contains(first.stdout, want) || !strings.Contains(first.stdout, "matches  4\n") {
			t.Errorf("%s is not named so, or has not 4 matches:\n%s", want, first.stdout)
		}
		before := s.Stats()
		if again := must(t, args...); again.stdout != first.stdout || !cmp.Equal(s.Stats(), before) {
			t.Errorf("%s asked again: %+v after %+v\n%s", scorer, s.Stats(), before, again.stdout)
		}
	}
}
