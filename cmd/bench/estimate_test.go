package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
	"recallbench/runners"
)

// watched starts a server that reports no usage, so that tokens are counted
// here, and counts all that reaches it.
func watched(t *testing.T) (*modelserver.Server, *atomic.Int64) {
	t.Helper()
	var arrived atomic.Int64
	s := modelserver.New(t, modelserver.Options{NoUsage: true, Observe: func(*http.Request, []byte) { arrived.Add(1) }})
	return s, &arrived
}

// estimated makes a folder to run in, with a config of three methods over the
// first requests of the sample, and returns the config and a model entry.
func estimated(t *testing.T, s *modelserver.Server, requests int) (config, model string) {
	t.Helper()
	config = write(t, "small.yaml", fmt.Sprintf(`
datasets: [{use: sample}]
methods: [{use: stateless}, {use: in-context}, {use: flat-rag, options: {k: 5, chunk: {unit: tokens, size: 128}}}]
limits: {requests: %d}
`, requests))
	model = write(t, "model.yaml", fmt.Sprintf(`
use: live
label: test
options:
  chat: {base_url: %[1]s, provider: test, model: gpt-4o-test%[2]s}
  embed: {use: openai, base_url: %[1]s, provider: test, model: test-embedder%[2]s}
`, s.URL, testPrice))
	t.Chdir(t.TempDir())
	t.Setenv("BENCH_CALLS", "")
	return config, model
}

const testPrice = ", price: {input: 2, output: 8}"

// estimateOf estimates as run --plan does, with the flags of a run.
func estimateOf(t *testing.T, args ...string) (cells map[string]runners.CellEstimate, total runners.Load) {
	t.Helper()
	cells = make(map[string]runners.CellEstimate)
	root := newRootCommand(&app{})
	cmd, rest, err := root.Find(append([]string{"run"}, args...))
	try.Do(t, err)
	try.Do(t, cmd.ParseFlags(rest))
	var from configFlags
	from.models, _ = cmd.Flags().GetStringArray("model")
	from.set, _ = cmd.Flags().GetStringArray("set")
	mode, _ := cmd.Flags().GetString("calls")
	config := try.Get(from.load(cmd.Flags().Arg(0)))(t)
	e := try.Get((&app{stderr: io.Discard, env: os.Getenv, log: slog.New(slog.DiscardHandler)}).estimate(t.Context(), config, runFlags{calls: mode}))(t)
	for _, c := range e.cells {
		cells[c.Method] = c
	}
	return cells, e.total
}

// An estimate opens no socket, and says what a run then records: exactly where
// prompts depend on nothing but the data, and nearly where embeddings choose
// what they hold.
func TestEstimateAndRun(t *testing.T) {
	longtest.SkipRace(t)
	s, arrived := watched(t)
	config, model := estimated(t, s, 20)
	cells, before := estimateOf(t, config, "--model", model)
	if n := arrived.Load(); n != 0 {
		t.Fatalf("the estimate has sent %d requests", n)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) != 0 {
		t.Fatalf("the estimate has left %v behind (%v)", left, err)
	}
	if before.Recorded != 0 || before.Pay == nil || *before.Pay <= 0 || *before.Pay != *before.USD || *before.MostPay <= *before.Pay {
		t.Errorf("before the run: %+v", before)
	}

	dir := filepath.Join("results", "runs", "first")
	must(t, "run", config, "--model", model, "--out", dir, "--display", "none")
	header := header(t, dir)
	for _, c := range header.Cells {
		query, ingest := usedBy(t, dir, c.ID)
		e := cells[c.Method]
		if e.ID != c.ID || e.Query.Units != 20 || e.Query.Calls != query.Calls || e.Query.Embedded != query.embedded || e.Ingest.Embedded != ingest.embedded {
			t.Errorf("%s: estimated %+v and %+v, recorded %+v and %+v", c.Method, e.Ingest, e.Query, ingest, query)
		}
		allowed := 0.0
		if c.Method == "flat-rag" {
			allowed = 0.05
		}
		if off := float64(e.Query.Input-query.Input) / float64(query.Input); off > allowed || off < -allowed {
			t.Errorf("%s: estimated %d tokens of input, recorded %d", c.Method, e.Query.Input, query.Input)
		}
		if query.Output > *e.Query.MostOutput {
			t.Errorf("%s: recorded %d tokens of output, estimated at most %d", c.Method, query.Output, *e.Query.MostOutput)
		}
	}

	// Afterwards everything is recorded.
	sent := arrived.Load()
	cells, after := estimateOf(t, config, "--model", model)
	if after.Calls != 60 || after.Recorded != 60 || after.PayTokens != 0 || *after.Pay != 0 || *after.MostPay != 0 || *after.USD == 0 {
		t.Errorf("after the run: %+v", after)
	}
	for _, c := range header.Cells {
		query, _ := usedBy(t, dir, c.ID)
		if e := cells[c.Method]; e.Query.Input != query.Input || e.Query.Output != query.Output {
			t.Errorf("%s: estimated %+v, recorded %+v", c.Method, e.Query, query)
		}
	}
	// A larger run needs the rest.
	_, larger := estimateOf(t, config, "--model", model, "--set", "limits.requests=40")
	if larger.Calls != 120 || larger.Recorded != 60 || *larger.Pay <= 0 || *larger.Pay >= *larger.USD {
		t.Errorf("twice as large: %+v", larger)
	}
	if n := arrived.Load(); n != sent {
		t.Errorf("estimates have sent %d requests", n-sent)
	}
}

// A phaseUse is what a phase of a cell used.
type phaseUse struct {
	llm.Usage
	embedded int
}

// usedBy adds up what the records of a cell say.
func usedBy(t *testing.T, dir, cell string) (query, ingest phaseUse) {
	t.Helper()
	add := func(p *phaseUse, usage map[string]llm.Usage) {
		for role, u := range usage {
			if role == meter.EmbedRole {
				p.embedded += u.Input
			} else {
				p.Usage = p.Add(u)
			}
		}
	}
	for line := range try.Each(t, record.Lines[record.Record](record.Folder(dir).Records(cell))) {
		add(&query, line.Value.Usage["query"])
	}
	for line := range try.Each(t, record.Lines[record.Ingest](record.Folder(dir).Ingests(cell))) {
		add(&ingest, line.Value.Usage)
	}
	return query, ingest
}

// TestEstimateBounds draws runs whose cells have calls in common, or differ in their
// embedder, options or seed: none pays more than its estimate calls at most.
func TestEstimateBounds(t *testing.T) {
	longtest.SkipRace(t)
	s, _ := watched(t)
	_, model := estimated(t, s, 1)
	var entries []string
	for i := range 3 {
		text := strings.Replace(read(t, model), "test-embedder", fmt.Sprint("test-embedder, dimensions: ", 8<<i), 1)
		text = strings.Replace(text, "input: 2, output: 8", fmt.Sprintf("input: %d, output: %d", 1+2*i, 9-4*i), 1)
		entries = append(entries, write(t, fmt.Sprintf("embedder%d.yaml", i), strings.Replace(text, "label: test", fmt.Sprint("label: test", i), 1)))
	}
	random := rand.New(rand.NewPCG(37, 1))
	some := func(list []string, most int) string {
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return strings.Join(list[:1+random.IntN(most)], ", ")
	}
	least := 1.0 // of what is at most to pay, that was paid
	for i := range longtest.N(10, 500) {
		all := []string{
			"{use: stateless}", "{use: in-context}", "{use: oracle}", "{use: grep}", "{use: vector-rag}", "{use: entity-rag}",
			fmt.Sprintf("{use: recent, options: {tokens: %d}}", 64+random.IntN(512)),
			fmt.Sprintf("{use: flat-rag, options: {k: %d, chunk: {unit: turns, size: %d}}}", 1+random.IntN(8), 1+random.IntN(3)),
			fmt.Sprintf("{use: flat-rag, label: fused, options: {k: %d, ranking: rrf}}", 1+random.IntN(8)),
			fmt.Sprintf("{use: semantic-anchoring, options: {k: %d}}", 1+random.IntN(8)),
		}
		config := write(t, "bounds.yaml", fmt.Sprintf(`
name: bounds
datasets: [{use: sample}]
methods: [%s]
models: [%s]
metrics: [f1@mem0]
seeds: [%s]
limits: {requests: %d}
concurrency: {requests: %d}
`, some(all, 4), some(slices.Clone(entries), 3), some([]string{"1", "2"}, 2), 1+random.IntN(4), 1+random.IntN(8)))
		calls, dir := fmt.Sprint("calls", i), fmt.Sprint("run", i)
		t.Setenv("BENCH_CALLS", calls)
		_, total := estimateOf(t, config)
		must(t, "run", config, "--out", dir, "--display", "none")
		paid := try.Get(record.ReadHeader(dir))(t).Paid
		if paid.Tokens > *total.MostPayTokens || *paid.USD > *total.MostPay {
			t.Errorf("draw %d: estimated at most %d tokens and $%v, paid %d and $%v; %s", i, *total.MostPayTokens, *total.MostPay, paid.Tokens, *paid.USD, read(t, config))
		}
		least = min(least, *paid.USD / *total.MostPay)
	}
	t.Logf("paid at least %.2f of what was called the most", least)
}

func TestEstimateTable(t *testing.T) {
	longtest.SkipRace(t)
	home := try.Get(os.Getwd())(t)
	s, _ := watched(t)
	config, model := estimated(t, s, 20)
	unpriced := write(t, "unpriced.yaml", strings.ReplaceAll(read(t, model), testPrice, ""))
	printed := make(map[string]string)
	check := func(name string, args ...string) {
		printed[name] = must(t, append([]string{"run", config, "--plan"}, args...)...).stdout
	}
	check("estimate_prompts.txt", "--model", model, "--set", "budget.usd=0.2", "--set", "budget.tokens=200000")
	check("estimate_unpriced.txt", "--model", unpriced, "--set", "limits.request.tokens=3000", "--calls", "record")
	check("estimate_stand_in.md", "--format", "markdown")
	must(t, "run", config, "--model", model, "--out", filepath.Join("results", "runs", "first"), "--display", "none", "--limit", "5")
	check("estimate_recorded.txt", "--model", model, "--calls", "replay", "--set", "budget.usd=1")
	t.Chdir(home)
	for name, got := range printed {
		golden.Check(t, name, got)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data := try.Get(os.ReadFile(path))(t)
	return string(data)
}

// chats writes a dataset of conversations, each longer than the one before.
func chats(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	things := []string{"a kite", "two loaves", "a red lamp", "an old map", "seven plums", "a canoe", "the blue coat", "a drum"}
	line := func(fields map[string]any) {
		data := try.Get(json.Marshal(fields))(t)
		b.Write(append(data, '\n'))
	}
	for i := range n {
		sample := fmt.Sprintf("chat %d", i)
		for j := range 2 + 3*i {
			line(map[string]any{
				"type": "turn", "sample": sample, "session": strconv.Itoa(j / 4), "time": fmt.Sprintf("2024-03-%02d", 1+j/4),
				"id": fmt.Sprint("t", j), "speaker": []string{"Ann", "Raj"}[j%2], "text": fmt.Sprintf("On day %d I bought %s.", j, things[(i+j)%len(things)]),
			})
		}
		for j := range 1 + i {
			line(map[string]any{
				"type": "question", "sample": sample, "question": fmt.Sprintf("What was bought on day %d?", j),
				"answer": things[(i+j)%len(things)], "evidence": []string{fmt.Sprint("t", j)},
			})
		}
	}
	return write(t, "chats.jsonl", b.String())
}

// allOf returns what is the same in a run and in its merged shards: every file but
// the header and locks, without times, and the header without what names the run.
func allOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := recorded(t, dir)
	for _, pattern := range []string{"config.yaml", "gold/*"} {
		for _, path := range try.Get(filepath.Glob(filepath.Join(dir, pattern)))(t) {
			all[try.Get(filepath.Rel(dir, path))(t)] = read(t, path)
		}
	}
	h := header(t, dir)
	h.Files, h.Scored = nil, nil // of files that have times in them
	h.ID, h.Argv, h.Start, h.End = "", nil, h.Start.UTC().Truncate(1<<62), h.End.Truncate(1<<62)
	all["run.json"] = string(try.Get(json.MarshalIndent(h, "", "  "))(t))
	all["table"] = strings.ReplaceAll(must(t, "table", dir, "--by", "category", "--format", "json").stdout, filepath.Base(dir), "RUN")
	return all
}

// Real methods on real data in shards: conversations of various lengths, trees, and
// dialogues that edit them.
func TestMerge(t *testing.T) {
	longtest.SkipRace(t)
	for _, tt := range []struct {
		name, config string
		n            int
	}{
		{"conversations", fmt.Sprintf(`
name: split
datasets: [{use: jsonl, label: chats, options: {files: [%s]}}, {use: jsonl, label: more chats, options: {files: [%s]}}]
methods: [{use: flat-rag, label: Naive RAG, options: {k: 5}}, {use: xmemory}]
metrics: [f1@mem0, evidence-recall, tokens]
`, chats(t, 7), chats(t, 3)), 4},
		{"trees", `
name: split
datasets: [{use: tasks, options: {turns: single, domains: [mealkit]}}, {use: tasks, label: dialogues, options: {turns: multi, domains: [todo]}}]
methods: [{use: semantic-xpath}]
metrics: [pass, tokens]
limits: {requests: 18}
`, 2},
		{"locomo", `
name: split
datasets: [{use: locomo}]
methods: [{use: stateless}]
metrics: [f1@mem0, tokens]
limits: {requests: 400}
`, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data := t.TempDir()
			if tt.name == "locomo" {
				longtest.Skip(t)
				data = realdata.Datasets(t)
			}
			whole, _, joined := inShards(t, tt.n, write(t, "split.yaml", tt.config), "--data", data)
			try.Equal(t, "two runs", allOf(t, whole), allOf(t, joined))
		})
	}
}

// inShards runs a config as a whole and in shards, which it joins.
func inShards(t *testing.T, n int, config string, more ...string) (whole string, shards []string, joined string) {
	t.Helper()
	root := t.TempDir()
	whole, joined = filepath.Join(root, "whole"), filepath.Join(root, "joined")
	must(t, append([]string{"run", config, "--out", whole, "--display", "none"}, more...)...)
	for i := n; i >= 1; i-- {
		shards = append(shards, runOf(t, config, append(slices.Clip(more), "--shard", fmt.Sprintf("%d/%d", i, n))...))
	}
	r := must(t, append([]string{"resume", "--out", joined}, shards...)...)
	has(t, "no tables", r.stdout, "bench table "+joined)
	return whole, shards, joined
}

// Shards that called models are paid together, and the merged run is judged as any other.
func TestMergeLive(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	model := liveModel(t, s, "")
	whole, _, merged := inShards(t, 2, questions(t, 5, 2, "name: live\n"), "--model", model, "--calls", "off")
	calls := s.Stats().Arrived
	must(t, "resume", merged, "--calls", "off", "--display", "none")
	if h := header(t, merged); s.Stats().Arrived != calls || h.Paid == nil || h.Paid.Calls != 10 {
		t.Errorf("resuming a merged run made %d calls, want none; paid %+v", s.Stats().Arrived-calls, h.Paid)
	}
	for _, dir := range []string{whole, merged} {
		must(t, judgeArgs(dir, model)...)
	}
	try.Equal(t, "two runs", allOf(t, whole), allOf(t, merged))
}

// What is wrong with shards is said in full, and what a shard is in its tables.
func TestMergeFaults(t *testing.T) {
	config := write(t, "split.yaml", smallConfig+"limits: {requests: 9}\n")
	data := "datasets=[{use: jsonl, options: {files: [" + chats(t, 3) + "]}}]"
	var table string
	var b strings.Builder
	say := func(name string, r ran) {
		fmt.Fprintf(&b, "$ bench %s\n%s%sexit %d\n\n", name, r.stdout, r.stderr, r.code)
	}
	t.Run("run", func(t *testing.T) {
		t.Chdir(t.TempDir())
		for name, args := range map[string][]string{
			"one": {"--shard", "1/3"}, "two": {"--shard", "2/3"}, "again": {"--shard", "2/3"}, "all": nil,
			"half": {"--shard", "1/2"}, "other": {"--shard", "3/3", "--set", "metrics=[f1@mem0]", "--set", "seed=2"},
		} {
			must(t, append([]string{"run", config, "--set", data, "--display", "none", "--out", name}, args...)...)
		}
		table = must(t, "table", "two", "--columns", "f1@mem0").stdout
		has(t, "the estimate of a shard", must(t, "run", config, "--plan", "--set", data, "--set", "shard=2/3").stdout, "shard 2/3: this part of the conversations only")
		try.Do(t, os.Mkdir("none", 0o755))
		for _, args := range [][]string{
			{"resume", "one", "two"},
			{"resume", "one", "two", "again", "other", "half", "all", "none", "--out", "merged"},
		} {
			say(strings.Join(args, " "), run(t, args...))
		}
		for _, shard := range []string{"1/2", "2/2"} {
			if r := run(t, "run", config, "--set", data, "--set", "limits.request.tokens=1", "--shard", shard, "--out", "failed-"+shard[:1], "--display", "none"); r.code != exitErrors {
				t.Errorf("a shard whose requests fail: exit %d: %s", r.code, r.stderr)
			}
		}
		if r := run(t, "resume", "failed-1", "failed-2", "--json", "--out", "failed"); r.code != exitErrors || !strings.Contains(r.stderr, "12 of 12 questions failed, above the limit of 0 (limits.errors)") || !strings.Contains(r.stdout, `{"dir":"failed","event":"done","exit":3,"failed":12,"requests":12,"status":"complete"}`) {
			t.Errorf("merged shards whose requests fail: exit %d: %s%s", r.code, r.stderr, r.stdout)
		}
		if r := run(t, "resume", "\x1b[2J\u202eone"); r.stderr != `bench: there is no folder \x1b[2J\u202eone; want the folder of a run, such as one below results/runs`+"\n" {
			t.Errorf("a name that moves the cursor is said as %q", r.stderr)
		}
		for _, shard := range []string{"0/2", "3/2", "half", "4/4"} {
			say("run split.yaml --shard "+shard, run(t, "run", config, "--set", data, "--shard", shard, "--out", "none"))
		}
	})
	golden.Check(t, "shard.txt", table)
	golden.Check(t, "merge_faults.txt", b.String())
}
