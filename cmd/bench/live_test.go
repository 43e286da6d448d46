package main

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// liveModel writes a model entry for a test server and returns its path.
func liveModel(tb testing.TB, s *modelserver.Server, more string) string {
	tb.Helper()
	return write(tb, "model.yaml", fmt.Sprintf(`
use: live
label: test
options:
  chat: {base_url: %[1]s, provider: test, model: test-model%[2]s}
  embed: {use: openai, base_url: %[1]s, provider: test, model: test-embedder}
`, s.URL, more))
}

// questions writes a dataset of samples with a turn each, and a config that
// asks about them without a memory.
func questions(tb testing.TB, samples, each int, more string) string {
	tb.Helper()
	dir := tb.TempDir()
	var data strings.Builder
	for i := range samples {
		fmt.Fprintf(&data, `{"type":"turn","sample":"s%[1]d","session":"1","id":"t1","speaker":"Ana","text":"Hello from %[1]d."}`+"\n", i)
		for j := range each {
			fmt.Fprintf(&data, `{"type":"question","sample":"s%[1]d","id":"q%[2]d","question":"What is number %[2]d of sample %[1]d?","answer":"none"}`+"\n", i, j)
		}
	}
	config := filepath.Join(dir, "run.yaml")
	for path, text := range map[string]string{
		filepath.Join(dir, "data.jsonl"): data.String(),
		config: `
datasets: [{use: jsonl, options: {files: [data.jsonl]}}]
methods: [{use: stateless}]
metrics: [f1@mem0, tokens]
` + more,
	} {
		try.Do(tb, os.WriteFile(path, []byte(text), 0o644))
	}
	return config
}

// recordsOf returns the records of a run, one cell after another.
func recordsOf(t *testing.T, dir string) []record.Record {
	t.Helper()
	h := header(t, dir)
	var all []record.Record
	for _, c := range h.Cells {
		for line := range try.Each(t, record.Lines[record.Record](record.Folder(dir).Records(c.ID))) {
			all = append(all, line.Value)
		}
	}
	return all
}

// observed collects the answers that a server owes, by the question asked.
type observed struct {
	mu      sync.Mutex
	answers map[string]string
}

func (o *observed) see(r *http.Request, body []byte) {
	var req struct {
		Messages []struct{ Content string }
	}
	if r.URL.Path != "/v1/chat/completions" || json.Unmarshal(body, &req) != nil {
		return
	}
	var contents []string
	for _, m := range req.Messages {
		contents = append(contents, m.Content)
	}
	all := strings.Join(contents, "\n")
	at := strings.Index(all, "What is number")
	if at < 0 {
		return
	}
	question, _, _ := strings.Cut(all[at:], "?")
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.answers == nil {
		o.answers = make(map[string]string)
	}
	o.answers[question+"?"] = modelserver.Answer(contents...)
}

// A server that fails in every way: each request ends in the right answer or
// in a record that says what happened, none is lost and none counted twice.
func TestFaultStorm(t *testing.T) {
	longtest.SkipRace(t)
	t.Parallel() // most of it is waiting
	samples, each := longtest.N(10, 40), 50
	var seen observed
	s := modelserver.New(t, modelserver.Options{
		Latency: 2 * time.Millisecond, Rate: 0.3, Faults: modelserver.AllFaults(), Seed: 1, Key: "sk-storm-1234567890",
		RetryAfter: 20 * time.Millisecond, Observe: seen.see,
	})
	config := questions(t, samples, each, "concurrency: {requests: 64}\nlimits: {errors: 1}\n")
	dir := filepath.Join(t.TempDir(), "run")
	key := write(t, "key", "sk-storm-1234567890\n")
	must(t, "run", config, "--model", liveModel(t, s, ", key: {file: "+key+"}, limits: {attempt: 150ms, total: 20s, retries: 4}"),
		"--out", dir, "--store", filepath.Join(t.TempDir(), "calls"), "--display", "none")
	asked := make(map[string]bool)
	kinds := make(map[string]int)
	calls := 0
	for _, r := range recordsOf(t, dir) {
		name := r.Sample + "/" + r.Request
		if asked[name] {
			t.Errorf("%s has two records", name)
		}
		asked[name] = true
		if r.Status != record.OK {
			if r.Error == nil || r.Error.Kind == "" || r.Error.Kind == "answer" || r.Error.Message == "" {
				t.Errorf("%s: status %s, error %+v does not say what happened", name, r.Status, r.Error)
				continue
			}
			kinds[r.Error.Kind]++
			continue
		}
		calls += r.Usage["query"]["reader"].Calls
		question := fmt.Sprintf("What is number %s of sample %s?", r.Request[1:], r.Sample[1:])
		// A reply into which the server put the key has it taken out.
		if want := seen.answers[question]; r.Answer != want && !strings.Contains(r.Answer, "[key]") {
			t.Errorf("%s: answer %q, want %q", name, r.Answer, want)
		}
	}
	if len(asked) != samples*each {
		t.Errorf("%d requests have records, want %d", len(asked), samples*each)
	}
	failed := 0
	for _, n := range kinds {
		failed += n
	}
	if calls != samples*each-failed {
		t.Errorf("%d calls counted for %d answers", calls, samples*each-failed)
	}
	stats := s.Stats()
	t.Logf("%d attempts for %d requests, %d answers, %d failed: %v; faults %v", stats.Arrived, len(asked), stats.Answered, failed, kinds, stats.Faults)
	for _, f := range modelserver.AllFaults() {
		if stats.Faults[f] == 0 {
			t.Errorf("the server never showed the fault %s", f)
		}
	}
}

// Recording and replaying: the same bytes, and no socket.
func TestReplay(t *testing.T) {
	replay(t, "{use: sample}", t.TempDir(), 55)
}

func TestReplayLoCoMo(t *testing.T) {
	longtest.Skip(t)
	replay(t, "{use: locomo, options: {categories: [1, 2, 3, 4]}}", realdata.Datasets(t), 1540)
}

// replay records and replays a dataset of some requests.
func replay(t *testing.T, dataset, data string, requests int) {
	t.Helper()
	s := modelserver.New(t, modelserver.Options{})
	model := liveModel(t, s, "")
	config := write(t, "run.yaml", `
name: replay
datasets: [`+dataset+`]
methods: [{use: in-context}, {use: flat-rag}]
`)
	base := t.TempDir()
	store := filepath.Join(base, "calls")
	runOnce := func(name, mode string, set ...string) (ran, map[string]string) {
		dir := filepath.Join(base, name)
		args := []string{"run", config, "--model", model, "--data", data, "--out", dir, "--store", store, "--calls", mode, "--display", "none"}
		for _, assignment := range set {
			args = append(args, "--set", assignment)
		}
		r := must(t, args...)
		r.stdout = strings.ReplaceAll(r.stdout, name, "RUN")
		return r, recorded(t, dir)
	}
	first, files := runOnce("first", "record")
	s.Close()
	forbidDialling(t)
	second, again := runOnce("second", "replay", "models.test.options.chat.limits.attempt=9s", "concurrency.requests=7")
	try.Equal(t, "tables", first.stdout, second.stdout)
	if !maps.Equal(files, again) {
		for name, text := range files {
			if again[name] != text {
				t.Errorf("%s is not the same", name)
			}
		}
	}
	h := header(t, filepath.Join(base, "second"))
	if h.Paid == nil || h.Paid.Calls != 0 || h.Paid.Reused != 2*requests || h.Paid.Tokens != 0 {
		t.Errorf("paid %+v, want nothing for %d calls", h.Paid, 2*requests)
	}
	for i, change := range []string{"seed=2", "models.test.options.chat.model=other", "methods.in-context.options.reader.max_tokens=65", "models.test.options.chat.extra='{\"top_p\": 0.5}'"} {
		r := run(t, "run", config, "--model", model, "--data", data, "--out", filepath.Join(base, fmt.Sprint("changed", i)), "--store", store,
			"--calls", "replay", "--display", "none", "--set", change)
		if r.code != exitMiss || !strings.Contains(r.stderr, "replay-miss") {
			t.Errorf("%s: exit %d, want %d\n%s", change, r.code, exitMiss, r.stderr)
		}
	}
}

// forbidDialling fails the test when anything opens a connection.
func forbidDialling(t *testing.T) {
	t.Helper()
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		t.Fatal("the default transport is not the library's")
	}
	before := transport.DialContext
	transport.DialContext = func(_ context.Context, network, address string) (net.Conn, error) {
		t.Errorf("dialled %s %s", network, address)
		return nil, errors.New("dialling is forbidden")
	}
	t.Cleanup(func() { transport.DialContext = before })
}

// A budget stops a run, which goes on with a larger one.
func TestBudget(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{Latency: time.Millisecond})
	config := questions(t, 2, 50, "budget: {tokens: 2000}\nconcurrency: {requests: 8}\n")
	dir, store := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "calls")
	r := run(t, "run", config, "--model", liveModel(t, s, ""), "--out", dir, "--store", store, "--display", "none")
	if r.code != exitBudget || !strings.Contains(r.stderr, "bench resume "+dir) {
		t.Fatalf("exit %d, want %d\n%s", r.code, exitBudget, r.stderr)
	}
	h := header(t, dir)
	done := len(recordsOf(t, dir))
	if h.Paid == nil || h.Paid.Tokens > 2000 || h.Paid.Tokens < 1500 || done == 0 || done == 100 || h.Status != record.Interrupted {
		t.Errorf("paid %+v for %d requests, status %s", h.Paid, done, h.Status)
	}
	must(t, "resume", dir, "--store", store, "--display", "none", "--set", "budget.tokens=100000")
	if n := len(recordsOf(t, dir)); n != 100 {
		t.Errorf("%d requests after resuming, want 100", n)
	}
	if n := s.Stats().Answered; n != 100 {
		t.Errorf("the server answered %d requests, want 100: none twice", n)
	}
}

// What stops a run says why, with the exit code for it.
func TestUnavailable(t *testing.T) {
	config := questions(t, 1, 30, "concurrency: {requests: 4}\n")
	up := modelserver.New(t, modelserver.Options{Key: "right", Models: []string{"test-model"}})
	down := modelserver.New(t, modelserver.Options{})
	down.Close()
	t.Setenv("WRONG_KEY", "wrong")
	for _, tt := range []struct {
		name  string
		model string
		code  int
		want  string
	}{
		{"wrong key", liveModel(t, up, ", key: {env: WRONG_KEY}"), exitUnavailable, "auth (HTTP 401)"},
		{"no key", liveModel(t, up, ", key: {env: NO_SUCH_KEY}"), exitUsage, "the environment variable NO_SUCH_KEY is not set"},
		{"no server", liveModel(t, down, ", limits: {retries: 0}"), exitUnavailable, "connection"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := run(t, "run", config, "--model", tt.model, "--out", filepath.Join(t.TempDir(), "run"), "--store", filepath.Join(t.TempDir(), "calls"), "--display", "none")
			if r.code != tt.code || !strings.Contains(r.stderr, tt.want) {
				t.Errorf("exit %d, want %d and %q\n%s", r.code, tt.code, tt.want, r.stderr)
			}
		})
	}
}

// The header says how the limits of accounts changed, and which models served.
func TestHeaderOfLiveRun(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{
		Cap: 3, Latency: 5 * time.Millisecond, RetryAfter: 5 * time.Millisecond,
		Rate: 0.2, Faults: []modelserver.Fault{modelserver.OtherModel},
	})
	config := questions(t, 1, 60, "concurrency: {requests: 16}\n")
	dir := filepath.Join(t.TempDir(), "run")
	must(t, "run", config, "--model", liveModel(t, s, ""), "--out", dir, "--store", filepath.Join(t.TempDir(), "calls"), "--display", "none")
	h := header(t, dir)
	if !slices.ContainsFunc(h.Models, func(m record.Model) bool { return len(m.Served) == 2 && len(m.Fingerprints) > 0 }) {
		t.Errorf("models %+v", h.Models)
	}
	has(t, "the table does not say which models served", must(t, "table", dir).stdout, "requested test-model, served by ")
}

// A resumed run goes on with the recordings that it began with, from any folder,
// unless a flag names others.
func TestResumeCalls(t *testing.T) {
	s := modelserver.New(t, modelserver.Options{})
	config := questions(t, 1, 60, "budget: {tokens: 1000}\nconcurrency: {requests: 1}\ncalls: {mode: off}\n")
	base := t.TempDir()
	dir := filepath.Join(base, "run")
	resume := func(code int, want string, args ...string) {
		t.Helper()
		r := run(t, append([]string{"resume", dir, "--display", "none", "--set"}, args...)...)
		if r.code != code || !strings.Contains(r.stderr, want) {
			t.Errorf("exit %d, want %d and %q\n%s", r.code, code, want, r.stderr)
		}
	}
	recordings := func(store string) int {
		t.Helper()
		return strings.Count(must(t, "calls", "list", "--json", "--limit", "0", "--store", filepath.Join(base, store)).stdout, "\n")
	}
	t.Chdir(base)
	if r := run(t, "run", config, "--model", liveModel(t, s, ""), "--out", dir, "--calls", "record", "--store", "calls", "--display", "none"); r.code != exitBudget {
		t.Fatalf("exit %d, want %d\n%s", r.code, exitBudget, r.stderr)
	}
	t.Chdir(t.TempDir())
	first, gone := recordings("calls"), filepath.Join(base, "gone")
	try.Do(t, os.Rename(filepath.Join(base, "calls"), gone))
	resume(exitUsage, filepath.Join(base, "calls")+", which is gone", "budget.tokens=2000")
	resume(exitBudget, "", "budget.tokens=2000", "--store", filepath.Join(base, "other"))
	try.Do(t, os.Rename(gone, filepath.Join(base, "calls")))
	resume(exitOK, "", "budget.tokens=100000")
	if all, other := recordings("calls"), recordings("other"); first == 0 || other == 0 || all <= first || all+other != 60 {
		t.Errorf("%d recordings at first, %d in the end and %d elsewhere, want 60 in all", first, all, other)
	}
}

// A search looks for a secret in what verbs print and write.
type search struct {
	t      *testing.T
	forms  map[string]string // by the name of the form
	looked int
}

func newSearch(t *testing.T, secret string) *search {
	t.Helper()
	return &search{t: t, forms: map[string]string{
		"as it is": secret, "in a URL": url.QueryEscape(secret), "in base64": base64.RawStdEncoding.EncodeToString([]byte(secret)),
		"in base64 of a user": base64.StdEncoding.EncodeToString([]byte("user:" + secret))[8:16], "in hexadecimal": hex.EncodeToString([]byte(secret)),
		"as in JSON": strings.ReplaceAll(secret, "/", `\/`), "less its end": secret[:len(secret)-3],
	}}
}

func (s *search) text(where, text string) {
	s.t.Helper()
	s.looked++
	text = strings.ToLower(text)
	for name, form := range s.forms {
		if i := strings.Index(text, strings.ToLower(form)); i >= 0 {
			s.t.Errorf("%s holds the secret %s: %.200s", where, name, text[max(0, i-80):])
		}
	}
}

func (s *search) verb(args ...string) ran {
	s.t.Helper()
	r := run(s.t, args...)
	s.text("stdout of "+strings.Join(args[:1], " "), r.stdout)
	s.text("stderr of "+strings.Join(args[:1], " "), r.stderr)
	return r
}

func (s *search) files(dir string) {
	s.t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		s.text(path, string(data))
		return err
	})
	if err != nil {
		s.t.Error(err)
	}
}

// A key or a password that is written into a config, anywhere, is refused by every
// verb, and neither printed nor written.
func TestLiteralSecrets(t *testing.T) {
	const known, hexes = "sk-proj-Abc123DEF456ghi789JKL", "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
	for _, tt := range []struct{ name, options, secret string }{
		{"in place of the mapping", "base_url: 'http://127.0.0.1:1/v1', model: m, key: " + known, known},
		{"a word", "base_url: 'http://127.0.0.1:1/v1', model: m, key: swordfish", "swordfish"},
		{"as a variable", "base_url: 'http://127.0.0.1:1/v1', model: m, key: {env: " + hexes + "}", hexes},
		{"as a file", "base_url: 'http://127.0.0.1:1/v1', model: m, key: {file: " + known + "}", known},
		{"by another name", "base_url: 'http://127.0.0.1:1/v1', model: m, api_key: " + hexes, hexes},
		{"in extra", `base_url: 'http://127.0.0.1:1/v1', model: m, extra: '{"route": [{"api_key": "` + hexes + `"}]}'`, hexes},
		{"user and password", "base_url: 'http://user:correct-horse@127.0.0.1:1/v1', model: m", "correct-horse"},
		{"parameter", "base_url: 'http://127.0.0.1:1/v1?key=correct-horse', model: m", "correct-horse"},
		{"in the path", "base_url: 'http://127.0.0.1:1/v1/" + known + "', model: m", known},
		{"as the address", "base_url: " + known + ", model: m", known},
		{"as the provider", "base_url: 'http://127.0.0.1:1/v1', model: m, provider: " + known, known},
		{"as the model", "base_url: 'http://127.0.0.1:1/v1', model: " + known, known},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := t.TempDir()
			s := newSearch(t, tt.secret)
			config := questions(t, 1, 1, "models: [{use: live, label: a, options: {chat: {"+tt.options+"}}}]\n")
			dir := filepath.Join(base, "run")
			for _, args := range [][]string{
				{"doctor", "--faults", config},
				{"doctor", "--print", config},
				{"run", config, "--plan"},
				{"doctor", config},
				{"run", config, "--out", dir, "--store", filepath.Join(base, "calls")},
			} {
				if r := s.verb(args...); r.code != exitUsage {
					t.Errorf("%s: exit %d, want %d\n%s", args, r.code, exitUsage, r.stderr)
				}
			}
			s.files(base)
		})
	}
	t.Run("assigned", func(t *testing.T) {
		s := newSearch(t, hexes)
		config := questions(t, 1, 1, "models: [{use: live, label: a, options: {chat: {base_url: 'http://127.0.0.1:1/v1', model: m}}}]\n")
		for _, path := range []string{"models.a.options.chat.key", "models.a.options.chat.key.env", "models.a.options.chat.password", "models.b.options.chat.key"} {
			if r := s.verb("doctor", "--faults", config, "--set", path+"="+hexes); r.code != exitUsage {
				t.Errorf("%s: exit %d\n%s", path, r.code, r.stderr)
			}
		}
	})
}

// A secret that a server repeats, in whatever form, is nowhere: in no file and on
// no screen.
func TestEchoedSecret(t *testing.T) {
	const key = "SeCr3t/with+signs=42xyz"
	forms := []string{
		key, strings.ToUpper(key), strings.ToLower(key), url.QueryEscape(key), strings.ToLower(url.QueryEscape(key)), url.PathEscape(key),
		"Basic " + base64.StdEncoding.EncodeToString([]byte("user:"+key)), base64.URLEncoding.EncodeToString([]byte(key)),
		hex.EncodeToString([]byte(key)), strings.ReplaceAll(key, "/", `\/`), "http://user:" + key + "@host/?key=" + url.QueryEscape(key),
		strings.Repeat("x", 150) + key, strings.Repeat("x", 390) + key, strings.Repeat("\n", 4090) + key,
	}
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		asked := int(requests.Add(1))
		form := forms[asked%len(forms)]
		quoted, err := json.Marshal(form)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("X-Echo", strings.TrimSpace(strings.ReplaceAll(form, "\n", " ")))
		if strings.Contains(string(body), "number 1 ") { // what fails
			switch asked % 3 {
			case 0:
				w.WriteHeader(http.StatusBadRequest)
				_, err = fmt.Fprintf(w, `{"error": {"message": %s, "code": %s}}`, quoted, quoted)
			case 1:
				w.WriteHeader(http.StatusBadGateway)
				_, err = fmt.Fprint(w, "<html>", form)
			default:
				_, err = fmt.Fprint(w, `{"choices": `, string(quoted))
			}
		} else {
			_, err = fmt.Fprintf(w, `{"model": %[1]s, "system_fingerprint": %[1]s, "choices": [{"index": 0, "finish_reason": %[1]s, "message": {"content": %[1]s}}], "data": [{"id": %[1]s}]}`, quoted)
		}
		if err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	t.Setenv("SECRET_KEY", key)
	base := t.TempDir()
	store, dir := filepath.Join(base, "calls"), filepath.Join(base, "run")
	config := questions(t, 8, 4, fmt.Sprintf("limits: {errors: 1}\nconcurrency: {requests: 1}\nmodels: [{use: live, label: a, options: {chat: {base_url: %q, model: m, key: {env: SECRET_KEY}, limits: {retries: 0}}}}]\n", server.URL+"/v1"))
	s := newSearch(t, key)
	if r := s.verb("run", config, "--out", dir, "--store", store); r.code != exitOK {
		t.Errorf("run: exit %d\n%s", r.code, r.stderr)
	}
	for _, args := range [][]string{
		{"resume", dir, "--retry-errors", "--store", store},
		{"score", dir},
		{"table", dir},
		{"table", dir, "--format", "csv"},
		{"export", dir, "--format", "csv"},
		{"export", dir, "--format", "jsonl"},
		{"report", dir, "--out", filepath.Join(base, "page.html")},
		{"calls", "list", "--store", store},
		{"calls", "export", filepath.Join(base, "exported"), "--store", store},
		{"doctor", config},
		{"run", config, "--plan", "--store", store},
		{"doctor", "--print", config},
		{"diff", dir, dir},
	} {
		s.verb(args...)
	}
	s.files(base)
	if s.looked < 40 {
		t.Errorf("looked at %d texts", s.looked)
	}
}

// The key of a memory service that repeats it, in what it says of itself, in blocks
// and notes, in errors and in what is no reply, is nowhere either.
func TestEchoedServiceKey(t *testing.T) {
	const key = "SeCr3t/with+signs=42xyz"
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		shown := r.Header.Get("Authorization")
		result := "{}"
		switch m.Method {
		case "initialize":
			result = fmt.Sprintf(`{"protocol": "recallbench-memory/1", "name": "svc", "version": %q, "capabilities": {"search": true}}`, shown)
		case "memory/search":
			switch asked.Add(1) % 4 {
			case 0:
				_, _ = fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": %s, "error": {"code": 1, "message": %q, "data": {"kind": "internal", "trace": %[2]q}}}`, m.ID, shown)
				return
			case 1:
				w.WriteHeader(http.StatusTeapot)
				_, _ = fmt.Fprint(w, strings.Repeat("x", 110), shown)
				return
			default:
				result = fmt.Sprintf(`{"blocks": [{"id": %q, "text": %[1]q}], "notes": [%[1]q]}`, "of "+shown)
			}
		}
		_, _ = fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": %s, "result": %s}`, m.ID, result)
	}))
	defer server.Close()
	t.Setenv("SECRET_KEY", key)
	base := t.TempDir()
	store, dir := filepath.Join(base, "calls"), filepath.Join(base, "run")
	config := questions(t, 4, 4, "limits: {errors: 1}\nmodels: [{use: stand-in}]\n")
	text, err := os.ReadFile(config)
	if err == nil {
		service := fmt.Sprintf("{use: external, options: {url: %q, key: {env: SECRET_KEY}}}", server.URL)
		err = os.WriteFile(config, []byte(strings.Replace(string(text), "{use: stateless}", service, 1)), 0o600)
	}
	try.Do(t, err)
	s := newSearch(t, key)
	for _, args := range [][]string{
		{"run", config, "--out", dir, "--store", store},
		{"resume", dir, "--retry-errors", "--store", store},
		{"runs", "show", dir},
		{"table", dir},
		{"export", dir, "--format", "jsonl"},
		{"report", dir, "--out", filepath.Join(base, "page.html")},
		{"adapter", "check", config},
	} {
		s.verb(args...)
	}
	s.files(base)
	found := 0
	for _, text := range recorded(t, dir) {
		found += strings.Count(text, "[key]")
	}
	if found == 0 || asked.Load() < 16 {
		t.Errorf("%d records have the place of the key, %d searches", found, asked.Load())
	}
}

// models counts the calls of each model of a server.
type models struct {
	mu    sync.Mutex
	calls map[string]int
	plain int // probes that asked for log-probabilities
}

func (m *models) see(r *http.Request, body []byte) {
	var req struct {
		Model    string
		Logprobs any
	}
	if !strings.Contains(r.URL.Path, "completions") || json.Unmarshal(body, &req) != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.calls == nil {
		m.calls = make(map[string]int)
	}
	m.calls[req.Model]++
	if req.Logprobs != nil && req.Logprobs != false {
		m.plain++
	}
}

// TestXMemoryLive builds and asks memories with a server's models: two readers
// that share what one model built, and a prober with log-probabilities. Replies
// are recorded, and replayed to the same records without a call.
func TestXMemoryLive(t *testing.T) {
	var seen models
	s := modelserver.New(t, modelserver.Options{Observe: seen.see})
	dir := t.TempDir()
	entry := func(reader string) string {
		return fmt.Sprintf(`{use: live, label: %[2]s, options: {
  chat: {base_url: %[1]s, provider: test, model: %[2]s},
  roles: {
    boundary: {base_url: %[1]s, provider: test, model: builder}, episode: {base_url: %[1]s, provider: test, model: builder},
    predict: {base_url: %[1]s, provider: test, model: builder}, statements: {base_url: %[1]s, provider: test, model: builder},
    summary: {base_url: %[1]s, provider: test, model: builder}, probe: {base_url: %[1]s, provider: test, model: prober}},
  embed: {use: openai, base_url: %[1]s, provider: test, model: test-embedder}}}`, s.URL, reader)
	}
	config := write(t, "run.yaml", fmt.Sprintf(`
datasets: [{use: sample}]
methods: [{use: xmemory}]
models: [%s, %s]
metrics: [f1@mem0, tokens, tokens@xmemory, structure, degraded]
concurrency: {samples: 1}
limits: {requests: 4}
`, entry("one"), entry("two")))
	store := filepath.Join(dir, "calls")
	run := filepath.Join(dir, "run")
	must(t, "run", config, "--out", run, "--store", store, "--display", "none")
	if seen.calls["one"] != 4 || seen.calls["two"] != 4 {
		t.Errorf("readers were called %v times, want 4 each", seen.calls)
	}
	if seen.plain != seen.calls["prober"] || seen.plain == 0 {
		t.Errorf("%d of the prober's %d calls ask for log-probabilities", seen.plain, seen.calls["prober"])
	}
	h := header(t, run)
	if len(h.Cells) != 2 || h.Cells[0].Memory == "" || h.Cells[0].Memory != h.Cells[1].Memory {
		t.Fatalf("cells %+v do not share their memory", h.Cells)
	}
	for _, c := range h.Cells {
		for i := range try.Each(t, record.Values[record.Ingest](record.Folder(run).Ingests(c.ID))) {
			calls := 0
			for role, u := range i.Usage {
				if role != "embed" {
					calls += u.Calls
				}
			}
			if i.Status != record.OK || i.Structure["messages"] == 0 || calls != seen.calls["builder"] {
				t.Errorf("memory of %s: %+v, want one of the %d calls that were made", c.Model, i, seen.calls["builder"])
			}
		}
	}
	before := maps.Clone(seen.calls)
	again := filepath.Join(dir, "again")
	must(t, "run", config, "--out", again, "--store", store, "--calls", "replay", "--display", "none")
	try.Equal(t, "calls before and after a replay", before, seen.calls)
	first, second := recordsOf(t, run), recordsOf(t, again)
	for i := range first {
		if first[i].Answer != second[i].Answer || first[i].Status != record.OK {
			t.Errorf("request %s: %q, replayed %q", first[i].Request, first[i].Answer, second[i].Answer)
		}
	}
}
