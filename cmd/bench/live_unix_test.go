//go:build unix

package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

// BenchmarkLive runs the command as a process of its own against a server that
// takes 200 ms for each request, 256 at once, and reports the time of the run
// over the ideal one, that of the whole process with start, scores and tables,
// the process's own processor time for each request, and its peak of resident
// memory. A plain client that sends as many requests says what the machine takes.
func BenchmarkLive(b *testing.B) {
	const requests, inFlight, latency = 5000, 256, 200 * time.Millisecond
	s := modelserver.New(b, modelserver.Options{Latency: latency})
	config := questions(b, 100, requests/100, fmt.Sprintf("concurrency: {requests: %d}\n", inFlight))
	model := liveModel(b, s, "")
	ideal := time.Duration((requests+inFlight-1)/inFlight) * latency
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			plainClient(b, s.URL+"/chat/completions", requests, inFlight)
		}
		b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(ideal), "process/ideal")
	})
	for _, mode := range []string{"off", "record"} {
		b.Run("calls="+mode, func(b *testing.B) {
			var took, whole, processor time.Duration
			var peak int64
			for b.Loop() {
				dir := b.TempDir()
				cmd := process(b, "run", config, "--model", model, "--display", "none", "--calls", mode,
					"--out", filepath.Join(dir, "run"), "--store", filepath.Join(dir, "calls"))
				start := time.Now()
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
				whole += time.Since(start)
				h := header(b, filepath.Join(dir, "run"))
				took += h.End.Sub(h.Start)
				usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
				if !ok {
					b.Fatal("the system does not tell what a process used")
				}
				processor += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
				peak = max(peak, int64(usage.Maxrss)) //nolint:unconvert // its type differs between systems
			}
			b.ReportMetric(float64(took)/float64(b.N)/float64(ideal), "run/ideal")
			b.ReportMetric(float64(whole)/float64(b.N)/float64(ideal), "process/ideal")
			b.ReportMetric(float64(processor.Microseconds())/float64(b.N)/requests, "cpu-us/request")
			b.ReportMetric(float64(peak)/1024, "peak-MB") // Maxrss is in KB on Linux
		})
	}
}

// plainClient sends requests to a server, and does nothing else.
func plainClient(b *testing.B, url string, requests, inFlight int) {
	b.Helper()
	client := http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: inFlight}}
	defer client.CloseIdleConnections()
	work := make(chan int)
	var wg sync.WaitGroup
	for range inFlight {
		wg.Go(func() {
			for i := range work {
				body := fmt.Sprintf(`{"model": "test-model", "messages": [{"role": "user", "content": "What is number %d?"}]}`, i)
				resp, err := client.Post(url, "application/json", strings.NewReader(body)) //nolint:noctx // nothing ends it
				if err != nil {
					b.Error(err)
					continue
				}
				_, err = io.Copy(io.Discard, resp.Body)
				try.Do(b, errors.Join(err, resp.Body.Close()))
			}
		})
	}
	for i := range requests {
		work <- i
	}
	close(work)
	wg.Wait()
}
