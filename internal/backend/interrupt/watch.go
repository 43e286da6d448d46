package interrupt

import (
	"fmt"
	"io"
	"os"
	"time"
)

// GraceEnv is the environment variable for the time that calls in flight get after an
// interrupt.
const GraceEnv = "BENCH_GRACE"

// graceTime is the default. Many service managers kill a process ten seconds after
// stopping it.
const graceTime = 8 * time.Second

// Grace returns how long calls in flight may take after an interrupt: the time that an
// environment says, or else the default. It is an error if that is no time such as 30s.
func Grace(env func(string) string) (time.Duration, error) {
	text := env(GraceEnv)
	if text == "" {
		return graceTime, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return graceTime, fmt.Errorf("%s is %q, want a time such as 30s or 2m; using %s", GraceEnv, text, graceTime)
	}
	return d, nil
}

// A Watcher handles the interrupts of a command and says so on its standard error.
type Watcher struct {
	Period *Period
	Stderr io.Writer
	Env    func(string) string
	Exit   func() // ends the process
}

// Watch waits for signals. The first gives calls in flight some time to end, the second
// ends the process.
func (w Watcher) Watch(signals <-chan os.Signal) {
	<-signals
	wait, err := Grace(w.Env)
	if err != nil {
		_, _ = fmt.Fprintln(w.Stderr, "bench:", err)
	}
	again := "a second interrupt aborts at once"
	if n := w.Period.Interrupt(); n > 0 {
		again = fmt.Sprintf("waiting up to %s for %d calls in flight; %s", wait, n, again)
	}
	_, _ = fmt.Fprintf(w.Stderr, "bench: interrupted; %s\n", again)
	select {
	case <-signals:
	case <-time.After(wait):
		if n := w.Period.Cut(); n > 0 {
			_, _ = fmt.Fprintf(w.Stderr, "bench: %d calls took longer than %s and must be repeated; set %s=1m to wait longer\n", n, wait, GraceEnv)
		}
		<-signals
	}
	_, _ = fmt.Fprintln(w.Stderr, "bench: aborted; everything recorded so far is saved")
	w.Exit()
}
