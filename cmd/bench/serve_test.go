package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/backend/interrupt"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
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
	cmd := newWorkCommand(&app{stdout: &stdout, stderr: &stderr, env: os.Getenv}, func() time.Time { return time.Now().Add(wrong) })
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
			if diff := cmp.Diff(allOf(t, one), allOf(t, many)); diff != "" {
				t.Errorf("(-one +many):\n%s", diff)
			}
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
	if diff := cmp.Diff(recorded(t, one), recorded(t, many)); diff != "" {
		t.Errorf("(-one +many):\n%s", diff)
	}
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
		if r := run(t, args...); r.code != exitUsage || !strings.Contains(r.stderr, `BENCH_GRACE is "soon"`) {
			t.Errorf("%s: exit %d\n%s", args[0], r.code, r.stderr)
		}
	}
}
