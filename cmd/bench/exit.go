package main

import (
	"context"
	"errors"

	"recallbench/internal/door/fault"
	"recallbench/internal/result/record"
)

// The exit codes, as the root command's help lists them.
const (
	exitOK          = 0
	exitInternal    = 1
	exitUsage       = 2
	exitErrors      = 3
	exitGate        = 4
	exitBudget      = 5
	exitUnavailable = 6
	exitMiss        = 7
	exitFingerprint = 8
	exitDamaged     = 9
	exitInterrupted = 130
)

// errSilent ends a command whose message has been printed.
var errSilent = errors.New("already reported")

// An exitError is an error with the exit code it leads to.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// withExit gives err the exit code; nil stays nil.
func withExit(code int, err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code, err}
}

// usageError marks err as the user's to mend: exit code 2.
func usageError(err error) error { return withExit(exitUsage, err) }

func exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	// Whatever a verb makes of it: a damaged run folder has one code.
	if record.IsDamage(err) {
		return exitDamaged
	}
	if e, ok := errors.AsType[*exitError](err); ok {
		return e.code
	}
	if errors.Is(err, context.Canceled) {
		return exitInterrupted
	}
	return exitInternal
}

// stopCode is the exit code of a run that a fault stopped.
func stopCode(kind fault.Kind) int {
	switch kind {
	case fault.Budget:
		return exitBudget
	case fault.Miss:
		return exitMiss
	default:
		return exitUnavailable
	}
}
