package runners

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"recallbench/datasets"
	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/limit"
	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
)

// A Unit is a sample of a cell: a worker builds its memory and asks the questions.
type Unit struct {
	Cell   string `json:"cell"`
	Sample string `json:"sample"`
}

// String names the unit in messages.
func (u Unit) String() string { return u.Cell + "/" + u.Sample }

// A Delivery holds lines of one file that a worker sends for a unit.
type Delivery struct {
	File  LineFile          `json:"file"`
	Lines []json.RawMessage `json:"lines"`
	// Provider is set when the provider is to blame for the failure in Lines.
	Provider bool `json:"provider,omitempty"`
}

// A Board holds the units of a run for workers, and is the only writer of its folder. It
// accepts each line once, however often it is delivered. It is safe for concurrent use.
type Board struct {
	Accounts *limit.Registry // of providers, with the limits of all workers
	Budget   *budget.Budget  // of the run
	Calls    *calls.Recorder
	// Own are the user's own files that the run's datasets read, by the path in the
	// config. No licence forbids sending them to workers.
	Own map[string]string
	// Units were not finished when the board was made, in the order of the run.
	Units []Unit

	e     *execution
	units map[Unit]*boardUnit
	over  context.Context //nolint:containedctx // ends when the run needs no workers any more
	end   context.CancelCauseFunc

	open atomic.Int64 // units
}

// errFinished is the end of a board that has written all that it took.
var errFinished = errors.New("the run needs no more workers")

// A boardUnit is a unit with what has been taken of it.
type boardUnit struct {
	task

	mu       sync.Mutex
	taken    map[string]bool // lines, by file and key
	finished bool
}

func newBoard(e *execution, tasks []task) *Board {
	p := e.plan
	b := &Board{Accounts: p.env.Limits, Budget: p.env.Budget, Calls: p.env.Calls, Own: p.own, e: e, units: make(map[Unit]*boardUnit)}
	b.over, b.end = context.WithCancelCause(context.Background())
	for _, t := range tasks {
		u := Unit{t.store.cell.ID, t.entry.ID}
		b.Units, b.units[u] = append(b.Units, u), &boardUnit{task: t, taken: make(map[string]bool)}
	}
	if b.open.Store(int64(len(tasks))); len(tasks) == 0 {
		b.end(errFinished)
	}
	return b
}

// Plan returns what a worker needs for its plan: the resolved config, and the header of the
// run as JSON, with the tuned options.
func (b *Board) Plan() (config, header []byte, err error) {
	if config, err = b.e.plan.config.Marshal(); err != nil {
		return nil, nil, err
	}
	b.e.mu.Lock()
	defer b.e.mu.Unlock()
	header, err = json.Marshal(b.e.plan.header)
	return config, header, err
}

// Halt ends the run because of a fault that every further call would meet.
func (b *Board) Halt(err error) {
	b.e.halt(err)
	b.end(errFinished)
}

// Wait returns when all units are finished, when the run has to stop, or when the
// folder cannot be written to, which is its error.
func (b *Board) Wait(ctx context.Context) error {
	select {
	case <-b.over.Done():
		if err := context.Cause(b.over); !errors.Is(err, errFinished) { //nolint:contextcheck // why the run is over
			return err
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Check reports how a worker's plan differs from the run's: in data, prompts, options or
// methods.
func (b *Board) Check(worker record.Header) error {
	run := &b.e.plan.header // its other fields change
	if err := sameData(run.Datasets, worker.Datasets); err != nil {
		return err
	}
	return sameCells(run.Cells, worker.Cells)
}

// locked returns a unit whose lock is held.
func (b *Board) locked(u Unit) (*boardUnit, error) {
	one, ok := b.units[u]
	if !ok {
		return nil, fmt.Errorf("the run has no open unit %s", u)
	}
	one.mu.Lock()
	return one, nil
}

// Begin returns the requests of a unit that are left to ask. Done is set when
// nothing is left to do.
func (b *Board) Begin(u Unit) (pending []string, done bool, err error) {
	one, err := b.locked(u)
	if err != nil {
		return nil, false, err
	}
	defer one.mu.Unlock()
	if b.e.Retry { // what comes after a request that is asked again may be asked again, too
		return one.pending, one.finished, nil
	}
	return one.left(), one.finished, nil
}

// left returns the requests without a record.
func (u *boardUnit) left() []string {
	return lists.Filter(u.pending, func(r string) bool { return !u.has(RecordLines, r) })
}

// has reports whether a line is taken.
func (u *boardUnit) has(f LineFile, id string) bool { return u.finished || u.taken[lineKey(f, id)] }

func lineKey(f LineFile, id string) string { return string(f) + " " + id }

// End notes that a worker has asked a unit. An incomplete unit is an error.
func (b *Board) End(u Unit) error {
	one, err := b.locked(u)
	if err != nil {
		return err
	}
	defer one.mu.Unlock()
	if one.finished {
		return nil
	}
	unbuilt := !one.has(IngestLines, "") && !one.store.built[u.Sample]
	if left := one.left(); len(left) > 0 || unbuilt {
		return fmt.Errorf("unit %s ended without its memory's line or without records of the questions %s", u, strings.Join(left, ", "))
	}
	one.finished, one.taken = true, nil
	if b.open.Add(-1) == 0 {
		b.end(errFinished)
	}
	return nil
}

// Take writes what a worker delivered for a unit, skipping lines that it has. If there are
// lines of another unit, or invalid lines, it returns an error and writes nothing.
func (b *Board) Take(u Unit, d Delivery) error {
	one, err := b.locked(u)
	if err != nil {
		return err
	}
	defer one.mu.Unlock()
	lines := make([]checkedLine, len(d.Lines))
	for i, raw := range d.Lines {
		if lines[i], err = b.check(one, raw, d); err != nil {
			return fmt.Errorf("unit %s: %w", u, err)
		}
	}
	for _, l := range lines {
		if one.has(d.File, l.key) {
			continue
		}
		if err := l.write(); err != nil {
			b.end(err)
			return err
		}
		one.taken[lineKey(d.File, l.key)] = true
	}
	return nil
}

// A checkedLine is a line with how it is written.
type checkedLine struct {
	key   string // within its file and sample
	write func() error
}

// check reads a line of a unit.
func (b *Board) check(u *boardUnit, raw json.RawMessage, d Delivery) (l checkedLine, err error) {
	log := u.store.logs[d.File]
	if log == nil {
		return l, fmt.Errorf("lines of %q, which the run does not record", d.File)
	}
	l.write = func() error { return log.Append(raw) }
	keep := func(called bool, failure *record.Failure, write func() error) {
		if failure != nil {
			failure.Provider = d.Provider
		}
		l.write = func() error { return b.e.keep(called, failure, write) }
	}
	var sample string
	switch d.File {
	case RecordLines:
		var r record.Record
		if r, err = record.Decode[record.Record](raw); err == nil {
			err = u.checkRecord(r)
		}
		called := len(r.Calls) == 0 && len(r.Usage) > 0 || slices.ContainsFunc(r.Time.Calls, func(c record.CallTime) bool { return !c.Reused })
		sample, l.key = r.Sample, r.Request
		keep(called, r.Error, func() error { return b.e.append(u.store, raw, r) })
	case IngestLines:
		var in record.Ingest
		in, err = record.Decode[record.Ingest](raw)
		sample = in.Sample
		keep(false, in.Error, func() error {
			b.e.ledger.memory()
			return log.Append(raw)
		})
	case BlockLines:
		var block record.Block
		block, err = record.Decode[record.Block](raw)
		sample, l.key = block.Sample, block.Block
		if id := record.BlockID(block.Sample, block.Name, block.Text, block.Sources); err == nil && block.Block != id {
			err = fmt.Errorf("block %q does not match its id, which is %s", block.Block, id)
		}
		if u.store.hasBlock(block.Block) {
			l.write = func() error { return nil }
		}
	case StructureLines:
		var shown record.Structure
		shown, err = record.Decode[record.Structure](raw)
		sample = shown.Sample
	}
	if err == nil && sample != u.entry.ID {
		err = fmt.Errorf("a line of %s of %q, which is not part of the unit", d.File, sample)
	}
	return l, err
}

// checkRecord reports why a record is none of the unit, or one that no run writes.
func (u *boardUnit) checkRecord(r record.Record) error {
	at := slices.IndexFunc(u.entry.Requests, func(q datasets.Request) bool { return q.ID == r.Request })
	switch {
	case r.Sample != u.entry.ID || at < 0:
		return fmt.Errorf("a record of question %q of %q, which is not part of the unit", r.Request, r.Sample)
	case r.Hash != requestHash(u.store.cell.set, r.Sample, u.entry.Requests[at]):
		return fmt.Errorf("the record of question %s belongs to a different question: its hash is %q", r.Request, r.Hash)
	case (r.Error == nil) != (r.Status == record.OK):
		return fmt.Errorf("the record of question %s has the status %s and the error %v", r.Request, r.Status, r.Error)
	}
	for _, e := range r.Evidence {
		if !u.has(BlockLines, e.Block) && !u.store.hasBlock(e.Block) {
			return fmt.Errorf("the record of question %s refers to block %q, which was not delivered", r.Request, e.Block)
		}
	}
	return nil
}

// Settle records the cost of the call for which a worker holds a lease. A cost that no call
// of the run can have is an error.
func (b *Board) Settle(ctx context.Context, lease uint64, s budget.Settlement) error {
	if p := s.Paid; p == nil || min(p.Calls, p.Reused, p.Tokens) < 0 || p.USD != nil && !(*p.USD >= 0) {
		return errors.New("a settlement without an amount, or with a negative one")
	}
	b.e.mu.Lock()
	known := slices.ContainsFunc(b.e.plan.header.Models, func(m record.Model) bool { return m.Label == s.Model })
	b.e.mu.Unlock()
	switch {
	case !known:
		return fmt.Errorf("the run has no model %q", s.Model)
	case !b.Budget.Allows(lease, *s.Paid):
		return errors.New("a settlement above the highest possible cost of its call")
	}
	return b.Budget.Settle(ctx, lease, s)
}
