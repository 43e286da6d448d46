package tree

import (
	"errors"
	"fmt"
	"slices"
)

// maxFaults is how many faults a message tells; of more it says the number.
const maxFaults = 20

// faults gathers all that is wrong with something.
type faults struct {
	all  []error
	more int
}

func (f *faults) add(err error) {
	switch {
	case err == nil:
	case len(f.all) < maxFaults:
		f.all = append(f.all, err)
	default:
		f.more++
	}
}

func (f *faults) addf(format string, args ...any) { f.add(fmt.Errorf(format, args...)) }

// err returns the faults joined, a line each, or nil.
func (f *faults) err() error {
	if f.more > 0 {
		return errors.Join(append(slices.Clip(f.all), fmt.Errorf("and %d more", f.more))...)
	}
	return errors.Join(f.all...)
}
