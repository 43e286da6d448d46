//go:build unix

package adapter

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"recallbench/internal/door/fault"
	"recallbench/internal/external/wire"
	"recallbench/internal/testkit/try"
)

// BenchmarkEndlessLine measures the time until an adapter is ended that sends a line
// of 1 GB, and the peak of the memory that the harness takes for it.
func BenchmarkEndlessLine(b *testing.B) {
	exe := try.Get(os.Executable())(b)
	for b.Loop() {
		c, err := Start(Process{
			Command: []string{exe}, Dir: filepath.Join(b.TempDir(), "work"), Set: map[string]string{childMode: "long"}, Log: NewLog(""), Getenv: os.Getenv,
		})
		try.Do(b, err)
		try.Do(b, c.Call(b.Context(), wire.Initialize, wire.InitializeParams{}, new(wire.InitializeResult)))
		if _, err := search(b.Context(), c); fault.KindOf(err) != fault.AdapterProtocol {
			b.Fatal(err)
		}
		try.Do(b, c.Close())
	}
	var u syscall.Rusage
	try.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	b.ReportMetric(float64(u.Maxrss)/1024, "peak-MB") // Maxrss is in KB on Linux
}
