package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"recallbench/internal/backend/limit"
	"recallbench/internal/door/meter"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
	"recallbench/runners"
)

const smallConfig = `
name: small
seed: 1
datasets: [{use: sample}]
methods: [{use: stateless}, {use: flat-rag, label: Naive RAG, options: {k: 5}}]
metrics: [f1@mem0, evidence-recall, tokens]
`

// TestRunTwice runs a config twice, resumes it when it is complete, and resumes a folder as
// a process leaves it that was killed between writing the config and the header: each time
// the run is the same.
func TestRunTwice(t *testing.T) {
	config, dir := write(t, "small.yaml", smallConfig), filepath.Join(t.TempDir(), "run")
	first := must(t, "run", config, "--out", dir, "--display", "none", "--set", "concurrency.requests=1")
	want, table := recorded(t, dir), must(t, "table", dir, "--format", "csv").stdout
	other := runOf(t, config, "--set", "concurrency.requests=9")
	try.Equal(t, "two runs differ", want, recorded(t, other))
	try.Equal(t, "tables of two runs differ", table, must(t, "table", other, "--format", "csv").stdout)
	again := must(t, "resume", dir, "--display", "none")
	try.Equal(t, "resuming a complete run prints", first.stdout, again.stdout)
	try.Equal(t, "resuming a complete run changes it", want, recorded(t, dir))
	unbegun := t.TempDir()
	put(t, filepath.Join(unbegun, "config.yaml"), []byte(read(t, filepath.Join(dir, "config.yaml"))))
	must(t, "resume", unbegun, "--display", "none")
	try.Equal(t, "the resumed run differs", want, recorded(t, unbegun))
}

func TestRunJSON(t *testing.T) {
	config := write(t, "small.yaml", smallConfig)
	r := must(t, "run", config, "--out", filepath.Join(t.TempDir(), "run"), "--json", "--display", "plain", "--limit", "3")
	var events []string
	for line := range strings.Lines(r.stdout) {
		event := decode[struct {
			Event    string
			Requests int
		}](t, line)
		events = append(events, event.Event)
		if event.Event == "done" && event.Requests != 6 {
			t.Errorf("done after %d requests, want 3 by each of 2 methods", event.Requests)
		}
	}
	if got := strings.Join(events, " "); !strings.HasPrefix(got, "start table ") || !strings.HasSuffix(got, " done") {
		t.Errorf("events: %s", got)
	}
	has(t, "no progress on stderr", r.stderr, "6/6 questions")
}

func TestScorePredictions(t *testing.T) {
	r := runWith(t, `{"id":"a","category":4,"prediction":"the beach","gold":"beach"}`+"\n",
		"score", "--predictions", "-", "--metrics", "f1@mem0,f1@locomo,bleu1@nltk,rouge-l@rouge_score")
	want := map[string]any{
		"id": "a", "category": 4.0, "f1@mem0": 2.0 / 3, "f1@locomo": 1.0, "bleu1@nltk": 0.5, "rouge-l@rouge_score": 2.0 / 3,
	}
	try.Equal(t, "scores", want, decode[map[string]any](t, r.stdout))
}

// A sweep over what memories are searched with builds them once, in its plan and
// when it runs.
const sweep = `
matrix: {methods.xmemory.options.search.episodes: [5, 10], methods.xmemory.options.search.uncertainty: [true, false]}
exclude: [{method: "xmemory, episodes=10, uncertainty=false"}]
`

func TestRunPlan(t *testing.T) {
	const methods = "methods=[{use: stateless}, {use: xmemory}]"
	home := try.Get(os.Getwd())(t)
	config := questions(t, 2, 2, sweep)
	t.Chdir(t.TempDir())
	text := must(t, "run", config, "--plan", "--set", methods).stdout
	has(t, "as CSV", must(t, "run", config, "--plan", "--set", methods, "--format", "csv").stdout, `"xmemory, episodes=5, uncertainty=true"`)
	if left, err := os.ReadDir("."); err != nil || len(left) != 0 {
		t.Errorf("the plan has left %v behind (%v)", left, err)
	}
	for _, args := range [][]string{{"--plan", "--out", "x"}, {"--format", "csv"}, {"--plan", "--format", "cvs"}} {
		if got := run(t, append([]string{"run", config, "--set", methods}, args...)...); got.code != exitUsage || got.stdout != "" {
			t.Errorf("%v: exit %d\n%s%s", args, got.code, got.stdout, got.stderr)
		}
	}
	// What a config of somebody else names is no command to the terminal.
	try.Do(t, os.WriteFile("hostile.yaml", []byte(`extends: "no\e[31mfile\u202E.yaml"`), 0o644))
	ends(t, exitUsage, `open no\x1b[31mfile\u202e.yaml: `, "run", "hostile.yaml", "--plan")
	must(t, "run", config, "--set", methods, "--out", "run", "--display", "none")
	// One memory of each sample for the three cells of xmemory.
	if kept, err := filepath.Glob(filepath.Join("run", "memories", "*", "*.jsonl")); err != nil || len(kept) != 2 {
		t.Errorf("the run has built %v (%v), want two memories", kept, err)
	}
	t.Chdir(home)
	golden.Check(t, "run_plan.txt", text)
}

// A run with several seeds holds what the runs with each of them hold, its
// table has one row for each method, and the config in its folder repeats it.
func TestSeeds(t *testing.T) {
	config := write(t, "small.yaml", strings.Replace(smallConfig, "seed: 1\n", "", 1))
	all := filepath.Join(t.TempDir(), "all")
	r := must(t, "run", config, "--set", "seeds=[1, 2, 3]", "--out", all, "--display", "plain", "--limit", "6")
	has(t, "the screen", r.stdout, "means over 3 seeds", "sample: 6 questions about 1 conversation")
	has(t, "progress", r.stderr, "36/36 questions")
	want := make(map[string]string)
	for _, seed := range []string{"1", "2", "3"} {
		one := runOf(t, config, "--set", "seed="+seed, "--limit", "6")
		for name, text := range recorded(t, one) {
			want[name] += text
		}
	}
	try.Equal(t, "three seeds in a run differ from three runs", want, recorded(t, all))
	again := runOf(t, filepath.Join(all, "config.yaml"))
	try.Equal(t, "its config does not repeat the run", recorded(t, all), recorded(t, again))
	must(t, "score", all, "--metrics", "f1@mem0,exact-match")
	doc := decode[report.Document](t, must(t, "table", all, "--seeds", "--format", "json").stdout)
	if rows := doc.Tables[0].Rows; len(rows) != 6 || doc.Tables[0].Columns[1].Name != "seed" {
		t.Errorf("--seeds prints %d rows, want one for each of 2 methods and 3 seeds", len(rows))
	}
	for args, want := range map[string]int{
		all + ":stateless":                           1,
		all + ":stateless@stand-in":                  1,
		all + ":stateless#2":                         1,
		all + ":stateless#1 " + all + ":stateless#3": 1,
	} {
		doc := decode[report.Document](t, must(t, append([]string{"table", "--format", "json"}, strings.Fields(args)...)...).stdout)
		if rows := doc.Tables[0].Rows; len(rows) != want {
			t.Errorf("table %s has %d rows, want %d", args, len(rows), want)
		}
	}
	for args, want := range map[string]string{
		all + ":nobody": `unknown method label "nobody"`,
		all + ":":       "no method label after the colon",
		all + ":stateless " + all + ":stateless#1": "named twice",
	} {
		refused(t, want, append([]string{"table"}, strings.Fields(args)...)...)
	}
	both := write(t, "both.yaml", smallConfig+"seeds: [1, 2]\n")
	refused(t, "seeds: seed is set", "run", both)
}

// Each seed reaches the model, whose replies are recorded apart; the judge is
// asked about the answers of all seeds; an estimate counts all.
func TestSeedsLive(t *testing.T) {
	var mu sync.Mutex
	sent := make(map[int]int)
	s := modelserver.New(t, modelserver.Options{Observe: func(_ *http.Request, body []byte) {
		var req struct {
			Seed     *int
			Messages []any
		}
		if json.Unmarshal(body, &req) == nil && req.Seed != nil && len(req.Messages) > 0 {
			mu.Lock()
			sent[*req.Seed]++
			mu.Unlock()
		}
	}})
	config, model := questions(t, 2, 3, "seeds: [4, 5]\n"), liveModel(t, s, "")
	store := filepath.Join(t.TempDir(), "calls")
	has(t, "the estimate", must(t, "run", config, "--plan", "--model", model, "--store", store).stdout, "12 questions in 2 cells", "│ seed │", "│ 5    │")
	dir := filepath.Join(t.TempDir(), "run")
	for _, mode := range []string{"record", "replay"} {
		r := must(t, "run", config, "--model", model, "--calls", mode, "--store", store, "--out", dir+mode, "--display", "none")
		if n := strings.Count(r.stderr, "the tokenizer of test-model is unknown"); n != 1 {
			t.Errorf("a remark about the model is made %d times, want once:\n%s", n, r.stderr)
		}
	}
	if want := map[int]int{4: 6, 5: 6}; !cmp.Equal(want, sent) {
		t.Errorf("calls by seed: %v, want %v", sent, want)
	}
	h := header(t, dir+"record")
	if len(h.Cells) != 2 || h.Paid == nil || h.Paid.Calls != 12 {
		t.Errorf("%d cells, paid %+v; want 2 and 12 calls", len(h.Cells), h.Paid)
	}
	must(t, "judge", dir+"record", "--model", liveModel(t, s, ""), "--calls", "off", "--display", "none")
	for name, js := range judgements(t, dir+"record") {
		if len(js) != 2 {
			t.Errorf("%s has %d judgements, want one for each seed", name, len(js))
		}
	}
	has(t, "the table", must(t, "table", dir+"record").stdout, "over 2 seeds (4, 5)")
}

// TestPlainDisplay wants a line every ten seconds, also while nothing finishes, and
// an end that follows the pace of the last minute.
func TestPlainDisplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		var mu sync.Mutex
		now := runners.State{Spent: meter.Spent{Paid: meter.Paid{USD: new(0.0)}}}
		set := func(change func(*runners.State)) {
			mu.Lock()
			defer mu.Unlock()
			change(&now)
		}
		p := &lines{w: &out, every: plainEvery}
		end := p.begin(runners.Work{Memories: 2, Requests: 10, Done: 4}, func() runners.State {
			mu.Lock()
			defer mu.Unlock()
			return now
		})
		time.Sleep(15 * time.Second) // nothing finishes
		set(func(s *runners.State) {
			s.Spent = meter.Spent{Calls: 30, Tokens: 12000, Paid: meter.Paid{Reused: 20, USD: new(0.25)}}
			s.Counts = limit.Counts{Retries: 3, Refused: 2}
		})
		time.Sleep(10 * time.Second)
		set(func(s *runners.State) { s.Memories, s.Requests, s.Spent.Calls = 1, 3, 60 })
		time.Sleep(10 * time.Second)
		// Recordings answered the first three questions; the others wait for a server.
		time.Sleep(50 * time.Second)
		set(func(s *runners.State) { s.Requests++ })
		time.Sleep(10 * time.Second)
		set(func(s *runners.State) { s.Memories, s.Requests, s.Failed, s.Spent.USD = 2, 6, 1, nil })
		end()
		const want = `10 questions, 4 of them finished before; memories to build: 2
0/2 memories, 4/10 questions, 0 failed, 10s
0/2 memories, 4/10 questions, 0 failed, 30 calls (20 recorded), 12000 tokens, $0.2500, 3 retries, 2 rate limits (429), 20s
1/2 memories, 7/10 questions, 0 failed, 60 calls (20 recorded), 12000 tokens, $0.2500, 3 retries, 2 rate limits (429), 30s, about 30s left
1/2 memories, 7/10 questions, 0 failed, 60 calls (20 recorded), 12000 tokens, $0.2500, 3 retries, 2 rate limits (429), 40s, about 40s left
1/2 memories, 7/10 questions, 0 failed, 60 calls (20 recorded), 12000 tokens, $0.2500, 3 retries, 2 rate limits (429), 50s, about 50s left
1/2 memories, 7/10 questions, 0 failed, 60 calls (20 recorded), 12000 tokens, $0.2500, 3 retries, 2 rate limits (429), 1m0s, about 1m0s left
1/2 memories, 7/10 questions, 0 failed, 60 calls (20 recorded), 12000 tokens, $0.2500, 3 retries, 2 rate limits (429), 1m10s, about 1m0s left
1/2 memories, 7/10 questions, 0 failed, 60 calls (20 recorded), 12000 tokens, $0.2500, 3 retries, 2 rate limits (429), 1m20s, about 1m0s left
1/2 memories, 8/10 questions, 0 failed, 60 calls (20 recorded), 12000 tokens, $0.2500, 3 retries, 2 rate limits (429), 1m30s, about 2m0s left
2/2 memories, 10/10 questions, 1 failed, 60 calls (20 recorded), 12000 tokens, price unknown, 3 retries, 2 rate limits (429), 1m35s
`
		if out.String() != want {
			t.Errorf("got\n%swant\n%s", out.String(), want)
		}
	})
}

// In a terminal one line changes, and is not wider than it.
func TestBar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		p := &lines{w: &out, every: barEvery, width: 20}
		end := p.begin(runners.Work{Requests: 2}, func() runners.State { return runners.State{Spent: meter.NewTally().Spent()} })
		time.Sleep(3 * barEvery / 2)
		end()
		if want := "2 questions, 0 of them finished before; memories to build: 0\n\r\x1b[K0/2 questions, 0 fa\r\x1b[K0/2 questions, 0 fa\n"; out.String() != want {
			t.Errorf("got\n%qwant\n%q", out.String(), want)
		}
	})
}

func TestInit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	must(t, "init", file)
	r := must(t, "run", file, "--out", filepath.Join(t.TempDir(), "run"), "--display", "none", "--limit", "2")
	has(t, "the run of what init wrote", r.stdout, "grep", "flat-rag", "in-context", "6 answers, no errors.")
	refused(t, "exists", "init", file)
	for _, model := range starterNames {
		other := filepath.Join(t.TempDir(), model+".yaml")
		must(t, "init", other, "--model", model)
		must(t, "doctor", "--faults", other)
	}

	// Data and a model of the user's own are named from the run file's folder.
	data := write(t, "chat.jsonl", `{"type": "turn", "sample": "s", "session": "1", "id": "a1", "speaker": "Ann", "text": "My router died on Sunday."}
{"type": "question", "sample": "s", "question": "When did Ann's router die?", "answer": "Sunday", "evidence": ["a1"]}
`)
	own := filepath.Join(filepath.Dir(data), "own.yaml")
	t.Chdir(filepath.Dir(data))
	must(t, "init", own, "--data", "./chat.jsonl", "--methods", "grep")
	runOf(t, own)

	bad := run(t, "init", filepath.Join(t.TempDir(), "bad.yaml"), "--data", "smple", "--methods", "grep,flatrag", "--model", "gpt")
	has(t, "all faults", bad.stderr, `--data: unknown value "smple"; did you mean "sample"?`, `--methods: unknown value "flatrag"; did you mean "flat-rag"?`, `--model: unknown value "gpt"; have stand-in, openai, ollama`)
}

// An empty line takes the default, and an input that ends writes nothing.
func TestInitAsks(t *testing.T) {
	var answers initAnswers
	flags := pflag.NewFlagSet("init", pflag.ContinueOnError)
	flags.StringVar(&answers.data, "data", "sample", "")
	flags.StringVar(&answers.methods, "methods", "grep", "")
	flags.StringVar(&answers.model, "model", "stand-in", "")
	var out bytes.Buffer
	try.Do(t, answers.ask(flags, strings.NewReader("\ngrep, xmemory\nopenai\n"), &out))
	text := try.Get(answers.runFile(t.TempDir()))(t)
	has(t, "the run file", text, "datasets: [{use: sample}]", "{use: grep}\n  - {use: xmemory}", "gpt-4.1-mini")
	if err := answers.ask(flags, strings.NewReader("\n"), &out); err == nil || !strings.Contains(err.Error(), "nothing is written") {
		t.Errorf("an input that ends: %v", err)
	}
}

// TestDenseOnly gives semantic-anchoring no weight but that of similarity: it finds
// what vector-rag finds, question by question, exactly or by the graph.
func TestDenseOnly(t *testing.T) {
	dir := runOf(t, write(t, "run.yaml", `
datasets: [{use: sample}]
methods:
  - {use: vector-rag}
  - {use: semantic-anchoring, label: exact, options: {weights: {similarity: 1, entities: 0, discourse: 0}}}
  - {use: semantic-anchoring, label: graph, options: {weights: {similarity: 1, entities: 0, discourse: 0}, dense: {index: hnsw}}}
metrics: [evidence-recall]
`))
	h := header(t, dir)
	recall := make(map[string]map[string]*float64) // by cell and request
	for s := range try.Each(t, record.Values[record.Score](record.Folder(dir).Scores())) {
		if recall[s.Cell] == nil {
			recall[s.Cell] = make(map[string]*float64)
		}
		recall[s.Cell][s.Request] = s.Values["evidence-recall"]
	}
	want := recall[h.Cells[0].ID]
	if len(want) == 0 {
		t.Fatal("no scores")
	}
	for _, c := range h.Cells[1:] {
		try.Equal(t, c.Method+" against vector-rag", want, recall[c.ID])
	}
}

func TestRuns(t *testing.T) {
	root := t.TempDir()
	config := write(t, "small.yaml", smallConfig)
	first, second := filepath.Join(root, "first"), filepath.Join(root, "second")
	screen := must(t, "run", config, "--out", first, "--display", "none", "--limit", "6").stdout
	must(t, "run", config, "--out", second, "--display", "none", "--limit", "3")
	list := must(t, "runs", "list", root).stdout
	has(t, "the list", list, "2 runs", first, second, "complete", "sample")
	if shown := must(t, "runs", "show", first).stdout; !strings.HasPrefix(shown, screen) || !strings.Contains(shown, "complete, begun ") {
		t.Errorf("bench run printed\n%s\nand bench runs show\n%s", screen, shown)
	}

	// A folder that is no run keeps those beside it from being removed.
	other := filepath.Join(root, "other")
	try.Do(t, os.Mkdir(other, 0o755))
	refused(t, "it has no run.json", "runs", "remove", first, other, "--yes")
	if r := must(t, "runs", "remove", first); !strings.Contains(r.stdout, "would remove "+first) {
		t.Errorf("without --yes it says\n%s", r.stdout)
	}
	try.Get(os.Stat(first))(t)
	must(t, "runs", "remove", first, "--yes")
	if list := must(t, "runs", "list", root).stdout; strings.Contains(list, first) || !strings.Contains(list, second) {
		t.Errorf("the list after removing one has\n%s", list)
	}
}

// TestModelNone leaves out what a model must build, and ranks the rest by evidence.
func TestModelNone(t *testing.T) {
	config := write(t, "none.yaml", `name: none
datasets: [{use: changes, options: {tokens: 4000, histories: 1, questions: 20, end_only: true}}]
methods: [{use: grep}, {use: recent}, {use: nemori}]
models: [{use: none}]
metrics: [changes, changes-evidence]
`)
	r := must(t, "run", config, "--out", filepath.Join(t.TempDir(), "run"), "--display", "plain")
	has(t, "what is told", r.stderr, "skipped method nemori", "memories to build: 2") // one place, two methods
	has(t, "the screen", r.stdout, "found")
	refused(t, "no cell to run", "run", config, "--set", "methods=[nemori]")
}

// TestErrors runs a config whose requests all fail: the run says why at its end,
// prints no published table, and the verb lists what failed.
func TestErrors(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	config := write(t, "small.yaml", smallConfig)
	r := run(t, "run", config, "--out", dir, "--display", "none", "--limit", "3",
		"--set", "limits.request.tokens=1", "--set", "published=[xmemory-table1]")
	if r.code != exitErrors || strings.Contains(r.stdout, "Nemori") || !strings.Contains(r.stdout, "stateless") {
		t.Errorf("exit %d, want %d, measured rows and no published ones\n%s", r.code, exitErrors, r.stdout)
	}
	golden.Check(t, "errors_run.txt", strings.ReplaceAll(r.stderr, dir, "DIR"))

	all := must(t, "runs", "show", dir, "--limit", "1").stdout
	_, all, _ = strings.Cut(all, "\nsmall: complete, begun ") // what bench run prints, then when it began
	_, all, _ = strings.Cut(all, "\n")
	golden.Check(t, "errors.txt", strings.ReplaceAll(all, dir, "DIR"))
	if r := must(t, "runs", "show", smallRun(t)); !strings.HasSuffix(r.stdout, "\n0 of 16 questions failed\n") {
		t.Error(r.stdout)
	}
}

// TestLatest takes the newest run by its name in every verb that takes a run.
func TestLatest(t *testing.T) {
	config := write(t, "small.yaml", smallConfig)
	t.Chdir(t.TempDir())
	refused(t, "there is no latest run: "+pastRuns+" has none", "table", "latest")
	must(t, "run", config, "--display", "none")
	made, err := filepath.Glob(filepath.Join(pastRuns, "*"))
	if err != nil || len(made) != 1 {
		t.Fatalf("%v, %v", made, err)
	}
	is := "bench: latest is " + made[0] + "\n"
	for _, args := range [][]string{
		{"table", "latest"},
		{"score", "latest"},
		{"runs", "show", "latest"},
		{"plot", "latest"},
		{"gate", "latest"},
		{"resume", "latest", "--display", "none"},
		{"diff", "latest:stateless", "latest:Naive RAG"},
		{"compare", "latest:stateless", "latest:Naive RAG"},
		{"baseline", "set", "mine", "latest"},
		{"report", "latest", "--out", "page.html"},
		{"export", "latest", "--format", "csv", "--out", "out.csv"},
		{"judge", "people", "export", "latest", "--out", "sheets"},
	} {
		r := run(t, args...)
		has(t, strings.Join(args, " "), r.stderr, is)
		if rest := strings.ReplaceAll(r.stderr, is, ""); strings.Contains(rest, "latest") {
			t.Errorf("bench %q: its messages name latest and not the folder\n%s", args, rest)
		}
	}
	// A folder of the name comes first.
	put(t, filepath.Join("latest", "run.json"), []byte(`{}`))
	if r := run(t, "table", "latest"); !strings.Contains(r.stderr, fmt.Sprint("latest", string(filepath.Separator), "run.json")) {
		t.Errorf("a folder called latest: exit %d\n%s", r.code, r.stderr)
	}
}

// TestOutReplaces has outputs in the place of a run's own files and of inputs.
func TestOutReplaces(t *testing.T) {
	dir := runOf(t, write(t, "small.yaml", "datasets: [{use: sample}]\nmethods: [{use: stateless}, {use: flat-rag}]\nmetrics: [f1@mem0]\n"))
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		if runtime.GOOS != "windows" {
			t.Fatal(err)
		}
		t.Logf("not by a link: %v", err)
		link = dir
	}
	rules := write(t, "rules.json", `{"rules": [{"column": "f1@mem0", "least": 0}]}`)
	a, b := write(t, "a.csv", "id,score\n1,1\n2,0\n"), write(t, "b.csv", "id,score\n1,1\n2,1\n")
	records := record.Folder(dir).Records(header(t, dir).Cells[0].ID)
	var before []map[string][]byte
	folders := []string{dir, filepath.Dir(a), filepath.Dir(b), filepath.Dir(rules)}
	for _, folder := range folders {
		before = append(before, contentsOf(t, folder))
	}
	for _, args := range [][]string{
		{"export", dir, "--format", "jsonl", "--out", records},
		{"export", dir, "--format", "jsonl", "--out", filepath.Join(link, "new.jsonl")},
		{"export", dir, "--format", "lm-eval", "--out", dir},
		{"table", dir, "--out", filepath.Join(dir, "run.json")},
		{"table", dir, "--out", filepath.Join(dir, "cells", "table.txt")},
		{"compare", a, b, "--out", a},
		{"compare", a, b + "#x", "--out", b},
		{"compare", a, b, "--out", filepath.Join(filepath.Dir(b), ".", "b.csv")},
		{"gate", dir, "--rules", rules, "--out", rules},
		{"gate", dir, "--rules", rules, "--out", filepath.Join(dir, "run.json")},
		{"plot", dir, "--out", dir},
		{"report", dir, "--out", filepath.Join(dir, "cells", "page.html")},
		{"data", "export", "sample", "--out", records},
		{"calls", "export", records},
	} {
		if r := run(t, args...); r.code == exitOK {
			t.Errorf("bench %s: exit 0", strings.Join(args, " "))
		}
	}
	for i, folder := range folders {
		try.Equal(t, folder, before[i], contentsOf(t, folder))
	}
	must(t, "report", dir)
	must(t, "table", dir, "--out", filepath.Join(filepath.Dir(dir), "table.txt"))
	must(t, "table", dir, "--out", filepath.Join(filepath.Dir(dir), "table.txt"))
}
