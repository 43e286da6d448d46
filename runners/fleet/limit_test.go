package fleet

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"recallbench/internal/backend/limit"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/runners"
)

// A wire brings requests to a coordinator and answers back, each after a time at
// random, and loses some.
type wire struct {
	c    *Coordinator
	mu   sync.Mutex
	rand *rand.Rand
}

// travel waits for a message, which may be lost.
func (w *wire) travel() (lost bool) {
	w.mu.Lock()
	d, lost := time.Duration(w.rand.IntN(100))*time.Millisecond, w.rand.IntN(200) == 0
	if w.rand.IntN(50) == 0 {
		d = time.Duration(w.rand.IntN(8000)) * time.Millisecond
	}
	w.mu.Unlock()
	time.Sleep(d)
	return lost
}

var errWire = errors.New("lost")

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	answered := make(chan *http.Response, 1)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	go func() {
		if w.travel() {
			return
		}
		answer := httptest.NewRecorder()
		sent := httptest.NewRequestWithContext(context.WithoutCancel(r.Context()), r.Method, r.URL.Path, bytes.NewReader(body))
		sent.Header = r.Header
		w.c.ServeHTTP(answer, sent)
		if !w.travel() {
			answered <- answer.Result()
		}
	}()
	select {
	case answer := <-answered:
		return answer, nil
	case <-r.Context().Done():
		return nil, errWire
	}
}

// Eight workers keep the rate of one account in every minute, and use nine tenths of
// it, however late messages are and however long calls take.
func TestRate(t *testing.T) {
	const workers = 8
	const begin = 3 * time.Minute // until the limit of calls in flight has grown
	minutes := longtest.N(3, 20)
	for rpm, latency := range map[int]time.Duration{600: 200 * time.Millisecond, 60: 90 * time.Second} {
		t.Run(strconv.Itoa(rpm), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				accounts := limit.NewRegistry()
				s := limit.Defaults()
				s.Max, s.RPM = 4*rpm, rpm
				if _, err := accounts.Account("provider", s); err != nil {
					t.Fatal(err)
				}
				c := &Coordinator{
					Log: slog.New(slog.DiscardHandler), Patience: DefaultPatience, board: &runners.Board{Accounts: accounts},
					begins: t.Context(), hold: holdTime, begun: true,
				}
				c.init()
				ctx, cancel := context.WithCancel(t.Context())
				var mu sync.Mutex
				var arrivals []time.Time
				var calling sync.WaitGroup
				for i := range workers {
					worker := Worker{Log: c.Log, Patience: time.Hour}.client(t.Context(), func() {})
					worker.http.Transport = &wire{c: c, rand: rand.New(rand.NewPCG(1, uint64(i)))}
					one := newSession(t.Context(), worker.session, "worker")
					one.checked = true
					c.mu.Lock() // the workers before it are asking
					c.sessions[one.id] = one
					c.mu.Unlock()
					for range 8 + 2*rpm*int(latency/time.Second)/60/workers { // twice what is in flight
						calling.Go(func() {
							for ctx.Err() == nil {
								_, _ = worker.call(ctx, "provider", 1, func(context.Context) (int, error) {
									mu.Lock()
									arrivals = append(arrivals, time.Now())
									mu.Unlock()
									time.Sleep(latency)
									return 1, nil
								})
							}
						})
					}
					calling.Go(func() { worker.renew(ctx) })
				}
				time.Sleep(begin)
				mu.Lock()
				before := len(arrivals)
				mu.Unlock()
				time.Sleep(time.Duration(minutes) * time.Minute)
				cancel()
				calling.Wait()
				if n := modelserver.Densest(arrivals, time.Minute); n > rpm {
					t.Errorf("%d requests in a minute, want at most %d", n, rpm)
				}
				if n := len(arrivals) - before; n < minutes*rpm*9/10 {
					t.Errorf("%d requests in %d minutes, want at least nine tenths of %d", n, minutes, minutes*rpm)
				}
				time.Sleep(2 * time.Minute) // for what is late
				if status := accounts.Status()[0]; status.InFlight+status.Waiting > 0 {
					t.Errorf("%d calls in flight and %d waiting are left", status.InFlight, status.Waiting)
				}
			})
		})
	}
}
