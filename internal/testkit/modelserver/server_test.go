package modelserver

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/testkit/try"
)

// post sends a body and returns the status and what came; -1 for no reply.
func post(t *testing.T, s *Server, path, body string) (int, http.Header, string) {
	t.Helper()
	req := try.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, s.Root+path, strings.NewReader(body)))(t)
	req.Header.Set("Authorization", "Bearer sk-key-123")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return -1, nil, err.Error()
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return -1, nil, err.Error()
	}
	return resp.StatusCode, resp.Header, string(data)
}

const (
	chat   = "/v1/chat/completions"
	asking = `{"model":"m","messages":[{"role":"user","content":"how are you?"}]}`
)

func TestAnswers(t *testing.T) {
	s := New(t, Options{})
	answer := Answer("how are you?")
	for _, tt := range []struct{ name, path, body, want string }{
		{"chat", chat, asking, `"content":"` + answer + `"`},
		{"usage", chat, asking, `"usage":{"completion_tokens":3,"completion_tokens_details":{"reasoning_tokens":0},"prompt_tokens":3,"prompt_tokens_details":{"cached_tokens":0},"total_tokens":6}`},
		{"bound", chat, asking[:len(asking)-1] + `,"max_tokens":2}`, `"content":"` + strings.Join(Pieces(answer)[:2], "") + `"`},
		{"chat logprobs", chat, asking[:len(asking)-1] + `,"logprobs":true,"top_logprobs":2,"max_tokens":1}`, `"top_logprobs":[{"token":"` + Pieces(answer)[0]},
		{"plain", "/v1/completions", `{"model":"m","prompt":"how are you?"}`, `"text":"` + answer + `"`},
		{"plain logprobs", "/v1/completions", `{"model":"m","prompt":"how are you?","logprobs":1}`, `"tokens":["","` + Pieces(answer)[0]},
		{"schema", chat, asking[:len(asking)-1] + `,"response_format":{"type":"json_schema","json_schema":{"schema":{"type":"object","properties":{"yes":{"type":"string"}}}}}}`, `{\"yes\":\"` + answer + `\"}`},
		{"embedding", "/v1/embeddings", `{"model":"m","input":["cat"],"dimensions":2}`, `"embedding":[`},
		{"base64", "/v1/embeddings", `{"model":"m","input":["cat"],"dimensions":1,"encoding_format":"base64"}`, `"embedding":"AACAPw=="`},
		{"pairs", "/predict", `{"inputs":[["a cat sat","no dog"],["x","x"]],"raw_scores":true}`, `[[{"score":-0.56211891815354`},
		{"prompt with a schema", chat, `{"model":"m","messages":[{"role":"user","content":"{x} {\"type\":\"object\",\"properties\":{\"a\":{\"const\":7}}}"}]}`, "```json\\n{\\\"a\\\":7}\\n```"},
	} {
		status, _, got := post(t, s, tt.path, tt.body)
		if status != http.StatusOK || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %d %s\nwant %s", tt.name, status, got, tt.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		o          Options
		path, body string
		status     int
		want       string
	}{
		{Options{Key: "another"}, chat, asking, 401, "invalid_api_key"},
		{Options{Models: []string{"other"}}, chat, asking, 404, "model_not_found"},
		{Options{NoTemperature: true}, chat, asking[:len(asking)-1] + `,"temperature":0}`, 400, `"param":"temperature"`},
		{Options{WantMaxCompletionTokens: true}, chat, asking[:len(asking)-1] + `,"max_tokens":2}`, 400, "max_completion_tokens"},
		{Options{NoResponseFormat: true}, chat, asking[:len(asking)-1] + `,"response_format":{"type":"json_object"}}`, 400, "response_format"},
		{Options{NoCompletions: true}, "/v1/completions", `{}`, 404, "unknown_url"},
		{Options{NoDimensions: true}, "/v1/embeddings", `{"input":["a"],"dimensions":3}`, 400, "dimensions"},
		{Options{}, "/v1/embeddings", `{"input":[""]}`, 400, "empty string"},
		{Options{}, "/predict", `{"inputs":[["a","b","c"]],"raw_scores":true}`, 422, "has 3 strings"},
		{Options{}, chat, `{`, 400, "could not parse"},
	} {
		s := New(t, tt.o)
		status, _, got := post(t, s, tt.path, tt.body)
		if status != tt.status || !strings.Contains(got, tt.want) {
			t.Errorf("%+v: got %d %s, want %d with %s", tt.o, status, got, tt.status, tt.want)
		}
	}
}

func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		fault  Fault
		status int
		want   string
	}{
		{TooMany, 429, "rate_limit_exceeded"},
		{TooManyRetryAfter, 429, "rate_limit_exceeded"},
		{Internal, 500, "server_error"},
		{Unavailable, 503, "server_error"},
		{EchoKeyError, 500, "Bearer sk-key-123"},
		{Reset, -1, "reset by peer"},
		{Truncated, -1, "unexpected EOF"},
		{InvalidJSON, 200, "<html>"},
		{WrongSchema, 200, `"choices": "none"`},
		{EmptyChoices, 200, `"choices": []`},
		{ContentFilter, 200, `"finish_reason":"content_filter"`},
		{OtherModel, 200, `"model":"m-served"`},
		{EchoKey, 200, `\u0073\u006b\u002d`},
	} {
		s := New(t, Options{Rate: 1, Faults: []Fault{tt.fault}, Times: 1})
		status, header, got := post(t, s, chat, asking)
		if status != tt.status || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %d %s, want %d with %s", tt.fault, status, got, tt.status, tt.want)
		}
		if says := header.Get("Retry-After") != ""; says != (tt.fault == TooManyRetryAfter) {
			t.Errorf("%s: Retry-After is %q", tt.fault, header.Get("Retry-After"))
		}
		if status, _, got := post(t, s, chat, asking); status != 200 || !strings.Contains(got, Answer("how are you?")) {
			t.Errorf("%s: the second attempt got %d %s", tt.fault, status, got)
		}
		if st := s.Stats(); st.Arrived != 2 || st.Faults[tt.fault] != 1 {
			t.Errorf("%s: counted %+v", tt.fault, st)
		}
	}
}

func TestHang(t *testing.T) {
	s := New(t, Options{Rate: 1, Faults: []Fault{Hang}})
	done := make(chan string)
	go func() {
		_, _, got := post(t, s, chat, asking)
		done <- got
	}()
	for s.Stats().Faults[Hang] == 0 {
		time.Sleep(time.Millisecond)
	}
	s.Close()
	if got := <-done; !strings.Contains(got, "EOF") && !strings.Contains(got, "reset") {
		t.Errorf("a hung call whose server closes ends with %s", got)
	}
}

func TestCap(t *testing.T) {
	s := New(t, Options{Cap: 2, Latency: 50 * time.Millisecond})
	var wg sync.WaitGroup
	var mu sync.Mutex
	statuses := make(map[int]int)
	for range 6 {
		wg.Go(func() {
			status, _, _ := post(t, s, chat, asking)
			mu.Lock()
			defer mu.Unlock()
			statuses[status]++
		})
	}
	wg.Wait()
	st := s.Stats()
	if statuses[200] < 2 || statuses[200]+statuses[429] != 6 || st.Capped != statuses[429] || st.MaxInFlight > 2 {
		t.Errorf("statuses %v, counted %+v", statuses, st)
	}
}

func TestRepeatable(t *testing.T) {
	faults := func(order func(int) int) map[Fault]int {
		s := NewHandler(Options{Rate: 0.5, Faults: AllFaults(), Seed: 7})
		for i := range 200 {
			s.meet(identify(request{body: []byte(strconv.Itoa(order(i)))}), chat, 1)
		}
		return s.Stats().Faults
	}
	forth := faults(func(i int) int { return i })
	back := faults(func(i int) int { return 199 - i })
	if diff := cmp.Diff(forth, back); diff != "" || len(forth) != len(AllFaults()) {
		t.Errorf("%d faults depend on the order of requests:\n%s", len(forth), diff)
	}
}

func TestAnswerJSON(t *testing.T) {
	schema := `{"type": "object", "$defs": {"name": {"type": "string", "enum": ["a", "b"]}}, "properties": {
		"name": {"$ref": "#/$defs/name"}, "n": {"type": "integer", "minimum": 3, "maximum": 4}, "list": {"type": "array", "minItems": 2, "items": {"type": "boolean"}},
		"maybe": {"anyOf": [{"type": "null"}, {"type": "string"}]}, "deep": {"type": "object", "properties": {"x": {"const": 1}}}}}`
	var got struct {
		Name  string
		N     int
		List  []bool
		Maybe *string
		Deep  struct{ X int }
	}
	try.Do(t, json.Unmarshal([]byte(AnswerJSON(json.RawMessage(schema), "q")), &got))
	if got.Name != "a" && got.Name != "b" || got.N < 3 || got.N > 4 || len(got.List) != 2 || got.Maybe != nil || got.Deep.X != 1 {
		t.Errorf("got %+v", got)
	}
	for _, odd := range []string{``, `[]`, `{"$ref": "#"}`, `{"type": "string"}`, `{"type":"object","properties":{"self":{"$ref":"#/properties/self"}}}`} {
		if got := AnswerJSON(json.RawMessage(odd), "q"); !json.Valid([]byte(got)) || got[0] != '{' {
			t.Errorf("%s: got %s", odd, got)
		}
	}
}

// TestScript checks that a script's message is the reply, and that the server answers
// what the script leaves to it.
func TestScript(t *testing.T) {
	s := New(t, Options{Script: func(path string, body []byte) (json.RawMessage, bool) {
		if path != "/v1/chat/completions" {
			t.Errorf("path %q", path)
		}
		return json.RawMessage(`{"role":"assistant","content":null,"tool_calls":[{"id":"1"}]}`), strings.Contains(string(body), "tools")
	}})
	ask := func(body string) (finish, message string) {
		r, err := http.Post(s.URL+"/chat/completions", "application/json", strings.NewReader(body)) //nolint:noctx // of a test
		try.Do(t, err)
		defer r.Body.Close()
		var reply struct {
			Choices []struct {
				Finish  string          `json:"finish_reason"`
				Message json.RawMessage `json:"message"`
			} `json:"choices"`
			Usage struct {
				Prompt int `json:"prompt_tokens"`
				Output int `json:"completion_tokens"`
			} `json:"usage"`
		}
		if err := json.NewDecoder(r.Body).Decode(&reply); err != nil || len(reply.Choices) != 1 || reply.Usage.Prompt == 0 || reply.Usage.Output == 0 {
			t.Fatalf("reply %+v, %v", reply, err)
		}
		return reply.Choices[0].Finish, string(reply.Choices[0].Message)
	}
	if finish, message := ask(`{"model":"m","tools":[],"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}`); finish != "tool_calls" || message != `{"role":"assistant","content":null,"tool_calls":[{"id":"1"}]}` {
		t.Errorf("scripted: %s, %s", finish, message)
	}
	if finish, message := ask(`{"model":"m","messages":[{"role":"user","content":"hi"}]}`); finish != "stop" || !strings.Contains(message, Answer("hi")) {
		t.Errorf("left to the server: %s, %s", finish, message)
	}
}
