package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"syscall"

	"recallbench/internal/backend/interrupt"
	"recallbench/internal/text/redact"
)

func main() {
	if heapGrowth.Store(128 << 20); os.Getenv("GOGC") == "" {
		tuneHeap()
	}
	ctx, period := interrupt.With(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go interrupt.Watcher{Period: period, Stderr: os.Stderr, Env: os.Getenv, Exit: func() { os.Exit(exitInterrupted) }}.Watch(signals)
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
