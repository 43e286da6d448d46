//go:build unix

package main

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"recallbench/internal/backend/interrupt"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
)

// A gated server answers while nobody has locked its gate, and says when a request
// came.
type gated struct {
	*modelserver.Server
	came chan struct{}
	gate sync.RWMutex
}

func gatedServer(t *testing.T) *gated {
	t.Helper()
	g := &gated{came: make(chan struct{}, 1000)}
	g.Server = modelserver.New(t, modelserver.Options{Observe: func(*http.Request, []byte) {
		g.came <- struct{}{}
		g.gate.RLock()
		defer g.gate.RUnlock()
	}})
	return g
}

// interrupt sends a command a signal when n of its calls are in flight. It
// returns when the command has said so; wait returns its exit code and all that
// it said.
func (g *gated) interrupt(t *testing.T, cmd *exec.Cmd, signal os.Signal, n int) (wait func() (code int, said string)) {
	t.Helper()
	stderr := try.Get(cmd.StderrPipe())(t)
	try.Do(t, cmd.Start())
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(stderr); s.Scan(); {
			lines <- s.Text()
		}
	}()
	var said strings.Builder
	for came := 0; came < n; {
		select {
		case <-g.came:
			came++
		case line, ok := <-lines:
			if said.WriteString(line + "\n"); !ok {
				t.Fatalf("it ended after %d calls, want %d\n%s", came, n, &said)
			}
		}
	}
	try.Do(t, cmd.Process.Signal(signal))
	want := fmt.Sprintf("waiting up to 10m0s for %d calls in flight", n)
	for line := range lines {
		if said.WriteString(line + "\n"); strings.Contains(line, want) {
			want = ""
			break
		}
	}
	if want != "" {
		t.Fatalf("it does not say %q:\n%s", want, &said)
	}
	return func() (int, string) {
		for line := range lines {
			said.WriteString(line + "\n")
		}
		_ = cmd.Wait() // its exit code says how it ended
		return cmd.ProcessState.ExitCode(), said.String()
	}
}

// The first signal lets calls in flight end, and what they return is recorded:
// a run and a judging that go on pay for nothing twice.
func TestInterruptLetsCallsEnd(t *testing.T) {
	t.Parallel() // most of it is waiting
	const requests, inFlight = 20, 4
	base := t.TempDir()
	dir, store := filepath.Join(base, "run"), filepath.Join(base, "calls")
	config := questions(t, 2, requests/2, fmt.Sprintf("concurrency: {requests: %d}\n", inFlight))
	run := func(s *gated) []string {
		return []string{"run", config, "--model", liveModel(t, s.Server, ""), "--out", dir, "--store", store, "--display", "none"}
	}
	resume := func(*gated) []string { return []string{"resume", dir, "--store", store, "--display", "none"} }
	judge := func(s *gated) []string {
		return []string{"judge", dir, "--model", liveModel(t, s.Server, ""), "--store", store, "--display", "none", "--set", fmt.Sprintf("concurrency.requests=%d", inFlight)}
	}
	s := gatedServer(t)
	for _, tt := range []struct {
		first, again func(*gated) []string
		signal       os.Signal
		goOn         string
	}{
		{run, resume, os.Interrupt, "continue with: bench resume " + dir},
		{judge, judge, syscall.SIGTERM, "run the same command again"},
	} {
		before := s.Stats().Answered
		s.gate.Lock()
		args := tt.first(s)
		cmd := process(t, args...)
		cmd.Env = append(cmd.Env, interrupt.GraceEnv+"=10m")
		wait := s.interrupt(t, cmd, tt.signal, inFlight)
		s.gate.Unlock()
		if code, said := wait(); code != exitInterrupted || !strings.Contains(said, tt.goOn) {
			t.Errorf("%s: exit code %d, want %d and how to go on\n%s", args[0], code, exitInterrupted, said)
		}
		if n := s.Stats().Answered - before; n != inFlight {
			t.Errorf("%s: %d calls were answered, want the %d in flight", args[0], n, inFlight)
		}
		r := runWith(t, "", tt.again(s)...)
		if n := s.Stats().Answered - before; n != requests {
			t.Errorf("%s and %s: %d calls, want %d\n%s", args[0], tt.again(s)[0], n, requests, r.stderr)
		}
		for len(s.came) > 0 {
			<-s.came
		}
	}
	for id, n := range s.Stats().Replies {
		if n != 1 {
			t.Errorf("%d replies to %s", n, id)
		}
	}
}
