//go:build unix

package adapter

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"recallbench/internal/door/fault"
	"recallbench/internal/outside/wire"
)

// BenchmarkEndlessLine measures the time until an adapter is ended that sends a line
// of 1 GB, and the peak of the memory that the harness takes for it.
func BenchmarkEndlessLine(b *testing.B) {
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		c, err := Start(Process{
			Command: []string{exe}, Dir: filepath.Join(b.TempDir(), "work"), Set: map[string]string{childMode: "long"}, Log: NewLog("", nil), Getenv: os.LookupEnv,
		})
		if err != nil {
			b.Fatal(err)
		}
		if err := c.Call(b.Context(), wire.Initialize, wire.InitializeParams{}, new(wire.InitializeResult)); err != nil {
			b.Fatal(err)
		}
		if _, err := search(b.Context(), c); fault.KindOf(err) != fault.AdapterProtocol {
			b.Fatal(err)
		}
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
	}
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(u.Maxrss)/1024, "peak-MB") // Maxrss is in KB on Linux
}
