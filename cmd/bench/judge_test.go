package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"recallbench/internal/calc/calibrate"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

// judgements returns those of a run, by sample and request.
func judgements(t *testing.T, dir string) map[string][]record.Judgement {
	t.Helper()
	all := make(map[string][]record.Judgement)
	for _, c := range header(t, dir).Cells {
		for line := range try.Each(t, record.Lines[record.Judgement](record.Folder(dir).Judgements(c.ID))) {
			name := line.Value.Sample + "/" + line.Value.Request
			all[name] = append(all[name], line.Value)
		}
	}
	return all
}

// scoresOf returns the values of a column, by sample and request; null ones are
// left out.
func scoresOf(t *testing.T, dir, column string) map[string]float64 {
	t.Helper()
	all := make(map[string]float64)
	for line := range try.Each(t, record.Lines[record.Score](record.Folder(dir).Scores())) {
		if x := line.Value.Values[column]; x != nil {
			all[line.Value.Sample+"/"+line.Value.Request] = *x
		}
	}
	return all
}

// countOf returns how many scores are x.
func countOf(scores map[string]float64, x float64) (n int) {
	for _, score := range scores {
		if score == x {
			n++
		}
	}
	return n
}

// judgeArgs is the command that judges a run, without recordings.
func judgeArgs(dir, model string, more ...string) []string {
	return append([]string{"judge", dir, "--model", model, "--calls", "off", "--display", "none"}, more...)
}

// TestJudge judges a run: what the judge said is what scores and tables show, nothing is
// asked twice of the same judge, and another prompt is another judge.
func TestJudge(t *testing.T) {
	right := func(body []byte) bool {
		return bytes.Contains(body, []byte("number 1 of")) || bytes.Contains(body, []byte("Right?"))
	}
	s := modelserver.New(t, modelserver.Options{Script: func(_ string, body []byte) (json.RawMessage, bool) {
		reply := fmt.Sprintf(`{"why": "said", "correct": %t}`, right(body))
		return try.Get(json.Marshal(map[string]string{"role": "assistant", "content": reply}))(t), true
	}})
	dir := runOf(t, questions(t, 2, 3, ""))
	before := recorded(t, dir)
	judge := judgeArgs(dir, liveModel(t, s, ""))
	first := must(t, judge...)
	want := map[string]float64{"s0/q0": 0, "s0/q1": 1, "s0/q2": 0, "s1/q0": 0, "s1/q1": 1, "s1/q2": 0}
	try.Equal(t, "scores", want, scoresOf(t, dir, "judge"))
	for name, js := range judgements(t, dir) {
		if len(js) != 1 || *js[0].Correct != (want[name] == 1) || js[0].Why != "said" || js[0].Reader != "test-model" || js[0].Usage["judge"].Calls != 1 || len(js[0].Served) != 1 {
			t.Errorf("%s: judgements %+v", name, js)
		}
	}
	if tokens := scoresOf(t, dir, "tokens-judge"); len(tokens) != 6 || countOf(tokens, 0) > 0 {
		t.Errorf("tokens of the judge: %v", tokens)
	}
	h := header(t, dir)
	if h.Judge == nil || h.Judge.Reader != "test-model" || strings.Join(h.Metrics, " ") != "f1@mem0 words tokens judge" {
		t.Fatalf("header %+v", h)
	}
	note := "judge: judged by test-model with the prompt " + h.Judge.Prompts[:12] + ", after the run"
	if tables := must(t, "table", dir).stdout; !strings.Contains(tables, note) || !strings.Contains(first.stderr, "6 calls and ") {
		t.Errorf("no footnote %q, or not what was paid:\n%s%s", note, tables, first.stderr)
	}
	for name, text := range before { // records are as they were
		if name != "scores.jsonl" && recorded(t, dir)[name] != text {
			t.Errorf("%s has changed", name)
		}
	}
	own := t.TempDir()
	put(t, filepath.Join(own, "judge", "judge.tmpl"), []byte(`{{define "user"}}Asked: {{.Question}}
Right? {{.Answer}}{{end}}`))
	for i, c := range []struct {
		more         []string
		calls, right int
	}{{nil, 6, 2}, {[]string{"--prompts", own}, 12, 6}, {nil, 12, 2}} {
		again := must(t, append(judge, c.more...)...)
		if n := countOf(scoresOf(t, dir, "judge"), 1); s.Stats().Answered != c.calls || n != c.right || (again.stdout == first.stdout) != (n == 2) {
			t.Errorf("judging again, %d: %d calls, %d right, %+v", i, s.Stats().Answered, n, again)
		}
	}
	must(t, "resume", dir, "--display", "none")
	if header(t, dir).Judge == nil {
		t.Error("resuming forgets the judge")
	}
	must(t, "score", dir, "--metrics", "f1@mem0")
	try.Equal(t, "f1@mem0 of the judged run", scoresOf(t, runOf(t, questions(t, 2, 3, "")), "f1@mem0"), scoresOf(t, dir, "f1@mem0"))
}

// TestJudgeReplay judges two runs of the same methods, the second from the
// recordings of the first's judge.
func TestJudgeReplay(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	model, store, other := liveModel(t, s, ""), filepath.Join(t.TempDir(), "calls"), filepath.Join(t.TempDir(), "other")
	config := write(t, "small.yaml", smallConfig)
	a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	for _, dir := range []string{a, b} {
		must(t, "run", config, "--out", dir, "--display", "none", "--limit", "12")
	}
	must(t, "judge", a, "--model", model, "--store", store, "--display", "none", "--set", "concurrency.requests=7")
	exported := filepath.Join(t.TempDir(), "judge.db")
	must(t, "calls", "export", exported, "--store", store, "--run", a)
	s.Close()
	forbidDialling(t)
	must(t, "calls", "import", exported, "--store", other)
	replay := []string{"judge", b, "--model", model, "--store", other, "--calls", "replay", "--display", "none", "--set", "concurrency.requests=2"}
	r := must(t, replay...)
	_, origins := verdictLines(t, b)
	asked := origins[record.OfJudge] + origins[""]
	if !strings.Contains(r.stderr, "nothing was paid: all ") || !strings.Contains(r.stderr, fmt.Sprintf("%d calls came from recordings", asked)) || asked < 20 {
		t.Errorf("of %d calls, stderr: %s", asked, r.stderr)
	}
	try.Equal(t, "the replayed judgements", recorded(t, a), recorded(t, b))
	ends(t, exitMiss, "replay-miss", append(replay, "--set", "seed=9")...)
}

// TestJudgeStops ends a judging before its end, by a budget, a signal and a
// torn write, and goes on with it.
func TestJudgeStops(t *testing.T) {
	const samples, each = 3, 10
	var asked atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := modelserver.New(t, modelserver.Options{Latency: time.Millisecond, Observe: func(*http.Request, []byte) {
		if asked.Add(1) == 15 {
			cancel()
		}
	}})
	dir := runOf(t, questions(t, samples, each, ""))
	judge := judgeArgs(dir, liveModel(t, s, ""), "--set", "concurrency.requests=2")
	ends(t, exitBudget, "run the same command again", append(judge, "--set", "budget.tokens=3000")...)
	spent := len(judgements(t, dir))
	if header(t, dir).Judge != nil || spent == 0 || spent >= 15 {
		t.Fatalf("%d judgements for 3000 tokens", spent)
	}
	var stdout, stderr bytes.Buffer
	if code := exitCode(bench(ctx, judge, strings.NewReader(""), &stdout, &stderr)); code != exitInterrupted || !strings.Contains(stderr.String(), "interrupted after ") {
		t.Fatalf("exit %d, want %d\n%s", code, exitInterrupted, &stderr)
	}
	path := record.Folder(dir).Judgements(header(t, dir).Cells[0].ID)
	data := try.Get(os.ReadFile(path))(t)
	done := bytes.Count(data, []byte("\n"))
	if done <= spent || done >= samples*each {
		t.Fatalf("%d judgements after the signal, %d before", done, spent)
	}
	// The last line as a killed process leaves it.
	try.Do(t, os.WriteFile(path, data[:len(data)-20], 0o644))
	s.Idle()
	before := s.Stats().Answered
	r := must(t, judge...)
	s.Idle()
	if n, want := s.Stats().Answered-before, samples*each-done+1; n != want || !strings.Contains(r.stderr, "dropped an incomplete line") {
		t.Errorf("the server answered %d calls after it, want the %d that were left\n%s", n, want, r.stderr)
	}
	whole := runOf(t, questions(t, samples, each, ""))
	judge[1] = whole
	must(t, judge...)
	try.Equal(t, "the judging that went on", recorded(t, whole), recorded(t, dir))
}

// TestJudgeFailures has a judge whose replies are no verdicts, and requests that
// failed before anybody could judge them.
func TestJudgeFailures(t *testing.T) {
	var reply atomic.Value
	reply.Store("It is certainly right.")
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"model": "test-model", "choices": [{"message": {"content": %q}, "finish_reason": "stop"}]}`, reply.Load())
	}))
	t.Cleanup(s.Close)
	model := liveModel(t, &modelserver.Server{URL: s.URL + "/v1"}, "")
	dir := runOf(t, questions(t, 1, 3, ""))
	for range 2 {
		ends(t, exitErrors, "3 of 3 answers could not be judged", judgeArgs(dir, model)...)
	}
	for name, js := range judgements(t, dir) {
		if len(js) != 1 || js[0].Correct != nil || js[0].Error == nil || js[0].Error.Kind != "schema" || js[0].Usage["judge"].Calls != 2 {
			t.Errorf("%s: judgements %+v, want one with an error", name, js)
		}
	}
	if scores, tokens := scoresOf(t, dir, "judge"), scoresOf(t, dir, "tokens-judge"); len(scores) != 0 || countOf(tokens, 0) != 0 {
		t.Errorf("scores %v without verdicts, for tokens %v", scores, tokens)
	}
	reply.Store(`{"why": "It is.", "correct": true}`)
	must(t, judgeArgs(dir, model)...)
	try.Equal(t, "asked again, and replied to", map[string]float64{"s0/q0": 1, "s0/q1": 1, "s0/q2": 1}, scoresOf(t, dir, "judge"))

	failed := runOf(t, questions(t, 1, 3, "limits: {errors: 1, request: {tokens: 1}}\n"))
	before := asked.Load()
	must(t, judgeArgs(failed, model)...)
	try.Equal(t, "failed requests, which nobody asks about", map[string]float64{"s0/q0": 0, "s0/q1": 0, "s0/q2": 0}, scoresOf(t, failed, "judge"))
	if asked.Load() != before {
		t.Error("the judge was asked about a failed request")
	}
}

// TestJudgeTasks judges requests about trees: those that expect facts, and no
// others.
func TestJudgeTasks(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	dir := runOf(t, write(t, "tasks.yaml", "datasets: [{use: tasks, options: {domains: [todo]}}]\nmethods: [{use: in-context}]\nmetrics: [pass, tokens]\nlimits: {errors: 1}\n"))
	must(t, judgeArgs(dir, liveModel(t, s, ""))...)
	if h := header(t, dir); strings.Join(h.Metrics, " ") != "pass tokens judge pass@judge" {
		t.Fatalf("metrics %v", h.Metrics)
	}
	said, judge, pass, strict := judgements(t, dir), scoresOf(t, dir, "judge"), scoresOf(t, dir, "pass@judge"), scoresOf(t, dir, "pass")
	retrieved := scoresOf(t, dir, "pass-retrieval")
	facts, without := 0, 0
	for line := range try.Each(t, record.Lines[record.Gold](record.Folder(dir).Gold("tasks"))) {
		g := line.Value
		name := g.Sample + "/" + g.Request
		_, judged := judge[name]
		_, passes := pass[name]
		asks := g.Expect != nil && g.Expect.Answer.Asks()
		if judged != asks || passes != (g.Expect != nil) {
			t.Errorf("%s: judged is %t, want %t; pass@judge is defined: %t", name, judged, asks, passes)
		}
		switch {
		case asks:
			facts++
			if len(said[name]) == 1 && (pass[name] == 1) && (!*said[name][0].Correct || retrieved[name] == 0) {
				t.Errorf("%s passes against the judge or the rules", name)
			}
		case g.Expect != nil:
			without++
			if pass[name] != strict[name] {
				t.Errorf("%s asks for no fact: pass@judge is %v, pass %v", name, pass[name], strict[name])
			}
		}
	}
	if facts == 0 || without == 0 {
		t.Errorf("%d requests with facts, %d without: the test tells nothing", facts, without)
	}
}

// TestJudgeRefuses has what cannot be judged, or not by this. Nothing is asked.
func TestJudgeRefuses(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	dir, busy, live := runOf(t, questions(t, 1, 1, "")), runOf(t, questions(t, 1, 1, "")), liveModel(t, s, "")
	unlock := try.Get(record.Folder(busy).Lock())(t)
	t.Cleanup(func() { unlock() }) //nolint:errcheck // the test is over
	standIn := write(t, "stand-in.yaml", "use: stand-in\n")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"give the model entry that judges", []string{"judge", dir}},
		{"model stand-in: the stand-in cannot judge", judgeArgs(dir, standIn)},
		{"the environment variable NO_SUCH_KEY is not set", judgeArgs(dir, liveModel(t, s, ", key: {env: NO_SUCH_KEY}"))},
		{"is not a run folder", judgeArgs(t.TempDir(), live)},
		{"is in use by another process", judgeArgs(busy, live)},
		{"has no prompt for a judge", judgeArgs(dir, live, "--prompts", t.TempDir())},
		{"euro", judgeArgs(dir, live, "--set", "budget.euro=2")},
		{`did you mean "strict"`, judgeArgs(dir, live, "--judge", "strickt")},
		{"profile longmemeval has a prompt for none of the run's answers", judgeArgs(dir, live, "--judge", "longmemeval")},
		{"clone https://github.com/nemori-ai/nemori", judgeArgs(dir, live, "--judge", "locomo-community")},
		{"does not use authors' prompts", judgeArgs(dir, live, "--judge", "strict="+t.TempDir())},
		{"no further row matches none*", judgeArgs(dir, live, "--judge", "strict", "--sample", "none*=3")},
		{"when is", judgeArgs(dir, live, "--when", "sure")},
		{"audit is 2", judgeArgs(dir, live, "--when", "unclear", "--audit", "2")},
		{"audit needs when: unclear", judgeArgs(dir, live, "--audit", "0.1")},
	} {
		refused(t, c.want, c.args...)
	}
	for judges, want := range map[string]string{
		`[{profile: strickt}]`:                                             `did you mean "strict"`,
		`[{profile: strict}]`:                                              "judges[0]: the key model is missing",
		`[{profile: contains}, {profile: contains}]`:                       "judges[0] is named contains, too",
		`[{profile: contains, label: "a b"}]`:                              "want letters, digits",
		`[{profile: strict, model: {use: stand-in}}]`:                      "the stand-in cannot judge",
		fmt.Sprintf(`[{profile: strict, model: %q, prompts: none}]`, live): "does not use authors' prompts",
	} {
		refused(t, want, "run", questions(t, 1, 1, "calls: {mode: \"off\"}\njudges: "+judges), "--display", "none")
	}
	if n := s.Stats().Answered; n != 0 {
		t.Errorf("the server answered %d calls", n)
	}
}

// TestJudgeProfiles plans and judges a run by judges with columns of their own, and sets them
// side by side.
func TestJudgeProfiles(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	dir := runOf(t, questions(t, 2, 6, ""))
	model := liveModel(t, s, testPrice)
	judge := judgeArgs(dir, model, "--judge", "strict", "--judge", "recallbench", "--judge", "contains")
	plan := func(name string) (numbers []float64) {
		for line := range strings.Lines(must(t, append(judge, "--plan")...).stdout) {
			if cells := strings.Split(line, "│"); strings.TrimSpace(cells[0]) == name {
				for _, c := range cells[1:] {
					numbers = append(numbers, try.Get(strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(c), ",", ""), 64))(t))
				}
			}
		}
		return numbers
	}
	strict := plan("strict@test-model")
	input, output, usd := strict[3], strict[4], strict[5]
	if !slices.Equal(strict[:3], []float64{12, 0, 12}) || output != 12*512 || input < 12*100 || math.Abs(usd-(2*input+8*output)/1e6) > 0.00006 {
		t.Errorf("the plan is %v; want 12 answers and calls, replies of at most 512 tokens, and their price", strict)
	}
	if rule := plan("contains"); s.Stats().Answered != 0 || !slices.Equal(rule, []float64{12, 0, 0, 0, 0, 0}) {
		t.Errorf("a rule takes %v after %d calls, want nothing", rule, s.Stats().Answered)
	}
	for range 2 {
		if must(t, judge...); s.Stats().Answered != 24 {
			t.Errorf("%d calls, want 12 for each model", s.Stats().Answered)
		}
	}
	if again := plan("strict@test-model"); again[1] != 12 || again[2] != 0 || again[5] != 0 {
		t.Errorf("the plan of what is judged is %v", again)
	}
	for _, name := range []string{"strict@test-model", "recallbench@test-model", "contains"} {
		scores, h := scoresOf(t, dir, "judge:"+name), header(t, dir)
		if len(scores) != 12 || h.FindJudge(name) == nil || (countOf(scores, 0.5) > 0) != (name == "strict@test-model") {
			t.Errorf("%s has %d scores, %d of them half", name, len(scores), countOf(scores, 0.5))
		}
	}
	shown := must(t, "judge", "show", dir).stdout
	has(t, "judge show", shown, "contains, strict@test-model", "kappa", "band", "profile strict by test-model")
	must(t, judgeArgs(dir, model, "--set", "seed=2")...)
	if h := header(t, dir); h.Judge == nil || len(h.Judges) != 3 {
		t.Errorf("the judge of the column judge takes the place of others: %+v", h.Judges)
	}
	sampled := runOf(t, questions(t, 3, 8, ""))
	before := s.Stats().Answered
	must(t, judgeArgs(sampled, model, "--judge", "strict", "--sample", "*=7")...)
	of := make(map[string]int)
	for name := range scoresOf(t, sampled, "judge:strict@test-model") {
		of[name[:2]]++
	}
	if len(of) != 3 || of["s0"]+of["s1"]+of["s2"] != 7 || s.Stats().Answered-before != 7 {
		t.Errorf("answers of conversations %v; want 7 over three", of)
	}
}

// labelAs writes labels of Ann into a run: what she says of each answer, and whether blind.
func labelAs(t *testing.T, dir string, says func(n int, j record.Judgement) (right, blind bool)) {
	t.Helper()
	said := judgements(t, dir)
	var b strings.Builder
	for n, name := range slices.Sorted(maps.Keys(said)) {
		j := said[name][0]
		right, blind := says(n, j)
		fmt.Fprintf(&b, `{"schema": 1, "id": "a%d", "reviewer": "ann", "cell": %q, "sample": %q, "request": %q, "answer_sha256": %q, "kind": "correct", "value": %t, "blind": %t}`+"\n",
			n, header(t, dir).Cells[0].ID, j.Sample, j.Request, j.Answer, right, blind)
	}
	put(t, filepath.Join(dir, "annotations", "ann.jsonl"), []byte(b.String()))
}

// TestJudgeCalibrate holds a judge against labels of people: it keeps how the judge
// fares, leaves out labels that do not count, and unmarks the judge wherever it stands.
func TestJudgeCalibrate(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	dir := runOf(t, questions(t, 4, 15, ""))
	must(t, judgeArgs(dir, liveModel(t, s, ""), "--judge", "recallbench")...)
	refused(t, "there are no labels that count", "judge", "calibrate", dir)
	page, rules := filepath.Join(t.TempDir(), "page.html"), write(t, "rules.yaml", "rules: [{columns: [\"judge:recallbench@test-model\"], min: 0}]\n")
	printed := func(want, not string) {
		t.Helper()
		must(t, "report", dir, "--out", page)
		for name, text := range map[string]string{
			"table": must(t, "table", dir).stdout, "show": must(t, "judge", "show", dir).stdout, "page": reportPart(t, []byte(read(t, page)), "index"),
			"paper": must(t, "table", dir, "--format", "latex").stdout, "gate": must(t, "gate", dir, "--rules", rules).stdout,
		} {
			if !strings.Contains(text, want) || strings.Contains(text, not) {
				t.Errorf("%s does not say %q, or %q:\n%.3000s", name, want, not, text[max(0, len(text)-3000):])
			}
		}
	}
	printed("uncalibrated: no labels by people", "labelled answers of")
	accepted, right := 0, 0
	labelAs(t, dir, func(n int, j record.Judgement) (bool, bool) {
		value, blind := *j.Correct || n%5 == 0, n%7 != 0
		if blind && value {
			right++
		}
		if blind && *j.Correct {
			accepted++
		}
		return value, blind
	})
	r := must(t, "judge", "calibrate", dir)
	if !strings.Contains(r.stdout, "truth: labels of 51 answers") || !strings.Contains(r.stdout, "9 labels that are not blind") {
		t.Errorf("calibrate says\n%s", r.stdout)
	}
	h := header(t, dir)
	if c := h.FindJudge("recallbench@test-model").Calibrations["jsonl"]; c.Labels != 51 || c.Sensitivity == nil || *c.Sensitivity != float64(accepted)/float64(right) || accepted == right {
		t.Errorf("calibration %+v, want a sensitivity of %d/%d", c, accepted, right)
	}
	printed("labelled answers of", "uncalibrated:")
	must(t, "judge", dir, "--judge", "contains", "--display", "none")
	for want, args := range map[string][]string{
		`did you mean "contains"`: {"--reference", "contain"},
		"--wrong b*: ":            {"--wrong", "b*"},
		"is the only judge":       {"--reference", "contains", "--judge", "contains"},
		"--combine: ":             {"--combine", "first"},
	} {
		refused(t, want, append([]string{"judge", "calibrate", dir}, args...)...)
	}
}

// TestRecordedJudge imports answers with votes, whose figures are those that the source
// recorded.
func TestRecordedJudge(t *testing.T) {
	longtest.Skip(t)
	data := realdata.Datasets(t)
	files := make(map[string]string)
	for line := range strings.Lines(read(t, filepath.Join(data, "locomo-audit", "model_answers.jsonl"))) {
		_, rest, _ := strings.Cut(line, `"system":"`)
		system, _, _ := strings.Cut(rest, `"`)
		files[system] += line
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "run")
	args := []string{"import", "--from", "jsonl", "--dataset", "locomo", "--data", data, "--metrics", "f1@mem0", "--out", out}
	for _, system := range []string{"fc-gpt-4o-mini-memos", "fc-gpt-4o-mini-cot", "fc-gpt-4.1-mini-memos", "fc-gpt-4.1-mini-cot", "ap-v1", "ap-v2"} {
		path := filepath.Join(dir, system+".jsonl")
		put(t, path, []byte(files[system]))
		args = append(args, path)
	}
	must(t, args...)
	must(t, "judge", out, "--judge", "contains", "--display", "none")
	golden.Check(t, "judge_show.txt", must(t, "judge", "show", out, "--combine", "majority").stdout)
	calibrated := must(t, "judge", "calibrate", out, "--judge", "recorded", "--wrong", "ap-*").stdout
	golden.Check(t, "judge_calibrate.txt", must(t, "judge", "calibrate", out, "--reference", "recorded", "--wrong", "ap-*").stdout+calibrated)
	docs := read(t, "../../docs/judging.md")
	_, table, _ := strings.Cut(calibrated, "\n\n")
	table, _, _ = strings.Cut(table, "\n[1]")
	table = regexp.MustCompile("(?m)^ fc-.*\n").ReplaceAllString(table, "")
	if !strings.Contains(docs, table) {
		t.Errorf("docs/judging.md does not have this:\n%s", table)
	}
}

// TestJudgeProbe makes answers that are known to be right or wrong, and holds a rule
// against them.
func TestJudgeProbe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "probes")
	must(t, "judge", "probe", "--dataset", "sample", "--out", dir)
	must(t, "judge", dir, "--judge", "contains", "--display", "none")
	r := must(t, "judge", "calibrate", dir, "--wrong", "wrong-*", "--right", "right-*", "--format", "csv")
	for _, want := range []string{
		"right-verbose,55,55,100,", "wrong-other,55,55,n/a,,,0,", "wrong-injected,55,55,n/a,,,0,",
		"all answers of the 6 rows of wrong-* are wrong; all answers of the 2 rows of right-* are right",
	} {
		has(t, "judge calibrate", r.stdout, want)
	}
	refused(t, `did you mean "sample"`, "judge", "probe", "--dataset", "sampel", "--out", dir)
	// The plan of docs/judging.md is as the program prints it.
	t.Setenv("OPENAI_API_KEY", "none")
	plan, _, _ := strings.Cut(must(t, "judge", dir, "--model", "../../configs/models/openai.yaml", "--calls", "off", "--when", "unclear", "--plan").stdout, "\n[2]")
	has(t, "docs/judging.md does not have", read(t, "../../docs/judging.md"), plan)
}

// TestConfiguredJudges judges a run by the judges of its config, and goes on with them.
func TestConfiguredJudges(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	config := questions(t, 2, 3, fmt.Sprintf(`
calls: {mode: "off"}
judges:
  - {profile: contains}
  - {profile: strict, model: %q}
  - {profile: recallbench, label: second, model: %[1]q}
  - {profile: declines, model: %[1]q}
`, liveModel(t, s, "")))
	dir := runOf(t, config)
	must(t, "resume", dir, "--display", "none")
	whole := must(t, "table", dir).stdout
	for _, name := range []string{"contains", "strict@test-model", "second"} {
		if n := len(scoresOf(t, dir, "judge:"+name)); n != 6 || !strings.Contains(whole, "judge:"+name) {
			t.Errorf("%s has %d scores, in tables\n%s", name, n, whole)
		}
	}
	if n := len(scoresOf(t, dir, "refusal:declines@test-model")); n != 6 || len(scoresOf(t, dir, "judge:declines@test-model")) > 0 {
		t.Errorf("%d answers are said to decline or not, want 6 in a column of their own", n)
	}
	if tables := must(t, "judge", "show", dir).stdout; !strings.Contains(tables, "second") || strings.Contains(tables, "declines") {
		t.Errorf("the judges are\n%s", tables)
	}
	if n := s.Stats().Answered; n != 18 {
		t.Errorf("%d calls, want 6 for each judge with a model", n)
	}
}

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
	dir := runOf(t, questions(t, 4, 10, fmt.Sprintf(`
calls: {mode: "off"}
judges: [{profile: recallbench, label: sparing, model: %q}]
judge: {when: unclear, audit: 0}
`, liveModel(t, s, ""))))
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
	model, unclear := liveModel(t, s, ""), []string{"--when", "unclear", "--audit", "0.02"}
	whole, _, merged := inShards(t, 2, questions(t, 4, 20, ""))
	must(t, judgeArgs(whole, model, unclear...)...)
	ends(t, exitBudget, "", judgeArgs(merged, model, append(unclear, "--set", "budget.tokens=1500")...)...)
	must(t, judgeArgs(merged, model, unclear...)...)
	try.Equal(t, "the whole and the merged run", allOf(t, whole), allOf(t, merged))
	_, origins := verdictLines(t, merged)
	if origins[record.OfSpan] == 0 || origins[record.OfAudit] == 0 || s.Stats().Answered != 2*(origins[record.OfAudit]+origins[record.OfJudge]) {
		t.Errorf("%d calls for verdicts of %v, twice", s.Stats().Answered, origins)
	}
}

const ratingManual = "../../docs/judging.md"

// toRate runs three methods over twelve conversations with two questions each.
func toRate(t *testing.T) string {
	t.Helper()
	var data strings.Builder
	for i := range 12 {
		sample := fmt.Sprintf("s%d", i)
		day := []string{"Monday", "Tuesday", "Friday"}[i%3]
		for j, text := range []string{"I am moving to the " + day + " class.", "My bike is at the shop.", "It costs 40 euros."} {
			fmt.Fprintf(&data, `{"type":"turn","sample":%q,"session":"1","id":"t%d","speaker":"Ana","text":%q}`+"\n", sample, j, text)
		}
		fmt.Fprintf(&data, `{"type":"question","sample":%q,"id":"q0","question":"When is Ana's class?","answer":%q,"evidence":["t0"]}`+"\n", sample, day)
		fmt.Fprintf(&data, `{"type":"question","sample":%q,"id":"q1","question":"Where is Ana's bike?","answer":"at the shop","evidence":["t1"]}`+"\n", sample)
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "data.jsonl"), []byte(data.String()))
	put(t, filepath.Join(dir, "run.yaml"), []byte("datasets: [{use: jsonl, options: {files: [data.jsonl]}}]\nmethods: [{use: stateless}, {use: in-context}, {use: flat-rag, options: {k: 1}}]\nmetrics: [f1@mem0]\n"))
	folder := filepath.Join(dir, "run")
	must(t, "run", filepath.Join(dir, "run.yaml"), "--out", folder, "--display", "none")
	return folder
}

// fillIn fills in cells of a sheet by a rule of the test: no rating of it is of a person.
func fillIn(t *testing.T, sheet, rater string, fill func(n int, response string) map[string]string) string {
	t.Helper()
	rows := try.Get(csv.NewReader(strings.NewReader(strings.TrimPrefix(read(t, sheet), "\ufeff"))).ReadAll())(t)
	at := func(name string) int { return slices.Index(rows[0], name) }
	for i, row := range rows[1:] {
		row[at("rater")] = rater
		for name, value := range fill(i, row[at("response")]) {
			row[at(name)] = value
		}
	}
	var b strings.Builder
	try.Do(t, csv.NewWriter(&b).WriteAll(rows))
	return write(t, filepath.Base(sheet), b.String())
}

// fromHistory reports whether a response has a word of the conversation.
func fromHistory(response string) bool {
	return slices.ContainsFunc([]string{"Monday", "Tuesday", "Friday", "shop"}, func(word string) bool { return strings.Contains(response, word) })
}

// byWords rates responses high that have a word of the conversation, by some
// raters more than by others, and one of them low.
func byWords(rater int) func(int, string) map[string]string {
	return func(row int, response string) map[string]string {
		ucs := []string{"1", "2"}[(row+rater)%2]
		right := fromHistory(response)
		switch {
		case row == 3+rater:
			ucs = ""
		case right && rater == 2 && row == 11:
			ucs = "1"
		case right:
			ucs = []string{"4", "5"}[row*rater%2]
		case rater == 2:
			ucs = "4"
		}
		return map[string]string{"ucs": ucs, "hallucination": "0"}
	}
}

// TestRate goes the way of a study: sheets, ratings, tables.
func TestRate(t *testing.T) {
	folder := toRate(t)
	sheets := filepath.Join(t.TempDir(), "sheets")
	export := slices.Clip([]string{"judge", "people", "export", folder, "--out", sheets, "--limit", "10", "--raters", "3", "--seed", "4"})
	exported := must(t, export...).stdout
	first := read(t, filepath.Join(sheets, "rater-1.csv"))
	if again := must(t, export...).stdout; again != exported || read(t, filepath.Join(sheets, "rater-1.csv")) != first {
		t.Error("the same command writes other sheets")
	}
	for _, id := range []string{"stateless", "flat-rag", "in-context", "Naive RAG"} {
		if strings.Contains(first, id) {
			t.Errorf("a sheet names %s", id)
		}
	}
	if !strings.Contains(first, "I am moving to the") {
		t.Error("no sheet shows what the answer rests on")
	}

	var filled []string
	for i := range 3 {
		rater := fmt.Sprintf("rater-%d", i+1)
		filled = append(filled, fillIn(t, filepath.Join(sheets, rater+".csv"), rater, byWords(i+1)))
	}
	before := read(t, filepath.Join(folder, "run.json"))
	for want, args := range map[string][]string{
		"it was drawn with other flags":            append(export, "--limit", "9"),
		"whose files must not be overwritten":      append(export, "--out", filepath.Join(folder, "sheets")),
		"give the folder for the sheets":           {"judge", "people", "export", folder},
		`unknown dataset "x"`:                      append(export, "--dataset", "x"),
		"or a rater filled it in":                  append(export, "--out", filepath.Dir(filled[0])),
		"nothing is filled in":                     {"judge", "people", "import", folder, filepath.Join(sheets, "rater-1.csv")},
		"none.csv":                                 {"judge", "people", "import", folder, "none.csv"},
		"nobody was asked about the continuity of": {"judge", "people", "import", toRate(t), filled[0]},
	} {
		refused(t, want, args...)
	}
	if after := read(t, filepath.Join(folder, "run.json")); after != before {
		t.Error("what was refused changed the run")
	}

	imported := must(t, append([]string{"judge", "people", "import", folder}, filled...)...).stdout
	if again := must(t, append([]string{"judge", "people", "import", folder}, filled...)...).stdout; again != imported {
		t.Error("importing twice counts ratings twice")
	}
	compared := must(t, "compare", folder+":flat-rag", folder+":stateless", folder+":in-context", "--columns", "ucs").stdout
	has(t, "compare", compared, "-2.13", "-0.20", "0.0020", "0.0039", "0.2656")
	table := must(t, "table", folder, "--columns", "ucs").stdout
	rated := scoresOf(t, folder, "ucs")
	if len(rated) != 10 || !strings.Contains(table, "ucs") {
		t.Errorf("ratings of %d requests, want 10; the table is\n%s", len(rated), table)
	}

	// docs/judging.md has what a command prints.
	exported = strings.NewReplacer(folder, "results/runs/mine", sheets, "sheets").Replace(exported)
	text := part(t, read(t, ratingManual), "export", "```\n$ bench judge people export results/runs/mine --out sheets --limit 10 --raters 3 --seed 4\n"+exported+"```\n")
	golden.Check(t, "rate_import.txt", imported)
	golden.Check(t, filepath.Join("..", ratingManual), text)

	// Ratings of answers that the run no longer has count for none that it has.
	path := record.Folder(folder).Ratings("jsonl")
	other := strings.ReplaceAll(read(t, path), `"answer_sha256":"`, `"answer_sha256":"0`)
	try.Do(t, os.WriteFile(path, []byte(other), 0o644))
	must(t, "score", folder, "--accept-edited")
	if rated := scoresOf(t, folder, "ucs"); len(rated) != 0 {
		t.Errorf("%d requests have ratings of other answers", len(rated))
	}
}

// TestRateCorrectness goes from sheets to calibrated judges: two people say which answers
// are right, one of them in JSON, and what they say holds a judge against itself.
func TestRateCorrectness(t *testing.T) {
	folder := toRate(t)
	sheets := filepath.Join(t.TempDir(), "sheets")
	export := []string{"judge", "people", "export", folder, "--out", sheets, "--what", "correctness", "--limit", "20", "--raters", "2"}
	must(t, "judge", folder, "--judge", "contains", "--display", "none")
	must(t, export...)
	first := read(t, filepath.Join(sheets, "rater-1.csv"))
	if must(t, export...); read(t, filepath.Join(sheets, "rater-1.csv")) != first {
		t.Error("the same command writes other sheets")
	}
	if strings.Contains(first, "stateless") || strings.Contains(first, "ucs") || !strings.Contains(read(t, filepath.Join(sheets, "instructions.txt")), "does the response answer the question rightly") {
		t.Errorf("a sheet names a method or asks for another thing:\n%s", first)
	}
	q := try.Get(note.ReadQueue(record.Folder(folder), "correctness-jsonl"))(t)
	strata := make(map[string]float64)
	for _, it := range q.Items {
		strata[it.Stratum]++
	}
	if strata["accepted"] != 10 || strata["refused"] != 10 || !q.Blind {
		t.Errorf("drawn %v, want half that the judge accepts", strata)
	}

	// Ann finds right what says a day or the shop, and Bob doubts the first of them.
	sheet := func(rater, file string, label func(n int, response string) string) string {
		return fillIn(t, filepath.Join(sheets, file), rater, func(n int, response string) map[string]string {
			cells := map[string]string{"correct": label(n, response)}
			if rater != "bob" {
				cells["wrong_value"], cells["notes"] = []string{"0", "1"}[n%2], "seen"
			}
			return cells
		})
	}
	by := func(_ int, text string) string { return map[bool]string{true: "yes", false: "no"}[fromHistory(text)] }
	ann := sheet("ann", "rater-1.csv", by)
	bob := sheet("bob", "rater-2.csv", func(n int, text string) string {
		if n < 2 {
			return []string{"partly", "unsure"}[n]
		}
		return by(n, text)
	})
	take := slices.Clip([]string{"judge", "people", "import", folder, "--what", "correctness"})
	refused(t, `correct is "maybe", want yes, no, partly or unsure`, append(take, sheet("ann", "rater-1.csv", func(int, string) string { return "maybe" }))...)
	refused(t, `reviewer is "ann k"`, append(take, sheet("ann k", "rater-1.csv", by))...)
	if left := try.Get(note.Read(record.Folder(folder)))(t); len(left) > 0 {
		t.Errorf("what was refused left %v", left)
	}
	imported := must(t, append(take, ann, bob)...).stdout
	has(t, "judge people import", imported, "labels of 20 answers", "Krippendorff's nominal alpha", "19 answers with two labels or more", "people differ on 1 of them")
	notes := try.Get(note.Read(record.Folder(folder)))(t)
	if again := must(t, append(take, ann, bob)...).stdout; again != imported {
		t.Errorf("importing again prints\n%s", again)
	}
	if again, err := note.Read(record.Folder(folder)); err != nil || len(again) != len(notes) || len(notes) != 20+10+20+20 {
		t.Errorf("%d notes after importing twice, %d before, %v; want labels of both, and Ann's tags and remarks", len(again), len(notes), err)
	}
	other := sheet("ann", "rater-1.csv", func(int, string) string { return "no" })
	refused(t, "--force takes the new label", append(take, other)...)

	calibrated := must(t, "judge", "calibrate", folder, "--format", "csv").stdout
	has(t, "calibrate does not read the labels", calibrated, "truth: labels of 20 answers")
	h := header(t, folder)
	if c := h.FindJudge("contains").Calibrations["jsonl"]; c.Labels != 19 || c.Sensitivity == nil || c.Alpha == nil {
		t.Errorf("calibration %+v, want 19 labels: of one the two people say yes and partly", c)
	}
	has(t, "replaced labels", must(t, append(take, other, "--force")...).stdout, "31.7 %")
}
