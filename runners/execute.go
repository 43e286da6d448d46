package runners

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/pool"

	"recallbench/datasets"
	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/meter"
	"recallbench/internal/result/record"
	"recallbench/methods"
)

// Options say how a run is executed; they change no answer.
type Options struct {
	Progress Progress
	// Retry asks failed requests again.
	Retry bool
	// Workers has the units of the run asked elsewhere, and returns when they are; nil
	// asks them here.
	Workers func(ctx context.Context, b *Board) error
	// Watch returns those workers for the progress of the run; nil where there are none.
	Watch func() []record.Worker
}

// A Result says how the execution of a run ended.
type Result struct {
	Header   record.Header
	Requests int // finished, those of earlier parts included
	Failed   int // of them
}

// FailedShare is the share of finished requests that failed.
func (r Result) FailedShare() float64 {
	if r.Requests == 0 {
		return 0
	}
	return float64(r.Failed) / float64(r.Requests)
}

// Execute asks every request that has no record yet. When ctx is cancelled, it
// waits for the requests in flight, sets the status to interrupted, and
// returns the error of ctx. It does the same, and returns the fault, when a
// call meets one that every further call would meet ([fault.Kind.Stops]). Any other error means that records could not be
// written; the run can be resumed from what is on the disk.
func (r *Run) Execute(ctx context.Context, o Options) (Result, error) {
	e := &execution{Run: r, Options: o, served: make(map[servedBy]bool), ledger: newLedger(r.plan.accounts.Counts), memories: newMemoryCache(r.memories(), r.plan.env.Log), requests: pool.New().WithMaxGoroutines(r.plan.config.Concurrency.Requests)}
	r.plan.charge = e.settle
	if e.Progress == nil {
		e.Progress = NoProgress{}
	}
	err := e.openStores()
	defer e.closeStores()
	if err != nil {
		return Result{}, err
	}
	if err := e.openPayments(); err != nil {
		return Result{}, err
	}
	r.plan.header.Status, r.plan.header.Stopped = record.Started, ""
	r.plan.header.End = time.Time{}
	if err := r.folder.WriteHeader(r.plan.header); err != nil {
		return Result{}, err
	}
	counted := meter.Count(ctx, e.ledger.tally)
	work := e.work()
	e.Progress.Begin(work, e.state)
	ended := e.keepProgress(work)
	if err = e.tune(counted); err == nil && e.stopped == nil {
		err = e.askAll(counted)
	}
	err = errors.Join(err, e.writeWithheld())
	e.Progress.End()
	ended()
	header := &r.plan.header
	for i, c := range r.plan.cells {
		if a, ok := c.method.(methods.Adapted); ok {
			header.Cells[i].Adapter = a.Adapter().Did(c.adapterDid)
		}
	}
	header.End = r.plan.env.Now().UTC()
	written := make(map[string]record.Digest)
	if err == nil && e.stopped == nil {
		err = e.arrange(written)
	}
	switch {
	case err == nil && e.stopped != nil:
		header.Status, header.Stopped = record.Interrupted, e.stopped.Error()
		err = e.stopped
	case err == nil:
		header.Status = record.Complete
	case ctx.Err() != nil:
		header.Status = record.Interrupted
	default: // the folder cannot be written to
		return Result{}, err
	}
	after := r.after
	for _, d := range header.Datasets {
		if len(d.Errata) > 0 {
			after = append(after, r.folder.Errata(d.Label))
		}
	}
	err = errors.Join(err, r.folder.SealWritten(header, written, after...), r.folder.WriteHeader(*header))
	result := Result{Header: *header}
	for _, s := range e.stores {
		result.Requests += len(s.done)
		for _, status := range s.done {
			if status != record.OK {
				result.Failed++
			}
		}
	}
	return result, err
}

// state is how it stands, with its workers.
func (e *execution) state() State {
	s := e.ledger.state()
	var doing []string
	counts := make(map[record.WorkerState]int)
	if e.Watch != nil {
		for _, w := range e.Watch() {
			counts[w.State]++
		}
	}
	if n := counts[record.WorkerJoined]; n > 0 {
		doing = append(doing, fmt.Sprintf("%d workers", n))
	}
	if n := counts[record.WorkerLost]; n > 0 {
		doing = append(doing, fmt.Sprintf("%d lost", n))
	}
	s.Doing = strings.Join(doing, ", ")
	return s
}

// An execution is one part of a run, from its start or a resumption to its end
// or an interruption.
type execution struct {
	*Run
	Options
	stores   []*store // one for each cell
	ledger   *ledger  // with a part for each cell
	memories keptMemories
	requests *pool.Pool
	closing  conc.WaitGroup // of memories
	flights  flights
	payments *payments
	served   map[servedBy]bool // that are in the header

	halting // its mutex guards the header's served models and what was paid too

	withheld []func() error // see [execution.keep]
	worker   bool           // another process has the run folder
}

// A halting ends work because of a fault that every further call would meet: what
// is in flight goes on, nothing else begins.
type halting struct {
	mu      sync.Mutex
	stopped error
}

func (h *halting) halt(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped == nil {
		h.stopped = err
	}
}

func (h *halting) stopping() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stopped != nil
}

// settle notes which models of an entry have replied to what a meter measured, as far as
// that is new, and how many of the replies were recorded ones. What was paid is noted at
// each call.
func (e *execution) settle(label string, m *meter.Meter) {
	seen := m.Seen()
	s := budget.Settlement{Model: label, Paid: new(seen.Paid)}
	e.mu.Lock()
	s.Served = lists.Filter(seen.Served, func(m meter.Served) bool { return !e.served[servedBy{label, m}] })
	for _, m := range s.Served {
		e.served[servedBy{label, m}] = true
	}
	e.mu.Unlock()
	if len(s.Served) == 0 && s.Paid.Reused == 0 {
		return
	}
	if err := e.plan.budget.Settle(context.Background(), 0, s); err != nil {
		e.halt(err)
	}
}

// servedBy is a model that has replied to calls of an entry.
type servedBy struct {
	label string
	meter.Served
}

// openPayments goes on with the payments of earlier parts of the run, which are those
// that the header has from then on.
func (e *execution) openPayments() (err error) {
	h := &e.plan.header
	before := h.Paid
	if h.Paid = nil; slices.ContainsFunc(h.Models, func(m record.Model) bool { return !m.Offline }) {
		h.Paid = &meter.Paid{USD: new(0.0)}
	}
	e.payments, err = e.plan.openPayments(e.folder, "", before, func(entry budget.Entry, now bool) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.settlement(entry.Settlement)
		if now && e.Workers != nil { // whose meters are elsewhere
			p := *entry.Paid
			e.ledger.tally.Add(meter.Spent{Calls: p.Calls + p.Reused, Tokens: p.Tokens, Paid: p})
		}
	})
	return err
}

// settlement puts a settlement into the header; mu is held.
func (e *execution) settlement(s budget.Settlement) {
	h := &e.plan.header
	if h.Paid != nil {
		*h.Paid = h.Paid.Add(*s.Paid)
	}
	at := slices.IndexFunc(h.Models, func(m record.Model) bool { return m.Label == s.Model })
	if at < 0 {
		return
	}
	header := &h.Models[at]
	for _, m := range s.Served {
		e.served[servedBy{s.Model, m}] = true
		if role, ok := header.Roles[m.Role]; ok {
			role.Served = insert(role.Served, m.Model)
			header.Roles[m.Role] = role
			continue
		}
		header.Served = insert(header.Served, m.Model)
		header.Fingerprints = insert(header.Fingerprints, m.Fingerprint)
		header.Recorded = insert(header.Recorded, m.Recorded)
	}
}

// insert puts a name into a sorted list, unless it is empty or there already.
func insert(names []string, name string) []string {
	at, there := slices.BinarySearch(names, name)
	if there || name == "" {
		return names
	}
	return slices.Insert(names, at, name)
}

// openStores reads the files of all cells, and opens them for more when nothing is
// wrong with any.
func (e *execution) openStores() error {
	var faults []error
	for _, c := range e.plan.cells {
		s, err := readStore(e.folder, c)
		faults = append(faults, err)
		e.stores = append(e.stores, s)
	}
	if err := errors.Join(faults...); err != nil {
		e.stores = nil
		return err
	}
	for _, s := range e.stores {
		if err := s.open(e.syncDelay(s.cell), e.plan.config.Structures, e.plan.env.Log); err != nil {
			return err
		}
	}
	return nil
}

// syncDelay is how long the records of a cell may be with the system before they are
// on the disk. What was paid for is synced at once. What can be had again for
// nothing, from rules or recordings, is safe from the end of the process all the
// same. A sync of each line would take most of a replay's time.
func (e *execution) syncDelay(c *cell) time.Duration {
	if c.doors.Offline || e.plan.env.Calls.Mode() == calls.Replay {
		return time.Second
	}
	return 0
}

func (e *execution) closeStores() {
	for _, s := range e.stores {
		s.close()
	}
	e.payments.close(e.plan.env.Log)
}

// work returns what is to be done, and opens the ledger of it.
func (e *execution) work() (w Work) {
	for _, s := range e.stores {
		done, memories := 0, 0
		for k := range s.done {
			if !s.pending(k, e.Retry) {
				done++
			}
		}
		for _, entry := range s.cell.samples {
			if e.left(s, entry) {
				memories++
			}
		}
		s.ledger = e.ledger.add(memories, s.cell.Planned-done)
		w.Memories, w.Requests, w.Done = w.Memories+memories, w.Requests+s.cell.Planned, w.Done+done
	}
	return w
}

// left reports whether a sample of a cell has requests to ask.
func (e *execution) left(s *store, sample datasets.Entry) bool {
	unbuilt := !s.built[sample.ID] && len(sample.Requests) > 0 // the line about its memory is lost
	return unbuilt || slices.ContainsFunc(sample.Requests, func(r datasets.Request) bool { return s.pending(key{sample.ID, r.ID}, e.Retry) })
}

// askAll asks what is left, here or by workers.
func (e *execution) askAll(ctx context.Context) error {
	if e.Workers == nil {
		return e.ask(ctx)
	}
	return e.Workers(ctx, newBoard(e))
}

// ask builds the memories that have requests left and asks those. The first
// error of a store stops everything.
func (e *execution) ask(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	samples := pool.New().WithMaxGoroutines(e.plan.config.Concurrency.Samples)
	for _, s := range e.stores {
		for _, entry := range s.cell.samples {
			if ctx.Err() != nil {
				break
			}
			e.askSample(ctx, stop, samples, s, entry)
		}
	}
	samples.Wait()
	e.requests.Wait()
	e.closing.Wait()
	return context.Cause(ctx)
}

// askSample asks what is left of a sample of a cell.
func (e *execution) askSample(ctx context.Context, stop context.CancelCauseFunc, samples *pool.Pool, s *store, entry datasets.Entry) {
	if !e.left(s, entry) {
		return
	}
	samples.Go(func() {
		if ctx.Err() != nil || e.stopping() {
			return
		}
		sample, err := loadSample(ctx, s.cell.set, entry)
		if err != nil {
			e.halt(err)
			return
		}
		u := unit{execution: e, cellSample: cellSample{e.plan, s.cell, sample}, store: s, asked: new(sync.WaitGroup)}
		u.run(ctx, stop)
	})
}

func (e *execution) arrange(written map[string]record.Digest) error {
	for _, s := range e.stores {
		if err := s.arrange(written); err != nil {
			return err
		}
	}
	return nil
}

// Failures that the provider is to blame for are withheld until another call comes
// through. Where none does, and the provider is given up, they say nothing about
// the requests: these are asked again when the run is resumed.

// keep writes what was recorded, or withholds it with such a failure; nil for none.
// What was done without a call to the provider says nothing about the provider.
func (e *execution) keep(called bool, failure *record.Failure, write func() error) error {
	if e.worker {
		return write() // who has the run folder withholds
	}
	if failure != nil && failure.Provider {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.withheld = append(e.withheld, write)
		return nil
	}
	if failure == nil && called {
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
