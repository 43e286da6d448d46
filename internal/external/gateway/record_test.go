package gateway

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/openai"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

const providerKey = "sk-provider-0123456789abcdef"

// doors returns the models of a server behind recordings.
func doors(tb testing.TB, server *modelserver.Server, store *calls.Store, mode calls.Mode) Models {
	tb.Helper()
	rec := calls.NewRecorder(store, mode)
	config := openai.Config{BaseURL: server.URL, Key: providerKey, Model: "m"}
	chat := try.Get(openai.NewChat(config))(tb)
	vectors := try.Get(openai.NewEmbedder(config, 0))(tb)
	id := calls.Identity{Class: "openai", Provider: "test", Model: "m", Fixed: chat.Fixed()}
	var inner llm.Generator
	var embedder embed.Embedder
	if mode != calls.Replay {
		inner, embedder = chat, vectors
	}
	return Models{
		Name: "mem", Chat: metered(tb, rec.Generator(id, inner)), ChatName: "m", EmbedName: "m",
		Embedder:  opened(rec.Embedder(id, 0, embedder)),
		Normalise: []Rule{UUID},
	}
}

// A run that is recorded can be repeated without a server: the same bytes come
// back, but for what is random in them; and no key is in what is written.
func TestRecordings(t *testing.T) {
	server := modelserver.New(t, modelserver.Options{Key: providerKey})
	dir := t.TempDir()
	var keys []string
	run := func(mode calls.Mode, id string) (bodies []string, calls int) {
		t.Helper()
		store := try.Get(callsOpen(dir))(t)
		defer store.Close()
		r := newRig(t, doors(t, server, store, mode))
		keys = append(keys, r.m.Key(), r.proxyKey)
		p, m := r.begin(t)
		for _, b := range []string{
			`{"model":"x","messages":[{"role":"user","content":"store <` + id + `>"}],"temperature":0.1,"top_p":0.5}`,
			`{"model":"x","messages":[{"role":"user","content":"store <` + id + `>"}],"temperature":0.1,"top_p":0.5}`,
			`{"model":"x","messages":[{"role":"user","content":"store"}],"logprobs":true,"user":"` + id + `"}`,
			`{"model":"x","messages":[{"role":"user","content":"store"}],"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object","properties":{"a":{"type":"string"}}}}}}`,
		} {
			got := r.post(t, "/v1/chat/completions", b)
			if got.status != 200 {
				t.Errorf("%s: %+v", b, got)
			}
			bodies = append(bodies, got.body)
		}
		got := r.post(t, "/v1/embeddings", `{"input":["a","b `+id+`"],"encoding_format":"base64"}`)
		if got.status != 200 {
			t.Errorf("%+v", got)
		}
		bodies = append(bodies, got.body)
		bodies = append(bodies, r.post(t, "/v1/none", "{").body, r.post(t, "/v1/models", "{", "Authorization", "Bearer "+r.m.Key()+"x").body, r.post(t, "/v1/chat/completions", "{").body)
		if err := p.End(); err != nil {
			t.Error(err)
		}
		for _, text := range append(bodies, r.log.String()) {
			noKeys(t, text, append(keys, providerKey))
		}
		return bodies, m.Seen().Usage[RoleExternal].Calls
	}
	const one, two = "7b6f3d0e-3f0c-4c39-9d0a-5f6a8f5b1c22", "0e4d2c1b-1111-4222-8333-444455556666"
	first, n := run(calls.Record, one)
	asked := server.Stats().Answered
	again, m := run(calls.Replay, two)
	for i := range again {
		again[i] = strings.ReplaceAll(again[i], two, one)
	}
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("replayed (-recorded +replayed):\n%s", diff)
	}
	if n != 4 || m != 4 || server.Stats().Answered != asked {
		t.Errorf("%d and %d calls, %d and %d answered", n, m, asked, server.Stats().Answered)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.db*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		data := try.Get(os.ReadFile(f))(t)
		noKeys(t, string(data), append(keys, providerKey))
	}
	var b struct {
		ID      string
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.Unmarshal([]byte(first[0]), &b); err != nil || b.Choices[0].Message.Content != modelserver.Answer("store <"+placeholder(1)+">") || len(b.ID) != len("chatcmpl-rb-")+16 {
		t.Errorf("%+v, %v", b, err)
	}
	if first[0] == first[1] {
		t.Error("a request that came twice has one id")
	}

	// A miss stops, and says to the run in what the nearest recording differs.
	store := try.Get(callsOpen(dir))(t)
	defer store.Close()
	r := newRig(t, doors(t, server, store, calls.Replay))
	p, _ := r.begin(t)
	got := r.post(t, "/v1/chat/completions", `{"messages":[{"role":"user","content":"store <`+one+`>"}],"temperature":0.2,"top_p":0.5}`)
	if got.status != 503 || got.code() != "recallbench_stopped" || strings.Contains(got.body, "nearest") {
		t.Errorf("%+v", got)
	}
	if err := p.End(); fault.KindOf(err) != fault.Miss || !strings.Contains(err.Error(), "\n  - temperature: 0.1\n  + temperature: 0.2") {
		t.Error(err)
	}
}

// A reply without text reaches the caller as it came, recorded or not, and counts as
// degraded: libraries go on with it.
func TestEmptyReplies(t *testing.T) {
	server := modelserver.New(t, modelserver.Options{Key: providerKey, Reasoning: 30})
	dir := t.TempDir()
	for _, mode := range []calls.Mode{calls.Record, calls.Replay} {
		store := try.Get(callsOpen(dir))(t)
		defer store.Close()
		r := newRig(t, doors(t, server, store, mode))
		p, m := r.begin(t)
		got := r.post(t, "/v1/chat/completions", `{"messages":[{"role":"user","content":"x"}],"max_tokens":30}`)
		var b struct {
			Choices []struct {
				Message struct{ Content string }
				Finish  string `json:"finish_reason"`
			}
			Usage struct {
				Completion int `json:"completion_tokens"`
			}
		}
		if err := json.Unmarshal([]byte(got.body), &b); got.status != 200 || err != nil || len(b.Choices) != 1 {
			t.Fatalf("%s: %+v, %v", mode, got, err)
		}
		if c := b.Choices[0]; c.Message.Content != "" || c.Finish != "length" || b.Usage.Completion != 30 {
			t.Errorf("%s: %+v", mode, b)
		}
		if err := p.End(); err != nil || m.Seen().Degraded[RoleExternal] != 1 {
			t.Errorf("%s: %v, degraded %v", mode, err, m.Seen().Degraded)
		}
	}
}

func callsOpen(dir string) (*calls.Store, error) {
	return calls.Open(dir, slog.New(slog.DiscardHandler))
}

func noKeys(t *testing.T, text string, keys []string) {
	t.Helper()
	for _, k := range keys {
		if strings.Contains(text, k) {
			t.Errorf("a key stands in %.300q", text)
		}
	}
}
