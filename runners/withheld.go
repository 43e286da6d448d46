package runners

import (
	"errors"

	"recallbench/internal/fault"
	"recallbench/internal/meter"
	"recallbench/internal/record"
)

// Failures that the provider is to blame for are withheld until another call comes
// through. Where none does, and the provider is given up, they say nothing about
// the requests: these are asked again when the run is resumed.

// keep writes what was recorded, or withholds it with such a failure; nil for none.
// What was done without a call to the provider says nothing about the provider.
func (e *execution) keep(m *meter.Meter, failure *record.Failure, write func() error) error {
	if failure != nil && failure.Provider {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.withheld = append(e.withheld, write)
		return nil
	}
	if paid := m.Paid(); failure == nil && (paid.Calls > 0 || paid.Tokens > 0) {
		if err := e.writeWithheld(); err != nil {
			return err
		}
	}
	return write()
}

// writeWithheld writes what was withheld, unless the provider was given up.
func (e *execution) writeWithheld() error {
	e.mu.Lock()
	withheld := e.withheld
	e.withheld = nil
	if fault.KindOf(e.stopped) == fault.Unavailable {
		withheld = nil
	}
	e.mu.Unlock()
	var faults []error
	for _, write := range withheld {
		faults = append(faults, write())
	}
	return errors.Join(faults...)
}
