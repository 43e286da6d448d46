package openai

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

var dialogue = llm.Request{
	Messages: []llm.Message{{Role: llm.System, Content: "be brief"}, {Role: llm.User, Content: "how are <you>?"}},
	Params:   llm.Params{Temperature: new(0.0), MaxTokens: 50, Seed: new(int64(7))},
}

var yesFormat = &llm.Format{Name: "yes", Schema: json.RawMessage(`{"type":"object","properties":{"yes":{"type":"string"}},"required":["yes"],"additionalProperties":false}`)}

// with returns the dialogue changed.
func with(change func(*llm.Request)) llm.Request {
	r := dialogue
	change(&r)
	return r
}

const demand = `Reply with a single JSON object and nothing else: no words before or after it and no code fence. The object must be valid under this JSON Schema:\n{\"type\":\"object\",\"properties\":{\"yes\":{\"type\":\"string\"}},\"required\":[\"yes\"],\"additionalProperties\":false}`

func TestBodies(t *testing.T) {
	const (
		messages = `"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"how are <you>?"}]`
		params   = `,"temperature":0,"seed":7,"max_tokens":50`
	)
	all := Quirks{Omit: slices.Collect(maps.Keys(parameters))}
	everything := with(func(r *llm.Request) {
		r.Params.Logprobs, r.Params.TopLogprobs, r.Format = true, 5, yesFormat
	})
	for _, tt := range []struct {
		name string
		q    Quirks
		r    llm.Request
		path string
		want string
	}{
		{"plain parameters", Quirks{}, dialogue, "chat/completions", `{"model":"m",` + messages + params + `}`},
		{"none", Quirks{}, ask("hi"), "chat/completions", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`},
		{
			"all",
			Quirks{ReasoningEffort: "low"},
			everything, "chat/completions",
			`{"model":"m",` + messages + params + `,"logprobs":true,"top_logprobs":5,"reasoning_effort":"low","response_format":{"type":"json_schema","json_schema":{"name":"yes","strict":true,"schema":` + string(yesFormat.Schema) + `}}}`,
		},
		{
			"omit all", all, everything, "chat/completions",
			`{"model":"m","messages":[{"role":"system","content":"be brief\n\n` + demand + `"},{"role":"user","content":"how are <you>?"}]}`,
		},
		{"max_completion_tokens", Quirks{MaxTokensField: maxCompletionTokens}, dialogue, "chat/completions", `{"model":"m",` + messages + `,"temperature":0,"seed":7,"max_completion_tokens":50}`},
		{"developer", Quirks{System: "developer"}, dialogue, "chat/completions", `{"model":"m",` + strings.Replace(messages, "system", "developer", 1) + params + `}`},
		{"user", Quirks{System: "user"}, dialogue, "chat/completions", `{"model":"m","messages":[{"role":"user","content":"be brief\n\nhow are <you>?"}]` + params + `}`},
		{
			"user without a user",
			Quirks{System: "user"},
			llm.Request{Messages: []llm.Message{{Role: llm.Assistant, Content: "b"}, {Role: llm.System, Content: "a"}}},
			"chat/completions",
			`{"model":"m","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}`,
		},
		{
			"extra",
			Quirks{Extra: `{"top_p": 0.90, "chat_template_kwargs": {"enable_thinking": false}}`},
			ask("hi"), "chat/completions",
			`{"model":"m","messages":[{"role":"user","content":"hi"}],"chat_template_kwargs":{"enable_thinking":false},"top_p":0.90}`,
		},
		{
			"prompt",
			Quirks{Omit: []Parameter{"response_format"}},
			llm.Request{Messages: ask("hi").Messages, Format: yesFormat},
			"chat/completions",
			`{"model":"m","messages":[{"role":"system","content":"` + demand + `"},{"role":"user","content":"hi"}]}`,
		},
		{"plain on a chat", Quirks{}, with(func(r *llm.Request) { r.Plain = true }), "chat/completions", `{"model":"m",` + messages + params + `}`},
		{"plain", Quirks{Completions: true, ReasoningEffort: "low", MaxTokensField: maxCompletionTokens}, with(func(r *llm.Request) { r.Plain = true }), "completions", `{"model":"m","prompt":"be brief\n\nhow are <you>?"` + params + `}`},
		{"not plain", Quirks{Completions: true}, ask("hi"), "chat/completions", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`},
		{"completions with a format", Quirks{Completions: true}, llm.Request{Plain: true, Messages: ask("hi").Messages, Format: yesFormat}, "completions", `{"model":"m","prompt":"` + demand + `\n\nhi"}`},
		{"sampled only", Quirks{Completions: true}, llm.Request{Plain: true, Messages: ask("hi").Messages, Params: llm.Params{Logprobs: true}}, "completions", `{"model":"m","prompt":"hi","logprobs":1}`},
		{"top 3", Quirks{Completions: true}, llm.Request{Plain: true, Messages: ask("hi").Messages, Params: llm.Params{Logprobs: true, TopLogprobs: 3}}, "completions", `{"model":"m","prompt":"hi","logprobs":3}`},
		{"top without logprobs", Quirks{}, llm.Request{Messages: ask("hi").Messages, Params: llm.Params{TopLogprobs: 3}}, "chat/completions", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`},
	} {
		var got recorder
		c, _ := newChat(t, modelserver.Options{Observe: got.observe, Key: testKey}, tt.q)
		before := try.Get(json.Marshal(tt.r))(t)
		if _, err := c.Generate(t.Context(), tt.r); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if sameJSON(t, tt.want, strings.Join(got.bodies, ",")); got.paths[0] != "/v1/"+tt.path {
			t.Errorf("%s: sent to %s", tt.name, got.paths[0])
		}
		if after, err := json.Marshal(tt.r); err != nil || string(after) != string(before) {
			t.Errorf("%s: the request was changed to %s", tt.name, after)
		}
	}
}

func TestFixed(t *testing.T) {
	for _, tt := range []struct {
		q    Quirks
		want string
	}{
		{Quirks{}, `{}`},
		{Quirks{MaxTokensField: "max_tokens", System: "system", Completions: true}, `{}`},
		{Quirks{Omit: []Parameter{"temperature"}}, `{}`},
		{Quirks{ReasoningEffort: "low"}, `{"effort":"low"}`},
		{Quirks{Omit: []Parameter{"response_format"}}, `{"format":"prompt"}`},
		{
			Quirks{MaxTokensField: maxCompletionTokens, System: "user", Extra: `{ "b": {"d": 1, "c": 1.50}, "a": [ ] }`},
			`{"extra":{"a":[],"b":{"c":1.50,"d":1}},"max_tokens":"max_completion_tokens","system":"user"}`,
		},
	} {
		c := mustChat(t, Config{BaseURL: "http://host/v1", Key: testKey, Model: "m", Quirks: tt.q})
		if got := string(c.Fixed()); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestEffective(t *testing.T) {
	full := with(func(r *llm.Request) {
		r.Params.Logprobs, r.Params.TopLogprobs, r.Plain, r.Format = true, 3, true, yesFormat
	})
	for _, tt := range []struct {
		q    Quirks
		want func(*llm.Request)
	}{
		{Quirks{Completions: true}, func(*llm.Request) {}},
		{Quirks{}, func(r *llm.Request) { r.Plain = false }},
		{Quirks{Omit: []Parameter{"temperature", "seed"}}, func(r *llm.Request) { r.Plain, r.Params.Temperature, r.Params.Seed = false, nil, nil }},
		{Quirks{Omit: []Parameter{"max_tokens", "top_logprobs"}}, func(r *llm.Request) { r.Plain, r.Params.MaxTokens, r.Params.TopLogprobs = false, 0, 0 }},
		{Quirks{Omit: []Parameter{"logprobs", "response_format"}}, func(r *llm.Request) { r.Plain, r.Params.Logprobs, r.Params.TopLogprobs = false, false, 0 }},
	} {
		want := full
		tt.want(&want)
		c := mustChat(t, Config{BaseURL: "http://host/v1", Model: "m", Quirks: tt.q})
		if diff := cmp.Diff(want, c.Effective(full)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.q, diff)
		}
	}
}

func TestModels(t *testing.T) {
	c, _ := newChat(t, modelserver.Options{Models: []string{"n", "m"}, Key: testKey}, Quirks{})
	got, err := c.Models(t.Context())
	if diff := cmp.Diff([]string{"m", "n"}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, tt := range []struct {
		model  string
		listed []string
		want   bool
	}{
		{"m", []string{"l", "m"}, true},
		{"m", []string{"l", "mm"}, false},
		{"gemini-2.5-flash", []string{"models/gemini-2.5-flash"}, true},
		{"models/gemini-2.5-flash", []string{"gemini-2.5-flash"}, true},
		{"qwen3", []string{"qwen3:latest"}, true},
		{"qwen3:8b", []string{"qwen3:latest"}, false},
		{"m", nil, false},
	} {
		if got := mustChat(t, Config{BaseURL: "http://host", Model: tt.model}).Listed(tt.listed); got != tt.want {
			t.Errorf("%s in %v is %v, want %v", tt.model, tt.listed, got, tt.want)
		}
	}
}

// TestChoices finds the choice with the index 0 wherever it stands.
func TestChoices(t *testing.T) {
	for _, tt := range []struct{ choices, want string }{
		{`{"index":0,"message":{"content":"a"}}`, "a"},
		{`{"message":{"content":"a"}}`, "a"},
		{`{"index":1,"message":{"content":"alone"}}`, "alone"},
		{`{"index":0,"message":{"content":"a"}},{"index":1,"message":{"content":"b"}}`, "a"},
		{`{"index":1,"message":{"content":"b"}},{"index":0,"message":{"content":"a"}}`, "a"},
		{`{"index":2,"message":{"content":"c"}},{"index":1,"message":{"content":"b"}},{"index":0,"text":"a"}`, "a"},
		{`{"message":{"content":"a"}},{"message":{"content":"b"}}`, "a"},
		{`{"index":1,"message":{"content":"b"}},{"message":{"content":"a"}}`, "a"},
	} {
		c := mustChat(t, Config{BaseURL: canned(t, 200, nil, `{"choices":[`+tt.choices+`]}`), Model: "m"})
		if got, err := c.Generate(t.Context(), ask("hi")); err != nil || got.Text != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.choices, got.Text, err, tt.want)
		}
	}
}

func TestAnswer(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"yes", "yes"},
		{"<think>a\nb</think>\n\nyes", "yes"},
		{" \n<think></think>yes\n", "yes\n"},
		{"a thought whose tag the prompt holds\n</think>\n\nyes", "yes"},
		{"<think>cut off", ""},
		{"the tag <think> is a tag", "the tag <think> is a tag"},
		{"write <think>x</think> here", "write <think>x</think> here"},
		{"<think>a</think>b</think>c", "b</think>c"},
		{"", ""},
	} {
		if got := answer(tt.in); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestParseExtra(t *testing.T) {
	const want = `extra: not a JSON object; want one such as {"top_p": 0.9}`
	for text, want := range map[string]string{
		``: "", `{"top_k": 5}`: "", `[]`: want, `null`: want, `{} {}`: want,
		`{"Temperature": 1, "stream": true, "top_k": 5}`: `extra: "Temperature" is set by the program or would change the form of the reply
extra: "stream" is set by the program or would change the form of the reply`,
	} {
		got := ""
		if _, err := ParseExtra(text); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", text, got, want)
		}
	}
}
