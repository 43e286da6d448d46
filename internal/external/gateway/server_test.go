package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/try"
)

const hello = `{"model":"gpt-x","messages":[{"role":"user","content":"hello"}]}`

func TestServer(t *testing.T) {
	r := newRig(t, Models{Name: "mem", Chat: &model{}, ChatName: "m-chat", EmbedName: "m-embed", Embedder: opened(lengths{2})})
	r.begin(t)
	for _, tt := range []struct {
		name, path, body string
		headers          []string
		status           int
		code, holds      string
	}{
		{"chat", "/v1/chat/completions", hello, nil, 200, "", `"content":"hello"`},
		{"unknown key", "/v1/chat/completions", hello, []string{"Authorization", "Bearer sk-rb-0123"}, 401, "invalid_api_key", "no memory"},
		{"unknown path", "/v1/audio", hello, nil, 404, "unknown_url", "POST /v1/responses"},
		{"no JSON", "/v1/chat/completions", `{"messages":`, nil, 400, "invalid_request", "not a JSON object"},
		{"no messages", "/v1/chat/completions", `{}`, nil, 400, "invalid_request", "messages: there are none"},
		{"several choices", "/v1/chat/completions", `{"n":2,"messages":[{"role":"user","content":"x"}]}`, nil, 400, "invalid_request", "want 1"},
		{"no role", "/v1/chat/completions", `{"messages":[{"content":"x"}]}`, nil, 400, "invalid_request", "messages[0]"},
		{"embeddings", "/v1/embeddings", `{"model":"e","input":["a","bb"]}`, nil, 200, "", `"embedding":[2,0]`},
		{"an embedded text", "/v1/embeddings", `{"input":"banana"}`, nil, 200, "", `"model":"m-embed","object":"list","usage":{"prompt_tokens":6,"total_tokens":6}}`},
		{"ids of tokens", "/v1/embeddings", `{"model":"text-embedding-3-small","input":[15339,1917]}`, nil, 200, "", `"embedding":[11,0]`},
		{"lists of ids", "/v1/embeddings", `{"input":[[15339],[15339,1917]]}`, nil, 200, "", `"embedding":[11,0],"index":1`},
		{"base64", "/v1/embeddings", `{"input":"ab","encoding_format":"base64"}`, nil, 200, "", `"embedding":"AAAAQAAAgD8="`},
		{"no token", "/v1/embeddings", `{"input":[-1]}`, nil, 400, "invalid_request", "is not a token of cl100k_base"},
		{"no input", "/v1/embeddings", `{"input":[]}`, nil, 400, "invalid_request", "input"},
		{"null", "/v1/embeddings", `{"input":null}`, nil, 400, "invalid_request", "input"},
	} {
		got := r.post(t, tt.path, tt.body, tt.headers...)
		if got.status != tt.status || got.code() != tt.code || !strings.Contains(got.body, tt.holds) {
			t.Errorf("%s: %d %s\nwant %d %s %s", tt.name, got.status, got.body, tt.status, tt.code, tt.holds)
		}
	}
	r.m.Close()
	if got := r.post(t, "/v1/chat/completions", hello); got.status != 401 {
		t.Errorf("with a key that is revoked: %+v", got)
	}
}

// Another name than the server's own is refused, whoever lured a browser there.
func TestHost(t *testing.T) {
	r := newRig(t, Models{Chat: &model{}})
	for host, want := range map[string]int{"evil.example": 403, "127.0.0.1": 403, strings.TrimSuffix(strings.TrimPrefix(r.URL(), "http://"), "/v1"): 200} {
		if got := r.get(t, "/models", host); got.status != want {
			t.Errorf("%s: %+v, want %d", host, got, want)
		}
	}
}

func TestTooLarge(t *testing.T) {
	r := newRig(t, Models{Chat: &model{}})
	got, err := r.try(t.Context(), "/v1/chat/completions", strings.Repeat(" ", maxBody+1))
	if err == nil && got.status != 413 { // the connection may end while the body is sent
		t.Errorf("%+v", got)
	}
}

func TestModels(t *testing.T) {
	r := newRig(t, Models{Chat: &model{}, ChatName: "m-chat", EmbedName: "m-embed"})
	for path, want := range map[string]string{
		"/models":         `"data":[{"created":1700000000,"id":"m-chat","object":"model","owned_by":"recallbench"},{"created":1700000000,"id":"m-embed",`,
		"/models/m-embed": `"id":"m-embed"`, "/models/a/b": `"id":"a/b"`,
	} {
		if got := r.get(t, path, ""); got.status != 200 || !strings.Contains(got.body, want) {
			t.Errorf("%s: %+v, want %s", path, got, want)
		}
	}
}

// What a request holds beside texts reaches the model, and its tool calls come back.
func TestTools(t *testing.T) {
	var chat model
	chat.do = func(llm.Request) (llm.Reply, error) {
		return llm.Reply{
			Finish: "tool_calls", Call: "c1",
			Wire: json.RawMessage(`[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"tool_calls":[{"id":"t1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}}]`),
		}, nil
	}
	r := newRig(t, Models{Chat: &chat})
	r.begin(t)
	const tools = `"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]`
	got := r.post(t, "/v1/chat/completions", `{"messages":[{"role":"user","content":"x"}],`+tools+`}`)
	if !strings.Contains(got.body, `"choices":[{"finish_reason":"tool_calls","index":0,`) || strings.Count(got.body, `"arguments":"{\"a\":1}"`) != 1 {
		t.Error(got.body)
	}
	for _, q := range chat.requests() {
		if want := `{"tools":[{"function":{"name":"f","parameters":{"type":"object"}},"type":"function"}]}`; string(q.Wire.Rest) != want {
			t.Errorf("rest %s", q.Wire.Rest)
		}
	}
	got = r.post(t, "/v1/chat/completions", `{"messages":[{"role":"user","content":"x"}],`+tools+`,"stream":true}`)
	if want := `{"delta":{"tool_calls":[{"function":{"arguments":"{\"a\":1}","name":"f"},"id":"t1","index":0,"type":"function"}]},"finish_reason":null,"index":0}`; !strings.Contains(got.body, want) || !strings.HasSuffix(got.body, "data: [DONE]\n\n") {
		t.Error(got.body)
	}
	got = r.post(t, "/v1/responses", `{"input":"x","tools":[{"type":"function","name":"f","parameters":{}}]}`)
	if want := `{"arguments":"{\"a\":1}","call_id":"t1","id":"fc-t1","name":"f","status":"completed","type":"function_call"}`; !strings.Contains(got.body, want) {
		t.Error(got.body)
	}
}

func TestResponses(t *testing.T) {
	var chat model
	r := newRig(t, Models{Chat: &chat})
	r.begin(t)
	got := r.post(t, "/v1/responses", `{"model":"gpt-5.5","instructions":"be brief","input":[
		{"role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_text","text":"b"}]},
		{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},
		{"type":"function_call_output","call_id":"c","output":"ok"},
		{"type":"reasoning","summary":[]},
		{"role":"user","content":"last"}],
		"text":{"format":{"type":"json_schema","name":"n","schema":{"type":"object"},"strict":true}},
		"reasoning":{"effort":"low"},"max_output_tokens":50,"temperature":0,"store":false,"tool_choice":{"type":"function","name":"f"}}`)
	var b struct {
		ID, Object, Status, Model string
		Output                    []struct{ Content []struct{ Type, Text string } }
		Usage                     struct {
			Input  int `json:"input_tokens"`
			Output int `json:"output_tokens"`
		}
	}
	if err := json.Unmarshal([]byte(got.body), &b); err != nil || got.status != 200 {
		t.Fatalf("%+v, %v", got, err)
	}
	if b.ID != "resp-rb-eff73a6fbcbfbccc" || b.Status != "completed" || b.Model != "gpt-5.5" || b.Usage.Input != 7 || b.Output[0].Content[0].Text != "last" {
		t.Errorf("%+v", b)
	}
	want := llm.Request{
		Role: RoleExternal,
		Messages: []llm.Message{
			{Role: llm.System, Content: "be brief"},
			{Role: llm.User, Content: "a\nb"},
			{Role: llm.Assistant, Content: `{"content":null,"tool_calls":[{"function":{"arguments":"{}","name":"f"},"id":"c","type":"function"}]}`},
			{Role: "tool", Content: `{"content":"ok","tool_call_id":"c"}`},
			{Role: llm.User, Content: "last"},
		},
		Params: llm.Params{Temperature: new(0.0), MaxTokens: 50},
		Wire: &llm.Wire{
			Rest: json.RawMessage(`{"reasoning_effort":"low","response_format":{"json_schema":{"name":"n","schema":{"type":"object"},"strict":true},"type":"json_schema"},"tool_choice":{"function":{"name":"f"},"type":"function"}}`),
			Raw:  []int{2, 3},
		},
	}
	try.Equal(t, "request", want, chat.requests()[0])
	for _, body := range []string{`{"input":"x","previous_response_id":"r"}`, `{"input":"x","background":true}`, `{"input":"x","stream":true}`, `{"input":"x","tools":[{"type":"web_search"}]}`, `{"input":[{"type":"computer_call"}]}`, `{"input":3}`, `{"input":[{"role":"user","content":[{"type":"input_image","image_url":"data:,"}]}]}`, `[]`} {
		if got := r.post(t, "/v1/responses", body); got.status != 400 || got.code() != "invalid_request" {
			t.Errorf("%s: %+v", body, got)
		}
	}
}

// An entry without models says what to do, and embeds all the same.
func TestNoModel(t *testing.T) {
	r := newRig(t, Models{Name: "mem0", ChatName: "local", Embedder: opened(lengths{2})})
	p, _ := r.begin(t)
	if got := r.post(t, "/v1/embeddings", `{"input":"a","dimensions":3}`); got.status != 200 || !strings.Contains(got.body, "[1,1,0]") {
		t.Errorf("%+v", got)
	}
	got := r.post(t, "/v1/chat/completions", hello)
	const want = "external memory mem0 asked a chat model; the entry local has none; give a live entry, or an adapter that asks none"
	if got.status != 501 || got.code() != "recallbench_no_model" || !strings.Contains(got.body, want) {
		t.Errorf("%+v", got)
	}
	if err := p.End(); fault.KindOf(err) != fault.NoModel {
		t.Error(err)
	}
	none := newRig(t, Models{Name: "mem0", EmbedName: "x"})
	p, _ = none.begin(t)
	if got := none.post(t, "/v1/embeddings", `{"input":"a"}`); got.status != 501 || !strings.Contains(got.body, "asked for embeddings; the entry x has none") {
		t.Errorf("%+v", got)
	}
	_ = p.End()
}

// What the embedder's opening fails with poisons.
func TestEmbedder(t *testing.T) {
	times := 0
	r := newRig(t, Models{Embedder: func(context.Context) (embed.Embedder, error) {
		if times++; times == 1 {
			return nil, errors.New("no such file")
		}
		return lengths{2}, nil
	}})
	p, _ := r.begin(t)
	if got := r.post(t, "/v1/embeddings", `{"input":"a"}`); got.status != 502 {
		t.Errorf("%+v", got)
	}
	for range 2 {
		if got := r.post(t, "/v1/embeddings", `{"input":"a"}`); got.status != 200 {
			t.Errorf("%+v", got)
		}
	}
	if err := p.End(); err == nil || err.Error() != "no such file" {
		t.Errorf("%v, opened %d times", err, times)
	}
}
