package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
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
	e := try.Get((&app{stderr: io.Discard, env: os.Getenv}).estimate(t.Context(), config, runFlags{calls: mode}))(t)
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
	{
		cells, after := estimateOf(t, config, "--model", model)
		if after.Calls != 60 || after.Recorded != 60 || after.PayTokens != 0 || *after.Pay != 0 || *after.MostPay != 0 || *after.USD == 0 {
			t.Errorf("after the run: %+v", after)
		}
		for _, c := range header.Cells {
			query, _ := usedBy(t, dir, c.ID)
			e := cells[c.Method]
			if e.Query.Input != query.Input || e.Query.Output != query.Output {
				t.Errorf("%s: estimated %+v, recorded %+v", c.Method, e.Query, query)
			}
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
		t.Helper()
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
