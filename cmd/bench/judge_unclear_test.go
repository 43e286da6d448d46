package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/calc/calibrate"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

// verdictLines returns the judgements of a run, by cell, and how many have each origin.
func verdictLines(t *testing.T, dir string) (all map[string][]record.Judgement, origins map[record.Origin]int) {
	t.Helper()
	all, origins = make(map[string][]record.Judgement), make(map[record.Origin]int)
	for _, c := range header(t, dir).Cells {
		for j := range try.Each(t, record.Values[record.Judgement](record.Folder(dir).Judgements(c.ID))) {
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
	for line := range try.Each(t, record.Values[record.Score](record.Folder(dir).Scores())) {
		if x := line.Values["f1@span"]; x != nil {
			spans[request{line.Cell, line.Sample, line.Request}] = *x
		}
	}
	all := judgeArgs(dir, liveModel(t, s, ""))
	args := slices.Concat(all, []string{"--when", "unclear", "--audit", "0.02"})
	ran := must(t, args...)
	lines, origins := verdictLines(t, dir)
	asked := origins[record.OfJudge] + origins[record.OfAudit]
	if calls := s.Stats().Answered; calls != asked || origins[record.OfSpan] < 100 || origins[record.OfAudit] < 10 || origins[record.OfJudge] < 10 || len(origins) != 3 {
		t.Fatalf("%d calls for verdicts of %v", calls, origins)
	}
	if saved := fmt.Sprintf("f1@span decided %d answers", origins[record.OfSpan]); !strings.Contains(ran.stderr, saved) || !strings.Contains(must(t, "table", dir).stdout, "f1@span decided") {
		t.Errorf("no %q in the log, or no note in the tables:\n%s", saved, ran.stderr)
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
	for line := range try.Each(t, record.Values[record.Score](record.Folder(dir).Scores())) {
		j, ok := origin[request{line.Cell, line.Sample, line.Request}]
		if !ok {
			continue
		}
		value, errorOf := map[bool]float64{true: 1}[*j.Correct], 0.0
		if j.Origin == record.OfSpan {
			value, errorOf = rates[line.Cell][*j.Taken].Rate()
		}
		if got := line.Values["judge"]; got == nil || *got != value || line.Unasked["judge"] != errorOf {
			t.Errorf("%s of %s: judge %v with an error of %g, want %g with %g", line.Request, line.Cell, got, line.Unasked["judge"], value, errorOf)
		}
	}
	before := recorded(t, dir)
	must(t, args...)
	try.Equal(t, "judging again", before, recorded(t, dir))
	if s.Stats().Answered != asked {
		t.Errorf("judging again made %d calls", s.Stats().Answered-asked)
	}
	must(t, all...)
	if _, all := verdictLines(t, dir); s.Stats().Answered != asked+origins[record.OfSpan] || all[record.OfSpan] != 0 || all[""] != origins[record.OfSpan] {
		t.Errorf("asking about everything: %d calls after %d, verdicts of %v", s.Stats().Answered, asked, all)
	}
	for line := range try.Each(t, record.Values[record.Score](record.Folder(dir).Scores())) {
		if len(line.Unasked) > 0 {
			t.Fatalf("a judge that was asked about all has a score of an audit: %+v", line)
		}
	}
}

// TestConfiguredWhenUnclear judges a run by a config that asks when it is unclear.
func TestConfiguredWhenUnclear(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	dir := filepath.Join(t.TempDir(), "run")
	must(t, "run", questions(t, 4, 10, fmt.Sprintf(`
calls: {mode: "off"}
judges: [{profile: recallbench, label: sparing, model: %q}]
judge: {when: unclear, audit: 0}
`, liveModel(t, s, ""))), "--out", dir, "--display", "none")
	_, origins := verdictLines(t, dir)
	if origins[record.OfSpan] == 0 || origins[record.OfAudit] != 0 || s.Stats().Answered != origins[record.OfJudge] || len(scoresOf(t, dir, "judge:sparing")) != 40 {
		t.Errorf("%d calls for verdicts of %v", s.Stats().Answered, origins)
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
		dirs = append(dirs, filepath.Join(root, fmt.Sprint("run-", i)))
		must(t, "run", config, "--shard", shard, "--out", dirs[i], "--display", "none")
	}
	merged := filepath.Join(root, "merged")
	must(t, "resume", dirs[2], dirs[1], "--out", merged)
	unclear := []string{"--when", "unclear", "--audit", "0.02"}
	must(t, judgeArgs(dirs[0], model, unclear...)...)
	if r := run(t, judgeArgs(merged, model, append(unclear, "--set", "budget.tokens=1500")...)...); r.code != exitBudget {
		t.Fatalf("exit %d, want a spent budget\n%s", r.code, r.stderr)
	}
	must(t, judgeArgs(merged, model, unclear...)...)
	try.Equal(t, "the whole and the merged run", allOf(t, dirs[0]), allOf(t, merged))
	_, origins := verdictLines(t, merged)
	if origins[record.OfSpan] == 0 || origins[record.OfAudit] == 0 || s.Stats().Answered != 2*(origins[record.OfAudit]+origins[record.OfJudge]) {
		t.Errorf("%d calls for verdicts of %v, twice", s.Stats().Answered, origins)
	}
}
