package limit

import (
	"errors"
	"fmt"
	"time"
)

// Settings bound the calls of one account. They change no reply, so they are
// no part of what identifies a recording or a cell.
type Settings struct {
	// Max is the largest number of calls in flight, and the one at first.
	Max int `yaml:"max" jsonschema:"minimum=1"`
	// RPM is the largest number of requests sent in any minute, those that are
	// tried again among them; 0 is no bound.
	RPM int `yaml:"rpm" jsonschema:"minimum=0"`
	// TPM is the largest number of tokens sent and asked for in any minute; 0
	// is no bound. A request that alone takes more waits for a minute in which
	// nothing else was sent.
	TPM int `yaml:"tpm" jsonschema:"minimum=0"`
	// Attempt is how long one attempt may take, at most what is left of total.
	Attempt time.Duration `yaml:"attempt"`
	// Total is how long a call may take with all its attempts and the waits
	// between them, from when it is first sent.
	Total time.Duration `yaml:"total"`
	// Retries is how often a call that failed is tried again; at most three
	// times after replies that are none, such as a web page.
	Retries int `yaml:"retries" jsonschema:"minimum=0"`
}

// Defaults returns the settings of an account without any others: up to 256 calls in
// flight once one came through, no bound a minute, 2 minutes for an attempt, 10 for a
// call and 6 retries.
func Defaults() Settings {
	return Settings{Max: 256, Attempt: 2 * time.Minute, Total: 10 * time.Minute, Retries: 6}
}

// Validate reports values out of range, all at once.
func (s Settings) Validate() error {
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	check(s.Max >= 1, "max is %d, want at least 1", s.Max)
	check(s.RPM >= 0, "rpm is %d, want at least 0", s.RPM)
	check(s.TPM >= 0, "tpm is %d, want at least 0", s.TPM)
	check(s.Attempt > 0, "attempt is %s, want more than 0", s.Attempt)
	check(s.Total > 0, "total is %s, want more than 0", s.Total)
	check(s.Retries >= 0, "retries is %d, want at least 0", s.Retries)
	return errors.Join(faults...)
}
