package main

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"recallbench/internal/backend/limit"
	"recallbench/internal/door/meter"
	"recallbench/runners"
)

// TestPlainDisplay wants a line every ten seconds, also while nothing finishes, and
// an end that follows the pace of the last minute.
func TestPlainDisplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		var mu sync.Mutex
		now := runners.State{Spent: meter.Spent{Paid: meter.Paid{USD: new(0.0)}}}
		set := func(change func(*runners.State)) {
			mu.Lock()
			defer mu.Unlock()
			change(&now)
		}
		p := &lines{w: &out, every: plainEvery}
		p.Begin(runners.Work{Memories: 2, Requests: 10, Done: 4}, func() runners.State {
			mu.Lock()
			defer mu.Unlock()
			return now
		})
		time.Sleep(15 * time.Second) // nothing finishes
		set(func(s *runners.State) {
			s.Spent = meter.Spent{Calls: 30, Tokens: 12000, Paid: meter.Paid{Reused: 20, USD: new(0.25)}}
			s.Counts = limit.Counts{Retries: 3, Refused: 2}
		})
		time.Sleep(10 * time.Second)
		set(func(s *runners.State) { s.Memories, s.Requests, s.Spent.Calls = 1, 3, 60 })
		time.Sleep(10 * time.Second)
		// Recordings answered the first three questions; the others wait for a server.
		time.Sleep(50 * time.Second)
		set(func(s *runners.State) { s.Requests++ })
		time.Sleep(10 * time.Second)
		set(func(s *runners.State) { s.Memories, s.Requests, s.Failed, s.Spent.USD = 2, 6, 1, nil })
		p.End()
		const want = `10 questions, 4 of them finished before; memories to build: 2
0/2 memories, 4/10 questions, 0 failed, 10s
0/2 memories, 4/10 questions, 0 failed, 30 calls (20 recorded), 12000 tokens, $0.2500, 3 retries, 2 rate limits (429), 20s
1/2 memories, 7/10 questions, 0 failed, 60 calls (20 recorded), 12000 tokens, $0.2500, 3 retries, 2 rate limits (429), 30s, about 30s left
1/2 memories, 7/10 questions, 0 failed, 60 calls (20 recorded), 12000 tokens, $0.2500, 3 retries, 2 rate limits (429), 40s, about 40s left
1/2 memories, 7/10 questions, 0 failed, 60 calls (20 recorded), 12000 tokens, $0.2500, 3 retries, 2 rate limits (429), 50s, about 50s left
1/2 memories, 7/10 questions, 0 failed, 60 calls (20 recorded), 12000 tokens, $0.2500, 3 retries, 2 rate limits (429), 1m0s, about 1m0s left
1/2 memories, 7/10 questions, 0 failed, 60 calls (20 recorded), 12000 tokens, $0.2500, 3 retries, 2 rate limits (429), 1m10s, about 1m0s left
1/2 memories, 7/10 questions, 0 failed, 60 calls (20 recorded), 12000 tokens, $0.2500, 3 retries, 2 rate limits (429), 1m20s, about 1m0s left
1/2 memories, 8/10 questions, 0 failed, 60 calls (20 recorded), 12000 tokens, $0.2500, 3 retries, 2 rate limits (429), 1m30s, about 2m0s left
2/2 memories, 10/10 questions, 1 failed, 60 calls (20 recorded), 12000 tokens, price unknown, 3 retries, 2 rate limits (429), 1m35s
`
		if out.String() != want {
			t.Errorf("got\n%swant\n%s", out.String(), want)
		}
	})
}

// In a terminal one line changes, and is not wider than it.
func TestBar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		p := &lines{w: &out, every: barEvery, width: 20}
		p.Begin(runners.Work{Requests: 2}, func() runners.State { return runners.State{Spent: meter.NewTally().Spent()} })
		time.Sleep(3 * barEvery / 2)
		p.End()
		if want := "2 questions, 0 of them finished before; memories to build: 0\n\r\x1b[K0/2 questions, 0 fa\r\x1b[K0/2 questions, 0 fa\n"; out.String() != want {
			t.Errorf("got\n%qwant\n%q", out.String(), want)
		}
	})
}
