//go:build unix

package runners_test

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"

	"recallbench/datasets"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/runners"
)

// BenchmarkExecute runs 20,000 requests, 256 in flight, of a method that does
// nothing. It reports the processor time that the runner takes for each
// request, all threads together, and the peak of the resident memory.
func BenchmarkExecute(b *testing.B) {
	const requests = 20_000
	for b.Loop() {
		m := toyMethod{answer: func(_ context.Context, _ string, r datasets.Request) (methods.Response, error) {
			return methods.Response{
				Text:     r.Text,
				Evidence: []methods.Evidence{{ID: "all", Sources: []string{"t1"}, Text: "hello", Score: 1}},
			}, nil
		}}
		plan := newPlan(b, &m, toyConfig, "concurrency.requests=256",
			"datasets.toy.options.samples=10", "datasets.toy.options.requests=2000")
		before := processor(b)
		run := try.Get(plan.Start(b.Context(), filepath.Join(b.TempDir(), "run")))(b)
		result, err := run.Execute(b.Context(), runners.Options{})
		if err != nil || result.Requests != requests || result.Failed != 0 {
			b.Fatalf("%d requests, %d failed, %v", result.Requests, result.Failed, err)
		}
		run.Close()
		b.ReportMetric(float64(processor(b)-before)/requests, "cpu-µs/request")
	}
	var u syscall.Rusage
	try.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	b.ReportMetric(float64(u.Maxrss)/1024, "peak-MB") // Maxrss is in KB on Linux
}

// processor returns the processor time of the process in microseconds.
func processor(b *testing.B) int64 {
	b.Helper()
	var u syscall.Rusage
	try.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return (u.Utime.Nano() + u.Stime.Nano()) / 1000
}
