//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"recallbench/internal/backend/budget"
	"recallbench/internal/door/meter"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

// A payer is a model server that counts what it charges, and calls strike when it has
// seen some more requests.
type payer struct {
	*modelserver.Server
	busy sync.WaitGroup

	mu     sync.Mutex
	calls  int // of language models
	tokens int
	left   int
	strike func()
}

// newPayer starts a payer. Each reply takes a moment, so that calls are in flight.
func newPayer(t *testing.T, o modelserver.Options) *payer {
	t.Helper()
	p := &payer{Server: modelserver.NewHandler(o)}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.busy.Add(1)
		defer p.busy.Done()
		p.mu.Lock()
		strike := func() {}
		if p.left--; p.left == 0 && p.strike != nil {
			strike = p.strike
		}
		p.mu.Unlock()
		strike()
		answered := httptest.NewRecorder()
		p.ServeHTTP(answered, r)
		var reply struct {
			Usage struct {
				Total int `json:"total_tokens"`
			}
		}
		if json.Unmarshal(answered.Body.Bytes(), &reply) == nil && reply.Usage.Total > 0 {
			p.mu.Lock()
			p.tokens += reply.Usage.Total
			if strings.HasSuffix(r.URL.Path, "completions") {
				p.calls++
			}
			p.mu.Unlock()
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(answered.Code)
		_, _ = w.Write(answered.Body.Bytes()) // who asked may have been killed
	}))
	t.Cleanup(s.Close)
	p.URL = s.URL + "/v1"
	return p
}

// after has the payer call strike at its nth request from now on.
func (p *payer) after(n int, strike func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left, p.strike = n, strike
}

// struck runs a process, kills it at the payer's nth request where it should, and returns
// what it printed.
func (p *payer) struck(t *testing.T, cmd *exec.Cmd, n int, kill bool) ([]byte, error) {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	try.Do(t, cmd.Start())
	p.after(n, func() {
		if kill {
			_ = cmd.Process.Kill()
		}
	})
	err := cmd.Wait()
	return out.Bytes(), err
}

func (p *payer) charged() (calls, tokens int) {
	p.busy.Wait() // what was in flight at a kill is charged, too
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls, p.tokens
}

// accounts holds what a run says that it paid, or what its judge did, against what the
// server charged: the rest is calls that were in flight at kills, at most so many, and
// together with their estimates the budget is kept.
func accounts(t *testing.T, dir string, said *meter.Paid, judged bool, calls, tokens, inFlight, bound int) {
	t.Helper()
	if said == nil {
		t.Fatal("the run does not say what it paid")
	}
	open := make(map[uint64]int)
	for line := range try.Each(t, record.Lines[budget.Entry](record.Folder(dir).Payments())) {
		if e := line.Value; (e.Judge != "") != judged {
			continue
		} else if e.Paid == nil {
			open[e.Lease] = e.Tokens
		} else {
			delete(open, e.Lease)
		}
	}
	estimates := 0
	for _, n := range open {
		estimates += n
	}
	t.Logf("charged %d calls and %d tokens of %d; the run says %d and %d, and %d calls were in flight at kills", calls, tokens, bound, said.Calls, said.Tokens, len(open))
	switch {
	case len(open) > inFlight:
		t.Errorf("%d calls are said to have been in flight, want at most %d", len(open), inFlight)
	case calls < said.Calls || calls > said.Calls+len(open):
		t.Errorf("the server charged %d calls, the run says %d and %d in flight", calls, said.Calls, len(open))
	case tokens < said.Tokens || tokens > said.Tokens+estimates:
		t.Errorf("the server charged %d tokens, the run says %d and at most %d in flight", tokens, said.Tokens, estimates)
	case tokens > bound:
		t.Errorf("the server charged %d tokens of a budget of %d", tokens, bound)
	}
}

// paidBy holds the header of a run against what the server charged.
func (p *payer) paidBy(t *testing.T, dir string, calls, tokens, inFlight, bound int) {
	t.Helper()
	h := try.Get(record.ReadHeader(dir))(t)
	nowCalls, now := p.charged()
	accounts(t, dir, h.Paid, false, nowCalls-calls, now-tokens, inFlight, bound)
	if got := h.Models[0].Served; len(got) != 1 || got[0] != "test-model" {
		t.Errorf("served by %q", got)
	}
}

// payInFlight is how many calls a process has in flight with payConfig: those of two
// memories that are built, and of four requests.
const payInFlight = 2 + 4

// payConfig asks a language model and embeddings, so many tokens in all.
func payConfig(t *testing.T) string {
	t.Helper()
	return write(t, "pay.yaml", fmt.Sprintf(`
name: pay
datasets: [{use: jsonl, options: {files: [%s]}}]
methods: [{use: flat-rag, options: {k: 5}}, {use: stateless}]
metrics: [f1@mem0]
concurrency: {samples: 2, requests: 4}
`, chats(t, longtest.N(10, 24))))
}

// TestKillPays kills a run with a budget again and again, wherever it is: what it says
// that it paid is what the server charged, but for calls in flight.
func TestKillPays(t *testing.T) {
	longtest.SkipRace(t)
	p := newPayer(t, modelserver.Options{Latency: 3 * time.Millisecond})
	config, model := payConfig(t), liveModel(t, p.Server, "")
	must(t, "run", config, "--model", model, "--calls", "off", "--out", filepath.Join(t.TempDir(), "whole"), "--display", "none")
	wholeCalls, whole := p.charged()
	random := rand.New(rand.NewPCG(31, 7))
	for round := range longtest.N(2, 8) {
		bound := whole / 2
		if round%2 == 1 {
			bound = 2 * whole // enough for what is paid again after kills
		}
		dir, kills := filepath.Join(t.TempDir(), strconv.Itoa(round)), longtest.N(2, 4)
		calls, tokens := p.charged()
		mode := []string{"off", "reuse"}[round/2%2]
		store := filepath.Join(t.TempDir(), "calls")
		for n := 0; ; n++ {
			args := []string{"resume", dir, "--calls", mode, "--store", store, "--display", "none"}
			if _, err := os.Stat(filepath.Join(dir, "run.json")); err != nil {
				args = []string{"run", config, "--model", model, "--set", fmt.Sprint("budget.tokens=", bound), "--calls", mode, "--store", store, "--out", dir, "--display", "none"}
			}
			cmd := process(t, args...)
			out, err := p.struck(t, cmd, 1+random.IntN(wholeCalls/kills), n < kills)
			if code := cmd.ProcessState.ExitCode(); code == exitBudget || code == exitOK {
				break
			} else if code != -1 {
				t.Fatalf("exit %d, %v\n%s", code, err, out)
			}
		}
		p.paidBy(t, dir, calls, tokens, kills*payInFlight, bound)
	}
}

// TestKillPaysJudge kills a judging in the same way.
func TestKillPaysJudge(t *testing.T) {
	longtest.Skip(t)
	p := newPayer(t, modelserver.Options{Latency: 3 * time.Millisecond})
	model := liveModel(t, p.Server, "")
	dir := filepath.Join(t.TempDir(), "run")
	must(t, "run", questions(t, 4, 60, "name: judged\n"), "--out", dir, "--display", "none")
	random := rand.New(rand.NewPCG(31, 9))
	kills, bound := longtest.N(2, 3), 30000
	var last []byte
	for n := 0; ; n++ {
		cmd := process(t, "judge", dir, "--model", model, "--calls", "off", "--set", fmt.Sprint("budget.tokens=", bound), "--set", "concurrency.requests=4", "--display", "none")
		out, err := p.struck(t, cmd, 1+random.IntN(50), n < kills)
		if code := cmd.ProcessState.ExitCode(); code == exitBudget || code == exitOK {
			t.Logf("the judging ends with %d", code)
			last = out
			break
		} else if code != -1 {
			t.Fatalf("exit %d, %v\n%s", code, err, out)
		}
	}
	calls, tokens := p.charged()
	said := meter.Paid{USD: new(0.0)}
	for line := range try.Each(t, record.Lines[budget.Entry](record.Folder(dir).Payments())) {
		if e := line.Value; e.Judge != "" && e.Paid != nil {
			said = said.Add(*e.Paid)
		}
	}
	accounts(t, dir, &said, true, calls, tokens, kills*4, bound)
	if !strings.Contains(string(last), said.String()) {
		t.Errorf("want %s\n%s", said, last)
	}
}

// TestKillPaysFleet does the same with four workers, and kills these and the coordinator.
func TestKillPaysFleet(t *testing.T) {
	longtest.Skip(t)
	p := newPayer(t, modelserver.Options{Latency: 3 * time.Millisecond})
	config, model := payConfig(t), liveModel(t, p.Server, "")
	must(t, "run", config, "--model", model, "--calls", "off", "--out", filepath.Join(t.TempDir(), "whole"), "--display", "none")
	wholeCalls, whole := p.charged()
	random := rand.New(rand.NewPCG(31, 8))
	for round := range longtest.N(1, 7) {
		bound := 4 * whole
		if round%2 == 1 {
			bound = whole / 2
		}
		calls, tokens := p.charged()
		dir := filepath.Join(t.TempDir(), strconv.Itoa(round))
		kills := killFleet(t, p, random, wholeCalls, longtest.N(2, 4), "serve", config, "--model", model,
			"--set", fmt.Sprint("budget.tokens=", bound), "--calls", "off", "--out", dir, "--resume", "--patience", "1s", "--display", "none", "--addr", freeAddress(t))
		p.paidBy(t, dir, calls, tokens, kills*4*payInFlight, bound)
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l := try.Get(new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	return l.Addr().String()
}

// killFleet runs a coordinator and four workers, kills some of them at random requests
// of a number, and returns how often when the run is over.
func killFleet(t *testing.T, p *payer, random *rand.Rand, requests, kills int, serve ...string) (done int) {
	t.Helper()
	address, dir := serve[len(serve)-1], ""
	for i, arg := range serve {
		if arg == "--out" {
			dir = serve[i+1]
		}
	}
	var all [5]*exec.Cmd // the coordinator first
	ended := make(chan int)
	start := func(who int) {
		args := serve
		if who > 0 {
			args = []string{"work", "tls://" + address, "--access", filepath.Join(dir+".access", "worker.json"), "--wait", "--name", fmt.Sprint("worker-", who)}
		}
		cmd := process(t, args...)
		if err := cmd.Start(); err != nil {
			t.Error(err)
		}
		all[who] = cmd
		go func() {
			_ = cmd.Wait() // how the coordinator ends is seen
			ended <- who
		}()
	}
	for who := range all {
		start(who)
	}
	strikes := make(chan struct{})
	next := func() { p.after(1+random.IntN(requests/kills), func() { strikes <- struct{}{} }) }
	next()
	running := len(all)
	for running > 0 {
		select {
		case <-strikes:
			if done == kills {
				break
			}
			done++
			who := random.IntN(len(all))
			if done == 2 {
				who = 0
			}
			t.Logf("kill %d strikes process %d", done, who)
			_ = all[who].Process.Kill()
			if done < kills {
				next()
			}
		case who := <-ended:
			running--
			switch code := all[who].ProcessState.ExitCode(); {
			case code == -1 && all[0] != nil:
				start(who)
				running++
			case who == 0 && (code == exitOK || code == exitBudget):
				all[0] = nil
				for _, worker := range all[1:] {
					_ = worker.Process.Kill() // one that was never told
				}
			case who == 0:
				t.Errorf("the coordinator ends with %d", code)
			}
		}
	}
	return done
}

// Replies that are of no use are paid all the same: they count against the budget, and
// the run says them. Where some of a call's attempts are, each counts.
func TestUselessReplies(t *testing.T) {
	message := func(text string) func(string, []byte) (json.RawMessage, bool) {
		return func(string, []byte) (json.RawMessage, bool) { return json.RawMessage(text), true }
	}
	for name, o := range map[string]modelserver.Options{
		"empty":    {Script: message(`{"role": "assistant", "content": ""}`)},
		"refused":  {Script: message(`{"role": "assistant", "content": "", "refusal": "I will not say."}`)},
		"filtered": {Rate: 1, Faults: []modelserver.Fault{modelserver.ContentFilter}},
		"garbled":  {Script: message(`null`)},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPayer(t, o)
			config, model := questions(t, 2, 30, "name: useless\n"), liveModel(t, p.Server, ", limits: {max: 1}")
			dir := filepath.Join(t.TempDir(), "run")
			const bound = 1500
			got := run(t, "run", config, "--model", model, "--calls", "off", "--set", fmt.Sprint("budget.tokens=", bound), "--out", dir, "--display", "none")
			calls, tokens := p.charged()
			h := try.Get(record.ReadHeader(dir))(t)
			t.Logf("exit %d, charged %d calls and %d tokens, the run says %+v", got.code, calls, tokens, h.Paid)
			if h.Paid == nil || calls == 0 || h.Paid.Calls != calls || h.Paid.Tokens != tokens || tokens > bound {
				t.Errorf("charged %d calls and %d tokens of %d, the run says %+v", calls, tokens, bound, h.Paid)
			}
			used := 0
			for _, r := range recordsOf(t, dir) {
				for _, u := range r.Usage["query"] {
					used += u.Total()
				}
			}
			if name != "garbled" && (got.code != exitBudget || used != tokens) {
				t.Errorf("exit %d, want %d; the records have used %d tokens of %d", got.code, exitBudget, used, tokens)
			}
		})
	}
}
