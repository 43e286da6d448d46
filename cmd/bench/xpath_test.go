package main

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/engine/semxpath"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/realdata"
)

const (
	xpathPlan   = "testdata/xpath/plan.xml"
	xpathScores = "testdata/xpath/scores.jsonl"
)

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
		{xpathPlan, `//POI[node ~= "outdoor activities"]`},
		{xpathPlan, `//POI[node ~= "outdoor activities"]`, "--threshold", "0.5", "--format", "csv"},
		{xpathPlan, `/Itinerary/Day[avg(/POI[node ~= "outdoor"])]`, "--scorer", "recorded=" + xpathScores, "--k", "1", "--explain"},
		{xpathPlan, `//POI[min(node ~= "outdoor", 1-[node ~= "outdoor"])]`, "--scorer", "recorded=" + xpathScores, "--explain"},
		{xpathPlan, `(//POI[node ~= "swimming"])[1]`, "--profile", "released", "--scorer", "similarity", "--mapping", "affine", "--text", "subtree"},
		{xpathPlan, `//Restaurant[node ~= "seafood"]`, "--k", "1", "--format", "json", "--schema", "testdata/xpath/schema.yaml"},
		{xpathPlan, `//POI[node ~= "outdoor"]`, "--scorer", "recorded=" + xpathScores, "--threshold", "0.95", "--format", "xml"},
		{xpathPlan, `//Day[node ~= "seafood"]`, "--k", "1", "--format", "json", "--explain", "--text", "name"},
		{xpathPlan, `/Itinerary/Day[2]/POI[node ~= "seafood"]`, "--k", "1", "--explain", "--text", "experiment", "--schema", "testdata/xpath/schema.yaml"},
		{xpathPlan, "//Day[3]"},
		{xpathPlan, `//POI[node ~= "stock exchange"]`, "--threshold", "0.9", "--format", "csv"},
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
	check("", xpathPlan, "//Day", "--profile", "papr", "--mapping", "round", "--format", "yaml", "--text", "all", "--threshold", "2", "--k", "-1", "--template", "yes", "--scorer", "bert")
	check("", xpathPlan, "//Day", "--scorer", "recorded")
	check("", xpathPlan, "//Day", "--scorer", "sem")
	check("", xpathPlan, "//Day", "--scorer", "stand-in=x")
	check("", xpathPlan, "//Day", "--model", "some.yaml")
	check("", xpathPlan, `//POI[node ~= "wet"]`, "--scorer", "recorded="+xpathScores)
	check("", xpathPlan, `//Day[node ~= "outdoor"]`, "--scorer", "recorded="+xpathScores)
	check("", xpathPlan, `//Day[node ~= "outdoor"]`, "--scorer", "recorded=testdata/xpath/nothing.jsonl")
	check("", xpathPlan, `//Day[node ~= "outdoor"]`, "--scorer", "entail", "--model", "testdata/xpath/nothing.yaml")
	check("", xpathPlan, "//Day", "--schema", xpathPlan)
	golden.Check(t, "xpath_faults.txt", b.String())
}

func TestXPathHelp(t *testing.T) {
	golden.Check(t, "xpath_help.txt", must(t, "xpath", "--help").stdout)
}

// TestXPathStdin reads what the file gives from stdin.
func TestXPathStdin(t *testing.T) {
	const query = `//POI[node ~= "outdoor"]`
	stdin := runWith(t, read(t, xpathPlan), "xpath", "-", query)
	if file := must(t, "xpath", xpathPlan, query); stdin != file {
		t.Errorf("from stdin:\n%+v\nfrom the file:\n%+v", stdin, file)
	}
}

// TestXPathFormats reads the machine formats back.
func TestXPathFormats(t *testing.T) {
	args := []string{"xpath", xpathPlan, `//*[node ~= "ships & \"boats\" <sea>"]`, "--format"}
	var doc struct {
		Matches []struct {
			Weight float64 `json:"weight"`
			Path   string  `json:"path"`
		} `json:"matches"`
	}
	if err := json.Unmarshal([]byte(must(t, append(args, "json")...).stdout), &doc); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(must(t, append(args, "csv")...).stdout)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var nodes struct {
		Query   string `xml:"query,attr"`
		Matches []struct {
			Weight float64 `xml:"weight,attr"`
			Path   string  `xml:"path,attr"`
		} `xml:"match"`
	}
	if err := xml.Unmarshal([]byte(must(t, append(args, "xml")...).stdout), &nodes); err != nil {
		t.Fatal(err)
	}
	if q, err := semxpath.Parse(nodes.Query); err != nil || q.String() != nodes.Query {
		t.Errorf("the query is %q, %v", nodes.Query, err)
	}
	if len(doc.Matches) != 8 || len(rows) != 9 || len(nodes.Matches) != 8 {
		t.Fatalf("%d matches in JSON, %d lines of CSV, %d matches in XML, want 8, 9, 8", len(doc.Matches), len(rows), len(nodes.Matches))
	}
	for i, m := range doc.Matches {
		if rows[i+1][1] != fmt.Sprint(m.Weight) || rows[i+1][2] != m.Path || nodes.Matches[i].Weight != m.Weight || nodes.Matches[i].Path != m.Path {
			t.Errorf("match %d: %v in JSON, %v in CSV, %v in XML", i+1, m, rows[i+1], nodes.Matches[i])
		}
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
		"sem":    "test: similarity, mapping clip",
		"entail": `test: entailment of "This is related to {}."`,
		"llm":    "test: scores by a language model",
	} {
		args := []string{"xpath", xpathPlan, `//POI[node ~= "outdoor"]`, "--scorer", scorer, "--model", model}
		first := must(t, args...)
		if !strings.Contains(first.stdout, want) || !strings.Contains(first.stdout, "matches  4\n") {
			t.Errorf("%s is not named so, or has not 4 matches:\n%s", want, first.stdout)
		}
		again := must(t, append(args, "--calls", "replay")...)
		if diff := cmp.Diff(first.stdout, again.stdout); diff != "" {
			t.Errorf("%s replayed (-first +again):\n%s", scorer, diff)
		}
		args[2] = `//POI[node ~= "something else"]`
		if r := run(t, append(args, "--calls", "replay")...); r.code != exitMiss {
			t.Errorf("%s without a recording: exit %d, want %d\n%s", scorer, r.code, exitMiss, r.stderr)
		}
	}
}

// paperExample writes the tree of the paper's worked example, and the scores of
// its nodes as the paper's authors recorded them.
func paperExample(t *testing.T) (plan, scores string) {
	t.Helper()
	dir := filepath.Join(realdata.Fixtures(t), "semantic-xpath")
	var turn any
	if err := json.Unmarshal([]byte(read(t, filepath.Join(dir, "acl_2026_conference_add_coffee_break.json"))), &turn); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	enc := json.NewEncoder(&lines)
	var visit func(v any)
	visit = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				visit(e)
			}
		case map[string]any:
			if c, ok := v["condition"].(map[string]any); ok && v["node_name"] != nil {
				line := map[string]any{"node_type": "POI", "node_name": v["node_name"], "predicate": c["value"], "score": v["score"]}
				if err := enc.Encode(line); err != nil {
					t.Fatal(err)
				}
			}
			for _, key := range slices.Sorted(maps.Keys(v)) {
				visit(v[key])
			}
		}
	}
	visit(turn)
	return filepath.Join(dir, "trees", "acl_2026.xml"), write(t, "scores.jsonl", lines.String())
}

// TestXPathPaper is the worked example of the paper's section 3.3: Day 2 is the
// day of conference sessions.
// TestXPathVersions queries versions of a memory.
func TestXPathVersions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trip.xml")
	put(t, file, []byte(`<Trip><Version number="1"><Day><Stop name="Pier"/><Stop name="Mill"/></Day></Version>`+
		`<Version number="2" request="drop the pier"><Day><Stop name="Mill"/></Day></Version></Trip>`))
	for version, want := range map[string]string{"1": "Pier", "-2": "Pier", "2": "Mill", "-1": "Mill"} {
		got := must(t, "xpath", file, "//Stop[1]", "--version", version).stdout
		if !strings.Contains(got, "matches  1") || !strings.Contains(got, want) {
			t.Errorf("--version %s: got\n%s\nwant %s alone", version, got, want)
		}
	}
	r := run(t, "xpath", file, "//Stop", "--version", "3")
	if r.code != exitUsage || !strings.Contains(r.stderr, "--version is 3, but "+file+" has the versions 1 to 2") {
		t.Errorf("a version that is not there: exit %d, %s", r.code, r.stderr)
	}
}

func TestXPathPaper(t *testing.T) {
	plan, scores := paperExample(t)
	r := must(t, "xpath", plan, `/Plan/Day[avg(/POI[node ~= "conference sessions"])]`, "--scorer", "recorded="+scores, "--format", "csv")
	rows, err := csv.NewReader(strings.NewReader(r.stdout)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range rows[1:] {
		weight, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %.4f", row[2], weight))
	}
	// The paper prints 0.565 for Day 2.
	want := []string{"Plan > Day 2 0.5647", "Plan > Day 3 0.0403", "Plan > Day 1 0.0397"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("days (-want +got):\n%s", diff)
	}
}
