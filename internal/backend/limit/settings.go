package limit

import (
	"errors"
	"time"

	"recallbench/internal/door/fault"
)

// Settings limit the calls of one account. They change no reply, so they are
// not part of the identity of a recording or a row.
type Settings struct {
	// Max is the largest, and initial, number of calls in flight.
	Max int `yaml:"max" jsonschema:"minimum=1"`
	// RPM is the largest number of requests sent in any minute, including
	// retries; 0 means no limit.
	RPM int `yaml:"rpm" jsonschema:"minimum=0"`
	// TPM is the largest number of tokens sent and requested in any minute; 0
	// means no limit. A request that exceeds it alone waits for a minute in which
	// nothing else was sent.
	TPM int `yaml:"tpm" jsonschema:"minimum=0"`
	// Attempt is how long one attempt may take, at most the rest of total.
	Attempt time.Duration `yaml:"attempt"`
	// Total is how long a call may take with all its attempts and the waits
	// between them, from when it is first sent.
	Total time.Duration `yaml:"total"`
	// Retries is how often a failed call is retried; at most three times after garbled
	// replies, such as a web page.
	Retries int `yaml:"retries" jsonschema:"minimum=0"`
}

// Defaults returns the settings of an account without any: up to 256 calls in flight
// after a first success, no limit per minute, 2 minutes for an attempt, 10 for a call
// and 6 retries.
func Defaults() Settings {
	return Settings{Max: 256, Attempt: 2 * time.Minute, Total: 10 * time.Minute, Retries: 6}
}

// Validate reports values out of range, all at once.
func (s Settings) Validate() error {
	var faults fault.List
	faults.Want(s.Max >= 1, "max is %d, want at least 1", s.Max)
	faults.Want(s.RPM >= 0, "rpm is %d, want at least 0", s.RPM)
	faults.Want(s.TPM >= 0, "tpm is %d, want at least 0", s.TPM)
	faults.Want(s.Attempt > 0, "attempt is %s, want more than 0", s.Attempt)
	faults.Want(s.Total > 0, "total is %s, want more than 0", s.Total)
	faults.Want(s.Retries >= 0, "retries is %d, want at least 0", s.Retries)
	return errors.Join(faults...)
}
