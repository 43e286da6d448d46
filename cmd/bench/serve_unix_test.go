//go:build unix

package main

import (
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

// A worker that hangs loses its samples to others, and what it delivers when it is
// back counts no second time.
func TestServeHung(t *testing.T) {
	longtest.SkipRace(t)
	server := modelserver.New(t, modelserver.Options{Latency: 20 * time.Millisecond})
	config, model, root := questions(t, 6, 4, "name: live\nconcurrency: {samples: 2, requests: 2}\n"), liveModel(t, server, ""), t.TempDir()
	one, many := filepath.Join(root, "one"), filepath.Join(root, "many")
	must(t, "run", config, "--model", model, "--calls", "off", "--out", one, "--display", "none")
	calls := server.Stats().Arrived
	s := serve(t.Context(), t, config, "--model", model, "--calls", "off", "--out", many, "--patience", "1s")
	hung := process(t, "work", s.url, "--access", s.access, "--name", "hung")
	try.Do(t, hung.Start())
	until(t, func() bool { return server.Stats().Arrived-calls >= 8 })
	try.Do(t, hung.Process.Signal(syscall.SIGSTOP))
	until(t, func() bool { return strings.Contains(s.said(), "lost a worker") })
	until(t, func() bool { // the progress of the run shows it
		p, err := record.ReadProgress(many)
		return err == nil && p != nil && slices.ContainsFunc(p.Workers, func(w record.Worker) bool {
			return w.State == record.WorkerLost && w.Name == "hung" && w.Requests > 0
		})
	})
	other := process(t, "work", s.url, "--access", s.access)
	try.Do(t, other.Start())
	until(t, func() bool { return server.Stats().Arrived-calls >= 12 })
	try.Do(t, hung.Process.Signal(syscall.SIGCONT))
	s.ended(t, 0)
	if err := other.Wait(); err != nil {
		t.Errorf("the other worker ends with %v", err)
	}
	_ = hung.Wait() // it may find nobody there any more
	if diff := cmp.Diff(recorded(t, one), recorded(t, many)); diff != "" {
		t.Errorf("(-one +many):\n%s", diff)
	}
}
