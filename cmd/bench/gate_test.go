package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recallbench/internal/publish/gate"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// Each verdict ends the command with its exit code.
func TestGate(t *testing.T) {
	first, baselines := blessed(t)
	t.Setenv("BENCH_BASELINES", baselines)
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	strict := write(t, "strict.yaml", "fail_on: [regression, soft, insufficient data]\nrules: [{columns: [f1@span, evidence-recall], margin: 0}, {columns: [tokens-query], ratio: 1.05}]\n")
	loose := write(t, "loose.yaml", "rules: [{columns: [f1@span], margin: 50}]\n")
	floor := write(t, "floor.yaml", "rules: [{columns: [f1@span], methods: [Naive RAG], min: 20}, {columns: [f1@span], categories: [temporal], methods: ['*RAG'], min: 5}]\n")
	alike := write(t, "alike.yaml", "allow: []\nrules: [{columns: [f1@span, evidence-recall], margin: 0}]\n")
	of := func(s *record.Score, every int) bool {
		return *s.Values["f1@span"] > 0 && len(s.Request) > 1 && int(s.Request[len(s.Request)-1]-'0')%every == 0
	}
	worse := rescored(t, first, nil, func(s *record.Score) {
		if of(s, 2) {
			s.Values["f1@span"] = new(0.0)
		}
	})
	little := rescored(t, first, nil, func(s *record.Score) {
		if s.Request == "q11" {
			s.Values["f1@span"] = new(*s.Values["f1@span"] * 0.9)
		}
	})
	better := rescored(t, first, nil, func(s *record.Score) {
		if *s.Values["f1@span"] > 0 {
			s.Values["f1@span"] = new(1.0)
		}
	})
	other := rescored(t, first, func(h *record.Header) { h.Models[0].Reader = "other-model" }, nil)
	unfinished := rescored(t, first, func(h *record.Header) { h.Status, h.Cells[0].Planned = record.Interrupted, 60 }, nil)
	for _, c := range []struct {
		name, run, rules string
		code             int
		said             string // how often each verdict was reached, but for stable
	}{
		{"same", first, "", exitOK, ""},
		{"regression", worse, "", exitGate, "regression:1 soft:1"},
		{"soft", little, "", exitOK, "soft:1"},
		{"soft_fails", little, strict, exitGate, "soft:1"},
		{"within_the_margin", worse, loose, exitOK, "soft:1"},
		{"improvement", better, strict, exitOK, "improvement:1"},
		{"unlike", other, alike, exitGate, "insufficient data:4"},
		{"unlike_allowed", other, "", exitOK, ""},
		{"unfinished", unfinished, "", exitGate, "insufficient data:4"},
		{"floor", worse, floor, exitGate, "regression:2"},
		{"floor_holds", first, floor, exitOK, ""},
		{"one_conversation", little, "", exitGate, "insufficient data:1"},
	} {
		args := []string{"gate", c.run}
		if !strings.HasPrefix(c.name, "floor") {
			args = append(args, "--baseline", "main")
		}
		if c.rules != "" {
			args = append(args, "--rules", c.rules)
		}
		if c.name != "one_conversation" {
			args = append(args, "--unit", "request")
		}
		r := run(t, append(args, "--format", "json")...)
		result := decode[gate.Result](t, []byte(r.stdout))
		delete(result.Counts, gate.Stable)
		if said := fmt.Sprint(result.Counts); r.code != c.code || r.stderr != "" || said != "map["+c.said+"]" || result.Failed != (c.code != exitOK) {
			t.Errorf("%s: exit %d, %s, want %d, %s; %s", c.name, r.code, said, c.code, c.said, r.stderr)
		}
		if c.name == "regression" {
			golden.Check(t, "gate.txt", strings.ReplaceAll(run(t, args...).stdout, runID(t, first), "RUNID"))
		}
	}

	// A gate writes several files at once, and a step summary behind what is there.
	dir := t.TempDir()
	summary := filepath.Join(dir, "summary")
	try.Do(t, os.WriteFile(summary, []byte("before\n"), 0o644))
	t.Setenv("GITHUB_STEP_SUMMARY", summary)
	args := []string{"gate", worse, "--baseline", filepath.Join(baselines, "main"), "--unit", "request", "--format", "json"}
	for _, name := range []string{"a.xml", "a.md", "a.txt", "a.json"} {
		args = append(args, "--out", filepath.Join(dir, name))
	}
	r := run(t, args...)
	for file, want := range map[string]string{
		"summary": "before\n### gate FAILED: 1 regression", "a.xml": "<?xml", "a.md": "### gate FAILED", "a.txt": "gate FAILED", "a.json": r.stdout,
	} {
		if got := read(t, filepath.Join(dir, file)); !strings.HasPrefix(got, want) {
			t.Errorf("%s is\n%s", file, got)
		}
	}
	if r.code != exitGate || r.stderr != "" {
		t.Errorf("exit %d, stderr %s", r.code, r.stderr)
	}
}

// blessed makes a run and a folder in which it is the baseline "main".
func blessed(t *testing.T) (run, baselines string) {
	t.Helper()
	run = runOf(t, write(t, "small.yaml", strings.Replace(smallConfig, "f1@mem0", "f1@span", 1)))
	baselines = filepath.Join(t.TempDir(), "baselines")
	setAt(t, "2026-01-02T03:04:05Z", "main", run, "--baselines", baselines, "--note", "the first | of them")
	return run, baselines
}

// setAt sets a baseline at a time.
func setAt(t *testing.T, at string, args ...string) {
	t.Helper()
	now := try.Get(time.Parse(time.RFC3339, at))(t)
	var out bytes.Buffer
	cmd := newBaselineSetCommand(&app{stdout: &out, env: os.Getenv}, func() time.Time { return now })
	cmd.SetArgs(args)
	if err := cmd.ExecuteContext(t.Context()); err != nil || !strings.Contains(out.String(), "110 answers in 2 cells") {
		t.Fatalf("%v: %s", err, out.String())
	}
}

// rescored copies a run's header and scores to another folder, changed.
func rescored(t *testing.T, run string, header func(*record.Header), score func(*record.Score)) string {
	t.Helper()
	folder, h, err := record.Open(run)
	try.Do(t, err)
	dir := filepath.Join(t.TempDir(), "altered")
	to := try.Get(record.Create(dir))(t)
	h.ID, h.Files, h.Scored = "altered", nil, nil // as of a program without digests
	if header != nil {
		header(&h)
	}
	lines := new(bytes.Buffer)
	for line := range try.Each(t, record.Lines[record.Score](folder.Scores())) {
		if score != nil {
			score(&line.Value)
		}
		try.Do(t, json.NewEncoder(lines).Encode(line.Value))
	}
	try.Do(t, os.WriteFile(to.Scores(), lines.Bytes(), 0o644))
	config := try.Get(os.ReadFile(folder.Config()))(t)
	try.Do(t, os.WriteFile(to.Config(), config, 0o644))
	try.Do(t, to.WriteHeader(h))
	return dir
}

// runID returns the id of a run.
func runID(t *testing.T, dir string) string {
	t.Helper()
	h := header(t, dir)
	return h.ID
}

// A baseline opens wherever a scored run does, by its name or its folder, and says
// what the run says.
func TestBaseline(t *testing.T) {
	first, baselines := blessed(t)
	t.Setenv("BENCH_BASELINES", baselines)
	want := must(t, "table", first, "--by", "category", "--ci").stdout
	for _, arg := range []string{"main", filepath.Join(baselines, "main")} {
		if got := must(t, "table", arg, "--by", "category", "--ci").stdout; got != want {
			t.Errorf("the table of %s is\n%s\nwant\n%s", arg, got, want)
		}
	}
	same := rescored(t, first, nil, nil)
	has(t, "a method of a baseline compares as", must(t, "compare", "main:Naive RAG", same+":stateless", "--unit", "request").stdout, "worse")
	has(t, "runs list does not have the baseline", must(t, "runs", "list", baselines).stdout, filepath.Join(baselines, "main"))
	for _, verb := range []string{"score", "resume"} {
		refused(t, "is a baseline, which has the scores of a run", verb, filepath.Join(baselines, "main"))
	}
}

// A baseline is set by a person alone, who is told of all that speaks against it.
func TestBaselineRefusals(t *testing.T) {
	first, baselines := blessed(t)
	bad := rescored(t, first, func(h *record.Header) {
		h.Status, h.Shard = record.Interrupted, &record.Shard{Index: 1, Of: 3}
	}, func(s *record.Score) { s.Status = record.Error })
	fewer := rescored(t, first, func(h *record.Header) { h.Cells[0].Planned = 99 }, nil)
	unscored := rescored(t, first, nil, nil)
	try.Do(t, os.Remove(record.Folder(unscored).Scores()))
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"main", first}, []string{"the baseline main exists"}},
		{[]string{"other", bad}, []string{"is a shard; 'bench resume' joins them", "is interrupted; 'bench resume ", "110 of 110 questions of ", "failed, above the limit of 0"}},
		{[]string{"other", fewer}, []string{"has scores of 110 of 154 questions"}},
		{[]string{"other", unscored, "--force"}, []string{"has no scores yet; 'bench score "}},
		{[]string{"../other", first}, []string{`baseline name is "../other", want at most 64 letters`}},
		{[]string{"other", filepath.Join(baselines, "main")}, []string{"is a baseline, which has"}},
		{[]string{"other"}, []string{"want NAME RUN, got other"}},
	} {
		r := run(t, append([]string{"baseline", "set", "--baselines", baselines}, c.args...)...)
		for _, want := range c.want {
			if r.code != exitUsage || !strings.Contains(r.stderr, want) {
				t.Errorf("set %q: exit %d, want %d, and %q in\n%s", c.args, r.code, exitUsage, want, r.stderr)
			}
		}
	}
	if names := baselineNames(baselines); len(names) != 1 {
		t.Errorf("what was refused is kept: %v", names)
	}
	must(t, "baseline", "set", "main", bad, "--baselines", baselines, "--force")
}
