package calls

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/try"
)

// Recorders of several processes share the recordings of one: a call is made once,
// and what is recorded under another key is refused.
func TestServer(t *testing.T) {
	store, err := Open(t.TempDir(), slog.New(slog.DiscardHandler))
	try.Do(t, err)
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
	var last remoteRequest // that recorded something
	doors := make([]llm.Generator, 3)
	for i := range doors {
		owner := string(rune('a' + i))
		doors[i] = NewRemote(Reuse, "the run", func(ctx context.Context, request []byte) ([]byte, error) {
			var q remoteRequest
			if err := unpack(request, &q); err != nil {
				t.Error(err)
			}
			if q.Record != nil {
				mu.Lock()
				last = q
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
	none := NewRemote(Reuse, "the run", func(context.Context, []byte) ([]byte, error) { panic("a request about nothing") })
	none.store.release(t.Context(), nil)
	if found, err := none.store.find(t.Context(), nil); len(found) != 0 || err != nil {
		t.Errorf("of no calls %v was found, error %v", found, err)
	}
	if made != 1 {
		t.Errorf("%d calls were made, want 1", made)
	}

	answer := func(q remoteRequest) error {
		t.Helper()
		data, err := pack(q)
		try.Do(t, err)
		_, err = server.Answer(t.Context(), "a", data)
		return err
	}
	if err := answer(last); err != nil {
		t.Errorf("a recording that comes twice: %v", err)
	}
	last.Record[0].Key[0]++
	if err := answer(last); err == nil || !strings.Contains(err.Error(), "is that of another request") {
		t.Errorf("a recording under another key: %v", err)
	}
	for _, garbage := range []remoteRequest{{}, {Record: []entry{{Texts: []string{"{}"}}}}} {
		if err := answer(garbage); err == nil {
			t.Errorf("%+v was answered", garbage)
		}
	}
	if _, err := server.Answer(t.Context(), "a", []byte("{}")); err == nil {
		t.Error("noise was answered")
	}

	claim := func(owner string) bool {
		t.Helper()
		free, err := server.claim(t.Context(), owner, []Key{{1}})
		try.Do(t, err)
		return len(free) == 1
	}
	if first, again, other := claim("a"), claim("a"), claim("b"); !first || !again || other {
		t.Error("a claim is its owner's, and nobody else's")
	}
	server.Lost(t.Context(), "a")
	if !claim("b") {
		t.Error("a claim of one that is lost is not free")
	}
}
