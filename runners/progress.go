package runners

import (
	"os"
	"slices"
	"sync"
	"time"

	"recallbench/internal/backend/limit"
	"recallbench/internal/door/meter"
	"recallbench/internal/result/record"
)

// A Progress shows the progress of some work until end is called; nil shows nothing. State
// returns what is done so far, and may be called at any time until then.
type Progress func(w Work, state func() State) (end func())

func (p Progress) begin(w Work, state func() State) (end func()) {
	if p == nil {
		return func() {}
	}
	return p(w, state)
}

// Work is the work that a run has to do.
type Work struct {
	Memories int // to build
	Requests int // in all
	Done     int // of them, those that an earlier part has finished
}

// State is the current state of a run.
type State struct {
	Memories int // built
	Requests int // finished by this part
	Failed   int // of them
	Spent    meter.Spent
	limit.Counts
}

// A ledger counts what a run has done.
type ledger struct {
	tally  *meter.Tally
	counts func() limit.Counts

	mu   sync.Mutex
	done State // without what tally and counts know
}

func newLedger(counts func() limit.Counts) *ledger {
	return &ledger{tally: meter.NewTally(), counts: counts}
}

// memory notes a memory that has been built, or could not be.
func (l *ledger) memory() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done.Memories++
}

// request notes a finished request.
func (l *ledger) request(status record.Status) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done.Requests++
	if status != record.OK {
		l.done.Failed++
	}
}

func (l *ledger) state() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.done
	s.Spent, s.Counts = l.tally.Spent(), l.counts()
	return s
}

// flights are the requests and the memories under way. The zero value has none.
type flights struct {
	mu  sync.Mutex
	all []*flight // in the order of their start
}

type flight struct {
	record.InFlight
	meter *meter.Meter
}

// begin notes what begins; the function it returns ends it.
func (f *flights) begin(what record.InFlight, m *meter.Meter) (end func()) {
	what.Since = what.Since.UTC()
	one := &flight{what, m}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, one)
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.all = slices.DeleteFunc(f.all, func(other *flight) bool { return other == one })
	}
}

// oldest returns those that began first, with their stages.
func (f *flights) oldest() []record.InFlight {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := []record.InFlight{}
	for _, one := range f.all[:min(len(f.all), record.MaxInFlight)] {
		shown := one.InFlight
		shown.Stage = one.meter.Current()
		all = append(all, shown)
	}
	return all
}

// progressEvery is how often the progress of a run is written.
const progressEvery = time.Second

// keepProgress writes the state of the run while it runs; the function it
// returns ends that and removes the file.
func (e *execution) keepProgress(w Work) (end func()) {
	done := make(chan struct{})
	begun := time.Now().UTC()
	var writing sync.WaitGroup
	writing.Go(func() {
		ticks := time.Tick(progressEvery)
		for {
			select {
			case <-done:
				return
			case now := <-ticks: // the clock of who reads it, whatever clock the records have
				p := e.progress(w)
				p.Begun, p.Time = begun, now.UTC()
				if err := e.folder.WriteProgress(p); err != nil {
					e.plan.env.Log.Warn("the run's progress could not be written", "error", err)
					return
				}
			}
		}
	})
	return func() {
		close(done)
		writing.Wait()
		if err := e.folder.RemoveProgress(); err != nil {
			e.plan.env.Log.Warn("the run's progress file could not be removed", "error", err)
		}
	}
}

// progress is the state of the run without the times.
func (e *execution) progress(w Work) record.Progress {
	s := e.ledger.state()
	p := record.Progress{
		PID: os.Getpid(), Host: record.Host(), Total: w.Requests, Done: w.Done + s.Requests, Failed: s.Failed, InFlight: e.flights.oldest(),
		Budget: record.ProgressBudget{Tokens: e.plan.config.Budget.Tokens, USD: e.plan.config.Budget.USD}, Accounts: e.plan.env.Limits.Status(),
	}
	e.mu.Lock()
	if paid := e.plan.header.Paid; paid != nil {
		p.Paid = *paid
	}
	e.mu.Unlock()
	if e.Watch != nil {
		p.Workers = e.Watch()
	}
	return p
}
