package runners

import (
	"os"
	"slices"
	"sync"
	"time"

	"recallbench/internal/backend/limit"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/result/record"
)

// A Progress shows how a run goes on.
type Progress interface {
	// Begin says what there is to do, and what tells how it stands: until End, state
	// may be called at any time.
	Begin(w Work, state func() State)
	// End says that no more will be told.
	End()
}

// Work is what there is to do.
type Work struct {
	Memories int // to build
	Requests int // in all
	Done     int // of them, those that an earlier part has finished
}

// State is how it stands.
type State struct {
	Memories int // built
	Requests int // finished by this part
	Failed   int // of them
	Spent    meter.Spent
	limit.Counts
	// Step of Steps is done. A step is a call of a model, or where none are called
	// a memory or a request. Steps is estimated from what finished memories and
	// requests took; 0 while none tells.
	Step, Steps float64
}

// NoProgress shows nothing.
type NoProgress struct{}

// Begin implements [Progress].
func (NoProgress) Begin(Work, func() State) {}

// End implements [Progress].
func (NoProgress) End() {}

// A ledger knows what a run has to do and has done.
type ledger struct {
	tally  *meter.Tally
	counts func() limit.Counts

	mu                 sync.Mutex
	memories, requests phase
	failed             int // requests
}

// A phase is work of one kind.
type phase struct {
	planned, done int
	calls         int // of what is done
}

func newLedger(counts func() limit.Counts) *ledger {
	return &ledger{tally: meter.NewTally(), counts: counts}
}

// plan adds memories and requests to what is to be done.
func (l *ledger) plan(memories, requests int) {
	l.memories.planned += memories
	l.requests.planned += requests
}

// memory notes a memory that has been built, or could not be.
func (l *ledger) memory(usage map[string]llm.Usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.memories.add(usage)
}

// request notes a finished request.
func (l *ledger) request(usage map[string]llm.Usage, status record.Status) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests.add(usage)
	if status != record.OK {
		l.failed++
	}
}

func (p *phase) add(usage map[string]llm.Usage) {
	p.done++
	for _, u := range usage {
		p.calls += u.Calls
	}
}

// expected is how many calls a phase will have made: as many each as what is done of it,
// and one each before that.
func (p *phase) expected() float64 {
	if p.done == 0 {
		return float64(p.planned)
	}
	return float64(p.planned) * float64(p.calls) / float64(p.done)
}

func (l *ledger) state() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	m, r := l.memories, l.requests
	s := State{Memories: m.done, Requests: r.done, Failed: l.failed, Spent: l.tally.Spent(), Counts: l.counts()}
	switch {
	case m.done+r.done == 0:
	case s.Spent.Calls == 0:
		s.Step, s.Steps = float64(m.done+r.done), float64(m.planned+r.planned)
	case m.done == 0 && m.planned > 0: // what a memory takes is not known
		s.Step = float64(s.Spent.Calls)
	default:
		s.Step = float64(s.Spent.Calls)
		s.Steps = max(s.Step, m.expected()+r.expected())
	}
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
		at := slices.Index(f.all, one)
		f.all = slices.Delete(f.all, at, at+1)
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

// keepProgress writes how it stands with the run while it goes on; the function it
// returns ends that and removes the file.
func (e *execution) keepProgress(w Work) (end func()) {
	done := make(chan struct{})
	begun := time.Now().UTC()
	var writing sync.WaitGroup
	writing.Go(func() {
		ticks := time.NewTicker(progressEvery)
		defer ticks.Stop()
		for {
			select {
			case <-done:
				return
			case now := <-ticks.C: // the clock of who reads it, whatever clock the records have
				p := e.progress(w)
				p.Begun, p.Time = begun, now.UTC()
				if err := e.folder.WriteProgress(p); err != nil {
					e.plan.env.Log.Warn("the progress of the run is not written", "error", err)
					return
				}
			}
		}
	})
	return func() {
		close(done)
		writing.Wait()
		if err := e.folder.RemoveProgress(); err != nil {
			e.plan.env.Log.Warn("the progress of the run is left behind", "error", err)
		}
	}
}

// progress is how it stands with the run, but for the times.
func (e *execution) progress(w Work) record.Progress {
	s := e.ledger.state()
	p := record.Progress{
		PID: os.Getpid(), Host: record.Host(), Total: w.Requests, Done: w.Done + s.Requests, Failed: s.Failed, InFlight: e.flights.oldest(),
		Budget: record.ProgressBudget{Tokens: e.plan.config.Budget.Tokens, USD: e.plan.config.Budget.USD}, Accounts: []record.Account{},
	}
	e.mu.Lock()
	if paid := e.plan.header.Paid; paid != nil {
		p.Paid = *paid
	}
	e.mu.Unlock()
	if e.Watch != nil {
		p.Workers = e.Watch()
	}
	for _, a := range e.plan.accounts.Status() {
		one := record.Account{Name: a.Name, Limit: a.Limit, InFlight: a.InFlight, Waiting: a.Waiting}
		if !a.Paused.IsZero() {
			one.PausedUntil = new(a.Paused.UTC())
		}
		p.Accounts = append(p.Accounts, one)
	}
	return p
}
