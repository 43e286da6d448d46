package datafile

import (
	"errors"
	"fmt"
	"slices"
)

// MaxFaults is how many faults of a file an error shows.
const MaxFaults = 20

// Faults collects what is wrong with one file or several.
type Faults struct {
	File string // that of the faults to come

	list []error
	more int
}

// Addf adds a fault at a line, from 1.
func (f *Faults) Addf(line int, format string, args ...any) {
	if len(f.list) == MaxFaults {
		f.more++
		return
	}
	f.list = append(f.list, fmt.Errorf("%s:%d: %w", f.File, line, fmt.Errorf(format, args...)))
}

// Count returns how many faults there are.
func (f *Faults) Count() int { return len(f.list) + f.more }

// Full tells whether more faults would only be counted.
func (f *Faults) Full() bool { return len(f.list) == MaxFaults }

// Err returns the faults as one error, a line for each, or nil if there are
// none.
func (f *Faults) Err() error {
	if f.more > 0 {
		return errors.Join(append(slices.Clip(f.list),
			fmt.Errorf("%s: and %d more faults", f.File, f.more))...)
	}
	return errors.Join(f.list...)
}
