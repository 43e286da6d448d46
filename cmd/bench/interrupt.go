package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"recallbench/internal/grace"
)

// graceEnv names how long calls in flight may take to end after an interrupt.
const graceEnv = "BENCH_GRACE"

// graceTime is the default. Many that stop a process kill it ten seconds later.
const graceTime = 8 * time.Second

// interrupted is what a command does when it is told to end.
type interrupted struct {
	period *grace.Period
	stderr io.Writer
	env    func(string) string
	exit   func(code int)
}

// watch waits for signals. The first one lets calls in flight end for some
// time, the second one ends the process.
func (i interrupted) watch(signals <-chan os.Signal) {
	<-signals
	wait, err := i.time()
	if err != nil {
		fmt.Fprintln(i.stderr, "bench:", err)
	}
	again := "a second interrupt aborts at once"
	if n := i.period.Interrupt(); n > 0 {
		fmt.Fprintf(i.stderr, "bench: interrupted; waiting up to %s for %s in flight; %s\n", wait, counted(n, "call"), again)
	} else {
		fmt.Fprintf(i.stderr, "bench: interrupted; %s\n", again)
	}
	select {
	case <-signals:
	case <-time.After(wait):
		if n := i.period.Cut(); n > 0 {
			fmt.Fprintf(i.stderr, "bench: %s took longer than %s and will be made again; %s=1m waits longer\n", counted(n, "call"), wait, graceEnv)
		}
		<-signals
	}
	fmt.Fprintln(i.stderr, "bench: aborted; what was recorded is kept")
	i.exit(exitInterrupted)
}

// time is how long calls in flight may take.
func (i interrupted) time() (time.Duration, error) {
	text := i.env(graceEnv)
	if text == "" {
		return graceTime, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return graceTime, fmt.Errorf("%s is %q, want a time such as 30s or 2m; it is %s now", graceEnv, text, graceTime)
	}
	return d, nil
}
