package fleet

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/limit"
	"recallbench/internal/door/fault"
	"recallbench/internal/result/record"
	"recallbench/runners"
)

// A session is a worker as the coordinator sees it.
type session struct {
	id, name string
	user     string          // of NATS; no other may ask in the session
	ctx      context.Context //nolint:containedctx // it is that of what the worker has open, which ends with the session
	cancel   context.CancelFunc
	seen     time.Time // guarded by the coordinator's mu

	mu       sync.Mutex
	shown    record.Worker
	checked  bool // the worker's plan is that of the run
	units    map[runners.Unit]bool
	tasks    map[uint64]*task // by number of the question
	heard    uint64           // the worker has the answers of all numbers below
	answered map[uint64]bool  // and of these
	passes   map[uint64]*passing
	granted  map[uint64]func(time.Time) // tries that the worker may have begun, by question
	leases   map[uint64]bool            // of the budget; nil once the session has ended
	passing  sync.WaitGroup
}

// A task is a question that is done once.
type task struct {
	done   chan struct{} // closed when answer is there
	answer answer
}

func newSession(ctx context.Context, user, name string) *session {
	s := &session{
		id: rand.Text(), user: user, name: name, seen: time.Now(), units: make(map[runners.Unit]bool), tasks: make(map[uint64]*task), answered: make(map[uint64]bool),
		passes: make(map[uint64]*passing), granted: make(map[uint64]func(time.Time)), leases: make(map[uint64]bool),
	}
	s.shown = record.Worker{Name: name, State: record.WorkerJoined, Joined: s.seen.UTC()}
	s.ctx, s.cancel = context.WithCancel(ctx)
	return s
}

// show changes what is shown of the worker, and returns it.
func (s *session) show(change func(*record.Worker)) record.Worker {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.shown)
	w := s.shown
	w.Units = []string{}
	for u := range s.units {
		w.Units = append(w.Units, u.String())
	}
	slices.Sort(w.Units)
	return w
}

// fault notes a fault of the worker.
func (s *session) fault(message string) {
	s.show(func(w *record.Worker) { w.Faults, w.Fault = w.Faults+1, message })
}

// maxTasks bounds the answers that are held for a worker.
const maxTasks = 1 << 14

// maxAhead is how many questions a worker may ask while it waits for one.
const maxAhead = 1 << 22

// task returns the task of a question, which do does when it comes for the first
// time.
func (s *session) task(q question, do func() answer) *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	for end := min(q.Heard, s.heard+maxAhead); s.heard < end; s.heard++ {
		s.wasHeard(s.heard)
		delete(s.answered, s.heard)
	}
	for _, n := range q.Done {
		if n >= s.heard && n-s.heard < maxAhead {
			s.wasHeard(n)
			s.answered[n] = true
		}
	}
	if t := s.tasks[q.Number]; t != nil {
		return t
	}
	var wrong error
	switch {
	case q.Number < s.heard || s.answered[q.Number]:
		wrong = fmt.Errorf("question %d was answered", q.Number)
	case q.Number-s.heard >= maxAhead:
		wrong = fmt.Errorf("question %d, and no answer since %d was heard", q.Number, s.heard)
	case len(s.tasks) >= maxTasks:
		wrong = fmt.Errorf("%d answers were not heard", maxTasks)
	}
	t := &task{done: make(chan struct{})}
	if wrong != nil {
		t.answer = failed(wrong)
		close(t.done)
		return t
	}
	s.tasks[q.Number] = t
	go func() {
		defer close(t.done)
		t.answer = do()
	}()
	return t
}

// wasHeard notes that the worker has the answer of a question; mu is held.
func (s *session) wasHeard(number uint64) {
	delete(s.tasks, number)
	if sent := s.granted[number]; sent != nil {
		delete(s.granted, number)
		sent(time.Now())
	}
}

func (s *session) join() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checked = true
}

func (s *session) joined() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.checked
}

func (s *session) give(u runners.Unit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.units[u] = true
}

func (s *session) take(u runners.Unit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.units, u)
}

func (s *session) has(u runners.Unit) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.units[u]
}

// A passing is a call of the worker within the limits of an account.
type passing struct {
	cancel context.CancelFunc
	next   chan grant // what the worker tries next
	tried  chan tried // what came of its try
	done   chan struct{}
	err    error // of the call, once done
	last   int   // attempts, once done
}

// A grant lets the worker try a call once.
type grant struct {
	passed
	sent func(at time.Time) // by the worker
}

// errLost ends an attempt of a worker that is gone.
var errLost = errors.New("the worker is gone")

// pass makes a call of the worker within the limits of an account. The worker tries,
// the account decides when and how often.
// Once begins has ended, no try begins.
func (s *session) pass(begins context.Context, accounts *limit.Registry, number uint64, p pass) (passed, error) {
	account, ok := accounts.Find(p.Account)
	switch {
	case p.Tokens < 0:
		return passed{}, fmt.Errorf("a call of %d tokens", p.Tokens)
	case !ok:
		return passed{}, fmt.Errorf("the run has no account %q", p.Account)
	}
	ctx, cancel := context.WithCancel(s.ctx)
	one := &passing{cancel: cancel, next: make(chan grant), tried: make(chan tried), done: make(chan struct{})}
	s.mu.Lock()
	s.passes[number] = one
	s.mu.Unlock()
	s.passing.Go(func() {
		defer cancel()
		defer close(one.done)
		one.last, one.err = account.Lend(ctx, p.Tokens, func(ctx context.Context, sent func(time.Time)) (int, error) {
			within := time.Duration(0)
			if end, ok := ctx.Deadline(); ok {
				within = time.Until(end)
			}
			if begins.Err() != nil {
				return 0, errOver
			}
			given := time.Now()
			select {
			case one.next <- grant{passed{Try: true, Within: within}, sent}:
			case <-s.ctx.Done():
				return 0, errLost
			case <-ctx.Done():
				return 0, context.Cause(ctx)
			}
			select {
			case t := <-one.tried:
				sent(time.Now().Add(-min(max(t.Took, 0), time.Since(given))))
				return max(t.Tokens, 0), t.Fault.err()
			case <-s.ctx.Done():
				return 0, errLost
			}
		})
	})
	return s.step(number, number, one)
}

// step waits for what the worker does next, which the answer of a question says.
func (s *session) step(question, pass uint64, one *passing) (passed, error) {
	select {
	case g := <-one.next:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.granted[question] = g.sent
		return g.passed, nil
	case <-one.done:
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.passes, pass)
		return passed{Attempts: one.last}, one.err
	}
}

// tried says what came of a try, and returns what the worker does next.
func (s *session) tried(question uint64, t tried) (passed, error) {
	s.mu.Lock()
	one := s.passes[t.Pass]
	s.mu.Unlock()
	if one == nil {
		return passed{}, fmt.Errorf("a try of call %d, which is not under way", t.Pass)
	}
	select {
	case one.tried <- t:
	case <-one.done:
	}
	return s.step(question, t.Pass, one)
}

// leavePass ends a call that the worker waits for no longer.
func (s *session) leavePass(number uint64) {
	s.mu.Lock()
	one := s.passes[number]
	delete(s.passes, number)
	s.mu.Unlock()
	if one == nil {
		return
	}
	one.cancel()
	select { // it may have been granted meanwhile
	case one.tried <- tried{Fault: toWire(errLost)}:
	case <-one.done:
	}
}

// waitPasses returns when no call is under way. What a worker that is gone has paid is
// not known.
func (s *session) waitPasses(b *budget.Budget) {
	s.passing.Wait()
	s.mu.Lock()
	left := s.leases
	s.leases = nil
	s.mu.Unlock()
	b.Lose(slices.Collect(maps.Keys(left))...)
}

// reserve leases budget to the worker.
func (s *session) reserve(b *budget.Budget, a amount) (lease uint64, err error) {
	reserve := b.Reserve
	if a.Now {
		reserve = b.ReserveNow
	}
	if lease, err = reserve(s.ctx, a.Tokens, a.USD); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leases == nil { // the session has ended meanwhile
		b.Lose(lease)
		return 0, errLost
	}
	s.leases[lease] = true
	return lease, nil
}

// settle says what a call of a worker did cost. The lease may be of an earlier session.
func (s *session) settle(b *budget.Budget, a settle) error {
	if !b.Allows(a.Lease, *a.Paid) {
		return errors.New("settled for more than the call of the lease can have cost")
	}
	s.mu.Lock()
	delete(s.leases, a.Lease)
	s.mu.Unlock()
	return b.Settle(s.ctx, a.Lease, a.Settlement)
}

// stops reports whether an error ends the whole run. A key that a provider does not
// take ends its worker alone.
func stops(err error) bool {
	kind := fault.KindOf(err)
	return kind.Stops() && kind != fault.Auth
}
