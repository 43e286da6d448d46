package adapters_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/adapters"
	"recallbench/internal/testkit/try"
)

// A kit is what the tests of one language need.
type kit struct {
	language, program, odd string
	failure                string // what "fail" becomes
}

var kits = []kit{
	{language: "python", program: "python3", odd: "odd.py", failure: "ValueError: no luck"},
	{language: "node", program: "node", odd: "odd.mjs", failure: "TypeError: no luck"},
}

// oddFiles returns the files of the odd adapter of a language.
func (k kit) oddFiles(t *testing.T) map[string][]byte {
	t.Helper()
	files := try.Get(adapters.Kit(k.language))(t)
	files[k.odd] = try.Get(os.ReadFile(filepath.Join("testdata", k.odd)))(t)
	return files
}

// each runs a test for each language that is there.
func each(t *testing.T, f func(t *testing.T, k kit)) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the tests pass file descriptor 3")
	}
	for _, k := range kits {
		t.Run(k.language, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(k.program); err != nil {
				t.Skipf("%v", err)
			}
			f(t, k)
		})
	}
}

// A child is an adapter that runs, driven line by line.
type child struct {
	t     *testing.T
	in    io.WriteCloser
	out   *bufio.Reader
	file  string // its log
	cmd   *exec.Cmd
	notes []string // notifications received
	id    int
}

// A reply is a response as the wire has it.
type reply struct {
	ID     *int            `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    struct {
			Kind       string  `json:"kind"`
			RetryAfter float64 `json:"retry_after"`
			Trace      string  `json:"trace"`
		} `json:"data"`
	} `json:"error"`
}

// start runs a file of the folder.
func start(t *testing.T, k kit, dir, file string, env ...string) *child {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), k.program, file)
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "TZ=UTC", "PYTHONDONTWRITEBYTECODE=1", "RECALLBENCH_SEED=1"}, env...)
	c := &child{t: t, cmd: cmd, file: filepath.Join(t.TempDir(), "log"), in: try.Get(cmd.StdinPipe())(t)}
	log := try.Get(os.OpenFile(c.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600))(t)
	defer log.Close()
	cmd.Stderr = log
	r, w, err := os.Pipe()
	try.Do(t, err)
	defer w.Close()
	cmd.Stdout, c.out = w, bufio.NewReader(r)
	try.Do(t, cmd.Start())
	t.Cleanup(func() { _ = c.in.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait(); _ = r.Close() })
	return c
}

// log returns what the adapter has logged.
func (c *child) log() string { return string(try.Get(os.ReadFile(c.file))(c.t)) }

// odd starts the odd adapter of a language and opens a memory in it.
func odd(t *testing.T, k kit, env ...string) *child {
	t.Helper()
	c := start(t, k, write(t, k.oddFiles(t)), k.odd, env...)
	c.open(nil)
	return c
}

// open initializes the adapter and opens memory m.
func (c *child) open(models any) {
	c.t.Helper()
	c.want("initialize", map[string]any{"protocol": "recallbench-memory/1", "seed": 1}, nil)
	c.want("memory/open", map[string]any{
		"memory": "m", "sample": map[string]any{"speakers": []string{"Ana", "Ben"}}, "models": models, "work": c.t.TempDir(),
	}, nil)
}

func (c *child) send(method string, params any) int {
	c.t.Helper()
	c.id++
	try.Do(c.t, json.NewEncoder(c.in).Encode(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params}))
	return c.id
}

// receive returns the next response.
func (c *child) receive() reply {
	c.t.Helper()
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			c.t.Fatalf("%v; log:\n%s", err, c.log())
		}
		var r reply
		try.Do(c.t, json.Unmarshal(line, &r))
		if r.Method == "" {
			return r
		}
		c.notes = append(c.notes, r.Method+" "+string(r.Params))
	}
}

func (c *child) call(method string, params any) reply {
	c.t.Helper()
	id := c.send(method, params)
	r := c.receive()
	if r.ID == nil || *r.ID != id {
		c.t.Fatalf("%s: reply to %v, want to %d", method, r.ID, id)
	}
	return r
}

// want calls and decodes the result.
func (c *child) want(method string, params, result any) {
	c.t.Helper()
	r := c.call(method, params)
	if r.Error != nil {
		c.t.Fatalf("%s: %+v; log:\n%s", method, r.Error, c.log())
	}
	if result != nil {
		try.Do(c.t, json.Unmarshal(r.Result, result))
	}
}

func (c *child) search(text string) reply {
	c.t.Helper()
	return c.call("memory/search", query("r-"+text, text))
}

func query(id, text string) map[string]any {
	return map[string]any{"memory": "m", "request": map[string]any{"id": id, "text": text, "time": nil}, "k": 20, "tokens": 0}
}

// texts returns the texts of the blocks found.
func (c *child) texts(text string) []string {
	c.t.Helper()
	var found struct{ Blocks []struct{ Text string } }
	c.want("memory/search", query("r-"+text, text), &found)
	out := []string{}
	for _, b := range found.Blocks {
		out = append(out, b.Text)
	}
	return out
}

// add adds a session of 8 May 2023 in which one speaker speaks.
func (c *child) add(texts ...string) {
	c.t.Helper()
	var turns []map[string]any
	for i, text := range texts {
		turns = append(turns, map[string]any{"id": fmt.Sprintf("1:%d", i+1), "speaker": "Ana", "text": text, "time": nil})
	}
	c.want("memory/add", map[string]any{"memory": "m", "session": map[string]any{"id": "1", "time": "2023-05-08T13:56:00", "turns": turns}}, nil)
}

// end closes the input and expects a good end soon.
func (c *child) end() {
	c.t.Helper()
	late := time.AfterFunc(5*time.Second, func() { _ = c.cmd.Process.Kill() })
	defer late.Stop()
	if err := errors.Join(c.in.Close(), c.cmd.Wait()); err != nil {
		c.t.Fatalf("its input has ended: %v", err)
	}
}

func TestHandshake(t *testing.T) {
	each(t, func(t *testing.T, k kit) {
		t.Helper()
		c := start(t, k, write(t, k.oddFiles(t)), k.odd)
		if r := c.call("memory/open", map[string]any{"memory": "m"}); r.Error == nil || r.Error.Code != -32600 {
			t.Errorf("a call before initialize: %+v, want error -32600", r.Error)
		}
		if r := c.call("initialize", map[string]any{"protocol": "recallbench-memory/2"}); r.Error == nil || !strings.Contains(r.Error.Message, "recallbench-memory/1") {
			t.Errorf("another protocol: %+v, want an error that names both", r.Error)
		}
		var got map[string]any
		c.want("initialize", map[string]any{"protocol": "recallbench-memory/1", "seed": 1, "unknown": true}, &got)
		want := map[string]any{
			"protocol": "recallbench-memory/1", "name": "odd", "version": "1.2", "libraries": map[string]any{"lib": "3.4"},
			"capabilities": map[string]any{
				"search": true, "answer": false, "snapshot": false, "forget": true, "dump": true,
				"mutates": false, "deterministic": false, "sources": "none",
			},
		}
		try.Equal(t, "initialize", want, got)
		for _, test := range []struct {
			method string
			params map[string]any
			code   int
			kind   string
		}{
			{"memory/open", map[string]any{"memory": "m", "options": map[string]any{"depht": 2}}, -32602, "bad_request"},
			{"memory/search", query("r", "x"), -32602, "unknown_memory"},
			{"memory/nothing", map[string]any{"memory": "m"}, -32601, "bad_request"},
			{"memory/open", map[string]any{}, -32602, "bad_request"},
		} {
			r := c.call(test.method, test.params)
			if r.Error == nil || r.Error.Code != test.code || r.Error.Data.Kind != test.kind {
				t.Errorf("%s %v: %+v, want code %d and kind %s", test.method, test.params, r.Error, test.code, test.kind)
			}
		}
		c.want("memory/open", map[string]any{"memory": "w"}, nil)
		var did map[string]any
		c.want("memory/forget", map[string]any{"memory": "w", "wish": map[string]any{"text": "Forget it.", "speaker": "Ann", "turns": []string{"1:1", "1:2"}}}, &did)
		try.Equal(t, "what is forgotten", map[string]any{"items": 2.0}, did)
		c.want("memory/dump", map[string]any{"memory": "w"}, &did)
		try.Equal(t, "what is stored", map[string]any{"items": []any{"7"}}, did)
		try.Get(c.in.Write([]byte("\n{nonsense\n")))(t)
		if r := c.receive(); r.Error == nil || r.Error.Code != -32700 || r.ID != nil {
			t.Errorf("nonsense: %+v, want error -32700 without an id", r.Error)
		}
		c.want("shutdown", nil, nil)
		c.end()
	})
}

// What user code, C code and children print is a log; requests may wait in a queue.
func TestForeignOutput(t *testing.T) {
	each(t, func(t *testing.T, k kit) {
		t.Helper()
		c := odd(t, k)
		c.add("hi")
		try.Equal(t, "search", []string{"Ana: hi"}, c.texts("all"))
		if len(c.notes) != 1 || !strings.Contains(c.notes[0], `"done":1`) {
			t.Errorf("notifications %q, want the progress", c.notes)
		}
		open := make(map[int]bool) // more requests than a pipe holds
		for range 256 {
			open[c.send("memory/search", query("r-1", "all"))] = true
		}
		for range 256 {
			if r := c.receive(); r.Error != nil || !open[*r.ID] {
				t.Fatalf("reply %v: %+v", *r.ID, r.Error)
			} else {
				delete(open, *r.ID)
			}
		}
		c.end()
		want := []string{"printed at import", "printed by add", "echoed by a child"}
		if k.language == "python" {
			want = append(want, "put by C", "written to 1")
		}
		for _, s := range want {
			if !strings.Contains(c.log(), s) {
				t.Errorf("the log lacks %q:\n%s", s, c.log())
			}
		}
	})
}

func TestFailures(t *testing.T) {
	each(t, func(t *testing.T, k kit) {
		t.Helper()
		c := odd(t, k)
		for _, test := range []struct{ text, kind, message string }{
			{"fail", "internal", k.failure},
			{"refuse", "rate_limit", "slow down"},
			{"wrapped", "rate_limit", "the library gave up"},
			{"stopped", "model", "status 503"},
			{"nothing", "internal", "the text of a block is"},
		} {
			r := c.search(test.text)
			if r.Error == nil || r.Error.Code != -32000 || r.Error.Data.Kind != test.kind || !strings.Contains(r.Error.Message, test.message) {
				t.Errorf("%s: %+v, want kind %s, message %q", test.text, r.Error, test.kind, test.message)
			}
			switch {
			case r.Error == nil:
			case test.text == "refuse" && r.Error.Data.RetryAfter != 2.5:
				t.Errorf("retry_after is %v, want 2.5", r.Error.Data.RetryAfter)
			case test.text == "fail" && (!strings.Contains(r.Error.Data.Trace, k.odd) || len(r.Error.Data.Trace) > 4000):
				t.Errorf("trace of %d bytes, want at most 4,000 that name %s:\n%s", len(r.Error.Data.Trace), k.odd, r.Error.Data.Trace)
			}
		}
		if k.language == "python" {
			if r := c.search("exit"); r.Error == nil || r.Error.Data.Kind != "internal" {
				t.Errorf("SystemExit: %+v, want an error", r.Error)
			}
		}
		if got := c.texts("all"); len(got) != 0 {
			t.Errorf("after failures: %q, want no block", got)
		}
	})
}

func TestScores(t *testing.T) {
	each(t, func(t *testing.T, k kit) {
		t.Helper()
		var got struct{ Blocks []map[string]any }
		c := odd(t, k)
		c.want("memory/search", query("r-1", "scores"), &got)
		want := []map[string]any{
			{"text": "a"},
			{"text": "b"},
			{"text": "c"},
			{"text": "d", "score": 0.5, "time": "2023-05-08T13:56:00", "id": "7", "sources": []any{"1:1"}},
		}
		try.Equal(t, "blocks", want, got.Blocks)
		var finished map[string]any
		c.want("memory/finish", map[string]any{"memory": "m"}, &finished)
		try.Equal(t, "finish", map[string]any{"items": 0.0, "bytes": 7.0}, finished)
	})
}

func TestTexts(t *testing.T) {
	each(t, func(t *testing.T, k kit) {
		t.Helper()
		c := odd(t, k)
		texts := []string{"", "a\x00b", "line\nbreak\u2028", "\U0001F415 \u05e9\u05dc\u05d5\u05dd", strings.Repeat("long ", 1<<18)}
		c.add(texts...)
		want := []string{}
		for _, text := range texts {
			want = append(want, "Ana: "+text)
		}
		if diff := cmp.Diff(want, c.texts("all")); diff != "" {
			t.Errorf("texts (-want +got):\n%.2000s", diff)
		}
	})
}

// Under the session's clock two processes read the same times and draw the same
// ids, whatever was asked before.
func TestClock(t *testing.T) {
	each(t, func(t *testing.T, k kit) {
		t.Helper()
		var got [2][]string
		for i := range got {
			c := odd(t, k, "RECALLBENCH_CLOCK=session")
			c.add("hi")
			if i == 1 {
				c.texts("all")
			}
			got[i] = c.texts("clock")
		}
		if diff := cmp.Diff(got[0], got[1]); diff != "" {
			t.Errorf("two runs differ (-first +second):\n%s", diff)
		}
		for i, want := range []string{"2023-05-08 13:56:00", "2023-05-08", "1683554160", "", "2023"} {
			if !strings.HasPrefix(got[0][i], want) {
				t.Errorf("clock shows %q, want %q", got[0][i], want)
			}
		}
		wall := odd(t, k, "RECALLBENCH_CLOCK=real").texts("clock")
		if strings.HasPrefix(wall[0], "2023") || strings.HasPrefix(wall[0], "2024-01-01") || wall[3] == got[0][3] {
			t.Errorf("clock real shows %q", wall)
		}
	})
}

func TestCancelAndEnd(t *testing.T) {
	each(t, func(t *testing.T, k kit) {
		t.Helper()
		c := odd(t, k)
		running := c.send("memory/search", query("r-1", "hang"))
		waiting := c.send("memory/search", query("r-2", "all"))
		for _, id := range []int{waiting, running} {
			try.Get(fmt.Fprintf(c.in, `{"jsonrpc":"2.0","method":"$/cancel","params":{"id":%d}}`+"\n", id))(t)
		}
		for range 2 {
			if r := c.receive(); r.Error == nil || r.Error.Code != -32800 {
				t.Errorf("cancelled request: %+v, want error -32800", r.Error)
			}
		}
		// What hangs does not hold up the end.
		c.send("memory/search", query("r-3", "hang"))
		c.end()
	})
}

func TestModels(t *testing.T) {
	each(t, func(t *testing.T, k kit) {
		t.Helper()
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var body struct {
				Model string
				Input []string
			}
			err := json.NewDecoder(r.Body).Decode(&body)
			if err != nil || r.Header.Get("Authorization") != "Bearer sk" {
				http.Error(w, fmt.Sprint(err, r.Header), http.StatusBadRequest)
				return
			}
			if r.URL.Path == "/v1/chat/completions" {
				_, _ = fmt.Fprintf(w, `{"choices":[{"message":{"content":"I am %s"}}]}`, body.Model)
				return
			}
			var data []string
			for i, text := range body.Input {
				data = append([]string{fmt.Sprintf(`{"index":%d,"embedding":[%d]}`, i, len(text))}, data...)
			}
			_, _ = fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(data, ","))
		}))
		t.Cleanup(server.Close)
		c := start(t, k, write(t, k.oddFiles(t)), k.odd)
		c.open(map[string]any{"base_url": server.URL + "/v1", "key": "sk", "chat": "gpt", "embed": "e", "dimensions": 1})
		got := c.texts("models")
		for i := range got {
			got[i] = strings.NewReplacer(" ", "", ".0", "").Replace(got[i])
		}
		try.Equal(t, "models", []string{"Iamgpt", "[[1],[2]]", "[3]"}, got)
		if len(c.notes) != 1 || !strings.HasPrefix(c.notes[0], "$/log") {
			t.Errorf("notifications %q, want a log", c.notes)
		}
	})
}

func TestTemplate(t *testing.T) {
	each(t, func(t *testing.T, k kit) {
		t.Helper()
		files := try.Get(adapters.Template(k.language, "mine"))(t)
		m := try.Get(adapters.Parse(adapters.ManifestFile, files[adapters.ManifestFile]))(t)
		if m.Name != "mine" || m.Language != k.language {
			t.Errorf("manifest of %q in %q", m.Name, m.Language)
		}
		c := start(t, k, write(t, files), m.Command[len(m.Command)-1])
		c.open(nil)
		c.add("Rex is asleep.", "Since noon.")
		try.Equal(t, "search", []string{"Ana: Rex is asleep."}, c.texts("Who is asleep?"))
		c.want("memory/close", map[string]any{"memory": "m", "drop": true}, nil)
		c.end()
	})
}

// The kit in Python is one file that can be read.
func TestLinesOfKit(t *testing.T) {
	files := try.Get(adapters.Kit("python"))(t)
	if n := bytes.Count(files["recallbench.py"], []byte("\n")); n > 400 {
		t.Errorf("recallbench.py has %d lines, want at most 400", n)
	}
}

func write(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	try.Do(t, adapters.Write(dir, files))
	return dir
}
