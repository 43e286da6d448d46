package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
)

// blessed makes a run and a folder in which it is the baseline "main".
func blessed(t *testing.T) (run, baselines string) {
	t.Helper()
	run = filepath.Join(t.TempDir(), "run")
	must(t, "run", write(t, "small.yaml", strings.Replace(smallConfig, "f1@mem0", "f1@span", 1)), "--out", run, "--display", "none")
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
	if out := must(t, "compare", "main:Naive RAG", same+":stateless", "--unit", "request").stdout; !strings.Contains(out, "worse") {
		t.Errorf("a method of a baseline compares as\n%s", out)
	}
	if listed := must(t, "runs", "list", baselines).stdout; !strings.Contains(listed, filepath.Join(baselines, "main")) {
		t.Errorf("runs list does not have the baseline:\n%s", listed)
	}
	for _, verb := range []string{"score", "resume"} {
		if r := run(t, verb, filepath.Join(baselines, "main")); r.code != exitUsage || !strings.Contains(r.stderr, "is a baseline, which has the scores of a run") {
			t.Errorf("%s of a baseline: exit %d: %s", verb, r.code, r.stderr)
		}
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
