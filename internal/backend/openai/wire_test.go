package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

// outside is a request of a program outside: a tool's result, JSON and a parameter
// that nobody here knows.
func outside(rest string) llm.Request {
	return llm.Request{
		Role: "external",
		Messages: []llm.Message{
			{Role: llm.System, Content: "be <brief>"},
			{Role: llm.User, Content: `{"content":[{"text":"hi","type":"text"}]}`},
			{Role: "tool", Content: `{"content":"ok","tool_call_id":"c1"}`},
			{Role: llm.Assistant, Content: "{}"},
		},
		Params: llm.Params{Temperature: new(0.1), MaxTokens: 20},
		Wire:   &llm.Wire{Rest: json.RawMessage(rest), Raw: []int{1, 2, 3}},
	}
}

func TestWireBodies(t *testing.T) {
	const (
		others   = `{"role":"user","content":[{"text":"hi","type":"text"}]},{"role":"tool","content":"ok","tool_call_id":"c1"},{"role":"assistant"}]`
		messages = `"messages":[{"role":"system","content":"be <brief>"},` + others
		params   = `,"temperature":0.1,"max_tokens":20`
		object   = `"response_format":{"type":"json_object"}`
		schema   = `"response_format":{"json_schema":{"name":"yes","schema":{"a":"<"}},"type":"json_schema"}`
	)
	demanded := strings.Replace(messages, "be <brief>", `be <brief>\n\nReply with a single JSON object and nothing else: no words before or after it and no code fence. The object must be valid under this JSON Schema:\n{\"a\":\"<\"}`, 1)
	for _, tt := range []struct {
		name       string
		q          Quirks
		rest, want string
	}{
		{"as it came", Quirks{}, `{"top_p":1.0,"x":{"b":[1e3]}}`, messages + params + `,"top_p":1.0,"x":{"b":[1e3]}`},
		{"nothing more", Quirks{}, ``, messages + params},
		{"a schema", Quirks{}, `{` + schema + `}`, messages + params + `,` + schema},
		{"a schema in the prompt", Quirks{Omit: []Parameter{"response_format"}}, `{` + schema + `,"top_p":1}`, demanded + params + `,"top_p":1`},
		{"an object by the prompt alone", Quirks{Omit: []Parameter{"response_format"}}, `{` + object + `}`, messages + params},
		{"quirks first", Quirks{ReasoningEffort: "low", Extra: `{"top_p":0.5}`}, `{"reasoning_effort":"high","top_p":1}`, messages + params + `,"reasoning_effort":"low","top_p":0.5`},
		{"omit", Quirks{Omit: []Parameter{"reasoning_effort", "temperature"}}, `{"reasoning_effort":"high","top_p":1}`, messages + `,"max_tokens":20,"top_p":1`},
		{"no system role", Quirks{System: "user"}, `{}`, `"messages":[{"role":"user","content":"be <brief>"},` + others + params},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var sent recorder
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent.observe(r, try.Get(io.ReadAll(r.Body))(t))
				_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`)
			}))
			defer server.Close()
			chat := mustChat(t, Config{BaseURL: server.URL, Model: "m", Quirks: tt.q})
			try.Get(chat.Generate(t.Context(), outside(tt.rest)))(t)
			sameJSON(t, `{"model":"m",`+tt.want+`}`, strings.Join(sent.bodies, ","))
		})
	}
}

// What a server refuses of JSON falls back, each way by itself, and stays so.
func TestWireRefused(t *testing.T) {
	var sent recorder
	chat, _ := newChat(t, modelserver.Options{NoResponseFormat: true, Observe: sent.observe}, Quirks{})
	for _, rest := range []string{
		`{"response_format":{"type":"json_object"}}`, `{"response_format":{"type":"json_object"}}`,
		`{"response_format":{"json_schema":{"name":"yes","schema":{}},"type":"json_schema"}}`,
	} {
		r := outside(rest)
		r.Messages, r.Wire.Raw = r.Messages[:1], nil
		try.Get(chat.Generate(t.Context(), r))(t)
	}
	own := try.Get(chat.Generate(t.Context(), with(func(r *llm.Request) { r.Format = yesFormat })))(t)
	if err := yesFormat.Check(own.Text); err != nil {
		t.Errorf("text is %q: %v", own.Text, err)
	}
	var got []string
	for _, b := range sent.bodies {
		got = append(got, strings.Trim(strings.Join([]string{has(b, "json_object"), has(b, "json_schema"), has(b, "JSON Schema")}, " "), " "))
	}
	if want := "json_object|||json_schema|JSON Schema|JSON Schema"; strings.Join(got, "|") != want {
		t.Errorf("asked for %q, want %q", strings.Join(got, "|"), want)
	}
}

func has(s, part string) string {
	if strings.Contains(s, part) {
		return part
	}
	return ""
}

// A reply comes back with its choices, also one without text.
func TestWireReplies(t *testing.T) {
	for _, tt := range []struct{ body, wire, fails string }{
		{`{"choices": [{"index": 0, "message": {"content": "<x>", "role": "assistant"}, "finish_reason": "stop"}]}`, `[{"index":0,"message":{"content":"<x>","role":"assistant"},"finish_reason":"stop"}]`, ""},
		{`{"choices":[{"message":{"content":null,"tool_calls":[{"id":"c"}]},"finish_reason":"tool_calls"}]}`, `[{"message":{"content":null,"tool_calls":[{"id":"c"}]},"finish_reason":"tool_calls"}]`, ""},
		{`{"choices":[{"message":{"content":"` + testKey + `"},"finish_reason":"stop"}]}`, `[{"message":{"content":"[key]"},"finish_reason":"stop"}]`, ""},
		{`{"choices":[{"message":{"content":null,"tool_calls":[]},"finish_reason":"stop"}]}`, `[{"message":{"content":null,"tool_calls":[]},"finish_reason":"stop"}]`, ""},
		{`{"choices":[{"message":{"content":null,"function_call":null},"finish_reason":"stop"}]}`, `[{"message":{"content":null,"function_call":null},"finish_reason":"stop"}]`, ""},
		{`{"choices":[{"message":{"content":""}}]}`, "", "bad-reply"},
	} {
		chat := mustChat(t, Config{BaseURL: canned(t, 200, nil, tt.body), Key: testKey, Model: "m"})
		reply, err := chat.Generate(t.Context(), outside("{}"))
		if string(fault.KindOf(err)) != tt.fails || string(reply.Wire) != tt.wire {
			t.Errorf("%s:\ngot  %s, %v\nwant %s %s", tt.body, reply.Wire, err, tt.wire, tt.fails)
		}
	}
	chat := mustChat(t, Config{BaseURL: canned(t, 400, nil, `{"error":{"code":"context_length_exceeded","message":"too long"}}`), Model: "m"})
	if _, err := chat.Generate(t.Context(), outside("{}")); faultOf(t, err).Code != "context_length_exceeded" {
		t.Errorf("error %#v, want the server's code", err)
	}
}
