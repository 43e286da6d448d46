package adapters_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
			files, err := adapters.Template(k.language, "mine") // empty, it finds nothing
			try.Do(b, err)
			dir := b.TempDir()
			file := map[string]string{"python": "null.py", "node": "adapter.mjs"}[k.language]
			if k.language == "python" {
				if files[file], err = os.ReadFile(filepath.Join("testdata", file)); err != nil {
					b.Fatal(err)
				}
			}
			try.Do(b, adapters.Write(dir, files))
			words := k.words(file)
			if len(words) > 1 {
				words[1] = filepath.Join(dir, words[1])
			}
			if words[0], err = adapter.Look("", words[0]); err != nil {
				b.Fatal(err)
			}
			conn, err := adapter.Start(adapter.Process{
				Command: words, Dir: b.TempDir(), Getenv: os.Getenv, Log: adapter.NewLog(""),
				Set: map[string]string{"RECALLBENCH_CLOCK": "session", "RECALLBENCH_SEED": "1"},
			})
			try.Do(b, err)
			defer conn.Close()
			searches(b, conn)
		})
	}
}

// BenchmarkService measures the same over HTTP on the local host, with a server of
// Python's standard library.
func BenchmarkService(b *testing.B) {
	cmd := exec.CommandContext(b.Context(), "python3", filepath.Join("testdata", "service.py"))
	in := try.Get(cmd.StdinPipe())(b)
	out := try.Get(cmd.StdoutPipe())(b)
	if err := cmd.Start(); err != nil {
		b.Skip(err)
	}
	defer func() { _ = in.Close(); _ = cmd.Wait() }()
	var port int
	try.Get(fmt.Fscan(out, &port))(b)
	conn := adapter.Dial(fmt.Sprintf("http://127.0.0.1:%d/rpc", port), "")
	defer conn.Close()
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
