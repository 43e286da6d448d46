package gateway

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/token"
	"recallbench/internal/testkit/try"
)

// clock is when tests are.
func clock() time.Time { return time.Date(2026, 11, 22, 10, 20, 0, 0, time.UTC) }

// A rig is a server with one memory.
type rig struct {
	*Server
	m   *Memory
	log *syncBuffer
}

func newRig(tb testing.TB, models Models) *rig {
	tb.Helper()
	var log syncBuffer
	s := try.Get(Start(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), clock))(tb)
	tb.Cleanup(func() { _ = s.Close() })
	return &rig{s, s.Open(models), &log}
}

// syncBuffer is a buffer for many.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// begin binds the memory to a new meter.
func (r *rig) begin(tb testing.TB) (*Phase, *meter.Meter) {
	tb.Helper()
	ctx, m := meter.With(tb.Context(), time.Now, meter.Limits{})
	return r.m.Begin(ctx, RoleExternal, embed.Document), m
}

// A reply is what the server returned.
type reply struct {
	status int
	header http.Header
	body   string
}

// post sends a body with the memory's key; headers are names and values.
func (r *rig) post(tb testing.TB, path, body string, headers ...string) reply {
	tb.Helper()
	got := try.Get(r.try(tb.Context(), path, body, headers...))(tb)
	return got
}

// get reads a path under a name of the host; empty for its own.
func (r *rig) get(tb testing.TB, path, host string) reply {
	tb.Helper()
	req := try.Get(http.NewRequestWithContext(tb.Context(), http.MethodGet, r.URL()+path, http.NoBody))(tb)
	req.Host = cmp.Or(host, req.Host)
	return try.Get(r.send(req))(tb)
}

func (r *rig) try(ctx context.Context, path, body string, headers ...string) (reply, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(r.URL(), "/v1")+path, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return r.send(req)
}

// send sends a request with the memory's key, unless it has another.
func (r *rig) send(req *http.Request) (reply, error) {
	if req.Header.Get("Authorization") == "" {
		req.Header.Set("Authorization", "Bearer "+r.m.Key())
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, string(data)}, err
}

// code returns the code of an error.
func (r reply) code() string {
	var b struct {
		Error struct{ Code string }
	}
	_ = json.Unmarshal([]byte(r.body), &b)
	return b.Error.Code
}

// A model keeps what it is asked, and says so.
type model struct {
	mu    sync.Mutex
	asked []llm.Request
	do    func(llm.Request) (llm.Reply, error) // nil to answer with the last message
	wait  chan struct{}                        // until it is closed; nil for nothing
}

func (m *model) Generate(ctx context.Context, r llm.Request) (llm.Reply, error) {
	m.mu.Lock()
	m.asked = append(m.asked, r)
	m.mu.Unlock()
	if m.wait != nil {
		select {
		case <-m.wait:
		case <-ctx.Done():
			return llm.Reply{}, context.Cause(ctx)
		}
	}
	if m.do != nil {
		return m.do(r)
	}
	return llm.Reply{
		Text: r.Messages[len(r.Messages)-1].Content, Finish: "stop", Model: "served", Call: "eff73a6fbcbfbccc",
		Usage: llm.Usage{Calls: 1, Input: 7, Output: 2},
	}, nil
}

func (m *model) requests() []llm.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]llm.Request(nil), m.asked...)
}

// metered puts a meter before a model, as the runner does.
func metered(tb testing.TB, g llm.Generator) llm.Generator {
	tb.Helper()
	c := try.Get(token.New("o200k_base"))(tb)
	return meter.Generator(g, c, meter.Free)
}

// lengths embeds a text as its length and its number of letters a.
type lengths struct{ dim int }

func (l lengths) Dim() int { return l.dim }

func (l lengths) Embed(_ context.Context, r embed.Request) (embed.Reply, error) {
	var reply embed.Reply
	for _, t := range r.Texts {
		reply.Vectors = append(reply.Vectors, []float32{float32(len(t)), float32(strings.Count(t, "a"))})
		reply.Tokens += len(t)
	}
	return reply, nil
}

// opened opens an embedder.
func opened(e embed.Embedder) func(context.Context) (embed.Embedder, error) {
	return func(context.Context) (embed.Embedder, error) { return e, nil }
}

// A constantEmbedder embeds every text alike.
type constantEmbedder struct{ v []float32 }

func (constantEmbedder) Dim() int { return 0 }

func (c constantEmbedder) Embed(_ context.Context, r embed.Request) (embed.Reply, error) {
	var reply embed.Reply
	for range r.Texts {
		reply.Vectors = append(reply.Vectors, c.v)
	}
	return reply, nil
}
