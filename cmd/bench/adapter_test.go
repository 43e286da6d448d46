package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"recallbench/adapters"
	"recallbench/datasets"
	"recallbench/datasets/locomo"
	"recallbench/internal/external/wire"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// What is needed to run a new adapter.
var programs = map[string]string{"python": "python3", "node": "node"}

// TestAdapterNew writes an adapter in each language, follows what the command says,
// and expects that it passes all checks and is measured.
func TestAdapterNew(t *testing.T) {
	longtest.Skip(t)
	longtest.SkipRace(t)
	if runtime.GOOS == "windows" {
		t.Skip("the lines that install an adapter are for a POSIX shell")
	}
	for _, language := range adapters.Languages() {
		t.Run(language, func(t *testing.T) {
			if _, err := exec.LookPath(programs[language]); err != nil {
				t.Skip(err)
			}
			dir := filepath.Join(t.TempDir(), "mine")
			said := must(t, "adapter", "new", "--lang", language, dir).stdout
			for line := range strings.Lines(said) {
				if line = strings.TrimSpace(line); strings.HasPrefix(line, "(cd ") {
					if out, err := exec.CommandContext(t.Context(), "sh", "-c", line).CombinedOutput(); err != nil {
						t.Fatalf("%s: %v\n%s", line, err, out)
					}
				}
			}
			checked := must(t, "adapter", "check", dir).stdout
			if !strings.Contains(checked, ": mutates false, sources exact; ") ||
				!strings.HasSuffix(checked, "external-memory/1: PASS (9 ok, 0 warn, 0 failed, 1 skipped)\n") {
				t.Errorf("the checks of a new adapter:\n%s", checked)
			}
			out := runOf(t, filepath.Join(dir, "run.yaml"))
			has(t, "the table", must(t, "table", out, "--format", "csv").stdout, "\nsample,mine,55,0,", "adapter mine 1.0, clock: session")
			refused(t, "exists already", "adapter", "new", "--lang", language, dir)
		})
	}
}

// TestAdapterThirty checks that the protocol alone makes an adapter of 30 lines.
func TestAdapterThirty(t *testing.T) {
	longtest.Skip(t)
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	file := filepath.Join("..", "..", "adapters", "testdata", "thirty.py")
	if n := strings.Count(read(t, file), "\n"); n > 30 {
		t.Errorf("%s has %d lines, want at most 30", file, n)
	}
	if checked := must(t, "adapter", "check", "--", "python3", file).stdout; !strings.HasSuffix(checked, "external-memory/1: PASS (9 ok, 0 warn, 0 failed, 1 skipped)\n") {
		t.Errorf("the checks:\n%s", checked)
	}
}

// TestAdapterService checks and runs the service of docs/adapters.md.
func TestAdapterService(t *testing.T) {
	longtest.Skip(t)
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	code := fenced(t, read(t, "../../docs/adapters.md"), "```python\n")
	if n := strings.Count(code, "\n"); n > 21 {
		t.Errorf("the service has %d lines", n)
	}
	_, port, _ := net.SplitHostPort(freeAddress(t))
	service := exec.CommandContext(t.Context(), "python3", "-c", strings.Replace(code, "8700", port, 1))
	try.Do(t, service.Start())
	t.Cleanup(func() { _, _ = service.Process.Kill(), service.Wait() })
	config := write(t, "run.yaml", "datasets: [{use: sample}]\nmethods: [{use: external, label: words, options: {url: \"http://127.0.0.1:"+port+"/rpc\"}}]\n")
	has(t, "the checks", must(t, "adapter", "check", config).stdout, "0 failed")
	out := runOf(t, config)
	has(t, "the table", must(t, "table", out, "--format", "csv").stdout, "\nsample,words,55,0,", "adapter words 1, clock: session; model calls not metered: a service that bench did not start")
}

// TestAdapterEstimate checks that what an adapter asks of models is unknown before it
// has run, to the estimate and to the doctor.
func TestAdapterEstimate(t *testing.T) {
	longtest.SkipRace(t)
	exe := try.Get(os.Executable())(t)
	s := modelserver.New(t, modelserver.Options{})
	config := write(t, "run.yaml", fmt.Sprintf(`
datasets: [{use: sample}]
methods: [{use: external, label: asks, options: {command: [%q], set: {%s: %q, %s: "1"}}}]
models: [{use: live, label: m, options: {chat: {base_url: %s, model: m, price: {input: 1, output: 2}}, tokenizer: o200k_base}}]
calls: {mode: "off"}
`, exe, asListener, t.TempDir(), asking, s.URL))
	t.Chdir(t.TempDir())
	for args, want := range map[string]string{
		"run " + config + " --plan":        "unknown: the model calls of an adapter",
		"doctor " + config + " --no-calls": "method asks: adapter blank 1, clock: session, answers initialize",
	} {
		has(t, args, must(t, strings.Fields(args)...).stdout, want)
	}
	if calls := s.Stats().Arrived; calls > 0 {
		t.Errorf("%d calls were made", calls)
	}
}

// asListener makes the test binary an adapter that finds nothing, and names the folder
// in which it writes what it was given. With asking it asks a model with each session.
const (
	asListener = "BENCH_TEST_AS_LISTENER"
	asking     = "BENCH_TEST_ADAPTER_ASKS"
)

// listenerMain is that adapter: a copy of every byte that it reads, its arguments and
// its environment go into the folder.
func listenerMain(dir string) {
	given := fmt.Sprintf("%q\n%q\n", os.Args, os.Environ())
	name := filepath.Join(dir, strconv.Itoa(os.Getpid()))
	log, err := os.Create(name + ".wire")
	if err := errors.Join(err, os.WriteFile(name+".given", []byte(given), 0o600)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	out := os.Stdout
	models := make(map[string]wire.Models) // by memory
	requests := json.NewDecoder(io.TeeReader(os.Stdin, log))
	for {
		var r struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Memory  string
				Models  wire.Models
				Session struct{ ID string }
			}
		}
		if requests.Decode(&r) != nil {
			return
		}
		var result any = struct{}{}
		switch r.Method {
		case "initialize":
			result = map[string]any{"protocol": "recallbench-memory/1", "name": "blank", "version": "1", "libraries": struct{}{}, "capabilities": map[string]any{
				"search": true, "deterministic": true, "sources": "none",
			}}
			models[""] = r.Params.Models
		case "memory/open":
			models[r.Params.Memory] = cmp.Or(r.Params.Models, models[""])
		case "memory/add":
			if os.Getenv(asking) != "" {
				if _, err := askModel(models[r.Params.Memory], "Hello, "+r.Params.Session.ID); err != nil {
					fmt.Fprintln(os.Stderr, err) // a line of the log
				}
			}
			result = map[string]any{"items": 0}
		case "memory/search":
			result = map[string]any{"blocks": []map[string]string{{"text": "blank"}}}
		}
		if r.ID != nil {
			_ = json.NewEncoder(out).Encode(map[string]any{"jsonrpc": "2.0", "id": r.ID, "result": result})
		}
	}
}

// askModel asks the model that an adapter was given, and returns its reply.
func askModel(m wire.Models, text string) (string, error) {
	body, err := json.Marshal(map[string]any{"model": m.Chat, "messages": []map[string]string{{"role": "user", "content": text}}})
	if err != nil {
		return "", err
	}
	r, err := http.NewRequest(http.MethodPost, m.BaseURL+"/chat/completions", bytes.NewReader(body)) //nolint:noctx // the process may end
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "Bearer "+m.Key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var reply struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil || len(reply.Choices) == 0 {
		return "", fmt.Errorf("HTTP %s: %w", resp.Status, err)
	}
	return reply.Choices[0].Message.Content, nil
}

// strings and numbers that a message may have, by member.
var (
	crossing = map[string]*regexp.Regexp{
		"jsonrpc": regexp.MustCompile(`^2\.0$`), "method": regexp.MustCompile(`^(initialize|shutdown|memory/(open|add|finish|search|close)|\$/cancel)$`),
		"protocol": regexp.MustCompile(`^recallbench-memory/1$`), "clock": regexp.MustCompile(`^session$`),
		"memory": regexp.MustCompile(`^s-[0-9a-f]{10}$`), "id": regexp.MustCompile(`^([1-9]\d*|[1-9]\d*:[1-9]\d*|r-[0-9a-f]{8}(-[1-9]\d*)?)$`),
		"time": regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$`), "work": regexp.MustCompile(`^/.*/recallbench-adapter-\d+(/s-[0-9a-f]{10})?$`),
		"base_url": regexp.MustCompile(`^http://127\.0\.0\.1:\d+/v1$`), "key": regexp.MustCompile(`^sk-rb-([0-9a-f]{32}|none)$`),
		"chat": regexp.MustCompile(`^stand-in$`), "embed": regexp.MustCompile(`^[\w+-]+$`),
	}
	counting = []string{"id", "k", "tokens", "seed", "line", "blocks", "block_bytes", "dimensions"}
	holding  = []string{"params", "sample", "session", "request", "image", "limits", "models", "options", "turns", "drop"}
	spoken   = []string{"text", "speaker", "speakers", "caption", "query"}
)

// TestAdapterWire runs all of LoCoMo over an adapter and looks at every byte that it
// was given: nothing is there but what the conversations say and what is made of it.
func TestAdapterWire(t *testing.T) {
	longtest.Skip(t)
	longtest.SkipRace(t)
	data := realdata.Datasets(t)
	set := try.Get(locomo.Spec.Open(t.Context(), datasets.Env{Dir: data}, locomo.Spec.All))(t)
	exe := try.Get(os.Executable())(t)
	dir := t.TempDir()
	config := write(t, "secret.yaml", fmt.Sprintf(`
name: secret-name
concurrency: {requests: 1} # others than these overtake each other by a place or two
seed: 1
datasets: [{use: locomo, options: {categories: [1, 2, 3, 4, 5], category5: abstain}}]
methods: [{use: external, options: {command: [%q], set: {%s: %q}}}]
metrics: [evidence-recall]
`, exe, asListener, dir))
	must(t, "run", config, "--data", data, "--out", filepath.Join(t.TempDir(), "secret-folder"), "--display", "none")

	said := make(map[string]bool) // what may cross as text
	secret := []string{"secret", "locomo"}
	for _, c := range set.Categories {
		secret = append(secret, c.Name)
	}
	requests := make(map[string]int)
	total := 0
	for _, s := range try.All(t, set.All(t.Context())) {
		secret = append(secret, s.ID)
		for _, session := range s.Sessions {
			for _, turn := range session.Turns {
				said[turn.Text], said[turn.Speaker] = true, true
				if turn.Image != nil {
					said[turn.Image.Caption], said[turn.Image.Query] = true, true
				}
				secret = append(secret, `"`+turn.ID+`"`)
			}
		}
		for _, r := range s.Requests {
			said[r.Text] = true
			requests[r.Text]++
			total++
			secret = append(secret, `"`+r.ID+`"`)
		}
	}
	secret = slices.Compact(slices.Sorted(slices.Values(secret)))

	files, err := filepath.Glob(filepath.Join(dir, "*.wire"))
	if err != nil || len(files) < len(try.All(t, set.All(t.Context()))) {
		t.Fatalf("%d adapters ran, want one for each of %d conversations: %v", len(files), len(try.All(t, set.All(t.Context()))), err)
	}
	sent := 0
	for _, file := range files {
		given := try.Get(os.ReadFile(strings.TrimSuffix(file, ".wire") + ".given"))(t)
		wire := try.Get(os.ReadFile(file))(t)
		var rest strings.Builder
		rest.WriteString(strings.ReplaceAll(strings.ReplaceAll(string(given), exe, ""), dir, ""))
		var order []string
		for line := range strings.Lines(string(wire)) {
			var message struct {
				Params struct {
					K       int
					Request struct{ ID, Text string }
				}
			}
			var all any
			if err := errors.Join(json.Unmarshal([]byte(line), &message), json.Unmarshal([]byte(line), &all)); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			if p := message.Params; p.K == 20 { // and no canary
				order = append(order, p.Request.ID)
				requests[p.Request.Text]--
			}
			for _, fault := range look("", all, func(member, text string) string {
				if slices.Contains(spoken, member) {
					if !said[text] {
						return "is said nowhere"
					}
					return ""
				}
				_, _ = fmt.Fprintf(&rest, "%q\n", text) // a builder takes all
				if form := crossing[member]; form == nil || !form.MatchString(text) {
					return "has no business on the wire"
				}
				return ""
			}) {
				t.Error(fault)
			}
		}
		lower := strings.ToLower(rest.String())
		for _, s := range secret {
			if strings.Contains(lower, strings.ToLower(s)) {
				t.Errorf("%s was given to the adapter:\n%s", s, rest.String()[:min(rest.Len(), 2000)])
			}
		}
		if !slices.IsSorted(order) {
			t.Errorf("requests come in the order %v", order)
		}
		sent += len(order)
		if t.Failed() {
			return
		}
	}
	maps.DeleteFunc(requests, func(_ string, n int) bool { return n == 0 })
	if sent != total || len(requests) > 0 {
		t.Errorf("%d of %d requests were sent; not once each: %v", sent, total, requests)
	}
}

// look walks a message and returns what is wrong with its strings and its members.
func look(member string, v any, judge func(member, text string) string) (faults []string) {
	switch v := v.(type) {
	case string:
		if why := judge(member, v); why != "" {
			faults = append(faults, fmt.Sprintf("%s %q %s", member, v, why))
		}
	case float64:
		if !slices.Contains(counting, member) {
			faults = append(faults, fmt.Sprintf("%s is the number %v", member, v))
		}
	case map[string]any:
		for name, inner := range v {
			if crossing[name] == nil && !slices.Contains(slices.Concat(counting, holding, spoken), name) {
				faults = append(faults, "an unknown member "+name)
			}
			faults = append(faults, look(name, inner, judge)...)
		}
	case []any:
		for _, inner := range v {
			faults = append(faults, look(member, inner, judge)...)
		}
	}
	return faults
}
