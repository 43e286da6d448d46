package adapter

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"recallbench/internal/door/fault"
	"recallbench/internal/external/wire"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
)

// harnessMode is the variable that makes the test binary a harness: its value is the
// folder of the adapter.
const harnessMode = "RECALLBENCH_TEST_HARNESS"

// harness meets an adapter that writes a line of 1 GB, with the bound on lines that
// is the default, and prints what became of it and the most memory that it held.
func harness() {
	ctx := context.Background() // the process is ended with its test
	c, err := start(ctx, os.Getenv(harnessMode), "long", wire.MaxLine, nil)
	if err != nil {
		slog.Error(err.Error())
		os.Exit(1)
	}
	err = c.Call(ctx, wire.Search, wire.SearchParams{Memory: "m", K: 3}, nil)
	ended := c.Close()
	status, _ := os.ReadFile("/proc/self/status")
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	peak, _, _ = strings.Cut(strings.TrimSpace(peak), " ")
	_, _ = fmt.Fprintf(os.Stdout, "%s\n%v\n%s\n%v\n", fault.KindOf(err), err, peak, ended)
}

// TestLongLineMemory checks that a line of 1 GB costs the harness no more than the
// bound on lines: it ends the adapter and keeps nothing.
func TestLongLineMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	if longtest.UnderRace {
		t.Skip("the race detector takes memory of its own")
	}
	self := try.Get(os.Executable())(t)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), harnessMode+"="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(string(out), "\n")
	if lines[0] != string(fault.AdapterProtocol) || !strings.Contains(lines[1], "a line of more than 67108864 bytes") {
		t.Errorf("the call ended with %s", out)
	}
	peak, err := strconv.Atoi(lines[2])
	if err != nil || peak > 100<<10 {
		t.Errorf("the harness held %s KB (%v), want at most %d", lines[2], err, 100<<10)
	}
	t.Logf("the harness held %d MB", peak>>10)
}

// TestFloods checks that what an adapter prints or tells without end neither stands in
// the way of its replies nor fills the disk: of the log the beginning is kept.
func TestFloods(t *testing.T) {
	for _, mode := range []string{"flood", "chatter"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c, log := startChild(t, mode)
			path := log.path
			try.Get(search(t.Context(), c))(t)
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if err := log.Close(); err != nil {
				t.Error(err)
			}
			data, err := os.ReadFile(path)
			if err != nil || len(data) == 0 || len(data) > logPart+1000 {
				t.Errorf("the log has %d bytes, %v; want at most its beginning", len(data), err)
			}
			if strings.Contains(string(data), "sk-rb-secret") {
				t.Error("the log holds a key")
			}
		})
	}
}

// TestClosedInput checks that an adapter that reads no more is a fault with the next
// requests and blocks nobody.
func TestClosedInput(t *testing.T) {
	c, _ := startChild(t, "unread")
	ctx := Within(t.Context(), 50*time.Millisecond, nil)
	var err error
	for wait := time.Millisecond; c.Ended() == nil; wait *= 2 {
		if _, err = search(ctx, c); err == nil {
			t.Fatal("it replied")
		}
		time.Sleep(min(wait, time.Second))
	}
	if kind := fault.KindOf(c.Ended()); kind != fault.AdapterCrash && kind != fault.AdapterTimeout {
		t.Errorf("the connection ended with %v, after %v", c.Ended(), err)
	}
}

// TestNames checks that what an adapter calls itself can stand in a table.
func TestNames(t *testing.T) {
	for _, name := range []string{"a\x1b[31m", "a\nb", strings.Repeat("a", 201)} {
		info := wire.InitializeResult{Protocol: wire.Protocol, Name: name, Version: "1", Capabilities: wire.Capabilities{Search: true}}
		if err := info.Check(); err == nil || !strings.Contains(err.Error(), "printable bytes") {
			t.Errorf("%.20q: %v", name, err)
		}
	}
}
