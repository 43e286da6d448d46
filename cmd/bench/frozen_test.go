package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/publish/gate"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
)

// TestFrozen recomputes what table, compare and gate say of the runs that ship with
// recordings, and compares it number by number with testdata/frozen. Labels count,
// sentences do not.
//
// As the shipped runs have few conversations, their questions are also dealt out to eleven,
// so that tests over conversations are computed.
func TestFrozen(t *testing.T) {
	longtest.SkipRace(t)
	dir := t.TempDir()
	quickstart, trees := filepath.Join(dir, "quickstart"), filepath.Join(dir, "trees")
	must(t, "run", "../../configs/quickstart.yaml", "--set", `matrix.models["qwen2.5-coder-1.5b-instruct"].options.embed.model=[all-MiniLM-L6-v2]`, "--set", "metrics=[f1@mem0, f1@locomo, bleu1@nltk, rouge-l@rouge_score, evidence-recall, tokens]", "--out", quickstart, "--display", "none")
	must(t, "run", "../../configs/semantic-xpath-small.yaml", "--out", trees, "--display", "none")
	many := filepath.Join(dir, "many")
	deal := func(s *record.Score) { s.Sample = fmt.Sprintf("c%d", asked(s)%11) }
	try.Do(t, os.Rename(rescored(t, quickstart, nil, deal), many))
	changed := filepath.Join(dir, "changed")
	halved := make(map[string]bool) // cells, whose ids follow their options
	err := os.Rename(rescored(t, quickstart, func(h *record.Header) {
		for _, c := range h.Cells {
			halved[c.ID] = c.Method == "Semantic Anchoring" || c.Method == "xMemory"
		}
	}, func(s *record.Score) {
		deal(s)
		for name, v := range s.Values {
			switch {
			case v == nil || name == "evidence-recall": // which stays
			case halved[s.Cell]:
				s.Values[name] = new(*v * 0.5)
			case asked(s)%3 > 0:
				s.Values[name] = new(min(1, *v+0.25))
			}
		}
	}), changed)
	try.Do(t, err)
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	rules := write(t, "rules.yaml", "rules: [{columns: [f1@mem0, evidence-recall], margin: 2}, {columns: [tokens-query], ratio: 1.1}]\n")
	all := write(t, "all.yaml", "rules: [{name: quality, columns: ['*', '*@*'], better: higher, margin: 0}, {name: errors, columns: [errors], margin: 1}]\n")
	one, two := answers(t)
	for name, args := range map[string][]string{
		"files-compare":         {"compare", one, two, "--id", "case", "--equivalent-within", "60", "--not-worse-by", "1"},
		"files-anytime":         {"compare", one, two, "--id", "case", "--column", "loss=better:lower,scale:1", "--anytime", "2"},
		"files-calibrate":       {"compare", one, two, "--id", "case", "--calibrate", "50"},
		"files-plan":            {"compare", one, two, "--id", "case", "--column", "score=better:higher", "--detect", "5,20", "--questions", "5,50", "--seeds", "1,2"},
		"quickstart-methods":    {"compare", quickstart + ":stateless", quickstart + ":in-context", quickstart + ":Flat RAG", "--correct", "none", "--unit", "request"},
		"quickstart-table":      {"table", quickstart, "--by", "category", "--ci"},
		"quickstart-against":    {"table", quickstart, "--against", "Flat RAG", "--unit", "request"},
		"quickstart-compare":    {"compare", quickstart + ":Flat RAG", quickstart + ":xMemory", "--unit", "request", "--by", "category"},
		"quickstart-gate":       {"gate", quickstart, "--baseline", quickstart, "--rules", all, "--unit", "request", "--all"},
		"trees-table":           {"table", trees, "--by", "category", "--ci"},
		"trees-compare":         {"compare", trees + ":Flat RAG", trees + ":Semantic XPath (Sem)", "--accept-two"},
		"trees-gate":            {"gate", trees, "--baseline", trees, "--all"},
		"conversations-table":   {"table", many, "--ci", "--against", "in-context", "--correct", "holm"},
		"conversations-compare": {"compare", many, changed, "--equivalent-within", "5", "--not-worse-by", "2"},
		"conversations-gate":    {"gate", changed, "--baseline", many, "--rules", rules, "--all"},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, append(args, "--format", "json")...)
			if r.code != exitOK && r.code != exitGate {
				t.Fatalf("exit %d: %s", r.code, r.stderr)
			}
			got := make(map[string]*float64)
			add := func(v *float64, labels ...string) {
				key := strings.Join(slices.DeleteFunc(labels, func(s string) bool { return s == "" }), " | ")
				for base, n := key, 2; got[key] != nil; n++ { // rows of the same labels
					key = fmt.Sprint(base, " #", n)
				}
				got[key] = v
			}
			if args[0] == "gate" {
				gateNumbers(t, r.stdout, add)
			} else {
				tableNumbers(t, r.stdout, add)
			}
			checkFrozen(t, "frozen/"+name+".json", got)
		})
	}
}

// answers writes results of two other programs.
func answers(t *testing.T) (one, two string) {
	t.Helper()
	var a, b strings.Builder
	for i := range 14 {
		fmt.Fprintf(&a, "q%d,c%d,%d,%d\n", i, i/2, i%2, 10+i)
		fmt.Fprintf(&b, "q%d,c%d,%d,%d\n", i, i/2, min(1, i%2+i%3), 12+i)
	}
	const columns = "case,conversation,score,loss\n"
	return write(t, "a.csv", columns+a.String()), write(t, "b.csv", columns+b.String())
}

// asked returns the number of a question of the sample, as in q12.
func asked(s *record.Score) (n int) {
	_, _ = fmt.Sscanf(s.Request, "q%d", &n)
	return n
}

// tableNumbers adds the cells of tables, labelled by the texts that begin their row.
func tableNumbers(t *testing.T, text string, add func(*float64, ...string)) {
	t.Helper()
	doc := decode[report.Document](t, []byte(text))
	for _, table := range doc.Tables {
		for _, row := range table.Rows {
			labels := []string{table.Name}
			for i, c := range row {
				if !table.Columns[i].Number && len(labels) == i+1 {
					labels = append(labels, c.Text)
				}
			}
			for i, c := range row {
				if !table.Columns[i].Number {
					continue
				}
				column := append(slices.Clone(labels), table.Columns[i].Name)
				add(c.Value, column...)
				if c.Interval != nil {
					add(&c.Interval.Lo, append(slices.Clone(column), "low")...)
					add(&c.Interval.Hi, append(slices.Clone(column), "high")...)
				}
			}
		}
	}
}

// gateNumbers adds the outcomes of a gate, labelled by what was held and by its verdict.
func gateNumbers(t *testing.T, text string, add func(*float64, ...string)) {
	t.Helper()
	result := decode[gate.Result](t, []byte(text))
	for _, o := range result.Outcomes {
		say := func(name string, v *float64) {
			add(v, o.Rule, o.Dataset, o.Method, o.Category, o.Column, o.Bound, string(o.Verdict), name)
		}
		say("baseline", o.Baseline)
		say("value", o.Value)
		if o.P != nil {
			say("p", o.P)
			say("p adjusted", o.Adjusted)
		}
		if o.Interval != nil {
			say("low", &o.Interval.Lo)
			say("high", &o.Interval.Hi)
		}
	}
}

// checkFrozen compares numbers with those of a file, to 1e-9. With -update it writes the
// file where they differ by more.
func checkFrozen(t *testing.T, name string, got map[string]*float64) {
	t.Helper()
	want := make(map[string]*float64)
	if data, err := os.ReadFile(filepath.Join("testdata", name)); err == nil {
		try.Do(t, json.Unmarshal(data, &want))
	}
	var faults []string
	for key, w := range want {
		if g, ok := got[key]; !ok {
			faults = append(faults, key+" is gone")
		} else if (g == nil) != (w == nil) || g != nil && math.Abs(*g-*w) > 1e-9*max(1, math.Abs(*w)) {
			faults = append(faults, fmt.Sprintf("%s is %v, want %v", key, number(g), number(w)))
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			faults = append(faults, key+" is new")
		}
	}
	if faults != nil && flag.Lookup("update").Value.String() == "true" {
		text := try.Get(json.MarshalIndent(got, "", " "))(t)
		golden.Check(t, name, string(text)+"\n")
		return
	}
	for _, f := range slices.Sorted(slices.Values(faults)) {
		t.Error(f)
	}
}

func number(v *float64) any {
	if v == nil {
		return "none"
	}
	return *v
}
