package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if os.Getenv("GOGC") == "" {
		tuneHeap()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the process at once, should the requests in flight
	// not end.
	context.AfterFunc(ctx, stop)
	err := bench(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(exitCode(err))
}

// bench runs the command with args and returns what [exitCode] turns into the
// exit code. What went wrong has been printed to stderr by then.
func bench(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, env: os.Getenv, argv: args}
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
