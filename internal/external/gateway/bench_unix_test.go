//go:build unix

package gateway

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"recallbench/internal/backend/calls"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

// processor returns the processor time of this process.
func processor(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	try.Do(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// prompt is a body of 8 KiB, each another one.
func prompt(i int) string {
	return fmt.Sprintf(`{"model":"m","messages":[{"role":"system","content":"%d"},{"role":"user","content":"%s"}],"temperature":0.1,"top_p":0.5}`,
		i, strings.Repeat("Ana: Rex is asleep.\\n", 400))
}

// BenchmarkCall measures the processor time of a call of 8 KiB beyond that of the
// door, which returns at once. What the caller takes is part of it: a connection
// that writes the bytes and reads the reply's length.
func BenchmarkCall(b *testing.B) {
	reply := llm.Reply{Text: "x", Finish: "stop", Usage: llm.Usage{Calls: 1, Input: 7, Output: 2}, Wire: []byte(`[{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}]`)}
	door := llm.GeneratorFunc(func(context.Context, llm.Request) (llm.Reply, error) { return reply, nil })
	for _, mode := range []string{"plain", "normalised"} {
		b.Run(mode, func(b *testing.B) {
			models := Models{Chat: door}
			if mode == "normalised" {
				models.Normalise = []Rule{UUID}
			}
			r := newRig(b, models)
			r.m.Begin(b.Context(), RoleExternal, embed.Document)
			var d net.Dialer
			conn := try.Get(d.DialContext(b.Context(), "tcp", r.addr))(b)
			defer conn.Close()
			in := bufio.NewReader(conn)
			bodies := make([][]byte, 1000)
			for i := range bodies {
				body := prompt(i)
				bodies[i] = fmt.Appendf(nil, "POST /v1/chat/completions HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", r.addr, r.m.Key(), len(body), body)
			}
			n := 0
			start := processor(b)
			for b.Loop() {
				try.Do(b, exchangeRaw(conn, in, bodies[n%len(bodies)]))
				n++
			}
			b.ReportMetric(float64(processor(b)-start)/float64(n)/1e6, "cpu-ms/call")
		})
	}
}

// exchangeRaw sends a request and reads the reply.
func exchangeRaw(w io.Writer, in *bufio.Reader, request []byte) error {
	if _, err := w.Write(request); err != nil {
		return err
	}
	length := 0
	for first := true; ; first = false {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if first && !bytes.HasPrefix(line, []byte("HTTP/1.1 200")) {
			return errors.New(string(line))
		}
		if rest, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if _, err := fmt.Sscan(string(rest), &length); err != nil {
				return err
			}
		}
		if len(line) == 2 {
			_, err := in.Discard(length)
			return err
		}
	}
}

// BenchmarkFlight sends 5,000 calls, 256 at a time, to a server that takes 200 ms for
// each, and reports the time as times the ideal one.
func BenchmarkFlight(b *testing.B) {
	const all, most, latency = 5000, 256, 200 * time.Millisecond
	server := modelserver.New(b, modelserver.Options{Latency: latency, Key: providerKey})
	r := newRig(b, doors(b, server, nil, calls.Off))
	p := r.m.Begin(b.Context(), RoleExternal, embed.Document)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: most}}
	defer client.CloseIdleConnections()
	for b.Loop() {
		start := time.Now()
		next := make(chan int)
		var wg sync.WaitGroup
		for range most {
			wg.Go(func() {
				for i := range next {
					req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, r.URL()+"/chat/completions", strings.NewReader(prompt(i)))
					if err != nil {
						b.Error(err)
						continue
					}
					req.Header.Set("Authorization", "Bearer "+r.m.Key())
					resp, err := client.Do(req)
					if err != nil {
						b.Error(err)
						continue
					}
					if _, _ = io.Copy(io.Discard, resp.Body); resp.StatusCode != http.StatusOK {
						b.Error(resp.Status)
					}
					_ = resp.Body.Close() // of what was read whole
				}
			})
		}
		for i := range all {
			next <- i
		}
		close(next)
		wg.Wait()
		ideal := (all + most - 1) / most * latency
		b.ReportMetric(float64(time.Since(start))/float64(ideal), "times-ideal")
	}
	if err := p.End(); err != nil {
		b.Error(err)
	}
}
