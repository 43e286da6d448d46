//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
)

// TestViewHostile serves runs whose files are damaged, of the wrong kind, or large. All
// that is asked of them is answered or refused as JSON within bounds, nothing names a path
// outside, and the server goes on.
func TestViewHostile(t *testing.T) {
	t.Chdir(t.TempDir())
	sound := filepath.Join("results", "runs", "sound")
	must(t, "run", write(t, "small.yaml", smallConfig), "--out", sound, "--limit", "4", "--display", "none")
	outside := write(t, "secret.jsonl", "{\"secret\": true}\n")
	size := longtest.N(1, 160) << 16 // of a file; with BENCH_LONG=1 some hundred MB in all
	fill := func(unit string) []byte { return bytes.Repeat([]byte(unit), size/len(unit)+1) }
	files := func(dir, pattern string, spoil func(path string) error) error {
		found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		if len(found) == 0 {
			err = errors.New("no " + pattern)
		}
		for _, path := range found {
			err = errors.Join(err, spoil(path))
		}
		return err
	}
	long := strings.Repeat("a", 1000) // in thousands of lines
	put := func(pattern string, data []byte) func(string) error {
		return func(dir string) error {
			return files(dir, pattern, func(path string) error { return os.WriteFile(path, data, 0o644) })
		}
	}
	swap := func(pattern string, by func(path string) error) func(string) error {
		return func(dir string) error {
			return files(dir, pattern, func(path string) error { return errors.Join(os.Remove(path), by(path)) })
		}
	}
	replace := func(pattern, old, text string) func(string) error {
		return func(dir string) error {
			return files(dir, pattern, func(path string) error {
				data, err := os.ReadFile(path)
				return errors.Join(err, os.WriteFile(path, bytes.ReplaceAll(data, []byte(old), []byte(text)), 0o644))
			})
		}
	}
	fifo := func(path string) error { return syscall.Mkfifo(path, 0o600) }
	link := func(path string) error { return os.Symlink(outside, path) }
	folder := func(path string) error { return os.Mkdir(path, 0o755) }
	damages := map[string]func(dir string) error{
		"header-noise": put("run.json", fill("\x00\xff")), "header-deep": put("run.json", fill("[")), "header-fifo": swap("run.json", fifo),
		"header-ids": replace("run.json", `"id": "`, `"id": "../../../etc/`), "header-text": replace("run.json", "small", "<img src=x onerror=alert(1)>"),
		"records-noise": put("cells/*/records.jsonl", fill("\x00\xff")), "records-deep": put("cells/*/records.jsonl", fill(`{"a":`)), "records-empty": put("cells/*/records.jsonl", fill(`{"answer":"`+long+"\"}\n")),
		"records-lines": put("cells/*/records.jsonl", fill("no record "+long+"\n")), "records-link": swap("cells/*/records.jsonl", link), "records-folder": swap("cells/*/records.jsonl", folder), "records-fifo": swap("cells/*/records.jsonl", fifo),
		"records-ids": replace("cells/*/records.jsonl", `"sample":"`, `"sample":"../`), "blocks-fifo": swap("cells/*/blocks.jsonl", fifo), "blocks-deep": put("cells/*/blocks.jsonl", fill("[")),
		"gold-gone": swap("gold/*.jsonl", func(string) error { return nil }), "gold-lines": put("gold/*.jsonl", fill(`{"question":"`+long+"\"}\n")), "gold-fifo": swap("gold/*.jsonl", fifo),
		"scores-noise": put("scores.jsonl", fill("\xff")), "scores-fifo": swap("scores.jsonl", fifo), "config-fifo": swap("config.yaml", fifo), "summary-deep": put("summary.json", fill("[")), "summary-fifo": swap("summary.json", fifo),
		"notes": func(dir string) error {
			dir = filepath.Join(dir, "annotations")
			return errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, "ann.jsonl"), fill("{\"kind\":7}\n"), 0o644), os.WriteFile(filepath.Join(dir, "queue-a.json"), fill("["), 0o644), fifo(filepath.Join(dir, "bob.jsonl")))
		},
	}
	for name, damage := range damages {
		dir := filepath.Join("results", "runs", name)
		if err := errors.Join(os.CopyFS(dir, os.DirFS(sound)), damage(dir)); err != nil {
			t.Fatal(name, err)
		}
	}
	v, index := watch(t)
	ask := func(path string) (status int, data []byte) {
		t.Helper()
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		resp := v.ask(ctx, path)
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		if err != nil || !json.Valid(data) || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d, %v, no JSON: %.200s", path, resp.StatusCode, err, data)
		}
		return resp.StatusCode, data
	}
	if len(index.Runs) != len(damages)+1 {
		t.Errorf("%d runs are listed, want %d", len(index.Runs), len(damages)+1)
	}
	here := try.Get(os.Getwd())(t)
	for _, r := range index.Runs {
		name := strings.TrimPrefix(r.Path, "runs/")
		for _, path := range []string{"index", "overview", "tables", "settings", "request/0", "calls/0", "structure/0", "prompts/0?with=1", "search?q=a", "live", "notes", "queues", "contrast?a=" + r.Key + ":stateless&b=" + r.Key + ":Naive+RAG"} {
			status, data := ask("/api/run/" + r.Key + "/" + path)
			if status >= 500 || bytes.Contains(data, []byte(here)) || bytes.Contains(data, []byte(`"secret"`)) || len(data) > 8<<20 {
				t.Errorf("%s %s: %d %.300s", name, path, status, data)
			}
			if _, damaged := damages[name]; !damaged && status != http.StatusOK && !strings.HasPrefix(path, "structure") {
				t.Errorf("the sound run, %s: %d %.300s", path, status, data)
			}
		}
	}
	if log := v.stderr.String(); strings.Contains(log, "internal error") {
		t.Errorf("a panic:\n%.3000s", log)
	}
	// Nothing was written.
	_ = filepath.WalkDir("results", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.Contains(d.Name(), ".tmp") {
			t.Errorf("%s is left", path)
		}
		return nil
	})
}
