package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/calc/calibrate"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

// verdictLines returns the judgements of a run, by cell.
func verdictLines(t *testing.T, dir string) (all map[string][]record.Judgement, origins map[record.Origin]int) {
	t.Helper()
	_, h, err := record.Open(dir)
	try.Do(t, err)
	all, origins = make(map[string][]record.Judgement), make(map[record.Origin]int)
	for _, c := range h.Cells {
		for j, err := range record.Values[record.Judgement](record.Folder(dir).Judgements(c.ID)) {
			try.Do(t, err)
			all[c.ID] = append(all[c.ID], j)
			origins[j.Origin]++
		}
	}
	return all, origins
}

// TestJudgeWhenUnclear asks a judge about unclear answers and an audit: the others stand at
// the rate of the audit, nothing is asked twice, and asking about all of them later asks
// about the rest.
func TestJudgeWhenUnclear(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	dir := filepath.Join(t.TempDir(), "probes")
	must(t, "judge", "probe", "--dataset", "sample", "--out", dir)
	must(t, "score", dir, "--metrics", "f1@span")
	type request struct{ cell, sample, id string }
	spans := make(map[request]float64)
	for line, err := range record.Values[record.Score](record.Folder(dir).Scores()) {
		try.Do(t, err)
		if x := line.Values["f1@span"]; x != nil {
			spans[request{line.Cell, line.Sample, line.Request}] = *x
		}
	}
	args := []string{"judge", dir, "--model", liveModel(t, s, ""), "--calls", "off", "--display", "none", "--when", "unclear", "--audit", "0.02"}
	plan := must(t, append(args, "--plan")...).stdout
	ran := must(t, args...)
	lines, origins := verdictLines(t, dir)
	asked := origins[record.OfJudge] + origins[record.OfAudit]
	if calls := s.Stats().Answered; calls != asked || origins[record.OfSpan] < 100 || origins[record.OfAudit] < 10 || origins[record.OfJudge] < 10 || len(origins) != 3 {
		t.Fatalf("%d calls for verdicts of %v", calls, origins)
	}
	said := fmt.Sprintf("%d of %d answers go to the judge", asked, asked+origins[record.OfSpan])
	for what, text := range map[string]string{"plan": plan, "log": ran.stderr} {
		if !strings.Contains(text, said) {
			t.Errorf("the %s does not say %q:\n%s", what, said, text)
		}
	}
	if saved := fmt.Sprintf("f1@span decided %d answers", origins[record.OfSpan]); !strings.Contains(ran.stderr, saved) || !strings.Contains(must(t, "table", dir).stdout, "f1@span decided") {
		t.Errorf("no %q in the log, or no note in the tables:\n%s\n%s", saved, ran.stderr, ran.stdout)
	}
	rates := make(map[string]map[bool]calibrate.Audit)
	origin := make(map[request]record.Judgement)
	for cell, all := range lines {
		rates[cell] = map[bool]calibrate.Audit{true: calibrate.SpanAudit(true), false: calibrate.SpanAudit(false)}
		for _, j := range all {
			k := request{cell, j.Sample, j.Request}
			origin[k] = j
			x, defined := spans[k]
			verdict := metrics.Grounds{Span: &x}.Verdict()
			decided := defined && verdict != metrics.Unclear
			if decided != (j.Origin != record.OfJudge) || decided && *j.Taken != (verdict == metrics.Right) || (j.Origin == record.OfSpan) != (j.Why != "" && len(j.Usage) == 0) {
				t.Errorf("f1@span is %g, and the verdict %+v", x, j)
			}
			if j.Origin == record.OfAudit {
				a := rates[cell][*j.Taken]
				a.Asked++
				if *j.Correct {
					a.Right++
				}
				rates[cell][*j.Taken] = a
			}
		}
	}
	for line, err := range record.Values[record.Score](record.Folder(dir).Scores()) {
		try.Do(t, err)
		j, ok := origin[request{line.Cell, line.Sample, line.Request}]
		if !ok {
			continue
		}
		value, errorOf := 0.0, 0.0
		if *j.Correct {
			value = 1
		}
		if j.Origin == record.OfSpan {
			value, errorOf = rates[line.Cell][*j.Taken].Rate()
		}
		if got := line.Values["judge"]; got == nil || *got != value || line.Unasked["judge"] != errorOf {
			t.Errorf("%s of %s: judge %v with an error of %g, want %g with %g", line.Request, line.Cell, got, line.Unasked["judge"], value, errorOf)
		}
	}

	_, h, err := record.Open(dir)
	try.Do(t, err)
	file := record.Folder(dir).Judgements(h.Cells[0].ID)
	before := read(t, file)
	must(t, args...)
	if s.Stats().Answered != asked || read(t, file) != before {
		t.Errorf("judging again made %d calls, and the file differs: %t", s.Stats().Answered-asked, read(t, file) != before)
	}
	must(t, args[:8]...)
	if _, all := verdictLines(t, dir); s.Stats().Answered != asked+origins[record.OfSpan] || all[record.OfSpan] != 0 || all[""] != origins[record.OfSpan] {
		t.Errorf("asking about everything: %d calls after %d, verdicts of %v", s.Stats().Answered, asked, all)
	}
	for line, err := range record.Values[record.Score](record.Folder(dir).Scores()) {
		if err != nil || len(line.Unasked) > 0 {
			t.Fatalf("%v, and a judge that was asked about all has a score of an audit: %+v", err, line)
		}
	}
	for want, more := range map[string][]string{"when is": {"--when", "sure"}, "audit is 2": {"--when", "unclear", "--audit", "2"}, "audit needs when: unclear": {"--audit", "0.1"}} {
		if r := run(t, append(args[:8:8], more...)...); r.code != exitUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("%v: exit %d\n%s", more, r.code, r.stderr)
		}
	}
}

// TestJudgingPlanIsPrinted has the plan of docs/judging.md as the program prints it.
func TestJudgingPlanIsPrinted(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "none")
	dir := filepath.Join(t.TempDir(), "probes")
	must(t, "judge", "probe", "--dataset", "sample", "--out", dir)
	plan := must(t, "judge", dir, "--model", "../../configs/models/openai.yaml", "--calls", "off", "--when", "unclear", "--plan").stdout
	plan, _, _ = strings.Cut(plan, "\n[2]")
	if !strings.Contains(read(t, "../../docs/judging.md"), plan) {
		t.Errorf("docs/judging.md does not have\n%s", plan)
	}
}

// TestConfiguredWhenUnclear judges a run by a config that asks when it is unclear.
func TestConfiguredWhenUnclear(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	config := questions(t, 4, 10, fmt.Sprintf(`
calls: {mode: "off"}
judges: [{profile: recallbench, label: sparing, model: %q}]
judge: {when: unclear, audit: 0}
`, liveModel(t, s, "")))
	dir := filepath.Join(t.TempDir(), "run")
	ran := must(t, "run", config, "--out", dir, "--display", "none")
	_, origins := verdictLines(t, dir)
	if origins[record.OfSpan] == 0 || origins[record.OfAudit] != 0 || s.Stats().Answered != origins[record.OfJudge] || len(scoresOf(t, dir, "judge:sparing")) != 40 {
		t.Errorf("%d calls for verdicts of %v\n%s", s.Stats().Answered, origins, ran.stdout)
	}
	if show := must(t, "judge", "show", dir).stdout; !strings.Contains(show, fmt.Sprintf("sparing did not judge %d answers", origins[record.OfSpan])) {
		t.Errorf("nothing is said of the answers without a verdict:\n%s", show)
	}
}

// TestUnclearShards judges a merged run, in two parts, and the whole one: what is asked is the
// same.
func TestUnclearShards(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	config, model, root := questions(t, 4, 20, ""), liveModel(t, s, ""), t.TempDir()
	var dirs []string
	for i, shard := range []string{"", "1/2", "2/2"} {
		dir := filepath.Join(root, fmt.Sprint("run-", i))
		must(t, "run", config, "--shard", shard, "--out", dir, "--display", "none")
		dirs = append(dirs, dir)
	}
	merged := filepath.Join(root, "merged")
	must(t, "resume", dirs[2], dirs[1], "--out", merged)
	judge := func(dir string, more ...string) []string {
		return append([]string{"judge", dir, "--model", model, "--calls", "off", "--display", "none", "--when", "unclear", "--audit", "0.02"}, more...)
	}
	must(t, judge(dirs[0])...)
	if r := run(t, judge(merged, "--set", "budget.tokens=1500")...); r.code != exitBudget {
		t.Fatalf("exit %d, want a spent budget\n%s", r.code, r.stderr)
	}
	must(t, judge(merged)...)
	if diff := cmp.Diff(allOf(t, dirs[0]), allOf(t, merged)); diff != "" {
		t.Errorf("(-whole +merged):\n%s", diff)
	}
	_, origins := verdictLines(t, merged)
	if origins[record.OfSpan] == 0 || origins[record.OfAudit] == 0 || s.Stats().Answered != 2*(origins[record.OfAudit]+origins[record.OfJudge]) {
		t.Errorf("%d calls for verdicts of %v, twice", s.Stats().Answered, origins)
	}
}
