package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"syscall"
	"time"

	"recallbench/internal/backend/interrupt"
	"recallbench/internal/publish/report"
	"recallbench/internal/text/redact"
)

func main() {
	if heapGrowth.Store(128 << 20); os.Getenv("GOGC") == "" {
		tuneHeap()
	}
	ctx, period := interrupt.With(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go interrupted{period, os.Stderr, os.Getenv, os.Exit}.watch(signals)
	err := bench(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	code := exitCode(err)
	if code != exitOK && period.Interrupted() {
		code = exitInterrupted // other errors are consequences
	}
	os.Exit(code)
}

// bench runs the command with args, prints errors to stderr and returns the error for
// [exitCode].
func bench(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	stdout, stderr = redact.Writer{Writer: stdout}, redact.Writer{Writer: stderr}
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, env: os.Getenv}
	for _, arg := range args {
		a.argv = append(a.argv, redact.Guess(arg)) // recorded in runs
	}
	root := newRootCommand(a) //nolint:contextcheck // cobra hands each verb the context of ExecuteContext
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if fault := a.endProfile(); fault != nil {
		err = errors.Join(err, fault)
	}
	if err != nil && !errors.Is(err, errSilent) {
		a.printError(err)
	}
	return err
}

// How far the heap grows between collections: by gcPercent of what is in use (Go's
// default is 100), because a run of 20,000 requests then takes a fifth less memory for
// a few percent of time, but always to gcFloor bytes, because most runs are small and
// would spend a sixth of their time collecting. A large heap grows by heapGrowth bytes
// only, which is cheap as most of it is numbers, but by at least gcLeast percent.
const (
	gcPercent = 65
	gcFloor   = 40 << 20
	gcLeast   = 25
)

// heapGrowth is less in a process that has time to collect, such as a coordinator.
var heapGrowth atomic.Int64

// tuneHeap sets how far the heap grows, now and after each collection.
func tuneHeap() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	n := max(4<<20, int(live[0].Value.Uint64()))
	percent := max(gcLeast, min(gcPercent, 100*int(heapGrowth.Load())/n))
	debug.SetGCPercent(max(percent, 100*gcFloor/n-100))
	// An unreferenced object is cleaned up after the next collection.
	runtime.AddCleanup(new([16]byte), func(struct{}) { tuneHeap() }, struct{}{})
}

// graceEnv is the environment variable for the time that calls in flight get after an interrupt.
const graceEnv = "BENCH_GRACE"

// graceTime is the default. Many service managers kill a process ten seconds after
// stopping it.
const graceTime = 8 * time.Second

// interrupted handles the interrupts of a command.
type interrupted struct {
	period *interrupt.Period
	stderr io.Writer
	env    func(string) string
	exit   func(code int)
}

// watch waits for signals. The first gives calls in flight some time to end, the second
// ends the process.
func (i interrupted) watch(signals <-chan os.Signal) {
	<-signals
	wait, err := grace(i.env)
	if err != nil {
		fmt.Fprintln(i.stderr, "bench:", err)
	}
	again := "a second interrupt aborts at once"
	if n := i.period.Interrupt(); n > 0 {
		fmt.Fprintf(i.stderr, "bench: interrupted; waiting up to %s for %s in flight; %s\n", wait, report.Plural(n, "call"), again)
	} else {
		fmt.Fprintf(i.stderr, "bench: interrupted; %s\n", again)
	}
	select {
	case <-signals:
	case <-time.After(wait):
		if n := i.period.Cut(); n > 0 {
			fmt.Fprintf(i.stderr, "bench: %s took longer than %s and must be repeated; set %s=1m to wait longer\n", report.Plural(n, "call"), wait, graceEnv)
		}
		<-signals
	}
	fmt.Fprintln(i.stderr, "bench: aborted; everything recorded so far is saved")
	i.exit(exitInterrupted)
}

// grace returns how long calls in flight may take after an interrupt.
func grace(env func(string) string) (time.Duration, error) {
	text := env(graceEnv)
	if text == "" {
		return graceTime, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return graceTime, fmt.Errorf("%s is %q, want a time such as 30s or 2m; using %s", graceEnv, text, graceTime)
	}
	return d, nil
}
