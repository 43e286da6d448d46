package calls

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"recallbench/internal/door/llm"
)

// Recorders of several processes share the recordings of one: a call is made once,
// and what is recorded under another key is refused.
func TestServer(t *testing.T) {
	store, err := Open(t.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	server := NewServer(NewRecorder(store, Reuse))
	var mu sync.Mutex
	made := 0
	model := llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) {
		mu.Lock()
		defer mu.Unlock()
		made++
		return llm.Reply{Text: "an answer", Model: "m", Finish: "stop"}, nil
	})
	id := Identity{Class: "openai", Provider: "p", Model: "m"}
	var last []byte // that recorded something
	doors := make([]llm.Generator, 3)
	for i := range doors {
		owner := string(rune('a' + i))
		doors[i] = NewRemote(Reuse, "the run", func(ctx context.Context, request []byte) ([]byte, error) {
			if strings.Contains(string(request), `"record"`) {
				mu.Lock()
				last = request
				mu.Unlock()
			}
			return server.Answer(ctx, owner, request)
		}).Generator(id, model)
	}
	request := llm.Request{Role: "reader", Messages: []llm.Message{{Role: llm.User, Content: "What was bought?"}}}
	var asking sync.WaitGroup
	for _, door := range doors {
		asking.Go(func() {
			reply, err := door.Generate(t.Context(), request)
			if err != nil || reply.Text != "an answer" || reply.Call == "" || reply.Recorded.IsZero() {
				t.Errorf("%+v, error %v", reply, err)
			}
		})
	}
	asking.Wait()
	if made != 1 {
		t.Errorf("%d calls were made, want 1", made)
	}

	var forged remoteRequest
	if err := json.Unmarshal(last, &forged); err != nil {
		t.Fatal(err)
	}
	forged.Record[0].Key[0]++
	data, err := json.Marshal(forged)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.Answer(t.Context(), "a", data); err == nil || !strings.Contains(err.Error(), "is of another call") {
		t.Errorf("a recording under another key: %v", err)
	}
	for _, garbage := range []string{"", "{}", `{"find":["00"]}`, `{"record":[{"texts":["e30="]}]}`, `{"vectors":"fw=="}`, `{"nearest":[""]}`} {
		if _, err := server.Answer(t.Context(), "a", []byte(garbage)); err == nil {
			t.Errorf("%s was answered", garbage)
		}
	}

	claim := func(owner string) bool {
		t.Helper()
		free, err := server.claim(t.Context(), owner, Key{1})
		if err != nil {
			t.Fatal(err)
		}
		return free
	}
	if first, again, other := claim("a"), claim("a"), claim("b"); !first || !again || other {
		t.Error("a claim is its owner's, and nobody else's")
	}
	server.Lost(t.Context(), "a")
	if !claim("b") {
		t.Error("a claim of one that is lost is not free")
	}
}
