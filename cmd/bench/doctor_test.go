package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

// TestDoctor tries servers that are well and servers that are not.
func TestDoctor(t *testing.T) {
	const secret = "sk-doctor-0123456789"
	keyed := modelserver.Options{Key: secret}
	const price = ", price: {input: 0.4, output: 1.6}"
	for _, tt := range []struct {
		name   string
		model  string // gpt-4.1-mini by default
		server modelserver.Options
		key    string // in the environment
		chat   string // further options
		embed  string // all options; empty for those of the server
		more   string // further keys of the entry's options
		config string // further keys of the config
		code   int
	}{
		{name: "good", server: keyed, key: secret, chat: price, embed: price + ", dimensions: 32", more: "tokenizer: o200k_base"},
		{name: "no-key", server: keyed, code: exitUnavailable},
		{name: "wrong-key", server: keyed, key: "sk-wrong-9876543210", code: exitUnavailable},
		{name: "unlisted", model: "my-model", key: secret},
		{name: "model-missing", server: modelserver.Options{Models: []string{"gpt-4.1", "gpt-4.1-minni", "text-embedding-3-large"}}, key: secret, code: exitUnavailable},
		{name: "refuses", server: modelserver.Options{NoTemperature: true, WantMaxCompletionTokens: true, NoResponseFormat: true, NoUsage: true}, key: secret, code: exitUnavailable},
		{name: "reasons", server: modelserver.Options{Reasoning: 100}, key: secret, code: exitUnavailable},
		{name: "no-logprobs", server: modelserver.Options{NoLogprobs: true}, key: secret, more: "roles: {probe: {base_url: URL, model: gpt-4.1-mini}}", code: exitUnavailable},
		{name: "dimensions", server: modelserver.Options{NoDimensions: true, Dim: 48}, key: secret, embed: ", dimensions: 1536", code: exitUnavailable},
		{name: "other-model", server: modelserver.Options{Rate: 1, Faults: []modelserver.Fault{modelserver.OtherModel}}, key: secret},
		{name: "broken", server: modelserver.Options{Rate: 1, Faults: []modelserver.Fault{modelserver.EchoKeyError}}, key: secret, code: exitUnavailable},
		{name: "budget", model: "my-model", key: secret, config: "budget: {usd: 1}", code: exitUnavailable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("DOCTOR_KEY", tt.key)
			model := cmp.Or(tt.model, "gpt-4.1-mini")
			if tt.server.Models == nil && tt.name != "unlisted" {
				tt.server.Models = []string{model, "text-embedding-3-small"}
			}
			s := modelserver.New(t, tt.server)
			entry := write(t, "model.yaml", fmt.Sprintf(`
use: live
label: m
options:
  chat: {base_url: %[1]s, key: {env: DOCTOR_KEY}, model: %[6]s%[2]s}
  embed: {use: openai, base_url: %[1]s, key: {env: DOCTOR_KEY}, model: text-embedding-3-small%[3]s}
  nli: {use: tei, base_url: %[4]s, key: {env: DOCTOR_KEY}}
  %[5]s
`, s.URL, tt.chat, tt.embed, s.Root, strings.ReplaceAll(tt.more, "URL", s.URL), model))
			config := write(t, "run.yaml", "datasets: [{use: sample}]\nmethods: [{use: stateless}]\n"+tt.config+"\n")
			got := run(t, "doctor", config, "--model", entry)
			if got.code != tt.code {
				t.Errorf("exit %d, want %d", got.code, tt.code)
			}
			out := strings.ReplaceAll(got.stdout+got.stderr, strings.TrimPrefix(s.Root, "http://"), "server")
			if strings.Contains(out, secret) || tt.key != "" && strings.Contains(out, tt.key) {
				t.Error("the key is shown")
			}
			golden.Check(t, "doctor_"+tt.name+".txt", out)
		})
	}
}

// What is wrong with one entry does not hide the next, and what cannot be
// reached is told apart.
func TestDoctorReach(t *testing.T) {
	var lc net.ListenConfig
	l := try.Get(lc.Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	closed := l.Addr().String()
	l.Close()
	s := modelserver.New(t, modelserver.Options{Rate: 1, Faults: []modelserver.Fault{modelserver.Hang}})
	config := write(t, "run.yaml", fmt.Sprintf(`
datasets: [{use: sample}]
methods: [{use: stateless}]
models:
  - {use: live, label: closed, options: {chat: {base_url: "http://%[1]s/v1", model: m}}}
  - {use: live, label: not TLS, options: {chat: {base_url: "https://%[2]s/v1", model: m}}}
  - {use: live, label: hangs, options: {chat: {base_url: "http://%[2]s/v1", model: m, limits: {attempt: 300ms}}}}
  - {use: live, label: other path, options: {chat: {base_url: "http://%[2]s/v2", model: m}, embed: {use: onnx, dir: none}, tokenizer: none}}
  - {use: stand-in}
`, closed, strings.TrimPrefix(s.Root, "http://")))
	got := run(t, "doctor", config)
	if got.code != exitUnavailable {
		t.Errorf("exit %d, want %d", got.code, exitUnavailable)
	}
	out := strings.NewReplacer(closed, "closed", s.Root, "http://server", strings.TrimPrefix(s.Root, "http://"), "server", filepath.Dir(config), "DIR").Replace(got.stdout + got.stderr)
	golden.Check(t, "doctor_reach.txt", out)
}

// port matches the address of a server of the tests.
var port = regexp.MustCompile(`127\.0\.0\.1:[0-9]+`)

// TestDoctorRun tries configs that a run cannot start with, or that it ends badly
// with: doctor says so, with the exit code of the run.
func TestDoctorRun(t *testing.T) {
	longtest.SkipRace(t)
	dir := t.TempDir()
	t.Setenv("BENCH_DATA", dir)
	store := filepath.Join(dir, "calls")
	t.Setenv("BENCH_CALLS", store)
	s := modelserver.New(t, modelserver.Options{Context: 3000})
	long := liveModel(t, s, "")
	missing := liveModel(t, modelserver.New(t, modelserver.Options{Models: []string{"other"}}), "")
	for path, text := range map[string]string{"full/file": "", "file": "", "prompts/nomethod/answer.tmpl": ""} {
		path = filepath.Join(dir, path)
		try.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		try.Do(t, os.WriteFile(path, []byte(text), 0o644))
	}
	const base = "datasets: [{use: sample}]\nmetrics: [f1@mem0]\n"
	for _, tt := range []struct {
		name, config string
		args         []string
	}{
		{name: "stand-in", config: base + "methods: [{use: stateless}, {use: xmemory}]"},
		{name: "data", config: "datasets: [{use: locomo}, {use: perltqa}, {use: sample}]\nmethods: [{use: stateless}]"},
		{name: "method", config: base + "methods: [{use: stateless}, {use: semantic-xpath}]\nprompts: PROMPTS"},
		{name: "limits", config: base + "methods: [{use: stateless}, {use: in-context}]\nlimits: {request: {tokens: 300}}"},
		{name: "context", config: base + "methods: [{use: stateless}, {use: in-context}]", args: []string{"--model", long}},
		{name: "no-calls", config: base + "methods: [{use: in-context}, {use: flat-rag}]", args: []string{"--model", long, "--no-calls"}},
		{name: "no-model", config: base + "methods: [{use: stateless}]", args: []string{"--model", missing}},
		{name: "replay", config: base + "methods: [{use: stateless}]", args: []string{"--model", long, "--calls", "replay", "--store", filepath.Join(dir, "none")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			config := write(t, "run.yaml", strings.ReplaceAll(tt.config, "PROMPTS", filepath.Join(dir, "prompts")))
			got := run(t, append([]string{"doctor", config}, tt.args...)...)
			text := fmt.Sprintf("%s%sexit %d\n", got.stdout, got.stderr, got.code)
			golden.Check(t, "doctor_run_"+tt.name+".txt", port.ReplaceAllString(strings.ReplaceAll(text, dir, "DIR"), "server"))
			if _, err := os.Stat(store); err == nil {
				t.Error("doctor has recorded something")
			}
			if tt.name == "context" {
				return // the server of this test takes the longer prompt all the same
			}
			args := append([]string{"run", config, "--display", "none", "--limit", "1"}, slices.DeleteFunc(tt.args, func(a string) bool { return a == "--no-calls" })...)
			if !slices.Contains(args, "--out") {
				args = append(args, "--out", filepath.Join(t.TempDir(), "run"))
			}
			ran := run(t, args...)
			try.Do(t, os.RemoveAll(store))
			if ran.code != got.code {
				t.Errorf("run exits with %d, doctor with %d\n%s", ran.code, got.code, ran.stderr)
			}
		})
	}
}

// TestDoctorContext tries servers by the longest prompt: one that counts more tokens than
// this program does, and one that does not say how many it takes.
func TestDoctorContext(t *testing.T) {
	for _, tt := range []struct {
		name   string
		listed int // tokens that the server says it takes
		speaks int // tokens that it counts where the program counts one
	}{
		{"says nothing", 0, 1},
		{"counts more", 8000, 2},
		{"counts as much", 8000, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := modelserver.New(t, modelserver.Options{Context: tt.listed})
			usage := regexp.MustCompile(`"prompt_tokens": ?([0-9]+)`)
			back := httputil.NewSingleHostReverseProxy(try.Get(url.Parse(s.Root))(t))
			front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				rec := httptest.NewRecorder()
				back.ServeHTTP(rec, r)
				maps.Copy(w.Header(), rec.Header())
				w.Header().Del("Content-Length")
				w.WriteHeader(rec.Code)
				_, _ = w.Write(usage.ReplaceAllFunc(rec.Body.Bytes(), func([]byte) []byte {
					return fmt.Appendf(nil, `"prompt_tokens": %d`, tt.speaks*len(body)/4)
				}))
			}))
			defer front.Close()
			entry := write(t, "model.yaml", fmt.Sprintf("use: live\nlabel: m\noptions: {chat: {base_url: %q, model: test-model}}\n", front.URL+"/v1"))
			config := write(t, "run.yaml", "datasets: [{use: sample}]\nmethods: [{use: in-context}]\nmetrics: [f1@mem0]\n")
			want := exitOK
			if tt.speaks > 1 {
				want = exitErrors
			}
			got := run(t, "doctor", config, "--model", entry)
			if got.code != want {
				t.Errorf("exit %d, want %d\n%s%s", got.code, want, got.stdout, got.stderr)
			}
		})
	}
}

const quickstart = "../../configs/quickstart.yaml"

func TestValidate(t *testing.T) {
	got := must(t, "doctor", "--faults", quickstart)
	want := quickstart + ": ok: quickstart: datasets sample; methods stateless, in-context, Flat RAG, Semantic Anchoring, xMemory; models qwen2.5-coder-1.5b-instruct; 5 metrics\n"
	if got.stdout != want || got.stderr != "" {
		t.Errorf("got %q and %q, want %q", got.stdout, got.stderr, want)
	}
	// What is wrong with one config does not hide the next.
	bad := write(t, "bad.yaml", "datasets: [{use: smaple}]\nmethods: [{use: stateless}]\nsed: 1\n")
	got = run(t, "doctor", "--faults", bad, quickstart, filepath.Join(t.TempDir(), "absent.yaml"))
	if got.code != exitUsage || !strings.Contains(got.stdout, "quickstart.yaml: ok") {
		t.Errorf("exit %d, stdout %q", got.code, got.stdout)
	}
	for _, want := range []string{
		"bench: " + bad + `:1:18: datasets[0].use: unknown dataset "smaple"; did you mean "sample"?`,
		"bench: " + bad + `:3:1: unknown key "sed"; did you mean "seed"?`,
		"absent.yaml",
	} {
		has(t, "stderr", got.stderr, want)
	}
}

// What --print writes is a config that says the same.
func TestValidatePrint(t *testing.T) {
	first := must(t, "doctor", "--print", quickstart, "--set", "methods.Flat RAG.options.k=7")
	if !strings.Contains(first.stdout, "k: 7\n") || !strings.Contains(first.stdout, "ranking: dense\n") {
		t.Errorf("not in full:\n%s", first.stdout)
	}
	second := must(t, "doctor", "--print", write(t, "full.yaml", first.stdout))
	try.Equal(t, "two runs", first.stdout, second.stdout)
}

// TestDoctorAnnotators: annotators of an entry of the stand-in are tried, too.
func TestDoctorAnnotators(t *testing.T) {
	s := httptest.NewServer(nil)
	url := s.URL
	s.Close()
	config := write(t, "run.yaml", fmt.Sprintf(`
datasets: [{use: sample}]
methods: [{use: stateless}]
models:
  - {use: stand-in, label: server, options: {annotate: {use: corenlp, corenlp: {base_url: %q}}}}
`, url))
	got := run(t, "doctor", config)
	if got.code != exitUnavailable {
		t.Errorf("exit %d, want %d", got.code, exitUnavailable)
	}
	golden.Check(t, "doctor_annotate.txt", strings.ReplaceAll(got.stdout+got.stderr, strings.TrimPrefix(url, "http://"), "server"))
}
