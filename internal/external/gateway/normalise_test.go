package gateway

import (
	"strings"
	"testing"

	"recallbench/internal/door/llm"
)

func TestNormalise(t *testing.T) {
	const id, other = "7b6f3d0e-3f0c-4c39-9d0a-5f6a8f5b1c22", "0E4D2C1B-1111-4222-8333-444455556666"
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"a-b-c " + id + "-", "a-b-c " + id + "-"},
		{"a" + id, "a" + id},
		{`{"a":"b\n` + id + `"}`, `{"a":"b\n` + placeholder(1) + `"}`},
		{"-" + id, "-" + id},
		{"_" + id + "_", "_" + placeholder(1) + "_"},
		{id + " " + strings.ToUpper(id) + other[:5], placeholder(1) + " " + strings.ToUpper(id) + other[:5]},
		{id + "," + other + "," + strings.ToUpper(id), placeholder(1) + "," + placeholder(2) + "," + placeholder(1)},
		{"12345678-" + id, "12345678-" + id},
	} {
		n := &normaliser{rules: []Rule{UUID}}
		if got := n.text(tt.in); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}

// What is replaced reaches no model, and comes back in replies.
func TestNormalised(t *testing.T) {
	var chat model
	r := newRig(t, Models{Chat: &chat, Embedder: opened(lengths{2}), Normalise: []Rule{UUID}})
	p, _ := r.begin(t)
	const id = "7b6f3d0e-3f0c-4c39-9d0a-5f6a8f5b1c22"
	got := r.post(t, "/v1/chat/completions", `{"messages":[{"role":"system","content":"today"},{"role":"user","content":"x","name":"`+id+`"},{"role":"user","content":"keep <m_`+id+`> nonce"}]}`)
	if !strings.Contains(got.body, "keep <m_"+id+"> nonce") {
		t.Error(got.body)
	}
	want := []llm.Message{
		{Role: llm.System, Content: "today"},
		{Role: llm.User, Content: `{"content":"x","name":"` + placeholder(1) + `"}`},
		{Role: llm.User, Content: "keep <m_" + placeholder(1) + "> nonce"},
	}
	for i, m := range chat.requests()[0].Messages {
		if m != want[i] {
			t.Errorf("message %d: %+v, want %+v", i, m, want[i])
		}
	}
	r.post(t, "/v1/embeddings", `{"input":["`+id+`"]}`)
	// In the JSON of a message and of a choice, too.
	chat.do = func(llm.Request) (llm.Reply, error) {
		args := encode(`{"text":"a\n` + placeholder(1) + `"}`)
		return llm.Reply{Wire: []byte(`[{"message":{"content":"a\n` + placeholder(1) + `","tool_calls":[{"function":{"arguments":` + string(args) + `}}]},"finish_reason":"stop"}]`)}, nil
	}
	got = r.post(t, "/v1/chat/completions", `{"messages":[{"role":"user","content":[{"type":"text","text":"b\n`+id+`"}]}]}`)
	if content := chat.requests()[1].Messages[0].Content; strings.Count(got.body, `\n`+id) != 2 || content != `{"content":[{"text":"b\n`+placeholder(1)+`","type":"text"}]}` {
		t.Errorf("%s, sent %s", got.body, content)
	}
	_ = p.End()
}
