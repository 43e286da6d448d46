package adapters_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recallbench/adapters"
	"recallbench/internal/external/adapter"
	"recallbench/internal/external/wire"
	"recallbench/internal/testkit/try"
)

// BenchmarkSearch measures searches over pipes, one after another, of an adapter in
// each language that does next to nothing: the harness's part, the kit's and the way
// between.
func BenchmarkSearch(b *testing.B) {
	for _, k := range kits {
		b.Run(k.language, func(b *testing.B) {
			if _, err := exec.LookPath(k.program); err != nil {
				b.Skip(err)
			}
			dir := b.TempDir()
			try.Do(b, adapters.Write(dir, try.Get(adapters.Template(k.language, "mine"))(b))) // empty, it finds nothing
			file := map[string]string{"python": "adapter.py", "node": "adapter.mjs"}[k.language]
			conn := try.Get(adapter.Start(adapter.Process{
				Command: []string{try.Get(adapter.Look("", k.program))(b), filepath.Join(dir, file)}, Dir: b.TempDir(), Getenv: os.Getenv, Log: adapter.NewLog(""),
				Set: map[string]string{"RECALLBENCH_CLOCK": "session", "RECALLBENCH_SEED": "1"},
			}))(b)
			defer conn.Close()
			searches(b, conn)
		})
	}
}

// BenchmarkService measures the same over HTTP on the local host, with the service that
// docs/adapters.md shows.
func BenchmarkService(b *testing.B) {
	_, code, _ := strings.Cut(string(try.Get(os.ReadFile("../docs/adapters.md"))(b)), "```python\n")
	code, _, _ = strings.Cut(code, "```")
	if err := exec.CommandContext(b.Context(), "python3", "-c", code).Start(); err != nil {
		b.Skip(err)
	}
	conn := adapter.Dial("http://127.0.0.1:8700/rpc", "")
	defer conn.Close()
	for range 100 { // until it listens
		if conn.Call(b.Context(), wire.Initialize, wire.InitializeParams{Protocol: wire.Protocol}, new(wire.InitializeResult)) == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	searches(b, conn)
}

// searches searches one after another and reports the median.
func searches(b *testing.B, conn adapter.Conn) {
	b.Helper()
	call := func(method string, params, result any) {
		try.Do(b, conn.Call(b.Context(), method, params, result))
	}
	call(wire.Initialize, wire.InitializeParams{Protocol: wire.Protocol}, new(wire.InitializeResult))
	call(wire.Open, wire.OpenParams{Memory: "m", Options: map[string]any{}, Work: b.TempDir()}, nil)
	params := wire.SearchParams{Memory: "m", Request: wire.Request{ID: "r-1", Text: "Who is asleep?"}, K: 20}
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		call(wire.Search, params, new(wire.SearchResult))
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2])/1e3, "us-median")
}
