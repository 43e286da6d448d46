package tree

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// A placed is what is wrong with an element.
type placed struct {
	element *element
	err     error
}

// maxPlaced bounds the faults that are kept to be told in order.
const maxPlaced = 1000

// faultf notes what is wrong with an element.
func (b *builder) faultf(e *element, format string, args ...any) {
	if len(b.faults) < maxPlaced {
		b.faults = append(b.faults, placed{e, fmt.Errorf(format, args...)})
	}
}

// err returns the faults in the order of the document, or nil.
func (b *builder) err() error {
	slices.SortStableFunc(b.faults, func(x, y placed) int {
		return cmp.Or(cmp.Compare(x.element.line, y.element.line), cmp.Compare(x.element.col, y.element.col))
	})
	var all faults
	for _, f := range b.faults {
		all.addf("%s:%d:%d: %w", b.doc.name, f.element.line, f.element.col, f.err)
	}
	return all.err()
}

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
