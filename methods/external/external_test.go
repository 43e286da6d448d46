package external

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/adapters"
	"recallbench/datasets"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/external/adapter"
	"recallbench/internal/external/gateway"
	"recallbench/internal/external/wire"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/methods/methodtest"
)

// The variables that make the test binary an adapter: what it does wrong, and the
// file in which it notes what it reads.
const (
	childMode = "RECALLBENCH_TEST_CHILD"
	childLog  = "RECALLBENCH_TEST_LOG"
)

func TestMain(m *testing.M) {
	switch mode := os.Getenv(childMode); mode {
	case "":
	case "mcp":
		mcpMain()
		os.Exit(0)
	default:
		adapterMain(mode)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// adapterMain is an adapter that finds turns by their words, and does wrong what its
// mode says: "kill 5 0.1" ends it with a chance of 0.1 at each call, drawn from seed
// 5 and the time.
func adapterMain(mode string) {
	kind, rest, _ := strings.Cut(mode, " ")
	chance, _ := strconv.ParseFloat(rest, 64)
	draw := rand.New(rand.NewPCG(uint64(os.Getpid()), uint64(time.Now().UnixNano()))) // which call dies is no result
	out := os.Stdout
	var note *os.File
	if path := os.Getenv(childLog); path != "" {
		note, _ = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	}
	turns, searches := map[string][]wire.Turn{}, 0
	var given json.RawMessage // the request that is given up
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		if note != nil {
			_, _ = note.Write(line)
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Memory  string
				Session wire.Session
				Request wire.Request
				K       int
				Path    string
				Wish    wire.Wish
				Restore string
			}
		}
		_ = json.Unmarshal(line, &m)
		reply := func(result any) {
			data, _ := json.Marshal(result)
			_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, data)
		}
		fail := func(kind, message string) {
			_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":%q,"data":{"kind":%q}}}`+"\n", m.ID, message, kind)
		}
		if m.Method != wire.Initialize && draw.Float64() < chance {
			switch kind {
			case "kill":
				os.Exit(9)
			case "cut":
				_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"resu`, m.ID)
				os.Exit(0)
			case "garbage":
				_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":99999,"result":{}}`+"\n")
				continue
			}
		}
		p := m.Params
		_, known := turns[p.Memory]
		switch m.Method {
		case wire.Initialize:
			reply(wire.InitializeResult{Protocol: wire.Protocol, Name: "test", Version: "1", Capabilities: wire.Capabilities{Search: true, Deterministic: true, Sources: "exact", Snapshot: strings.HasPrefix(kind, "snapshot"), Forget: kind == "forgets", Dump: kind == "forgets"}})
		case wire.Open:
			turns[p.Memory] = []wire.Turn{}
			if p.Restore != "" && kind != "snapshot-lost" {
				data, _ := os.ReadFile(filepath.Join(p.Restore, "state", "turns.json"))
				var kept []wire.Turn
				_ = json.Unmarshal(data, &kept)
				turns[p.Memory] = kept
			}
			reply(struct{}{})
		case wire.Snapshot:
			data, _ := json.Marshal(turns[p.Memory])
			state := filepath.Join(p.Path, "state")
			if kind == "snapshot-link" {
				_ = os.MkdirAll(p.Path, 0o700)
				_ = os.Symlink(os.DevNull, filepath.Join(p.Path, "link"))
			}
			if err := os.MkdirAll(state, 0o700); err != nil || kind == "snapshot-none" || os.WriteFile(filepath.Join(state, "turns.json"), data, 0o600) != nil {
				fail("internal", "no snapshot")
				continue
			}
			reply(struct{}{})
		case wire.Close:
			delete(turns, p.Memory)
			if kind == "after" {
				askLate()
			}
			reply(struct{}{})
		case wire.Add:
			turns[p.Memory] = append(turns[p.Memory], p.Session.Turns...)
			reply(map[string]int{"items": len(turns[p.Memory])})
		case wire.Forget:
			left := slices.DeleteFunc(turns[p.Memory], func(t wire.Turn) bool { return slices.Contains(p.Wish.Turns, t.ID) })
			gone := len(turns[p.Memory]) - len(left)
			turns[p.Memory] = left
			reply(wire.Forgot{Items: gone})
		case wire.Dump:
			var stored wire.DumpResult
			for _, t := range turns[p.Memory] {
				stored.Items = append(stored.Items, t.Text)
			}
			reply(stored)
		case wire.Finish, wire.Shutdown:
			reply(struct{}{})
		case wire.Search:
			searches++
			switch {
			case !known:
				fail("unknown_memory", "no such memory")
			case kind == "slow":
				time.Sleep(time.Hour)
			case kind == "stalls" && given == nil && searches > canaryTurns:
				given = m.ID // which a cancellation answers
			case kind == "asks":
				if searches <= 2 {
					askLate()
					reply(wire.SearchResult{})
					continue
				}
				askLate()
				reply(wire.SearchResult{Blocks: overlap(turns[p.Memory], p.Request.Text, p.K, kind)})
			case kind == "empty":
				reply(wire.SearchResult{})
			default:
				reply(wire.SearchResult{Blocks: overlap(turns[p.Memory], p.Request.Text, p.K, kind)})
			}
		case wire.Cancel:
			_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32800,"message":"cancelled"}}`+"\n", given)
		default:
			if m.ID != nil {
				fail("unsupported", "no such method")
			}
		}
	}
}

// askLate asks a model when nothing was asked of the adapter, and another host.
func askLate() {
	body := strings.NewReader(`{"model":"gpt-late","messages":[{"role":"user","content":"0e4d2c1b-1111-4222-8333-444455556666"}]}`)
	for address, body := range map[string]io.Reader{os.Getenv("OPENAI_BASE_URL") + "/chat/completions": body, "http://elsewhere.invalid/": nil} {
		r, err := http.NewRequest(http.MethodPost, address, body) //nolint:noctx // the process ends it
		if err != nil {
			panic(err)
		}
		r.Header.Set("Authorization", "Bearer "+os.Getenv("OPENAI_API_KEY"))
		if resp, err := http.DefaultClient.Do(r); err == nil {
			_ = resp.Body.Close() // of what nobody reads
		}
	}
}

// TestDid checks that what an adapter asks of models when nothing was asked of it is
// paid by the run, and that the run says what it asked for, what was replaced in it
// and which hosts it reached.
func TestDid(t *testing.T) {
	env := surroundings(t)
	env.LLM = meter.Generator(env.LLM, env.Tokens, nil)
	paid := 0
	env.Charge = func(used *meter.Meter) { paid += used.Seen().Paid.Calls }
	made, err := newMethod(env, options(t, "after", func(o *Options) { o.Normalise = []gateway.Rule{gateway.UUID} }))
	try.Do(t, err)
	m := made.(*method)
	defer m.Close()
	for range 2 {
		mem, err := m.Build(t.Context(), methodtest.Sample())
		try.Do(t, err)
		try.Do(t, methods.Close(mem))
	}
	want := &methods.Adapter{
		Name: "test", Version: "1", Protocol: wire.Protocol, Deterministic: true, Sources: "exact", Clock: "session",
		AskedHosts: map[string]int{"elsewhere.invalid:80": 2},
	}
	for _, when := range []string{"before", "after"} {
		if diff := cmp.Diff(want, m.Adapter()); diff != "" || paid != 2 {
			t.Errorf("%s its end %d calls were paid, want 2 (-want +got):\n%s", when, paid, diff)
		}
		try.Do(t, m.Close())
	}
}

// overlap finds turns by the words that they share with a question.
func overlap(turns []wire.Turn, question string, k int, kind string) []wire.Block {
	words := strings.Fields(strings.ToLower(question))
	var blocks []wire.Block
	for _, t := range turns {
		n := 0
		for w := range strings.FieldsSeq(strings.ToLower(t.Text)) {
			if slices.Contains(words, w) {
				n++
			}
		}
		if t.Text != "" && n > 0 {
			b := wire.Block{ID: t.ID, Text: t.Speaker + ": " + t.Text, Score: float64(n), Time: t.Time}
			if kind != "sourceless" {
				b.Sources = []string{t.ID}
			}
			blocks = append(blocks, b)
		}
	}
	slices.SortStableFunc(blocks, func(a, b wire.Block) int { return int(b.Score - a.Score) })
	if kind != "greedy" {
		blocks = blocks[:min(k, len(blocks))]
	}
	return blocks
}

// options run the test binary as an adapter.
func options(tb testing.TB, mode string, change func(*Options)) Options {
	tb.Helper()
	exe, err := os.Executable()
	try.Do(tb, err)
	o := Defaults()
	o.Command, o.Set = []string{exe}, map[string]string{childMode: mode}
	o.Canary.Within, o.K = 50*time.Millisecond, 5
	if change != nil {
		change(&o)
	}
	try.Do(tb, o.Validate())
	return o
}

func surroundings(tb testing.TB) methods.Env {
	tb.Helper()
	env, dir := methodtest.Env(tb, Spec), tb.TempDir()
	env.Base, env.Folder, env.Getenv = ".", func() string { return dir }, os.Getenv
	return env
}

func build(tb testing.TB, o Options, s datasets.Sample) (*memory, error) {
	tb.Helper()
	m, err := newMethod(surroundings(tb), o)
	if err != nil {
		return nil, err
	}
	tb.Cleanup(func() { _ = m.(*method).Close() })
	mem, err := m.Build(tb.Context(), s)
	if err != nil {
		return nil, err
	}
	tb.Cleanup(func() { _ = methods.Close(mem) })
	return mem.(*memory), nil
}

// TestSoftware runs an adapter whose program lies in the folder of its name in
// $BENCH_ADAPTERS, and nowhere else.
func TestSoftware(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a link to the test binary would need the right to make one")
	}
	exe, err := os.Executable()
	try.Do(t, err)
	root, dir := t.TempDir(), t.TempDir()
	bin := filepath.Join(root, "mine", "bin")
	try.Do(t, os.MkdirAll(bin, 0o700))
	manifest := "name: mine\ncommand: [my-memory]\nset: {" + childMode + ": good}\n"
	try.Do(t, errors.Join(os.Symlink(exe, filepath.Join(bin, "my-memory")), os.WriteFile(filepath.Join(dir, adapters.ManifestFile), []byte(manifest), 0o600)))
	o := options(t, "good", func(o *Options) { o.Adapter, o.Command, o.Set = dir, nil, nil })
	if _, err := build(t, o, methodtest.Sample()); err == nil || !strings.Contains(err.Error(), `"my-memory" is not found`) {
		t.Fatalf("without %s the error is %v", adapters.FolderVariable, err)
	}
	t.Setenv(adapters.FolderVariable, root)
	if _, err := build(t, o, methodtest.Sample()); err != nil {
		t.Fatal(err)
	}
}

// TestFaults checks that what goes wrong in an adapter is a fault with its kind.
func TestFaults(t *testing.T) {
	s := methodtest.Sample()
	for _, tt := range []struct {
		mode   string
		change func(*Options)
		kind   fault.Kind
	}{
		{"empty", nil, fault.NotReady},
		{"kill 1", nil, fault.AdapterCrash},
		{"slow", func(o *Options) { o.Timeout, o.Restarts = 100*time.Millisecond, 0 }, fault.AdapterTimeout},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			if _, err := build(t, options(t, tt.mode, tt.change), s); fault.KindOf(err) != tt.kind {
				t.Errorf("got %v, want %s", err, tt.kind)
			}
		})
	}
}

// TestService checks a service that mixes memories, and one that does not, which answers.
func TestService(t *testing.T) {
	for mixes, want := range map[bool]Status{true: Fail, false: OK} {
		o := options(t, "", func(o *Options) { o.Command, o.URL = nil, newService(t, mixes) })
		err := Check(t.Context(), surroundings(t), o, func(f Finding) {
			if f.What == "memories are isolated" && f.Status != want {
				t.Errorf("mixes %t: %s %s", mixes, f.Status, f.Detail)
			}
		})
		try.Do(t, err)
		s := methodtest.Sample()
		m, err := build(t, o, s)
		try.Do(t, err)
		if _, err := m.Answer(t.Context(), s.Requests[0]); err != nil {
			t.Errorf("mixes %t: %v", mixes, err)
		}
	}
}

// newService serves memories over HTTP; where it mixes them, each finds all turns.
func newService(t *testing.T, mixes bool) string {
	t.Helper()
	var mu sync.Mutex
	turns := make(map[string][]wire.Turn)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     int64
			Method string
			Params struct {
				Memory  string
				Session wire.Session
				Request wire.Request
				K       int
			}
		}
		_ = json.NewDecoder(r.Body).Decode(&m) // what is no message is answered as one
		mu.Lock()
		defer mu.Unlock()
		name := m.Params.Memory
		if mixes {
			name = ""
		}
		var result any = struct{}{}
		switch m.Method {
		case wire.Initialize:
			result = wire.InitializeResult{Protocol: wire.Protocol, Name: "service", Version: "1", Capabilities: wire.Capabilities{Search: true}}
		case wire.Add:
			turns[name] = append(turns[name], m.Params.Session.Turns...)
		case wire.Search:
			result = wire.SearchResult{Blocks: overlap(turns[name], m.Params.Request.Text, m.Params.K, "good")}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result}) // the harness may be gone
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestLate checks that a request without a reply in time is asked again, also where
// the adapter gives it up in order.
func TestLate(t *testing.T) {
	o := options(t, "stalls", func(o *Options) { o.Timeout, o.Restarts = 100*time.Millisecond, 1000 })
	mem, err := build(t, o, methodtest.Sample())
	try.Do(t, err)
	if resp, err := mem.Answer(t.Context(), methodtest.Sample().Requests[1]); err != nil || len(resp.Evidence) == 0 {
		t.Errorf("got %+v, %v", resp, err)
	}
	o.Restarts = 0
	if mem, err = build(t, o, methodtest.Sample()); err != nil {
		t.Fatal(err)
	}
	if _, err := mem.Answer(t.Context(), methodtest.Sample().Requests[1]); fault.KindOf(err) != fault.AdapterTimeout {
		t.Errorf("without another try: %v", err)
	}
}

// TestManyFaultsStop checks that an adapter that always fails ends the run.
func TestManyFaultsStop(t *testing.T) {
	m, err := newMethod(surroundings(t), options(t, "kill 1", func(o *Options) { o.Restarts = 0 }))
	try.Do(t, err)
	defer m.(*method).Close()
	for n := 1; n <= maxInARow; n++ {
		_, err = m.Build(t.Context(), methodtest.Sample())
		if stops := fault.KindOf(err).Stops(); stops != (n == maxInARow) {
			t.Fatalf("fault %d: %v", n, err)
		}
	}
}

// TestSurvives checks that adapters that die, cut lines off or talk nonsense, each at
// random, change no answer: nothing is lost, nothing is scored that failed.
func TestSurvives(t *testing.T) {
	s := methodtest.Sample()
	undisturbed, err := build(t, options(t, "good", nil), s)
	try.Do(t, err)
	want := make(map[string]methods.Response)
	for _, r := range s.Requests {
		if want[r.ID], err = undisturbed.Answer(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	for _, mode := range []string{"kill 0.08", "cut 0.08", "garbage 0.05"} {
		t.Run(mode, func(t *testing.T) {
			mem, err := build(t, options(t, mode, func(o *Options) { o.Restarts = 40 }), s)
			try.Do(t, err)
			var all sync.WaitGroup
			for _, r := range s.Requests {
				all.Go(func() {
					got, err := mem.Answer(t.Context(), r)
					if err != nil {
						t.Errorf("%s: %v", r.ID, err)
						return
					}
					if diff := cmp.Diff(want[r.ID].Evidence, got.Evidence); diff != "" || got.Text != want[r.ID].Text {
						t.Errorf("%s: %q, want %q:\n%s", r.ID, got.Text, want[r.ID].Text, diff)
					}
				})
			}
			all.Wait()
		})
	}
}

// TestWireTellsNothing checks every byte that an adapter reads: no gold, category,
// id or order of the dataset.
func TestWireTellsNothing(t *testing.T) {
	s := methodtest.Sample()
	s.ID = "secret-sample-17"
	for i := range s.Sessions {
		s.Sessions[i].ID = "secret-session"
		for k := range s.Sessions[i].Turns {
			s.Sessions[i].Turns[k].ID = fmt.Sprintf("secret-turn-%d-%d", i, k)
		}
	}
	for i := range s.Requests {
		s.Requests[i].ID = fmt.Sprintf("secret-request-%d", i)
	}
	log := filepath.Join(t.TempDir(), "wire")
	mem, err := build(t, options(t, "good", func(o *Options) { o.Set[childLog] = log }), s)
	try.Do(t, err)
	order, _ := mem.Order(s.Requests)
	for _, i := range order {
		if _, err := mem.Answer(t.Context(), s.Requests[i]); err != nil {
			t.Fatal(err)
		}
	}
	sent, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(sent), s.Requests[0].Text) {
		t.Fatalf("nothing was noted: %v", err)
	}
	if strings.Contains(string(sent), "secret") {
		t.Errorf("the wire holds ids of the dataset:\n%s", sent)
	}
	var ids []string
	for _, i := range order {
		ids = append(ids, mem.requests[s.Requests[i].ID].ID)
	}
	if !slices.IsSorted(ids) {
		t.Errorf("requests are asked in the order %v", ids)
	}
}

func TestEvidence(t *testing.T) {
	s := methodtest.Sample()
	for _, tt := range []struct {
		mode      string
		change    func(*Options)
		estimated bool
		most      int
	}{
		{"good", nil, false, 5},
		{"sourceless", nil, true, 5},
		{"greedy", func(o *Options) { o.K = 2 }, false, 2},
		{"greedy", func(o *Options) { o.Tokens = 20 }, false, 2},
	} {
		mem, err := build(t, options(t, tt.mode, tt.change), s)
		try.Do(t, err)
		resp, err := mem.Answer(t.Context(), datasets.Request{ID: "x", Text: s.Sessions[0].Turns[0].Text})
		try.Do(t, err)
		if len(resp.Evidence) == 0 || len(resp.Evidence) > tt.most {
			t.Errorf("%s: %d blocks, want 1 to %d", tt.mode, len(resp.Evidence), tt.most)
			continue
		}
		e := resp.Evidence[0]
		if e.Estimated != tt.estimated || !slices.Contains(e.Sources, s.Sessions[0].Turns[0].ID) || !strings.HasPrefix(e.ID, "b-") {
			t.Errorf("%s: %+v", tt.mode, e)
		}
	}
}

// TestLogStays checks that what an adapter calls itself leads its log nowhere else.
func TestLogStays(t *testing.T) {
	env := surroundings(t)
	for _, name := range []string{"../../../escape", "/etc/cron.d/x", "..", `a\b:c`, "mem0 für alle"} {
		m := &method{env: env, info: wire.InitializeResult{Name: name}}
		path := m.logPath(filepath.Join(env.Folder(), "work", "adapter-1"), "proxy")
		if dir := filepath.Dir(path); dir != filepath.Join(env.Folder(), "adapters") || strings.ContainsAny(filepath.Base(path), `\: `) {
			t.Errorf("the log of %q is %s", name, path)
		}
	}
}

func TestOptions(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"no adapter: want adapter, command, url or mcp":                                   func(o *Options) { o.Command = nil },
		"mcp is set together with command or url":                                         func(o *Options) { o.MCP = new(adapter.Mapping) },
		"mcp.command, the words that start the server, mcp.add and mcp.search are needed": func(o *Options) { o.Command, o.MCP = nil, new(adapter.Mapping) },
		"k is 0, want at least 1":                                                         func(o *Options) { o.K = 0 },
		"OPENAI_ORG would let the adapter call models without the harness":                func(o *Options) { o.Env = []string{"OPENAI_ORG"} },
		"MY_API_KEY would let the adapter call models without the harness":                func(o *Options) { o.Set = map[string]string{"MY_API_KEY": "x"} },
		"url is not an http or https address":                                             func(o *Options) { o.URL = "rpc" },
	} {
		o := Defaults()
		o.Command = []string{"x"}
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := newMethod(surroundings(t), options(t, "good", func(o *Options) { o.Command = []string{"no-such-program-here"} })); err == nil || !strings.Contains(err.Error(), `command "no-such-program-here" is not found`) {
		t.Errorf("got %v", err)
	}
}

func TestChecks(t *testing.T) {
	before := runtime.NumGoroutine()
	for mode, failing := range map[string][]string{"good": nil, "greedy": {"C04"}, "empty": {"C02"}, "snapshot": nil, "snapshot-lost": {"C10"}, "snapshot-none": {"C10"}, "snapshot-link": {"C10"}} {
		var failed []string
		err := Check(t.Context(), surroundings(t), options(t, mode, nil), func(f Finding) {
			if f.Status == Fail {
				failed = append(failed, f.ID)
				t.Logf("%s %s: %s", f.ID, f.What, f.Detail)
			}
		})
		if err != nil || !slices.Equal(failed, failing) {
			t.Errorf("%s: %v fail (%v), want %v", mode, failed, err, failing)
		}
	}
	for wait := time.Millisecond; runtime.NumGoroutine() > before; wait *= 2 {
		if wait > 10*time.Second {
			t.Fatalf("%d goroutines are left, there were %d", runtime.NumGoroutine(), before)
		}
		time.Sleep(wait)
	}
}

// TestCanaryCalls checks that a memory that is not ready at once is searched again
// with the same calls of models, and that only the search that finds counts for it.
func TestCanaryCalls(t *testing.T) {
	var mu sync.Mutex
	repeats, charged := map[int]int{}, 0
	env := surroundings(t)
	env.Charge = func(*meter.Meter) { charged++ }
	env.LLM = llm.GeneratorFunc(func(_ context.Context, r llm.Request) (llm.Reply, error) {
		mu.Lock()
		defer mu.Unlock()
		repeats[r.Repeat]++
		return llm.Reply{Text: "yes", Finish: "stop"}, nil
	})
	m, err := newMethod(env, options(t, "asks", func(o *Options) { o.Canary.Within = time.Minute }))
	try.Do(t, err)
	t.Cleanup(func() { _ = m.(*method).Close() })
	mem, err := m.Build(t.Context(), methodtest.Sample())
	try.Do(t, err)
	t.Cleanup(func() { _ = methods.Close(mem) })
	if diff := cmp.Diff(map[int]int{0: 2 + canaryTurns}, repeats); diff != "" || charged != 2 {
		t.Errorf("%d searches are charged to the run, want 2; calls by repeat (-want +got):\n%s", charged, diff)
	}
}

// TestForget hands what somebody wants forgotten to adapters that can, and asks those that
// can tell it what they store then.
func TestForget(t *testing.T) {
	s := methodtest.Sample()
	told := s.Sessions[0].Turns[0]
	last := len(s.Sessions) - 1
	s.Sessions[last].Turns = append(slices.Clone(s.Sessions[last].Turns), datasets.Turn{ID: "wish", Speaker: told.Speaker, Text: "Please forget what I said first.", Forgets: []string{told.ID}})
	for mode, want := range map[string]float64{"good": 0, "forgets": 1} {
		mem, err := build(t, options(t, mode, nil), s)
		try.Do(t, err)
		resp, err := mem.Answer(t.Context(), datasets.Request{ID: "x", Text: told.Text})
		try.Do(t, err)
		found := slices.ContainsFunc(resp.Evidence, func(e methods.Evidence) bool { return slices.Contains(e.Sources, told.ID) })
		if n := mem.Structure()["forgot"]; n != want || found != (want == 0) {
			t.Errorf("%s: %v items are forgotten, want %v; the turn is found: %t", mode, n, want, found)
		}
		items, known := mem.Items()
		if known != (want == 1) || known && (len(items) == 0 || slices.Contains(items, told.Text)) {
			t.Errorf("%s: it stores %q, which is known: %t", mode, items, known)
		}
	}
}
