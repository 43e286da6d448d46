package limit

import (
	"errors"
	"fmt"
	"time"
)

// Settings bound the calls of one account. They change no reply, so they are
// no part of what identifies a recording or a cell.
type Settings struct {
	// Start is the number of calls in flight at first, from which the limit
	// adapts; 0 starts at max.
	Start int `yaml:"start" jsonschema:"minimum=0"`
	// Max is the largest number of calls in flight.
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
	least := func(field string, value, least int) {
		if value < least {
			faults = append(faults, fmt.Errorf("%s is %d, want at least %d", field, value, least))
		}
	}
	positive := func(field string, d time.Duration) {
		if d <= 0 {
			faults = append(faults, fmt.Errorf("%s is %s, want more than 0", field, d))
		}
	}
	least("start", s.Start, 0)
	least("max", s.Max, 1)
	if s.Max >= 1 && s.Start > s.Max {
		faults = append(faults, fmt.Errorf("start is %d, want at most max, %d", s.Start, s.Max))
	}
	least("rpm", s.RPM, 0)
	least("tpm", s.TPM, 0)
	positive("attempt", s.Attempt)
	positive("total", s.Total)
	least("retries", s.Retries, 0)
	return errors.Join(faults...)
}

// differences lists in which settings s and t differ, as "max is 8, not 64".
func (s Settings) differences(t Settings) []string {
	var list []string
	for _, f := range []struct {
		name string
		s, t any
	}{
		{"start", s.Start, t.Start},
		{"max", s.Max, t.Max},
		{"rpm", s.RPM, t.RPM},
		{"tpm", s.TPM, t.TPM},
		{"attempt", s.Attempt, t.Attempt},
		{"total", s.Total, t.Total},
		{"retries", s.Retries, t.Retries},
	} {
		if f.s != f.t {
			list = append(list, fmt.Sprintf("%s is %v, not %v", f.name, f.s, f.t))
		}
	}
	return list
}
