package runners

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/pool"

	"recallbench/datasets"
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
	// ErrorLimit is the share of failed requests that the config allows.
	ErrorLimit float64
}

// An execution is one part of a run, from its start or a resumption to its end
// or an interruption.
type execution struct {
	*Run
	Options
	stores   []*store // one for each cell
	ledger   *ledger
	memories memoryCache
	requests *pool.Pool
	closing  conc.WaitGroup // of memories
	flights  flights
	payments *payments
	served   map[servedBy]bool // that are in the header

	halting // its mutex guards the header's served models and what was paid too

	withheld []func() error // see [execution.keep]
	worker   bool           // another process has the run folder
}

func (r *Run) execution(o Options) *execution {
	e := &execution{
		Run: r, Options: o, served: make(map[servedBy]bool), ledger: newLedger(r.plan.env.Limits.Counts),
		memories: memoryCache{r.memories(), r.plan.env.Log},
		requests: pool.New().WithMaxGoroutines(r.plan.config.Concurrency.Requests),
	}
	r.plan.folder, r.plan.charge = string(r.folder), e.settle
	return e
}

// Execute asks every request that has no record yet. When ctx is cancelled, it
// waits for the requests in flight, sets the status to interrupted, and
// returns the error of ctx. It does the same, and returns the fault, when a
// call meets one that every further call would meet ([fault.Kind.Stops]). Any other
// error means that records could not be written; the run can be resumed from what is
// on the disk.
func (r *Run) Execute(ctx context.Context, o Options) (Result, error) {
	e := r.execution(o)
	defer func() {
		for _, s := range e.stores {
			s.close()
		}
		e.payments.close(r.plan.env.Log)
	}()
	if err := e.openStores(); err != nil {
		return Result{}, err
	}
	if err := e.openPayments(); err != nil {
		return Result{}, err
	}
	h := &r.plan.header
	h.Status, h.Stopped, h.End = record.Started, "", time.Time{}
	if err := r.folder.WriteHeader(*h); err != nil {
		return Result{}, err
	}
	err := e.askAll(meter.Count(ctx, e.ledger.tally))
	written := make(map[string]record.Digest)
	if err == nil && e.stopped == nil {
		for _, s := range e.stores {
			err = errors.Join(err, s.arrange(written))
		}
	}
	h.End = r.plan.env.Now().UTC()
	switch {
	case err == nil && e.stopped == nil:
		h.Status = record.Complete
	case err == nil:
		h.Status, h.Stopped = record.Interrupted, e.stopped.Error()
		err = e.stopped
	case ctx.Err() != nil:
		h.Status = record.Interrupted
	default: // the folder cannot be written to
		return Result{}, err
	}
	err = errors.Join(err, e.seal(written))
	return e.result(), err
}

// askAll tunes and asks, here or elsewhere, while the progress is shown.
func (e *execution) askAll(ctx context.Context) error {
	tasks := e.tasks()
	work := Work{Memories: len(tasks)}
	for _, s := range e.stores {
		work.Requests += s.cell.Planned
	}
	work.Done = work.Requests
	for _, t := range tasks {
		work.Done -= len(t.pending)
	}
	defer e.Progress.begin(work, e.ledger.state)()
	defer e.keepProgress(work)()
	err := e.tune(ctx)
	switch {
	case err != nil || e.stop() != nil:
	case e.Workers != nil:
		err = e.Workers(ctx, newBoard(e, tasks))
	default:
		err = e.ask(ctx, tasks)
	}
	return errors.Join(err, e.writeWithheld())
}

// seal writes the header with what the files of the run hold.
func (e *execution) seal(written map[string]record.Digest) error {
	h := &e.plan.header
	for i, c := range e.plan.cells {
		if a, ok := c.method.(methods.Adapted); ok {
			h.Cells[i].Adapter = a.Adapter().Did(c.adapterDid)
		}
	}
	after := append(slices.Clip(e.after), errataFiles(e.folder, h)...)
	return errors.Join(e.folder.Seal(h, written, after...), e.folder.WriteHeader(*h))
}

func (e *execution) result() Result {
	result := Result{Header: e.plan.header, ErrorLimit: e.plan.config.Limits.Errors}
	for _, s := range e.stores {
		result.Requests += len(s.done)
		for _, status := range s.done {
			if status != record.OK {
				result.Failed++
			}
		}
	}
	return result
}

// A halting ends work because of a fault that every further call would meet: what
// is in flight continues, nothing else begins.
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

// stop is why nothing may begin; nil while something may.
func (h *halting) stop() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stopped
}

// firstError is a pool whose first error ends the context of all and is that of Wait.
func firstError(ctx context.Context, most int) *pool.ContextPool {
	return pool.New().WithMaxGoroutines(most).WithContext(ctx).WithCancelOnError().WithFirstError()
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
		return err
	}
	for _, s := range e.stores {
		if err := s.open(e.plan.config.Structures, e.plan.env.Log); err != nil {
			return err
		}
	}
	return nil
}

// A task is a sample of a cell with what is left to do of it.
type task struct {
	store   *store
	entry   datasets.Entry
	pending []string // ids of requests to ask; none where only the line about the memory is lost
}

// tasks returns what is left to do, in the order of the run.
func (e *execution) tasks() (all []task) {
	for _, s := range e.stores {
		for _, entry := range s.cell.samples {
			t := task{store: s, entry: entry}
			for _, r := range entry.Requests {
				if s.pending(key{entry.ID, r.ID}, e.Retry) {
					t.pending = append(t.pending, r.ID)
				}
			}
			if len(t.pending) > 0 || len(entry.Requests) > 0 && !s.built[entry.ID] {
				all = append(all, t)
			}
		}
	}
	return all
}

// ask builds the memories that have requests left and asks those. The first
// error of a store stops everything.
func (e *execution) ask(ctx context.Context, tasks []task) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	samples := pool.New().WithMaxGoroutines(e.plan.config.Concurrency.Samples)
	for _, t := range tasks {
		samples.Go(func() {
			if ctx.Err() != nil || e.stop() != nil {
				return
			}
			u, err := e.load(ctx, t.store, t.entry)
			if err != nil {
				e.halt(err)
				return
			}
			u.run(ctx, stop)
		})
	}
	samples.Wait()
	e.requests.Wait()
	e.closing.Wait()
	return context.Cause(ctx)
}

// Failures that the provider is to blame for are withheld until another call comes
// through. Where none does, and the provider is given up, they say nothing about
// the requests: these are asked again when the run is resumed.

// keep writes what was recorded, or withholds it with such a failure; nil for none.
// What was done without a call to the provider says nothing about the provider.
func (e *execution) keep(called bool, failure *record.Failure, write func() error) error {
	switch {
	case e.worker: // who has the run folder withholds
	case failure != nil && failure.Provider:
		e.mu.Lock()
		defer e.mu.Unlock()
		e.withheld = append(e.withheld, write)
		return nil
	case failure == nil && called:
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
