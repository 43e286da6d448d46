package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"recallbench/internal/grace"
	"recallbench/internal/redact"
)

func main() {
	if os.Getenv("GOGC") == "" {
		tuneHeap()
	}
	ctx, period := grace.With(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go interrupted{period, os.Stderr, os.Getenv, os.Exit}.watch(signals)
	err := bench(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	code := exitCode(err)
	if code != exitOK && period.Interrupted() {
		code = exitInterrupted // what else went wrong came of it
	}
	os.Exit(code)
}

// bench runs the command with args and returns what [exitCode] turns into the
// exit code. What went wrong has been printed to stderr by then.
func bench(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, env: os.Getenv}
	for _, arg := range args {
		a.argv = append(a.argv, redact.Guess(arg)) // runs keep it
	}
	root := newRootCommand(a) //nolint:contextcheck // cobra hands each verb the context of ExecuteContext
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err != nil && !errors.Is(err, errSilent) {
		a.printError(err)
	}
	return err
}
