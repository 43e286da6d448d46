package gateway

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// vectors reads what the rules say of examples, which the page of the protocol was
// made with.
func vectors(t *testing.T, part string, v any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(realdata.Fixtures(t), "external-memories", "vectors.json"))
	if err != nil {
		t.Skip("no vectors of external memories: ", err)
	}
	var parts map[string]json.RawMessage
	try.Do(t, json.Unmarshal(data, &parts))
	try.Do(t, json.Unmarshal(parts[part], v))
}

func TestVectorsStream(t *testing.T) {
	var v struct {
		Reply struct {
			Content string
			Finish  string `json:"finish_reason"`
			Usage   struct {
				Input  int `json:"prompt_tokens"`
				Output int `json:"completion_tokens"`
			}
		}
		Asked  string `json:"asked_model"`
		Call   string
		Events []json.RawMessage
	}
	vectors(t, "stream", &v)
	r := newRig(t, Models{Chat: &model{do: func(llm.Request) (llm.Reply, error) {
		u := v.Reply.Usage
		return llm.Reply{Text: v.Reply.Content, Finish: v.Reply.Finish, Call: v.Call, Usage: llm.Usage{Calls: 1, Input: u.Input, Output: u.Output}}, nil
	}}})
	r.begin(t)
	got := r.post(t, "/v1/chat/completions", `{"model":"`+v.Asked+`","messages":[{"role":"user","content":"x"}],"stream":true,"stream_options":{"include_usage":true}}`)
	if got.status != 200 || got.header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%+v", got)
	}
	var want, events []any
	for _, raw := range v.Events {
		var e map[string]any
		if json.Unmarshal(raw, &e) != nil {
			want = append(want, "[DONE]")
			continue
		}
		if delta, ok := e["delta"]; ok {
			e = map[string]any{"choices": []any{map[string]any{"index": 0.0, "delta": delta, "finish_reason": e["finish_reason"]}}}
		}
		e["id"], e["object"], e["created"], e["model"] = "chatcmpl-rb-"+v.Call, "chat.completion.chunk", float64(created), v.Asked
		want = append(want, e)
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(got.body, "\n\n"), "\n\n") {
		data, _ := strings.CutPrefix(line, "data: ")
		var e any = "[DONE]"
		if data != "[DONE]" {
			try.Do(t, json.Unmarshal([]byte(data), &e))
		}
		events = append(events, e)
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestVectorsRepeats(t *testing.T) {
	var v []struct {
		Body  string
		Scope string
		Retry int `json:"retry_count"`
		Want  int `json:"repeat"`
	}
	vectors(t, "repeats", &v)
	var chat model
	r := newRig(t, Models{Chat: &chat})
	p, _ := r.begin(t)
	for i, x := range v {
		if x.Scope != "" {
			try.Do(t, p.End())
			p, _ = r.begin(t)
		}
		retry := "0"
		if x.Retry > 0 {
			retry = "1"
		}
		r.post(t, "/v1/chat/completions", `{"messages":[{"role":"user","content":"`+x.Body+`"}]}`, "x-stainless-retry-count", retry)
		if got := chat.requests()[i].Repeat; got != x.Want {
			t.Errorf("%d, body %s: repeat %d, want %d", i, x.Body, got, x.Want)
		}
	}
	_ = p.End()
}

func TestVectorsErrors(t *testing.T) {
	var v []struct {
		Fault   fault.Kind
		Status  any
		Code    string
		Poisons bool
		Stops   bool
	}
	vectors(t, "errors", &v)
	for _, x := range v {
		status, code := 400, x.Code
		if s, ok := x.Status.(float64); ok {
			status = int(s)
		}
		e := &fault.Error{Kind: x.Fault, Message: "so it is"}
		if x.Fault == fault.Rejected {
			status, code = 422, "too_deep"
			e.Status, e.Code = status, code
		}
		var chat model
		chat.do = func(llm.Request) (llm.Reply, error) { return llm.Reply{}, e }
		r := newRig(t, Models{Chat: metered(t, &chat)})
		p, used := r.begin(t)
		const body = `{"messages":[{"role":"user","content":"x"}]}`
		for range 2 {
			got := r.post(t, "/v1/chat/completions", body)
			if got.status != status || got.code() != code || strings.Contains(got.body, "so it is") == (x.Fault == fault.Miss) || got.header.Get("x-should-retry") != "false" {
				t.Errorf("%s: %+v, want %d %s", x.Fault, got, status, code)
			}
		}
		calls := 2
		if x.Stops {
			calls = 1
		}
		if n := len(chat.requests()); n != calls {
			t.Errorf("%s: %d calls, want %d", x.Fault, n, calls)
		}
		err := p.End()
		if poisoned := err != nil; poisoned != x.Poisons || poisoned && fault.KindOf(err) != x.Fault {
			t.Errorf("%s: the phase ends with %v", x.Fault, err)
		}
		if degraded := used.Seen().Degraded[RoleExternal] == 2; degraded == x.Poisons {
			t.Errorf("%s: degraded %v", x.Fault, used.Seen().Degraded)
		}
	}
}

func TestVectorsEmbeddings(t *testing.T) {
	var padding []struct {
		Native     []float32
		Dimensions *int
		Out        []float32
		Error      int
	}
	vectors(t, "padding", &padding)
	for _, x := range padding {
		r := newRig(t, Models{Embedder: opened(constantEmbedder{x.Native})})
		p, _ := r.begin(t)
		got := r.post(t, "/v1/embeddings", string(encode(map[string]any{"input": "x", "dimensions": x.Dimensions})))
		var b struct {
			Data []struct{ Embedding []float32 }
		}
		_ = json.Unmarshal([]byte(got.body), &b)
		switch {
		case x.Error != 0 && (got.status != x.Error || !strings.Contains(got.body, "3 dimensions, and 2")):
			t.Errorf("%+v: %+v", x, got)
		case x.Error == 0 && (len(b.Data) != 1 || !reflect.DeepEqual(b.Data[0].Embedding, x.Out)):
			t.Errorf("%+v: %+v", x, got)
		}
		if err := p.End(); err != nil {
			t.Error(err)
		}
	}
	var b64 struct {
		Vector []float32
		Base64 string
	}
	vectors(t, "base64", &b64)
	r := newRig(t, Models{Embedder: opened(constantEmbedder{b64.Vector})})
	r.begin(t)
	if got := r.post(t, "/v1/embeddings", `{"input":"x","encoding_format":"base64"}`); !strings.Contains(got.body, `"embedding":"`+b64.Base64+`"`) {
		t.Errorf("got %s, want %s", got.body, b64.Base64)
	}
}
