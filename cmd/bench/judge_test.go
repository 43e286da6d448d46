package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// verdicts collects the verdicts that a server owes, by the line of the prompt
// that has the question.
type verdicts struct {
	mu   sync.Mutex
	said map[string]bool
}

func (v *verdicts) see(_ *http.Request, body []byte) {
	var req struct {
		Messages []struct{ Content string }
		Format   struct {
			JSON struct{ Schema json.RawMessage } `json:"json_schema"`
		} `json:"response_format"`
	}
	if json.Unmarshal(body, &req) != nil {
		return
	}
	var contents []string
	for _, m := range req.Messages {
		contents = append(contents, m.Content)
	}
	var reply struct{ Correct bool }
	if json.Unmarshal([]byte(modelserver.AnswerJSON(req.Format.JSON.Schema, contents...)), &reply) != nil {
		return
	}
	_, after, _ := strings.Cut(contents[len(contents)-1], "Asked: ")
	asked, _, _ := strings.Cut(after, "\n")
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.said == nil {
		v.said = make(map[string]bool)
	}
	v.said[asked] = reply.Correct
}

// judgements returns those of a run, by sample and request.
func judgements(t *testing.T, dir string) map[string][]record.Judgement {
	t.Helper()
	h := header(t, dir)
	all := make(map[string][]record.Judgement)
	for _, c := range h.Cells {
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

// standInRun makes a run of questions that the stand-in answered.
func standInRun(t *testing.T, samples, each int, more string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	must(t, "run", questions(t, samples, each, more), "--out", dir, "--display", "none")
	return dir
}

// TestJudge judges a run: what the judge said is what scores and tables show,
// and nothing is asked twice of the same judge.
func TestJudge(t *testing.T) {
	var seen verdicts
	s := modelserver.New(t, modelserver.Options{Observe: seen.see})
	dir := standInRun(t, 2, 6, "")
	before := recorded(t, dir)
	judge := []string{"judge", dir, "--model", liveModel(t, s, ""), "--calls", "off", "--display", "none"}
	first := must(t, judge...)

	scores := scoresOf(t, dir, "judge")
	for i := range 2 {
		for j := range 6 {
			name, asked := fmt.Sprintf("s%d/q%d", i, j), fmt.Sprintf("%q", fmt.Sprintf("What is number %d of sample %d?", j, i))
			want, ok := seen.said[asked]
			if got, scored := scores[name]; !ok || !scored || (got == 1) != want {
				t.Errorf("%s: judge is %v, %t; the judge said %t, %t", name, got, scored, want, ok)
			}
			js := judgements(t, dir)[name]
			if len(js) != 1 || js[0].Correct == nil || *js[0].Correct != want || js[0].Why == "" || js[0].Reader != "test-model" ||
				js[0].Usage["judge"].Calls != 1 || len(js[0].Served) != 1 {
				t.Errorf("%s: judgements %+v", name, js)
			}
		}
	}
	if yes := len(maps.Collect(filter(scores, 1))); yes == 0 || yes == len(scores) {
		t.Fatalf("%d of %d answers are right: the test tells nothing", yes, len(scores))
	}
	if tokens := scoresOf(t, dir, "tokens-judge"); len(tokens) != 12 || len(maps.Collect(filter(tokens, 0))) > 0 {
		t.Errorf("tokens of the judge: %v", tokens)
	}
	_, h, err := record.Open(dir)
	if err != nil || h.Judge == nil || h.Judge.Reader != "test-model" || len(h.Judge.Prompts) != 64 || strings.Join(h.Metrics, " ") != "f1@mem0 words tokens judge" {
		t.Fatalf("header %+v, %v", h, err)
	}
	note := "judge: judged by test-model with the prompt " + h.Judge.Prompts[:12] + ", after the run"
	if tables := must(t, "table", dir).stdout; !strings.Contains(tables, note) {
		t.Errorf("no footnote %q in\n%s", note, tables)
	}
	if !strings.Contains(first.stderr, "12 calls and ") {
		t.Errorf("stderr does not say what was paid:\n%s", first.stderr)
	}

	// Records are as they were.
	for name, text := range before {
		if name != "scores.jsonl" && recorded(t, dir)[name] != text {
			t.Errorf("%s has changed", name)
		}
	}
	if again := must(t, judge...); again.stdout != first.stdout || s.Stats().Answered != 12 {
		t.Errorf("the server answered %d calls, want 12; tables (-first +again):\n%s", s.Stats().Answered, cmp.Diff(first.stdout, again.stdout))
	}

	// Another prompt is another judge; the first one's judgements stay.
	own := t.TempDir()
	try.Do(t, os.Mkdir(filepath.Join(own, "judge"), 0o755))
	if err := os.WriteFile(filepath.Join(own, "judge", "judge.tmpl"), []byte(`{{define "user"}}Asked: {{.Question}}
Right? {{.Answer}}{{end}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	other := must(t, append(judge, "--prompts", own)...)
	if n := s.Stats().Answered; n != 24 || strings.Contains(other.stdout, note) {
		t.Errorf("the server answered %d calls, want 24; tables\n%s", n, other.stdout)
	}
	for name, x := range scoresOf(t, dir, "judge") {
		_, number, _ := strings.Cut(name, "/q")
		if want := seen.said[fmt.Sprintf("%q", fmt.Sprintf("What is number %s of sample %s?", number, name[1:2]))]; (x == 1) != want {
			t.Errorf("%s: judge is %v, the second judge said %t", name, x, want)
		}
	}
	if back := must(t, judge...); back.stdout != first.stdout || s.Stats().Answered != 24 {
		t.Errorf("the first judge again: %d calls, tables (-first +back):\n%s", s.Stats().Answered, cmp.Diff(first.stdout, back.stdout))
	}

	// The run goes on as one that was judged, and scores without the judge's
	// metrics are those of before.
	must(t, "resume", dir, "--display", "none")
	if _, h, err := record.Open(dir); err != nil || h.Judge == nil {
		t.Errorf("resuming forgets the judge: %+v, %v", h.Judge, err)
	}
	must(t, "score", dir, "--metrics", "f1@mem0")
	want := scoresOf(t, standInRun(t, 2, 6, ""), "f1@mem0")
	if diff := cmp.Diff(want, scoresOf(t, dir, "f1@mem0")); diff != "" {
		t.Errorf("f1@mem0 of the judged run (-before +after):\n%s", diff)
	}
}

// filter yields the entries that have a value.
func filter(m map[string]float64, value float64) func(func(string, float64) bool) {
	return func(yield func(string, float64) bool) {
		for k, v := range m {
			if v == value && !yield(k, v) {
				return
			}
		}
	}
}

// TestJudgeReplay judges two runs of the same methods, the second from the
// recordings of the first's judge.
func TestJudgeReplay(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	model, store := liveModel(t, s, ""), filepath.Join(t.TempDir(), "calls")
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
	other := filepath.Join(t.TempDir(), "other")
	must(t, "calls", "import", exported, "--store", other)
	r := must(t, "judge", b, "--model", model, "--store", other, "--calls", "replay", "--display", "none", "--set", "concurrency.requests=2")
	asked := 0
	for _, js := range judgements(t, b) {
		asked += len(js)
	}
	if !strings.Contains(r.stderr, "nothing was paid: all ") || !strings.Contains(r.stderr, fmt.Sprintf("%d calls came from recordings", asked)) || asked < 20 {
		t.Errorf("of %d calls, stderr: %s", asked, r.stderr)
	}
	if diff := cmp.Diff(recorded(t, a), recorded(t, b)); diff != "" {
		t.Errorf("the replayed judgements differ (-recorded +replayed):\n%s", diff)
	}
	if r := run(t, "judge", b, "--model", model, "--store", other, "--calls", "replay", "--display", "none", "--set", "seed=9"); r.code != exitMiss ||
		!strings.Contains(r.stderr, "replay-miss") || !strings.Contains(r.stderr, "run the same command again") {
		t.Errorf("another seed: exit %d, want %d\n%s", r.code, exitMiss, r.stderr)
	}
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
	dir := standInRun(t, samples, each, "")
	judge := []string{"judge", dir, "--model", liveModel(t, s, ""), "--calls", "off", "--display", "none", "--set", "concurrency.requests=2"}
	r := run(t, append(judge, "--set", "budget.tokens=3000")...)
	if r.code != exitBudget || !strings.Contains(r.stderr, "run the same command again") {
		t.Fatalf("exit %d, want %d\n%s", r.code, exitBudget, r.stderr)
	}
	spent := len(judgements(t, dir))
	if _, h, err := record.Open(dir); err != nil || h.Judge != nil || spent == 0 || spent >= 15 {
		t.Fatalf("%d judgements for 3000 tokens, judge %+v, %v", spent, h.Judge, err)
	}
	var stdout, stderr bytes.Buffer
	if code := exitCode(bench(ctx, judge, strings.NewReader(""), &stdout, &stderr)); code != exitInterrupted || !strings.Contains(stderr.String(), "interrupted after ") {
		t.Fatalf("exit %d, want %d\n%s", code, exitInterrupted, &stderr)
	}
	h := header(t, dir)
	path := record.Folder(dir).Judgements(h.Cells[0].ID)
	data := try.Get(os.ReadFile(path))(t)
	done := bytes.Count(data, []byte("\n"))
	if done <= spent || done >= samples*each {
		t.Fatalf("%d judgements after the signal, %d before", done, spent)
	}
	// The last line as a killed process leaves it.
	try.Do(t, os.WriteFile(path, data[:len(data)-20], 0o644))
	s.Idle()
	before := s.Stats().Answered
	r = must(t, judge...)
	s.Idle()
	if !strings.Contains(r.stderr, "dropped an incomplete line") {
		t.Errorf("stderr does not tell of the torn line:\n%s", r.stderr)
	}
	if n, want := s.Stats().Answered-before, samples*each-done+1; n != want {
		t.Errorf("the server answered %d calls after it, want the %d that were left", n, want)
	}
	whole := standInRun(t, samples, each, "")
	judge[1] = whole
	must(t, judge...)
	if diff := cmp.Diff(recorded(t, whole), recorded(t, dir)); diff != "" {
		t.Errorf("the judging that went on differs (-whole +resumed):\n%s", diff)
	}
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
	dir := standInRun(t, 1, 3, "")
	for range 2 {
		r := run(t, "judge", dir, "--model", model, "--calls", "off", "--display", "none")
		if r.code != exitErrors || !strings.Contains(r.stderr, "3 of 3 answers could not be judged") {
			t.Fatalf("exit %d, want %d\n%s", r.code, exitErrors, r.stderr)
		}
		if !strings.Contains(r.stdout, "No metric has a value; 'bench table' shows the reasons.") {
			t.Errorf("the screen does not say that there are no values:\n%s", r.stdout)
		}
	}
	for name, js := range judgements(t, dir) {
		if len(js) != 1 || js[0].Correct != nil || js[0].Error == nil || js[0].Error.Kind != "schema" || js[0].Usage["judge"].Calls != 2 {
			t.Errorf("%s: judgements %+v, want one with an error", name, js)
		}
	}
	if scores := scoresOf(t, dir, "judge"); len(scores) != 0 {
		t.Errorf("scores without verdicts: %v", scores)
	}
	if tokens := scoresOf(t, dir, "tokens-judge"); len(maps.Collect(filter(tokens, 0))) != 0 {
		t.Errorf("what the judge took is not counted: %v", tokens)
	}

	reply.Store(`{"why": "It is.", "correct": true}`)
	must(t, "judge", dir, "--model", model, "--calls", "off", "--display", "none")
	try.Equal(t, "asked again, and replied to", map[string]float64{"s0/q0": 1, "s0/q1": 1, "s0/q2": 1}, scoresOf(t, dir, "judge"))

	failed := standInRun(t, 1, 3, "limits: {errors: 1, request: {tokens: 1}}\n")
	before := asked.Load()
	must(t, "judge", failed, "--model", model, "--calls", "off", "--display", "none")
	if diff := cmp.Diff(map[string]float64{"s0/q0": 0, "s0/q1": 0, "s0/q2": 0}, scoresOf(t, failed, "judge")); diff != "" || asked.Load() != before {
		t.Errorf("failed requests, which nobody asks about (-want +got):\n%s", diff)
	}
}

// TestJudgeTasks judges requests about trees: those that expect facts, and no
// others.
func TestJudgeTasks(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	dir := filepath.Join(t.TempDir(), "run")
	must(t, "run", write(t, "tasks.yaml", `
datasets: [{use: tasks, options: {domains: [todo]}}]
methods: [{use: in-context}]
metrics: [pass, tokens]
limits: {errors: 1}
`), "--out", dir, "--display", "none")
	must(t, "score", dir, "--metrics", "pass,judge,pass@judge")
	if got := len(scoresOf(t, dir, "judge")) + len(scoresOf(t, dir, "pass@judge")); got != 0 {
		t.Errorf("%d values of a judge in a run that was not judged", got)
	}
	if r := must(t, "table", dir); !strings.Contains(r.stdout, "judge, pass@judge: not judged; 'bench judge'") {
		t.Errorf("the table does not say that the run is not judged:\n%s", r.stdout)
	}
	must(t, "score", dir, "--metrics", "pass,tokens")
	must(t, "judge", dir, "--model", liveModel(t, s, ""), "--calls", "off", "--display", "none")
	_, h, err := record.Open(dir)
	if err != nil || strings.Join(h.Metrics, " ") != "pass tokens judge pass@judge" {
		t.Fatalf("metrics %v, %v", h.Metrics, err)
	}
	said, judge, pass, strict := judgements(t, dir), scoresOf(t, dir, "judge"), scoresOf(t, dir, "pass@judge"), scoresOf(t, dir, "pass")
	retrieved := scoresOf(t, dir, "pass-retrieval")
	facts, without := 0, 0
	for line := range try.Each(t, record.Lines[record.Gold](record.Folder(dir).Gold("tasks"))) {
		g := line.Value
		name := g.Sample + "/" + g.Request
		_, judged := judge[name]
		want := g.Expect != nil && g.Expect.Answer.Asks()
		if judged != want {
			t.Errorf("%s: judged is %t, want %t", name, judged, want)
		}
		_, passes := pass[name]
		switch {
		case passes != (g.Expect != nil):
			t.Errorf("%s: pass@judge is defined: %t", name, passes)
		case want:
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

// TestJudgeRefuses has what cannot be judged, or not by this.
func TestJudgeRefuses(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	dir, live := standInRun(t, 1, 1, ""), liveModel(t, s, "")
	busy := standInRun(t, 1, 1, "")
	unlock := try.Get(record.Folder(busy).Lock())(t)
	t.Cleanup(func() { unlock() }) //nolint:errcheck // the test is over
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"no model", []string{dir}, "give the model entry that judges, such as --model configs/models/openai.yaml"},
		{"stand-in", []string{dir, "--model", write(t, "stand-in.yaml", "use: stand-in\n")}, "model stand-in: the stand-in cannot judge"},
		{"no such file", []string{dir, "--model", "none.yaml"}, "there is no file none.yaml"},
		{"no key", []string{dir, "--model", liveModel(t, s, ", key: {env: NO_SUCH_KEY}")}, "the environment variable NO_SUCH_KEY is not set"},
		{"no run", []string{t.TempDir(), "--model", live}, "is not a run folder"},
		{"in use", []string{busy, "--model", live}, "is in use by another process"},
		{"no prompt", []string{dir, "--model", live, "--prompts", t.TempDir()}, "has no prompt for a judge"},
		{"wrong setting", []string{dir, "--model", live, "--set", "budget.euro=2"}, "euro"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := run(t, append([]string{"judge", "--calls", "off"}, tt.args...)...)
			if r.code != exitUsage || !strings.Contains(r.stderr, tt.want) {
				t.Errorf("exit %d, want %d and %q\n%s", r.code, exitUsage, tt.want, r.stderr)
			}
		})
	}
	if n := s.Stats().Answered; n != 0 {
		t.Errorf("the server answered %d calls", n)
	}
}

// TestJudgeProfiles judges a run by three judges, each with its own column, and sets
// them side by side.
func TestJudgeProfiles(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	dir := standInRun(t, 2, 6, "")
	model := liveModel(t, s, "")
	judge := []string{"judge", dir, "--model", model, "--calls", "off", "--display", "none", "--judge", "strict", "--judge", "recallbench", "--judge", "contains"}

	plan := must(t, append(judge, "--plan")...)
	if !strings.Contains(plan.stdout, "not known") || s.Stats().Answered != 0 {
		t.Errorf("a plan of %d calls:\n%s", s.Stats().Answered, plan.stdout)
	}
	must(t, judge...)
	if n := s.Stats().Answered; n != 24 {
		t.Errorf("%d calls, want 12 for each model", n)
	}
	_, h, err := record.Open(dir)
	if err != nil || len(h.Judges) != 3 || h.Judge != nil {
		t.Fatalf("judges %+v, %v", h.Judges, err)
	}
	halves := 0
	for _, name := range []string{"strict@test-model", "recallbench@test-model", "contains"} {
		scores := scoresOf(t, dir, "judge:"+name)
		if len(scores) != 12 {
			t.Errorf("%s has %d scores", name, len(scores))
		}
		halves += len(maps.Collect(filter(scores, 0.5)))
		if h.FindJudge(name) == nil {
			t.Errorf("the header has no judge %s", name)
		}
	}
	if halves == 0 {
		t.Error("the strict judge gave no half points: the test tells nothing")
	}
	must(t, judge...)
	if tables := must(t, "table", dir).stdout; s.Stats().Answered != 24 || !strings.Contains(tables, "uncalibrated") {
		t.Errorf("%d calls after judging again; tables\n%s", s.Stats().Answered, tables)
	}
	shown := must(t, "judge", "show", dir)
	for _, want := range []string{"contains, strict@test-model", "kappa", "band", "profile strict by test-model"} {
		if !strings.Contains(shown.stdout, want) {
			t.Errorf("no %q in\n%s", want, shown.stdout)
		}
	}
	must(t, append([]string{"judge", dir, "--model", model, "--calls", "off", "--display", "none"}, "--set", "seed=2")...)
	if _, h, err := record.Open(dir); err != nil || h.Judge == nil || len(h.Judges) != 3 {
		t.Errorf("the judge of the column judge takes the place of others: %+v, %v", h, err)
	}
}

// TestJudgeSample judges a number of answers, spread over the conversations.
func TestJudgeSample(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	dir := standInRun(t, 3, 8, "")
	must(t, "judge", dir, "--model", liveModel(t, s, ""), "--calls", "off", "--display", "none", "--judge", "strict", "--sample", "*=7")
	of := make(map[string]int)
	for name := range scoresOf(t, dir, "judge:strict@test-model") {
		sample, _, _ := strings.Cut(name, "/")
		of[sample]++
	}
	if len(of) != 3 || of["s0"]+of["s1"]+of["s2"] != 7 || s.Stats().Answered != 7 {
		t.Errorf("answers of conversations %v, %d calls; want 7 over three", of, s.Stats().Answered)
	}
}

// TestJudgeFlags refuses judges before anything is asked.
func TestJudgeFlags(t *testing.T) {
	dir := standInRun(t, 1, 2, "")
	s := modelserver.New(t, modelserver.Options{})
	model := liveModel(t, s, "")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--judge", "strict", "--judge", "strict"}, "given twice"},
		{[]string{"--judge", "strickt"}, `did you mean "strict"`},
		{[]string{"--judge", "longmemeval"}, "profile longmemeval has a prompt for none of the run's answers; it needs one of the categories"},
		{[]string{"--judge", "beam"}, "it needs a rubric of nuggets"},
		{[]string{"--judge", "locomo-community"}, "clone https://github.com/nemori-ai/nemori"},
		{[]string{"--judge", "strict=" + t.TempDir()}, "does not use authors' prompts"},
		{[]string{"--judge", "strict", "--sample", "all"}, "all must be formatted as key=value"},
		{[]string{"--judge", "strict", "--sample", "none*=3"}, "no further row matches none*"},
	} {
		r := run(t, append([]string{"judge", dir, "--model", model, "--calls", "off", "--display", "none"}, tt.args...)...)
		if r.code != exitUsage || !strings.Contains(r.stderr, tt.want) {
			t.Errorf("%v: exit %d, want %d and %q\n%s", tt.args, r.code, exitUsage, tt.want, r.stderr)
		}
	}
	if s.Stats().Answered != 0 {
		t.Errorf("%d calls", s.Stats().Answered)
	}
}

// TestJudgeCalibrate holds a judge against labels of people: it keeps how the judge
// fares, and leaves out labels that do not count.
func TestJudgeCalibrate(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	dir := standInRun(t, 4, 15, "")
	must(t, "judge", dir, "--model", liveModel(t, s, ""), "--calls", "off", "--display", "none", "--judge", "recallbench", "--judge", "contains")
	h := header(t, dir)
	said := judgements(t, dir)
	accepted, right := 0, 0
	var b strings.Builder
	n := 0
	for _, name := range slices.Sorted(maps.Keys(said)) {
		i := slices.IndexFunc(said[name], func(j record.Judgement) bool { return j.Reader == "test-model" })
		j := said[name][i]
		n++
		value := *j.Correct
		if value && n%5 == 0 {
			value = false // a judge that accepts a wrong answer
		}
		blind := n%7 != 0
		if blind && value {
			right++
		}
		if blind && value && *j.Correct {
			accepted++
		}
		fmt.Fprintf(&b, `{"schema": 1, "id": "a%d", "reviewer": "ann", "cell": %q, "sample": %q, "request": %q, "answer_sha256": %q, "kind": "correct", "value": %t, "blind": %t}`+"\n",
			n, h.Cells[0].ID, j.Sample, j.Request, j.Answer, value, blind)
	}
	fmt.Fprintf(&b, `{"schema": 1, "id": "old", "reviewer": "ann", "cell": %q, "sample": "s0", "request": "q0", "answer_sha256": %q, "kind": "correct", "value": true, "blind": true}`+"\n", h.Cells[0].ID, strings.Repeat("0", 64))
	if r := run(t, "judge", "calibrate", dir); r.code != exitUsage || !strings.Contains(r.stderr, "there are no labels that count") {
		t.Errorf("without labels: exit %d\n%s", r.code, r.stderr)
	}
	noteAs(t, dir, b.String())

	r := must(t, "judge", "calibrate", dir, "--judge", "recallbench@test-model")
	for _, want := range []string{"truth: labels of 52 answers", "8 labels that are not blind", "1 of answers that have changed"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("no %q in\n%s", want, r.stdout)
		}
	}
	h = header(t, dir)
	c, ok := h.FindJudge("recallbench@test-model").Calibrations["jsonl"]
	if !ok || c.Labels != 52 || c.Sensitivity == nil || *c.Sensitivity != float64(accepted)/float64(right) {
		t.Errorf("calibration %+v, want a sensitivity of %d/%d", c, accepted, right)
	}
	table := must(t, "table", dir).stdout
	if !strings.Contains(table, "on 52 labelled answers of jsonl, sensitivity") || strings.Count(table, "uncalibrated") != 1 {
		t.Errorf("the table says of the judges\n%s", table)
	}
	for want, args := range map[string][]string{
		`did you mean "contains"`: {"--reference", "contain"},
		"--wrong b*: ":            {"--wrong", "b*"},
		"is the only judge":       {"--reference", "contains", "--judge", "contains"},
		"--combine: ":             {"--combine", "first"},
	} {
		if r := run(t, append([]string{"judge", "calibrate", dir}, args...)...); r.code != exitUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("%v: exit %d, want %q\n%s", args, r.code, want, r.stderr)
		}
	}
}

// noteAs writes the notes of Ann into a run.
func noteAs(t *testing.T, dir, lines string) {
	t.Helper()
	try.Do(t, os.MkdirAll(filepath.Join(dir, "annotations"), 0o755))
	try.Do(t, os.WriteFile(filepath.Join(dir, "annotations", "ann.jsonl"), []byte(lines), 0o644))
}

// TestRecordedJudge imports answers with votes, whose figures are those that the source
// recorded.
func TestRecordedJudge(t *testing.T) {
	longtest.Skip(t)
	data := realdata.Datasets(t)
	text := read(t, filepath.Join(data, "locomo-audit", "model_answers.jsonl"))
	files := make(map[string]string)
	for line := range strings.Lines(text) {
		_, rest, _ := strings.Cut(line, `"system":"`)
		system, _, _ := strings.Cut(rest, `"`)
		files[system] += line
	}
	dir := t.TempDir()
	args := []string{"import", "--from", "jsonl", "--dataset", "locomo", "--data", data, "--metrics", "f1@mem0", "--out", filepath.Join(dir, "run")}
	for _, system := range []string{"fc-gpt-4o-mini-memos", "fc-gpt-4o-mini-cot", "fc-gpt-4.1-mini-memos", "fc-gpt-4.1-mini-cot", "ap-v1", "ap-v2"} {
		path := filepath.Join(dir, system+".jsonl")
		try.Do(t, os.WriteFile(path, []byte(files[system]), 0o600))
		args = append(args, path)
	}
	must(t, args...)
	must(t, "judge", filepath.Join(dir, "run"), "--judge", "contains", "--display", "none")
	show := must(t, "judge", "show", filepath.Join(dir, "run"), "--combine", "majority").stdout
	golden.Check(t, "judge_show.txt", show)
	calibrated := must(t, "judge", "calibrate", filepath.Join(dir, "run"), "--judge", "recorded", "--wrong", "ap-*").stdout
	golden.Check(t, "judge_calibrate.txt", must(t, "judge", "calibrate", filepath.Join(dir, "run"), "--reference", "recorded", "--wrong", "ap-*").stdout+calibrated)
	docs := read(t, "../../docs/judging.md")
	calibrated, stress, _ := strings.Cut(calibrated, "\n\nrecorded: rates if")
	if !strings.Contains(stress, "31.18") || !strings.Contains(docs, "31.18") {
		t.Errorf("the rates with errors like ap-v2 are\n%s", stress)
	}
	_, table, _ := strings.Cut(calibrated, "\n\n")
	if table, _, _ = strings.Cut(table, "\n[1]"); !strings.Contains(docs, table) {
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
		if !strings.Contains(r.stdout, want) {
			t.Errorf("no %q in\n%s", want, r.stdout)
		}
	}
	if r := run(t, "judge", "probe", "--dataset", "sampel", "--out", dir); r.code != exitUsage || !strings.Contains(r.stderr, `did you mean "sample"`) {
		t.Errorf("exit %d\n%s", r.code, r.stderr)
	}
}

// TestConfiguredJudges judges a run by the judges of its config, and goes on with them.
func TestConfiguredJudges(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	model := liveModel(t, s, "")
	config := questions(t, 2, 3, fmt.Sprintf(`
calls: {mode: "off"}
judges:
  - {profile: contains}
  - {profile: strict, model: %q}
  - {profile: recallbench, label: second, model: %[1]q}
  - {profile: declines, model: %[1]q}
`, model))
	dir := filepath.Join(t.TempDir(), "run")
	must(t, "run", config, "--out", dir, "--display", "none")
	whole := must(t, "table", dir).stdout
	for _, name := range []string{"contains", "strict@test-model", "second"} {
		if n := len(scoresOf(t, dir, "judge:"+name)); n != 6 || !strings.Contains(whole, "judge:"+name) {
			t.Errorf("%s has %d scores, in tables\n%s", name, n, whole)
		}
	}
	if n := len(scoresOf(t, dir, "refusal:declines@test-model")); n != 6 || len(scoresOf(t, dir, "judge:declines@test-model")) > 0 {
		t.Errorf("%d answers are said to decline or not, want 6 in a column of their own", n)
	}
	tables := must(t, "judge", "show", dir).stdout
	for _, want := range []string{"scores by judge", "contains", "second", "agreement"} {
		if !strings.Contains(tables, want) || strings.Contains(tables, "declines") {
			t.Errorf("no %s, or who declines, among the judges:\n%s", want, tables)
		}
	}
	if n := s.Stats().Answered; n != 18 {
		t.Errorf("%d calls, want 6 for each judge with a model", n)
	}
	must(t, "resume", dir, "--display", "none")
	if tables := must(t, "table", dir).stdout; s.Stats().Answered != 18 || !strings.Contains(tables, "judge:second") {
		t.Errorf("%d calls after resuming; tables\n%s", s.Stats().Answered, tables)
	}
	for judges, want := range map[string]string{
		`[{profile: strickt}]`:                                              `did you mean "strict"`,
		`[{profile: strict}]`:                                               "judges[0]: the key model is missing",
		`[{profile: contains}, {profile: contains}]`:                        "judges[0] is named contains, too",
		`[{profile: contains, label: a}, {profile: contains, label: a}]`:    "judges[0] has the label \"a\", too",
		`[{profile: contains, label: "a b"}]`:                               "want letters, digits",
		`[{profile: strict, model: {use: stand-in}}]`:                       "the stand-in cannot judge",
		`[{profile: strict, model: none.yaml}]`:                             "none.yaml",
		fmt.Sprintf(`[{profile: beam-official, model: %q}]`, model):         "clone https://github.com/mohammadtavakoli78/BEAM",
		fmt.Sprintf(`[{profile: strict, model: %q, prompts: none}]`, model): "does not use authors' prompts",
	} {
		r := run(t, "run", questions(t, 1, 1, "calls: {mode: \"off\"}\njudges: "+judges), "--display", "none")
		if r.code != exitUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: exit %d, want %d and %q\n%s", judges, r.code, exitUsage, want, r.stderr)
		}
	}
}

// TestUncalibratedEverywhere marks a judge without labels wherever its figures stand, with
// a column of its own or without, and no longer when people's labels are held against it.
func TestUncalibratedEverywhere(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	dir, other := standInRun(t, 2, 6, ""), standInRun(t, 2, 6, "")
	must(t, "judge", dir, "--judge", "contains", "--display", "none")
	must(t, "judge", other, "--judge", "contains", "--display", "none")
	must(t, "judge", dir, "--model", liveModel(t, s, ""), "--calls", "off", "--display", "none")
	page := filepath.Join(t.TempDir(), "page.html")
	rules := write(t, "rules.yaml", "rules: [{columns: [judge, \"judge:contains\"], min: 0}]\n")
	printed := func() map[string]string {
		must(t, "report", dir, "--out", page)
		return map[string]string{
			"table": must(t, "table", dir).stdout, "show": must(t, "judge", "show", dir).stdout, "page": reportPart(t, []byte(read(t, page)), "index"), "settings": reportPart(t, []byte(read(t, page)), "settings"), "paper": must(t, "table", dir, "--format", "latex").stdout,
			"gate": must(t, "gate", dir, "--rules", rules).stdout,
		}
	}
	if text := must(t, "compare", other, dir, "--columns", "judge:contains").stdout; strings.Count(text, "uncalibrated: no labels by people") != 1 {
		t.Errorf("compare does not mark the judge of both sides once:\n%s", text)
	}
	for name, text := range printed() {
		if n := strings.Count(text, "uncalibrated: no labels by people"); n < 2 {
			t.Errorf("%s marks %d of 2 judges:\n%.3000s", name, n, text[max(0, len(text)-3000):])
		}
	}
	var b strings.Builder
	h := header(t, dir)
	for name, said := range judgements(t, dir) {
		fmt.Fprintf(&b, `{"schema": 1, "id": %q, "reviewer": "ann", "cell": %q, "sample": %q, "request": %q, "answer_sha256": %q, "kind": "correct", "value": %t, "blind": true}`+"\n",
			name, h.Cells[0].ID, said[0].Sample, said[0].Request, said[0].Answer, len(b.String())%2 == 0)
	}
	noteAs(t, dir, b.String())
	must(t, "judge", "calibrate", dir)
	must(t, "judge", dir, "--judge", "contains", "--display", "none") // the same judge stays calibrated
	for name, text := range printed() {
		if strings.Contains(text, "uncalibrated:") || !strings.Contains(text, "labelled answers of") {
			t.Errorf("%s still takes a judge for uncalibrated:\n%.3000s", name, text[max(0, len(text)-3000):])
		}
	}
}

// TestJudgePlan has what judging would cost before anything is asked, and what is left of it
// once a judge has judged.
func TestJudgePlan(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	dir := standInRun(t, 2, 6, "")
	judge := []string{"judge", dir, "--model", liveModel(t, s, testPrice), "--calls", "off", "--display", "none", "--judge", "strict", "--judge", "contains"}
	row := func(name string) []float64 {
		for line := range strings.Lines(must(t, append(judge, "--plan")...).stdout) {
			cells := strings.Split(line, "│")
			if strings.TrimSpace(cells[0]) != name {
				continue
			}
			var numbers []float64
			for _, c := range cells[1:] {
				x := try.Get(strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(c), ",", ""), 64))(t)
				numbers = append(numbers, x)
			}
			return numbers
		}
		t.Fatalf("the plan has no judge %s", name)
		return nil
	}
	strict, rule := row("strict@test-model"), row("contains")
	input, output, usd := strict[3], strict[4], strict[5]
	if s.Stats().Answered != 0 || strict[0] != 12 || strict[1] != 0 || strict[2] != 12 || output != 12*512 || input < 12*100 {
		t.Errorf("the plan is %v after %d calls; want 12 answers and calls, and replies of at most 512 tokens", strict, s.Stats().Answered)
	}
	if want := (2*input + 8*output) / 1e6; math.Abs(usd-want) > 0.00006 {
		t.Errorf("%g dollars, want %g", usd, want)
	}
	if !slices.Equal(rule, []float64{12, 0, 0, 0, 0, 0}) {
		t.Errorf("a rule takes %v, want nothing", rule)
	}
	must(t, judge...)
	if again := row("strict@test-model"); again[1] != 12 || again[2] != 0 || again[5] != 0 {
		t.Errorf("the plan of what is judged is %v", again)
	}
}
