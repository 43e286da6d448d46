package gateway

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/testkit/try"
)

func ask(text string) string {
	return fmt.Sprintf(`{"messages":[{"role":"user","content":%q}]}`, text)
}

// Calls are metered where they belong: by the phase that is bound, or by the next one
// where nothing was.
func TestPhases(t *testing.T) {
	var chat model
	r := newRig(t, Models{Chat: metered(t, &chat)})
	const path = "/v1/chat/completions"
	used := func(m *meter.Meter) map[string]int {
		all := make(map[string]int)
		for role, u := range m.Seen().Usage {
			all[role] = u.Calls
		}
		return all
	}
	check := func(what string, m *meter.Meter, want map[string]int) {
		t.Helper()
		try.Equal(t, what, want, used(m))
	}
	r.post(t, path, ask("before anything"))
	build, m := r.begin(t)
	if s := build.Stray; s.Calls != 1 || s.Tokens != 9 {
		t.Errorf("stray %+v", s)
	}
	r.post(t, path, ask("in the build"))
	if err := build.End(); err != nil {
		t.Error(err)
	}
	check("build", m, map[string]int{RoleExternal: 2})

	r.post(t, path, ask("after the build"))
	ctx, ma := meter.With(t.Context(), time.Now, meter.Limits{})
	a := r.m.Begin(ctx, RoleExternalAnswer, embed.Query)
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() { r.post(t, path, ask("x")) })
	}
	wg.Wait()
	if err := a.End(); err != nil {
		t.Error(err)
	}
	check("answer", ma, map[string]int{RoleExternal: 1, RoleExternalAnswer: 10})
	repeats := make(map[int]int)
	for _, q := range chat.requests() {
		if q.Messages[0].Content == "x" {
			repeats[q.Repeat]++
		}
	}
	for i := range 10 {
		if repeats[i] != 1 {
			t.Errorf("repeats %v", repeats)
		}
	}
	r.post(t, path, ask("after the answer"))
	left := r.m.Close()
	if s := StrayOf(left); s.Calls != 1 || s.Tokens != 9 || left.Seen().Paid.Calls != 1 {
		t.Errorf("left %+v", s)
	}
}

// A fault of a stray call is that of the next phase, and a stopping one that of all.
func TestStrayFaults(t *testing.T) {
	var chat model
	kind := fault.Server
	chat.do = func(llm.Request) (llm.Reply, error) { return llm.Reply{}, fault.New(kind, "down") }
	r := newRig(t, Models{Chat: &chat})
	r.post(t, "/v1/chat/completions", ask("stray"))
	p, _ := r.begin(t)
	if err := p.End(); fault.KindOf(err) != fault.Server {
		t.Error(err)
	}
	p, _ = r.begin(t)
	if err := p.End(); err != nil {
		t.Error(err)
	}
	kind = fault.Budget
	for range 2 {
		p, _ = r.begin(t)
		r.post(t, "/v1/chat/completions", ask("x"))
		if err := p.End(); fault.KindOf(err) != fault.Budget {
			t.Error(err)
		}
	}
	if n := len(chat.requests()); n != 2 {
		t.Errorf("%d calls, want 2", n)
	}
}

// TestMaxTokens bounds replies whose bound is larger, or that have none.
func TestMaxTokens(t *testing.T) {
	for _, tt := range []struct {
		most  int
		asks  string
		wants int
	}{{0, ``, 0}, {0, `,"max_tokens":2000`, 2000}, {500, ``, 500}, {500, `,"max_tokens":2000`, 500}, {500, `,"max_completion_tokens":20`, 20}} {
		var chat model
		r := newRig(t, Models{Chat: &chat, MaxTokens: tt.most})
		p, _ := r.begin(t)
		r.post(t, "/v1/chat/completions", `{"messages":[{"role":"user","content":"x"}]`+tt.asks+`}`)
		if err := p.End(); err != nil || len(chat.requests()) != 1 || chat.requests()[0].Params.MaxTokens != tt.wants {
			t.Errorf("at most %d, asked %s: %+v, %v, want %d", tt.most, tt.asks, chat.requests(), err, tt.wants)
		}
	}
}

// TestUseless counts replies that a memory cannot use, which libraries pass over.
func TestUseless(t *testing.T) {
	for _, tt := range []struct {
		asks, text string
		want       int
	}{
		{`,"response_format":{"type":"json_object"}`, `{"facts":[]}`, 0},
		{`,"response_format":{"type":"json_object"}`, `{"facts":["Ana`, 1},
		{``, `{"facts":["Ana`, 0},
	} {
		chat := model{do: func(llm.Request) (llm.Reply, error) { return llm.Reply{Text: tt.text, Finish: "length"}, nil }}
		r := newRig(t, Models{Chat: &chat})
		p, m := r.begin(t)
		if got := r.post(t, "/v1/chat/completions", `{"messages":[{"role":"user","content":"x"}]`+tt.asks+`}`); got.status != 200 {
			t.Fatal(got.body)
		}
		if err := p.End(); err != nil || m.Seen().Degraded[RoleExternal] != tt.want {
			t.Errorf("%s: %s is degraded %d times, %v", tt.asks, tt.text, m.Seen().Degraded[RoleExternal], err)
		}
	}
}

// TestTolerate checks which faults of models fail a phase, although its caller may have
// hidden them, and which do not. A refusal has the status and the code of the server.
func TestTolerate(t *testing.T) {
	for kind, fails := range map[fault.Kind]bool{fault.Empty: true, fault.Server: true, fault.Rejected: false, fault.Refused: false} {
		e := &fault.Error{Kind: kind, Status: 422, Code: "too_deep", Message: "nothing"}
		chat := model{do: func(llm.Request) (llm.Reply, error) { return llm.Reply{}, e }}
		r := newRig(t, Models{Chat: &chat})
		p, m := r.begin(t)
		got := r.post(t, "/v1/chat/completions", ask("x"))
		if as := got.status == 422 && got.code() == "too_deep"; as != (kind == fault.Rejected) {
			t.Errorf("%s: %+v", kind, got)
		}
		if fault.KindOf(r.m.Fault()) != kind {
			t.Errorf("%s: the last fault is %v", kind, r.m.Fault())
		}
		if err := p.End(); fails != (err != nil) || fails == (m.Seen().Degraded[RoleExternal] == 1) {
			t.Errorf("%s: %v, %v", kind, err, m.Seen().Degraded)
		}
	}
}

// A call goes on when its connection is lost, and who asks again gets its reply; the
// phase waits for it.
func TestLostConnection(t *testing.T) {
	chat := model{wait: make(chan struct{})}
	r := newRig(t, Models{Chat: metered(t, &chat)})
	p, m := r.begin(t)
	lose := func(text string) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		before, done := len(chat.requests()), make(chan error)
		go func() {
			_, err := r.try(ctx, "/v1/chat/completions", ask(text))
			done <- err
		}()
		for len(chat.requests()) == before {
			time.Sleep(time.Millisecond)
		}
		cancel()
		if err := <-done; err == nil {
			t.Fatal("a canceled request has a reply")
		}
		for {
			lost := 0
			r.m.mu.Lock()
			for _, c := range p.calls {
				if c.lost() {
					lost++
				}
			}
			r.m.mu.Unlock()
			if lost > 0 {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}
	lose("again")
	joined := make(chan reply)
	go func() { joined <- r.post(t, "/v1/chat/completions", ask("again")) }()
	time.Sleep(20 * time.Millisecond)
	close(chat.wait)
	if got := <-joined; got.status != 200 || !strings.Contains(got.body, "again") {
		t.Errorf("%+v", got)
	}
	// It has been served; the next is another sample.
	r.post(t, "/v1/chat/completions", ask("again"))
	q := chat.requests()
	if len(q) != 2 || q[0].Repeat != 0 || q[1].Repeat != 1 {
		t.Errorf("%+v", q)
	}

	chat.wait = make(chan struct{})
	lose("alone")
	ended := make(chan error)
	go func() { ended <- p.End() }()
	select {
	case err := <-ended:
		t.Fatal("the phase ended before its call:", err)
	case <-time.After(20 * time.Millisecond):
	}
	if !r.m.Waiting() {
		t.Error("no call waits")
	}
	close(chat.wait)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if u := m.Seen().Usage[RoleExternal]; u.Calls != 3 {
		t.Errorf("usage %+v", u)
	}
}

// A canceled phase ends its calls, and is no fault of theirs.
func TestCanceled(t *testing.T) {
	r := newRig(t, Models{Chat: &model{wait: make(chan struct{})}})
	ctx, cancel := context.WithCancel(t.Context())
	p := r.m.Begin(ctx, RoleExternal, embed.Document)
	got := make(chan reply)
	go func() { got <- r.post(t, "/v1/chat/completions", ask("x")) }()
	for !r.m.Waiting() {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if g := <-got; g.status != 503 || g.code() != "recallbench_stopped" {
		t.Errorf("%+v", g)
	}
	if err := p.End(); err != nil {
		t.Error(err)
	}
}

func TestQuiet(t *testing.T) {
	r := newRig(t, Models{Chat: &model{}})
	start := time.Now()
	if err := r.m.Quiet(t.Context(), time.Hour); err != nil || time.Since(start) > time.Minute {
		t.Error(err)
	}
	p, _ := r.begin(t)
	r.post(t, "/v1/chat/completions", ask("x"))
	start = time.Now()
	if err := r.m.Quiet(t.Context(), 50*time.Millisecond); err != nil || time.Since(start) < 40*time.Millisecond {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.m.Quiet(ctx, time.Hour); err == nil {
		t.Error("a canceled wait ends well")
	}
	_ = p.End()
}

// A limit of the request is met by its calls, too.
func TestLimits(t *testing.T) {
	r := newRig(t, Models{Chat: metered(t, &model{})})
	ctx, _ := meter.With(t.Context(), time.Now, meter.Limits{Calls: 1})
	p := r.m.Begin(ctx, RoleExternal, embed.Document)
	r.post(t, "/v1/chat/completions", ask("x"))
	if got := r.post(t, "/v1/chat/completions", ask("y")); got.status != 429 || got.code() != "recallbench_limit" {
		t.Errorf("%+v", got)
	}
	if err := p.End(); fault.KindOf(err) != fault.Limit {
		t.Error(err)
	}
}

// Whatever callers do, each call of the model is metered once: in a phase, or as
// stray.
func TestEveryCallIsMetered(t *testing.T) {
	var asked atomic.Int64
	chat := llm.GeneratorFunc(func(_ context.Context, r llm.Request) (llm.Reply, error) {
		asked.Add(1)
		time.Sleep(time.Duration(len(r.Messages[0].Content)%4) * time.Millisecond)
		return llm.Reply{Text: "x", Usage: llm.Usage{Calls: 1, Input: 1, Output: 1}}, nil
	})
	r := newRig(t, Models{Chat: metered(t, chat)})
	var metered atomic.Int64
	var wg sync.WaitGroup
	rng := rand.New(rand.NewPCG(1, 1))
	for range 40 {
		p, m := r.begin(t)
		var calls sync.WaitGroup
		for range 10 {
			headers := []string{"X-Stainless-Retry-Count", strconv.Itoa(rng.IntN(2))}
			text := strings.Repeat("y", rng.IntN(5))
			limit := time.Duration(1+rng.IntN(8)) * time.Millisecond
			late := rng.IntN(4) == 0
			call := func() {
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				_, _ = r.try(ctx, "/v1/chat/completions", ask(text), headers...) // which may be cut off
			}
			if late { // it may come after the end
				wg.Go(call)
			} else {
				calls.Go(call)
			}
		}
		calls.Wait()
		if err := p.End(); err != nil {
			t.Error(err)
		}
		metered.Add(int64(m.Seen().Usage[RoleExternal].Calls))
	}
	wg.Wait()
	for r.m.Waiting() {
		time.Sleep(time.Millisecond)
	}
	try.Do(t, r.m.Quiet(t.Context(), 50*time.Millisecond))
	left := StrayOf(r.m.Close())
	if n := metered.Load() + int64(left.Calls); n != asked.Load() || n == 0 {
		t.Errorf("%d calls metered, %d of them stray, %d asked", n, left.Calls, asked.Load())
	}
}
