package gateway

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/backend/openai"
	"recallbench/internal/testkit/try"
)

// FuzzBody checks that what a server is sent is what a program asked for, but for
// the members that have a meaning here.
func FuzzBody(f *testing.F) {
	f.Add(`{"model":"m","messages":[{"role":"user","content":"<é>\u2028"}],"temperature":0.10,"max_tokens":5.0,"stream":true,"x":[1e3,{"b":null,"a":1.0}]}`)
	f.Add(`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c"}]},{"role":"tool","tool_call_id":"c","content":""},{"role":"x"}],"tools":[],"n":1,"max_completion_tokens":7}`)
	f.Add(`{"messages":[{"role":"system","content":"a","content":"b"}],"seed":-3,"logprobs":true,"top_logprobs":2,"reasoning_effort":"low","response_format":{"type":"json_object"}}`)
	f.Add(`{"messages":[{"content":[{"type":"image_url","image_url":{"url":"data:,"}}],"role":"user"}],"Model":1,"stop":null,"\ud800":"\ud800x"}`)
	var sent []byte
	chat, err := openai.NewChat(openai.Config{BaseURL: "http://127.0.0.1:1/v1", Model: "upstream", Client: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		var err error
		if sent, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader([]byte(`{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}`)))}, nil
	})}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string) {
		b, err := readChat([]byte(body), RoleExternal)
		if err != nil {
			return
		}
		key := b.key()
		b.request.Params.Logprobs = false // whose reply would lack them
		try.Get(chat.Generate(t.Context(), b.request))(t)
		want, got := members(t, []byte(body)), members(t, sent)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s\nsent %s\n(-want +got):\n%s", body, sent, diff)
		}
		var upstream map[string]json.RawMessage
		try.Do(t, json.Unmarshal(sent, &upstream))
		p := b.request.Params
		for name, is := range map[string]bool{"max_tokens": p.MaxTokens > 0, "temperature": p.Temperature != nil, "seed": p.Seed != nil} {
			if _, ok := upstream[name]; ok != is {
				t.Errorf("%s\nsent %s", body, sent)
			}
		}
		// The same request is one key, however its JSON is written.
		var v any
		try.Do(t, decode([]byte(body), &v))
		if other, err := readChat(encode(v), RoleExternal); err != nil || other.key() != key {
			t.Errorf("%s: another key when written anew, %v", body, err)
		}
	})
}

// members returns a body without what has a meaning here, in canonical form.
func members(t *testing.T, body []byte) map[string]string {
	t.Helper()
	var all map[string]json.RawMessage
	try.Do(t, json.Unmarshal(body, &all))
	got := make(map[string]string)
	for name, raw := range all {
		if slices.Contains(append([]string{"model", "temperature", "max_tokens", "max_completion_tokens", "seed", "logprobs", "top_logprobs", "n", "stream", "stream_options"}, silent...), name) {
			continue
		}
		var v any
		try.Do(t, decode(raw, &v))
		got[name] = string(encode(v))
	}
	return got
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
