package fleet

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// A coordinator answers with a welcome after it has said something to all workers.
type coordinator struct {
	over string
	says func()
}

func (c coordinator) RequestWithContext(context.Context, string, []byte) (*nats.Msg, error) {
	c.says()
	sum := sha256.Sum256([]byte(c.over))
	data, err := encode(said(welcome{Session: "1", Over: sum[:]}, nil))
	return &nats.Msg{Data: data}, err
}
func (coordinator) IsClosed() bool    { return false }
func (coordinator) LastError() error  { return nil }
func (coordinator) MaxPayload() int64 { return maxMessage }

// A run that ends while a worker is welcomed has ended for the worker too, and what
// others say ends nothing.
func TestEarlyEnd(t *testing.T) {
	for word, over := range map[string]bool{"the end": true, "another word": false} {
		c := &client{log: slog.New(slog.DiscardHandler), patience: time.Second, life: t.Context(), heard: time.Now()}
		c.conn = coordinator{"the end", func() {
			if ends, known := c.ends([]byte(word)); ends || known {
				t.Errorf("%q: ends %t, known %t before the welcome", word, ends, known)
			}
		}}
		c.connected(nil)
		if _, err := c.hello(t.Context()); errors.Is(err, errOver) != over {
			t.Errorf("%q: got %v, over %t", word, err, over)
		}
		if ends, known := c.ends([]byte("the end")); !ends || !known {
			t.Errorf("%q: ends %t, known %t after the welcome", word, ends, known)
		}
	}
}
