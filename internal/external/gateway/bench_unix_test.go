//go:build unix

package gateway

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"recallbench/internal/backend/calls"
	"recallbench/internal/door/embed"
	"recallbench/internal/testkit/modelserver"
)

// prompt is a body of 8 KiB, each another one.
func prompt(i int) string {
	return fmt.Sprintf(`{"model":"m","messages":[{"role":"system","content":"%d"},{"role":"user","content":"%s"}],"temperature":0.1,"top_p":0.5}`,
		i, strings.Repeat("Ana: Rex is asleep.\\n", 400))
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
