package fleet

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"recallbench/internal/result/record"
	"recallbench/runners"
)

// listen starts a coordinator's server on this machine.
func listen(tb testing.TB) *Coordinator {
	tb.Helper()
	keys, err := MakeKeys(tb.TempDir(), "0123abcd", false)
	if err != nil {
		tb.Fatal(err)
	}
	link, err := Listen("127.0.0.1:0", keys)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = link.Close() })
	return &Coordinator{
		Link: link, Keys: keys, Log: slog.New(slog.DiscardHandler), Patience: DefaultPatience,
		sessions: make(map[string]*session), tries: make(map[runners.Unit][]try),
	}
}

// BenchmarkQuestion asks the coordinator over TLS, as 100 calls of a worker do at the
// same time: the time of one is what it takes of both processors.
func BenchmarkQuestion(b *testing.B) {
	c := listen(b)
	ctx := b.Context()
	user := rand.Text()
	s := newSession(ctx, user, "worker")
	c.sessions[s.id] = s
	if _, err := c.Link.conn.Subscribe(askSubject(c.Keys.Run, "*"), func(m *nats.Msg) { go c.serve(ctx, m) }); err != nil {
		b.Fatal(err)
	}
	conn, err := Worker{URL: c.Link.URL, Access: c.Keys.Access, Patience: time.Minute}.connect(ctx, user)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(conn.Close)
	worker := &client{
		conn: conn, access: c.Keys.Access, user: user, binary: record.Binary{}, log: c.Log, patience: time.Minute, life: context.Background(), line: context.Background(),
		session: &conversation{id: s.id, open: make(map[uint64]bool)}, heard: time.Now(),
	}
	work := make(chan struct{})
	var asking sync.WaitGroup
	for range 100 {
		asking.Go(func() {
			for range work {
				if _, err := worker.ask(ctx, opBeat, nil, nil); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for b.Loop() {
		work <- struct{}{}
	}
	close(work)
	asking.Wait()
}
