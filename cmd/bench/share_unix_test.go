//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

// TestTenRunsOneStore has ten runs of one config share a store. No call is paid
// for twice, but for those in flight when a process is killed.
func TestTenRunsOneStore(t *testing.T) {
	longtest.Skip(t)
	const runs, samples, each, inFlight = 10, 8, 100, 16
	for _, killed := range []int{0, 5} {
		t.Run(fmt.Sprintf("%d killed", killed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, uint64(killed)))
			s := modelserver.New(t, modelserver.Options{Latency: 20 * time.Millisecond})
			config := questions(t, samples, each, fmt.Sprintf("concurrency: {requests: %d}\n", inFlight))
			model := liveModel(t, s, "")
			base := t.TempDir()
			var wait sync.WaitGroup
			for i := range runs {
				dir := filepath.Join(base, fmt.Sprint("run", i))
				cmd := process(t, "run", config, "--model", model, "--out", dir, "--store", filepath.Join(base, "calls"), "--display", "none")
				var out strings.Builder
				cmd.Stdout, cmd.Stderr = &out, &out
				try.Do(t, cmd.Start())
				after := -1
				if i < killed {
					after = random.IntN(samples * each)
				}
				wait.Go(func() { end(t, cmd, &out, s, after, dir, samples*each) })
			}
			wait.Wait()
			s.Idle()
			answered, distinct := s.Stats().Answered, len(s.Stats().Replies)
			t.Logf("%d calls, %d distinct", answered, distinct)
			if distinct != samples*each || answered > distinct+killed*inFlight {
				t.Errorf("%d calls for %d distinct ones, want %d and at most %d more", answered, distinct, samples*each, killed*inFlight)
			}
		})
	}
}

// end waits for a run, or kills it when the server has answered often enough.
func end(t *testing.T, cmd *exec.Cmd, out *strings.Builder, s *modelserver.Server, after int, dir string, want int) {
	t.Helper()
	if after >= 0 {
		for s.Stats().Answered < after {
			time.Sleep(time.Millisecond)
		}
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		return
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%s: %v\n%s", dir, err, out)
		return
	}
	if n := len(recordsOf(t, dir)); n != want {
		t.Errorf("%s has %d records, want %d", dir, n, want)
	}
}
