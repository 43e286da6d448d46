package adapter

import (
	"os"
	"strings"
	"testing"
	"time"

	"recallbench/internal/door/fault"
	"recallbench/internal/testkit/try"
)

// TestFloods checks that what an adapter prints or tells without end neither stands in
// the way of its replies nor fills the disk: of the log the beginning is kept.
func TestFloods(t *testing.T) {
	for _, mode := range []string{"flood", "chatter"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c, log := startChild(t, mode)
			path := log.path
			try.Get(search(t.Context(), c))(t)
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if err := log.Close(); err != nil {
				t.Error(err)
			}
			data, err := os.ReadFile(path)
			if err != nil || len(data) == 0 || len(data) > logPart+1000 {
				t.Errorf("the log has %d bytes, %v; want at most its beginning", len(data), err)
			}
			if strings.Contains(string(data), "sk-rb-secret") {
				t.Error("the log holds a key")
			}
		})
	}
}

// TestClosedInput checks that an adapter that reads no more is a fault with the next
// requests and blocks nobody.
func TestClosedInput(t *testing.T) {
	c, _ := startChild(t, "unread")
	var err error
	for wait := time.Millisecond; c.Ended() == nil; wait *= 2 {
		ctx, stop := Within(t.Context(), 50*time.Millisecond, nil)
		if _, err = search(ctx, c); err == nil {
			t.Fatal("it replied")
		}
		stop()
		time.Sleep(min(wait, time.Second))
	}
	if kind := fault.KindOf(c.Ended()); kind != fault.AdapterCrash && kind != fault.AdapterTimeout {
		t.Errorf("the connection ended with %v, after %v", c.Ended(), err)
	}
}
