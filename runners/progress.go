package runners

import (
	"sync"

	"recallbench/internal/backend/limit"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/result/record"
)

// A Progress is told how a run goes on. Its methods may be called
// concurrently.
type Progress interface {
	// Begin says what there is to do, and what tells how it stands: between
	// Begin and End state may be called at any time.
	Begin(w Work, state func() State)
	// Memory says that a memory has been built, or could not be.
	Memory()
	// Request says that a request has finished and how many tokens it took.
	Request(status record.Status, tokens int)
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
	// Doing says how many machines work on it; empty for none but this one.
	Doing string
}

// NoProgress tells nobody.
type NoProgress struct{}

// Begin implements [Progress].
func (NoProgress) Begin(Work, func() State) {}

// Memory implements [Progress].
func (NoProgress) Memory() {}

// Request implements [Progress].
func (NoProgress) Request(record.Status, int) {}

// End implements [Progress].
func (NoProgress) End() {}

// A ledger knows what the parts of a run have to do and have done. Its parts are
// cells, because what a memory or a request takes depends on the method.
type ledger struct {
	tally  *meter.Tally
	counts func() limit.Counts

	mu    sync.Mutex
	parts []*ledgerPart
}

// A ledgerPart is what one cell has to do and has done.
type ledgerPart struct {
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

func (l *ledger) add(memories, requests int) *ledgerPart {
	p := &ledgerPart{memories: phase{planned: memories}, requests: phase{planned: requests}}
	l.parts = append(l.parts, p)
	return p
}

// memory notes a memory that has been built, or could not be.
func (l *ledger) memory(p *ledgerPart, usage map[string]llm.Usage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.memories.done++
	p.memories.calls += callsOf(usage)
}

// request notes a finished request.
func (l *ledger) request(p *ledgerPart, usage map[string]llm.Usage, status record.Status) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.requests.done++
	p.requests.calls += callsOf(usage)
	if status != record.OK {
		p.failed++
	}
}

// callsOf is how many calls of models usage counts.
func callsOf(usage map[string]llm.Usage) (n int) {
	for _, u := range usage {
		n += u.Calls
	}
	return n
}

func (l *ledger) state() State {
	s := State{Spent: l.tally.Spent(), Counts: l.counts()}
	l.mu.Lock()
	defer l.mu.Unlock()
	var memories, requests phase
	for _, p := range l.parts {
		s.Failed += p.failed
		memories, requests = memories.plus(p.memories), requests.plus(p.requests)
	}
	s.Memories, s.Requests = memories.done, requests.done
	if memories.done+requests.done == 0 {
		return s
	}
	if s.Spent.Calls == 0 {
		s.Step, s.Steps = float64(memories.done+requests.done), float64(memories.planned+requests.planned)
		return s
	}
	s.Step = float64(s.Spent.Calls)
	for _, p := range l.parts {
		m, known := p.memories.expected(memories)
		if !known {
			return s
		}
		r, known := p.requests.expected(requests)
		if !known { // at least a call each
			r = float64(p.requests.planned)
		}
		s.Steps += m + r
	}
	s.Steps = max(s.Steps, s.Step)
	return s
}

func (p phase) plus(q phase) phase {
	return phase{p.planned + q.planned, p.done + q.done, p.calls + q.calls}
}

// expected is how many calls a phase of a cell will have made: as many each as what
// is done of it, or else of the same phase of all cells.
func (p phase) expected(all phase) (calls float64, known bool) {
	like := p
	if p.done == 0 {
		like = all
	}
	switch {
	case p.planned == 0:
		return 0, true
	case like.done == 0:
		return 0, false
	default:
		return float64(p.planned) * float64(like.calls) / float64(like.done), true
	}
}
