package modelserver

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/testkit/try"
)

// post sends a body and returns the status and what came; -1 for no reply.
func post(t *testing.T, s *Server, path, body string) (int, string) {
	t.Helper()
	req := try.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, s.Root+path, strings.NewReader(body)))(t)
	req.Header.Set("Authorization", "Bearer sk-key-123")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return -1, err.Error()
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return -1, err.Error()
	}
	return resp.StatusCode, string(data)
}

const (
	chat   = "/v1/chat/completions"
	asking = `{"model":"m","messages":[{"role":"user","content":"how are you?"}]}`
)

func TestAnswers(t *testing.T) {
	answer := Answer("how are you?")
	first := pieces(answer)[0]
	more := func(members string) string { return asking[:len(asking)-1] + members + "}" }
	for _, tt := range []struct {
		name       string
		o          Options
		path, body string
		status     int
		want       string
	}{
		{"chat", Options{}, chat, asking, 200, `"content":"` + answer + `"`},
		{"usage", Options{}, chat, asking, 200, `"usage":{"completion_tokens":3,"completion_tokens_details":{"reasoning_tokens":0},"prompt_tokens":3,"prompt_tokens_details":{"cached_tokens":0},"total_tokens":6}`},
		{"bound", Options{}, chat, more(`,"max_tokens":2`), 200, `"content":"` + strings.Join(pieces(answer)[:2], "") + `"`},
		{"chat logprobs", Options{}, chat, more(`,"logprobs":true,"top_logprobs":2,"max_tokens":1`), 200, `"token":"` + first + `","top_logprobs":[{"logprob":`},
		{"plain", Options{}, "/v1/completions", `{"model":"m","prompt":"how are you?"}`, 200, `"text":"` + answer + `"`},
		{"plain logprobs", Options{}, "/v1/completions", `{"model":"m","prompt":"how are you?","logprobs":1}`, 200, `"tokens":["","` + first},
		{"schema", Options{}, chat, more(`,"response_format":{"type":"json_schema","json_schema":{"schema":{"type":"object","properties":{"yes":{"type":"string"}}}}}`), 200, `{\"yes\":\"` + answer + `\"}`},
		{"embedding", Options{}, "/v1/embeddings", `{"model":"m","input":["cat"],"dimensions":2}`, 200, `"embedding":[`},
		{"pairs", Options{}, "/predict", `{"inputs":[["a cat sat","no dog"],["x","x"]],"raw_scores":true}`, 200, `[[{"score":-0.56211891815354`},
		{"prompt with a schema", Options{}, chat, `{"model":"m","messages":[{"role":"user","content":"{x} {\"type\":\"object\",\"properties\":{\"a\":{\"const\":7}}}"}]}`, 200, "```json\\n{\\\"a\\\":7}\\n```"},
		{"key", Options{Key: "another"}, chat, asking, 401, "invalid_api_key"},
		{"model", Options{Models: []string{"other"}}, chat, asking, 404, "model_not_found"},
		{"temperature", Options{NoTemperature: true}, chat, more(`,"temperature":0`), 400, `"param":"temperature"`},
		{"max tokens", Options{WantMaxCompletionTokens: true}, chat, more(`,"max_tokens":2`), 400, "max_completion_tokens"},
		{"format", Options{NoResponseFormat: true}, chat, more(`,"response_format":{"type":"json_object"}`), 400, "response_format"},
		{"no completions", Options{NoCompletions: true}, "/v1/completions", `{}`, 404, "unknown_url"},
		{"dimensions", Options{NoDimensions: true}, "/v1/embeddings", `{"input":["a"],"dimensions":3}`, 400, "dimensions"},
		{"empty input", Options{}, "/v1/embeddings", `{"input":[""]}`, 400, "empty string"},
		{"no raw scores", Options{}, "/predict", `{"inputs":[["a","b"]]}`, 422, "raw_scores"},
		{"no JSON", Options{}, chat, `{`, 400, "could not parse"},
	} {
		status, got := post(t, New(t, tt.o), tt.path, tt.body)
		if status != tt.status || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %d %s\nwant %d %s", tt.name, status, got, tt.status, tt.want)
		}
	}
}

func TestRepeatable(t *testing.T) {
	faults := func(order func(int) int) map[Fault]int {
		s := New(t, Options{Rate: 0.5, Faults: AllFaults(), Seed: 7})
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
	try.Do(t, json.Unmarshal([]byte(answerJSON(json.RawMessage(schema), []string{"q"})), &got))
	if got.Name != "a" && got.Name != "b" || got.N < 3 || got.N > 4 || len(got.List) != 2 || got.Maybe != nil || got.Deep.X != 1 {
		t.Errorf("got %+v", got)
	}
	for _, odd := range []string{``, `[]`, `{"$ref": "#"}`, `{"type": "string"}`, `{"type":"object","properties":{"self":{"$ref":"#/properties/self"}}}`} {
		if got := answerJSON(json.RawMessage(odd), []string{"q"}); !json.Valid([]byte(got)) || got[0] != '{' {
			t.Errorf("%s: got %s", odd, got)
		}
	}
}
