package main

import (
	"cmp"
	"context"
	"errors"

	"recallbench/internal/door/fault"
	"recallbench/internal/result/record"
	"recallbench/runners"
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

// withExit attaches an exit code to err; nil stays nil.
func withExit(code int, err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code, err}
}

// usageError marks err as one that the user can fix, exit code 2, unless it has a code
// already.
func usageError(err error) error {
	if exitCode(err) != exitInternal {
		return err
	}
	return withExit(exitUsage, err)
}

// exitCode returns the exit code of an error: that of a damaged run folder in any case,
// else the one that a verb attached, else the one of its kind.
func exitCode(err error) int {
	switch e, given := errors.AsType[*exitError](err); {
	case err == nil:
		return exitOK
	case record.IsDamage(err):
		return exitDamaged
	case given:
		return e.code
	}
	switch kind := fault.KindOf(err); {
	case kind.Stops():
		return stopCode(kind)
	case errors.Is(err, runners.ErrData):
		return exitFingerprint
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitInternal
}

// stopCode returns the exit code of a run that a fault stopped.
func stopCode(kind fault.Kind) int {
	return cmp.Or(map[fault.Kind]int{fault.Budget: exitBudget, fault.Miss: exitMiss}[kind], exitUnavailable)
}
