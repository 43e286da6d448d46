package openai

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/modelserver"
)

// TestConnections holds 256 calls in flight, three times over, and counts the
// connections: a pool that is too small opens them anew for nearly every call.
func TestConnections(t *testing.T) {
	const calls = 256
	var opened atomic.Int64
	s := httptest.NewUnstartedServer(modelserver.NewHandler(modelserver.Options{Latency: 30 * time.Millisecond}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	c := mustChat(t, Config{BaseURL: s.URL + "/v1", Model: "m"})
	for range 3 {
		var wg sync.WaitGroup
		for i := range calls {
			wg.Go(func() {
				question := strconv.Itoa(i)
				if got, err := c.Generate(t.Context(), ask(question)); err != nil || got.Text != modelserver.Answer(question) {
					t.Errorf("question %s: got %q, %v", question, got.Text, err)
				}
			})
		}
		wg.Wait()
	}
	// A connection that is being opened while another gets free is one more.
	if n := opened.Load(); n > calls+calls/4 {
		t.Errorf("%d connections for %d calls in flight", n, calls)
	}
}

var transcript = strings.Repeat("[8 May 2023] Ann: I went to the \"old\" harbour today, it was lovely!\n", 1300)

// BenchmarkGenerate makes calls one after another. Client and test server
// share the process, so the time of both is counted.
func BenchmarkGenerate(b *testing.B) {
	for _, bm := range []struct{ name, question string }{{"short", "where did Ann go?"}, {"90kB", transcript}} {
		b.Run(bm.name, func(b *testing.B) {
			s := modelserver.New(b, modelserver.Options{})
			c := mustChat(b, Config{BaseURL: s.URL, Key: testKey, Model: "m"})
			r := ask(bm.question)
			r.Params = llm.Params{Temperature: new(0.0), MaxTokens: 32}
			b.SetBytes(int64(len(bm.question)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Generate(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkClient is BenchmarkGenerate without a server and sockets: what the
// client costs by itself.
func BenchmarkClient(b *testing.B) {
	const reply = `{"id":"x","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"to the harbour"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}}`
	for _, bm := range []struct{ name, question string }{{"short", "where did Ann go?"}, {"90kB", transcript}} {
		b.Run(bm.name, func(b *testing.B) {
			client := &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
				w := httptest.NewRecorder()
				_, _ = w.WriteString(reply)
				return w.Result(), nil
			})}
			c := mustChat(b, Config{BaseURL: "http://host/v1", Key: testKey, Model: "m", Client: client})
			r := ask(bm.question)
			b.SetBytes(int64(len(bm.question)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Generate(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkInFlight holds 256 calls in flight.
func BenchmarkInFlight(b *testing.B) {
	s := modelserver.New(b, modelserver.Options{})
	c := mustChat(b, Config{BaseURL: s.URL, Key: testKey, Model: "m"})
	b.ReportAllocs()
	b.SetParallelism(128) // times GOMAXPROCS, which is 2 or more
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := c.Generate(context.Background(), ask("where did Ann go?")); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// BenchmarkSlowServer makes 5,000 calls, 256 in flight, of a server that takes
// 200 ms, and says how many times the ideal time they took.
func BenchmarkSlowServer(b *testing.B) {
	const (
		calls, inFlight = 5000, 256
		latency         = 200 * time.Millisecond
		ideal           = latency * ((calls + inFlight - 1) / inFlight)
	)
	s := modelserver.New(b, modelserver.Options{Latency: latency})
	c := mustChat(b, Config{BaseURL: s.URL, Key: testKey, Model: "m"})
	for b.Loop() {
		next := make(chan int)
		var wg sync.WaitGroup
		for range inFlight {
			wg.Go(func() {
				for i := range next {
					if _, err := c.Generate(b.Context(), ask(strconv.Itoa(i))); err != nil {
						b.Error(err)
					}
				}
			})
		}
		for i := range calls {
			next <- i
		}
		close(next)
		wg.Wait()
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(ideal), "x-ideal")
}

func BenchmarkEmbed(b *testing.B) {
	texts := make([]string, 100)
	for i := range texts {
		texts[i] = "I went to the old harbour today, it was lovely! " + strconv.Itoa(i)
	}
	for _, encoding := range []string{"float", "base64"} {
		b.Run(encoding, func(b *testing.B) {
			// The server's vectors take longer than reading them, so it is asked once.
			var reply []byte
			s := modelserver.NewHandler(modelserver.Options{Dim: 1024})
			client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				w := httptest.NewRecorder()
				if reply == nil {
					s.ServeHTTP(w, r)
					reply = w.Body.Bytes()
				} else {
					_, _ = w.Write(reply)
				}
				return w.Result(), nil
			})}
			e, err := NewEmbedder(EmbedConfig{Config: Config{BaseURL: "http://host/v1", Model: "m", Client: client}, Encoding: encoding})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.EmbedBatch(b.Context(), embed.Request{Texts: texts}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
