package main

import (
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

// BenchmarkServe asks 320 requests of a provider that takes 200 ms by one worker and by
// four, each with four calls in flight, and wants the four to be 3.8 times as fast.
func BenchmarkServe(b *testing.B) {
	server := modelserver.New(b, modelserver.Options{Latency: 200 * time.Millisecond})
	config := questions(b, 80, 4, "name: live\nconcurrency: {samples: 8, requests: 4}\n")
	model := liveModel(b, server, ", limits: {max: 16}")
	took := func(workers int) time.Duration {
		dir := filepath.Join(b.TempDir(), "many")
		serving := process(b, "serve", config, "--model", model, "--calls", "off", "--out", dir, "--addr", "127.0.0.1:47"+strconv.Itoa(90+workers), "--display", "none")
		before := server.Stats().Arrived
		try.Do(b, serving.Start())
		for range workers {
			worker := process(b, "work", "tls://127.0.0.1:47"+strconv.Itoa(90+workers), "--access", filepath.Join(dir+".access", "worker.json"), "--wait")
			try.Do(b, worker.Start())
			b.Cleanup(func() { _ = worker.Wait() })
		}
		arrived := func(n int) time.Time {
			for server.Stats().Arrived-before < n {
				time.Sleep(time.Millisecond)
			}
			return time.Now()
		}
		begun := arrived(4 * workers) // all are at work
		ended := arrived(320)
		try.Do(b, serving.Wait())
		return ended.Sub(begun) * 320 / time.Duration(320-4*workers)
	}
	for b.Loop() {
		one, four := took(1), took(4)
		speedup := one.Seconds() / four.Seconds()
		b.ReportMetric(speedup, "speedup")
		if speedup < 3.8 {
			b.Errorf("four workers are %.2f times as fast as one (%s, %s), want 3.8", speedup, one, four)
		}
	}
}
