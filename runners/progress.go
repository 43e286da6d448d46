package runners

import "recallbench/internal/record"

// A Progress is told how a run goes on. Its methods may be called
// concurrently.
type Progress interface {
	// Begin says how many requests the run has and how many of them an
	// earlier part of it has finished.
	Begin(total, done int)
	// Request says that a request has finished and how many tokens it took.
	Request(status record.Status, tokens int)
	// End says that no more will be told.
	End()
}

// NoProgress tells nobody.
type NoProgress struct{}

// Begin implements [Progress].
func (NoProgress) Begin(int, int) {}

// Request implements [Progress].
func (NoProgress) Request(record.Status, int) {}

// End implements [Progress].
func (NoProgress) End() {}
