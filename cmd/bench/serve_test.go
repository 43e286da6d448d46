package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recallbench/internal/backend/interrupt"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
	"recallbench/internal/text/remark"
	"recallbench/runners/fleet"
)

// workLine is how serve says how workers reach it.
var workLine = regexp.MustCompile(`workers: bench work (\S+) --access (\S+)\n`)

// A served is a run that 'bench serve' gives to workers.
type served struct {
	url, access string
	mu          sync.Mutex
	stderr      bytes.Buffer
	reached     chan struct{} // closed when url is known
	done        chan struct{} // closed when the verb has ended
	ran         ran
}

// Write takes what the verb says.
func (s *served) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stderr.Write(p)
	if m := workLine.FindSubmatch(s.stderr.Bytes()); m != nil && s.url == "" {
		s.url, s.access = string(m[1]), string(m[2])
		close(s.reached)
	}
	return len(p), nil
}

// said returns what the verb has said on stderr so far.
func (s *served) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stderr.String()
}

// serve starts 'bench serve' within the test and returns when workers can reach it.
func serve(ctx context.Context, t *testing.T, args ...string) *served {
	t.Helper()
	args = append(args, "--addr", "127.0.0.1:0")
	s := &served{reached: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(s.done)
		var stdout bytes.Buffer
		err := bench(ctx, append([]string{"serve", "--display", "none"}, args...), strings.NewReader(""), &stdout, s)
		s.ran = ran{stdout.String(), s.said(), exitCode(err)}
	}()
	select {
	case <-s.reached:
	case <-s.done:
		t.Fatalf("bench serve: exit %d\n%s", s.ran.code, s.ran.stderr)
	}
	return s
}

// work runs a worker until the run is over.
func (s *served) work(t *testing.T) ran {
	t.Helper()
	return run(t, "work", s.url, "--access", s.access)
}

// works runs some workers until the run is over.
func (s *served) works(t *testing.T, n int) {
	t.Helper()
	var working sync.WaitGroup
	for range n {
		working.Go(func() {
			if r := s.work(t); r.code != 0 {
				t.Errorf("a worker ends with %d\n%s", r.code, r.stderr)
			}
		})
	}
	working.Wait()
}

// workAt runs a worker whose clock goes wrong by a time.
func (s *served) workAt(t *testing.T, wrong time.Duration) ran {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := newWorkCommand(&app{stdout: &stdout, stderr: &stderr, env: os.Getenv, log: slog.New(remark.New(&stderr))}, func() time.Time { return time.Now().Add(wrong) })
	cmd.SetArgs([]string{s.url, "--access", s.access})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(t.Context())
	return ran{stdout.String(), fmt.Sprint(stderr.String(), err), exitCode(err)}
}

// ended waits for the end of the run.
func (s *served) ended(t *testing.T, code int) {
	t.Helper()
	<-s.done
	if s.ran.code != code {
		t.Fatalf("bench serve: exit %d, want %d\n%s%s", s.ran.code, code, s.ran.stdout, s.ran.stderr)
	}
}

// The folder of a run by workers is that of one machine, whatever their clocks say.
func TestServe(t *testing.T) {
	for name, text := range map[string]string{
		"conversations": fmt.Sprintf(`
name: many
datasets: [{use: jsonl, label: chats, options: {files: [%s]}}, {use: jsonl, label: more chats, options: {files: [%s]}}]
methods: [{use: flat-rag, label: Naive RAG, options: {k: 5}}, {use: xmemory}]
metrics: [f1@mem0, evidence-recall, tokens]
limits: {requests: 12}
`, chats(t, 4), chats(t, 3)),
		"places in histories": `
name: many
datasets: [{use: changes, options: {tokens: 10000, histories: 2, questions: 20}}]
methods: [{use: flat-rag, options: {k: 5, chunk: {unit: turns, size: 1}}}]
metrics: [changes, changes-evidence, stored]
`,
		"trees": `
name: many
datasets: [{use: tasks, options: {turns: single, domains: [mealkit]}}, {use: tasks, label: dialogues, options: {turns: multi, domains: [todo]}}]
methods: [{use: semantic-xpath}]
metrics: [pass, tokens]
limits: {requests: 6}
`,
	} {
		t.Run(name, func(t *testing.T) {
			config, root := write(t, "many.yaml", text), t.TempDir()
			one, many := filepath.Join(root, "by-one"), filepath.Join(root, "by-many")
			must(t, "run", config, "--out", one, "--display", "none")
			s := serve(t.Context(), t, config, "--out", many)
			var working sync.WaitGroup
			for _, years := range []time.Duration{-40, 0, 40} {
				working.Go(func() {
					if r := s.workAt(t, years*365*24*time.Hour); r.code != 0 {
						t.Errorf("a worker ends with %d\n%s", r.code, r.stderr)
					}
				})
			}
			working.Wait()
			s.ended(t, 0)
			try.Equal(t, "two runs", allOf(t, one), allOf(t, many))
		})
	}
}

// Workers share the recordings, the limits and the budget of a run: no call is paid
// twice, and a second run pays for nothing.
func TestServeShares(t *testing.T) {
	server := modelserver.New(t, modelserver.Options{})
	config, model, root := questions(t, 6, 3, "name: live\nconcurrency: {samples: 2, requests: 2}\nbudget: {tokens: 100000}\n"), liveModel(t, server, ""), t.TempDir()
	one := filepath.Join(root, "one")
	must(t, "run", config, "--model", model, "--calls", "off", "--out", one, "--display", "none")
	calls := server.Stats().Arrived
	for i, paid := range []int{calls, 0} {
		before := server.Stats().Arrived
		dir := filepath.Join(root, fmt.Sprint("many-", i))
		s := serve(t.Context(), t, config, "--model", model, "--calls", "reuse", "--store", filepath.Join(root, "calls"), "--out", dir)
		s.works(t, 2)
		s.ended(t, 0)
		if n := server.Stats().Arrived - before; n != paid {
			t.Errorf("run %d made %d calls, want %d", i, n, paid)
		}
		if got, want := len(recorded(t, dir)), len(recorded(t, one)); got != want {
			t.Errorf("run %d has %d files of cells, want %d", i, got, want)
		}
	}
}

// A worker without the user's own files gets them from the run.
func TestServeSends(t *testing.T) {
	config, root := questions(t, 3, 2, "name: many\nmodels: [{use: stand-in}]\n"), t.TempDir()
	one, many := filepath.Join(root, "one"), filepath.Join(root, "many")
	must(t, "run", config, "--out", one, "--display", "none")
	s := serve(t.Context(), t, config, "--out", many)
	newLiar(t, s).ask("renew", nil) // the run knows what it sends
	data := filepath.Join(filepath.Dir(config), "data.jsonl")
	try.Do(t, os.Rename(data, data+".away"))
	s.works(t, 1)
	s.ended(t, 0)
	try.Equal(t, "two runs", recorded(t, one), recorded(t, many))
}

// What is in flight when the run is interrupted is recorded, and asked of nobody again.
func TestServeInterrupted(t *testing.T) {
	server := modelserver.New(t, modelserver.Options{Latency: 300 * time.Millisecond})
	config, model, root := questions(t, 4, 3, "name: live\nconcurrency: {samples: 2, requests: 2}\n"), liveModel(t, server, ""), t.TempDir()
	dir, store := filepath.Join(root, "many"), filepath.Join(root, "calls")
	t.Setenv(interrupt.GraceEnv, "1m")
	for _, code := range []int{exitInterrupted, exitOK} {
		ctx, interrupt := context.WithCancel(t.Context())
		s := serve(ctx, t, config, "--model", model, "--calls", "reuse", "--store", store, "--out", dir, "--resume")
		if code == exitInterrupted {
			go func() {
				until(t, func() bool { return server.Stats().Arrived >= 3 })
				interrupt()
			}()
		}
		s.works(t, 2)
		s.ended(t, code)
		interrupt()
	}
	if n := server.Stats().Arrived; n != 12 {
		t.Errorf("%d calls, want 12", n)
	}
	for name, text := range recorded(t, dir) {
		if strings.HasSuffix(name, "records.jsonl") && strings.Count(text, `"status":"ok"`) != 12 {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	t.Setenv(interrupt.GraceEnv, "soon")
	for _, args := range [][]string{{"serve", dir}, {"work", "tls://127.0.0.1:1", "--access", filepath.Join(dir+".access", "worker.json")}} {
		refused(t, `BENCH_GRACE is "soon"`, args...)
	}
}

// A liar speaks to a coordinator as a worker does, but says what it likes.
type liar struct {
	t                   *testing.T
	client              *http.Client
	url, token, session string
}

func newLiar(t *testing.T, s *served) *liar {
	t.Helper()
	access := try.Get(fleet.ReadAccess(s.access))(t)
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // the test's own server
	t.Cleanup(transport.CloseIdleConnections)
	return &liar{t, &http.Client{Transport: transport}, "https://" + strings.TrimPrefix(s.url, "tls://") + "/", access.Token, rand.Text()}
}

// ask asks until the coordinator has an answer.
func (l *liar) ask(op string, body any) (status int, answer []byte) {
	l.t.Helper()
	data := try.Get(json.Marshal(body))(l.t)
	until(l.t, func() bool {
		r := try.Get(http.NewRequestWithContext(l.t.Context(), http.MethodPost, l.url+op, bytes.NewReader(data)))(l.t)
		r.Header.Set("Authorization", "Bearer "+l.token)
		r.Header.Set("Bench-Session", l.session)
		response, err := l.client.Do(r)
		try.Do(l.t, err)
		defer response.Body.Close()
		status, answer = response.StatusCode, try.Get(io.ReadAll(response.Body))(l.t)
		return status != http.StatusAccepted && status != http.StatusServiceUnavailable // it may not have begun
	})
	return status, answer
}

// wants asks and wants an answer with a status.
func (l *liar) wants(want int, op string, body any) {
	l.t.Helper()
	if status, answer := l.ask(op, body); status != want {
		l.t.Errorf("%s: status %d with %s, want %d", op, status, answer, want)
	}
}

// refused asks and wants to be refused with a message.
func (l *liar) refused(want, op string, body any) {
	l.t.Helper()
	if status, answer := l.ask(op, body); status != http.StatusUnprocessableEntity || !strings.Contains(string(answer), want) {
		l.t.Errorf("%s: %d %s, want it refused with %q", op, status, answer, want)
	}
}

// joins is how a worker joins, with the header of its plan or nil.
func (l *liar) joins(name string, header any) map[string]any {
	return map[string]any{"name": name, "program": fleet.Program(binary()), "header": header}
}

// welcome begins a session, and returns the header of the run.
func (l *liar) welcome(name string) map[string]any {
	l.t.Helper()
	_, answer := l.ask("join", l.joins(name, nil))
	return decode[struct{ Header map[string]any }](l.t, answer).Header
}

// join begins a session with the plan of the run.
func (l *liar) join(name string) {
	l.t.Helper()
	l.wants(http.StatusOK, "join", l.joins(name, l.welcome(name)))
}

// A lease is a unit with what is to be asked.
type lease struct {
	Unit    map[string]string
	Pending []string
}

func (l *liar) lease() lease {
	l.t.Helper()
	_, answer := l.ask("lease", []any{})
	return decode[lease](l.t, answer)
}

// A worker cannot speak for others, nor spend what it did not lease, and what it says
// twice counts once.
func TestServeMalicious(t *testing.T) {
	free := make(chan struct{})
	var arrived atomic.Int64
	server := modelserver.New(t, modelserver.Options{Observe: func(*http.Request, []byte) {
		arrived.Add(1)
		<-free
	}})
	dir := filepath.Join(t.TempDir(), "many")
	s := serve(t.Context(), t, questions(t, 3, 2, "name: live\nbudget: {tokens: 5000000}\nconcurrency: {samples: 1}\n"), "--model", liveModel(t, server, ""), "--calls", "off", "--out", dir, "--patience", "2s")
	honest := make(chan ran, 1)
	go func() { honest <- s.work(t) }()
	until(t, func() bool { return arrived.Load() > 0 })
	l := newLiar(t, s)
	l.join("liar")
	settlement := func(lease uint64, tokens int) map[string]any {
		return map[string]any{"lease": lease, "model": "test", "paid": map[string]any{"calls": 1, "tokens": tokens}}
	}
	const number = 12345
	for range 2 {
		l.wants(http.StatusOK, "reserve", map[string]any{"lease": number, "tokens": 100})
	}
	l.refused("above the highest possible cost", "settle", settlement(number, 4_999_999))
	l.refused("negative", "settle", settlement(number, -100))
	for range 2 {
		l.wants(http.StatusOK, "settle", settlement(number, 90))
		l.wants(http.StatusOK, "settle", settlement(number+1, 700)) // of no lease
	}
	l.wants(http.StatusOK, "settle", map[string]any{"model": "test", "paid": map[string]any{"calls": 7, "tokens": 700, "reused": 1}})
	l.wants(http.StatusOK, "leave", nil)
	l.wants(http.StatusConflict, "settle", settlement(number, 90))
	close(free)
	if r := <-honest; r.code != 0 {
		t.Errorf("the honest worker ends with %d\n%s", r.code, r.stderr)
	}
	s.ended(t, exitOK)
	records := 0
	for name, text := range recorded(t, dir) {
		if strings.HasSuffix(name, "records.jsonl") {
			records += strings.Count(text, `"status":"ok"`)
		}
	}
	h := try.Get(record.ReadHeader(dir))(t)
	if records != 6 || h.Paid == nil || h.Paid.Calls != server.Stats().Arrived+1 || h.Paid.Reused != 1 {
		t.Errorf("%d records, paid %+v; want 6, and that of %d calls and of one more", records, h.Paid, server.Stats().Arrived)
	}
}

// What does not belong to the run is refused and said, and the run goes on to the
// folder of one machine.
func TestServeRefuses(t *testing.T) {
	text := fmt.Sprintf(`
name: many
datasets: [{use: jsonl, options: {files: [%s]}}]
methods: [{use: flat-rag, options: {k: 5}}]
metrics: [f1@mem0, tokens]
`, chats(t, 3))
	config, root := write(t, "many.yaml", text), t.TempDir()
	one, many := filepath.Join(root, "one"), filepath.Join(root, "many")
	must(t, "run", config, "--out", one, "--display", "none")
	s := serve(t.Context(), t, config, "--out", many)

	garbage := try.Get(new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "tls://")))(t)
	defer garbage.Close()
	try.Get(fmt.Fprint(garbage, "GET / HTTP/1.1\r\n\r\n\x00\xff{}\r\n"))(t)

	data := try.Get(os.ReadFile(s.access))(t)
	access := decode[map[string]any](t, data)
	if info, err := os.Stat(s.access); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read the access file: %v, %v", info.Mode(), err)
	}
	for key, tt := range map[string]struct {
		value any
		want  string
	}{
		"token":              {"wrong", "refuses the token"},
		"certificate_sha256": {[]byte("wrong"), "the coordinator's certificate is not"},
	} {
		right := access[key]
		access[key] = tt.value
		changed := try.Get(json.Marshal(access))(t)
		access[key] = right
		r := run(t, "work", s.url, "--access", write(t, "worker.json", string(changed)), "--patience", "1ms")
		if r.code != 2 || !strings.Contains(r.stderr, tt.want) {
			t.Errorf("a worker with another %s ends with %d\n%s", key, r.code, r.stderr)
		}
	}

	l := newLiar(t, s)
	token := l.token
	l.token = "wrong"
	l.wants(http.StatusUnauthorized, "join", nil)
	l.token = token
	l.wants(http.StatusConflict, "renew", nil)
	l.wants(http.StatusNotFound, "format-disk", nil)
	session := l.session
	l.session = "../.."
	l.refused("a session", "join", l.joins("liar", nil))
	l.session = session
	join := l.joins("liar", nil)
	join["program"] = "version v0.0.1"
	l.refused("the worker liar is version v0.0.1, but the run is from version", "join", join)
	header := l.welcome("liar")
	l.refused("before the worker's plan was checked", "lease", map[string]any{})
	cell := header["cells"].([]any)[0].(map[string]any)["id"].(string)
	set := header["datasets"].([]any)[0].(map[string]any)
	sum, cells := set["sha256"], header["cells"]
	set["sha256"] = "0000"
	l.refused("the dataset has changed since the run began", "join", l.joins("liar", header))
	set["sha256"], header["cells"] = sum, []any{}
	l.refused("it has 1 cells, but its config and data now make 0", "join", l.joins("liar", header))
	header["cells"] = cells
	unit := map[string]any{"cell": cell, "sample": "chat 0"}
	record := map[string]any{"sample": "chat 0", "request": "q1", "hash": "f00", "status": "ok", "answer": "a lie"}
	deliver := func(file string, lines ...any) map[string]any {
		return map[string]any{"unit": unit, "file": file, "lines": lines}
	}
	l.wants(http.StatusOK, "join", l.joins("liar", header))
	l.refused("which the worker does not have", "deliver", deliver("records", record))
	l.wants(http.StatusOK, "end", map[string]any{"unit": map[string]any{"cell": cell, "sample": "another"}}) // which does nothing
	given := l.lease()
	if again := l.lease(); again.Unit["sample"] != "chat 0" || given.Unit["sample"] != "chat 0" {
		t.Errorf("a worker that did not hear of %v is given %v", given, again)
	}
	record["request"] = given.Pending[0]
	record["extra"] = 1
	l.refused("unknown field", "deliver", deliver("records", record))
	delete(record, "extra")
	l.refused("belongs to a different question", "deliver", deliver("records", record))
	l.refused("not part of the unit", "deliver", deliver("records", map[string]any{"sample": "chat 1", "request": "q1"}))
	l.refused("does not match its id", "deliver", deliver("blocks", map[string]any{"block": "f00", "sample": "chat 0", "text": "a lie"}))
	l.refused("not part of the unit", "deliver", deliver("ingests", map[string]any{"sample": "chat 1"}))
	l.refused("lines of", "deliver", deliver("run.json", record))
	l.refused("cannot unmarshal", "deliver", map[string]any{"unit": 7})
	l.refused("no model", "settle", map[string]any{"model": "another", "paid": map[string]any{}})
	l.refused("no account", "try", map[string]any{"account": "another"})
	l.refused("a call of -5 tokens", "try", map[string]any{"account": "test", "tokens": -5})
	l.refused("without a number", "reserve", map[string]any{"tokens": 5})
	l.refused("a request about recordings", "calls", "noise")
	l.refused("ended without", "end", map[string]any{"unit": unit})
	l.wants(http.StatusOK, "leave", nil)

	s.works(t, 1)
	s.ended(t, 0)
	try.Equal(t, "two runs", allOf(t, one), allOf(t, many))
	has(t, "serve", s.ran.stderr, "refused a worker", "refused (worker liar", "an invalid message")
}

// freeAddress returns an address of this host that nobody listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	l := try.Get(new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	return l.Addr().String()
}

// until waits for something that will come.
func until(t *testing.T, is func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not come")
		}
	}
}

// A sample that five workers cannot ask, or fall silent over, stops the run with all their
// reasons, and is asked when it goes on.
func TestServeGivesUp(t *testing.T) {
	longtest.SkipRace(t)
	for _, silent := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "many")
		s := serve(t.Context(), t, questions(t, 1, 2, "name: many\n"), "--out", dir, "--patience", "600ms")
		for i := range 5 {
			l := newLiar(t, s)
			l.join(fmt.Sprint("worker-", i))
			unit := l.lease().Unit
			if !silent {
				full := fmt.Sprint("disk ", i, " is full")
				l.refused(full, "end", map[string]any{"unit": unit, "fault": map[string]any{"message": full}})
				l.wants(http.StatusOK, "leave", nil)
			}
		}
		s.ended(t, exitUnavailable)
		wants := []string{"5 workers failed on conversation", "1. worker-0: disk 0 is full; ", "; 5. worker-4: disk 4 is full"}
		if silent {
			wants = []string{"1. worker-0: silent for 600ms; ", "; 5. worker-4: silent for 600ms"}
		}
		has(t, "serve", s.ran.stderr, wants...)
		must(t, "resume", dir, "--display", "none")
	}
}

// All workers together keep the limits of an account and the budget of the run.
func TestServeBounds(t *testing.T) {
	server := modelserver.New(t, modelserver.Options{Latency: 10 * time.Millisecond})
	model := liveModel(t, server, ", limits: {max: 2}")
	config := questions(t, 12, 2, "name: live\nconcurrency: {samples: 4, requests: 4}\n")
	for _, tt := range []struct {
		budget string
		code   int
	}{{"{tokens: 0}", exitOK}, {"{tokens: 600}", exitBudget}} {
		dir := filepath.Join(t.TempDir(), "many")
		s := serve(t.Context(), t, config, "--model", model, "--calls", "off", "--set", "budget="+tt.budget, "--out", dir)
		var working sync.WaitGroup
		for range 4 {
			working.Go(func() { s.work(t) })
		}
		working.Wait()
		s.ended(t, tt.code)
		h := try.Get(record.ReadHeader(dir))(t)
		if tt.code == exitBudget && (h.Paid == nil || h.Paid.Tokens > 600 || h.Paid.Tokens == 0) {
			t.Errorf("paid %+v of 600 tokens", h.Paid)
		}
	}
	if n := server.Stats().MaxInFlight; n > 2 {
		t.Errorf("%d calls in flight, want at most 2", n)
	}
}
