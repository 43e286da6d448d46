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
	"recallbench/internal/result/record"
	"recallbench/runners"
)

// Bounds of what is held for a worker.
const (
	maxName   = 200     // bytes
	maxPasses = 1 << 14 // calls under way
)

// A session is a worker as the coordinator sees it.
type session struct {
	id     string
	owner  string          // of what it has open; a session that begins anew has another
	ctx    context.Context //nolint:containedctx // it is that of what the worker has open, which ends with the session
	cancel context.CancelFunc

	// Guarded by the coordinator's mutex, but for the name.
	seen    time.Time
	shown   record.Worker
	checked bool // the worker's plan is that of the run
	units   map[runners.Unit]bool

	mu      sync.Mutex
	passes  map[string]*pass
	passing sync.WaitGroup
	leases  map[uint64]bool // of the budget; nil once the session has ended
}

func newSession(ctx context.Context, id, name string) *session {
	s := &session{
		id: id, owner: rand.Text(), seen: time.Now(), units: make(map[runners.Unit]bool), passes: make(map[string]*pass), leases: make(map[uint64]bool),
		shown: record.Worker{Name: name, State: record.WorkerJoined, Joined: time.Now().UTC()},
	}
	s.ctx, s.cancel = context.WithCancel(ctx)
	return s
}

// worker returns what is shown of the worker.
func (s *session) worker() record.Worker {
	w := s.shown
	w.Units = []string{}
	for u := range s.units {
		w.Units = append(w.Units, u.String())
	}
	slices.Sort(w.Units)
	return w
}

// end ends what is under way. What a worker that is gone has paid is not known.
func (s *session) end(b *budget.Budget) {
	s.cancel()
	s.mu.Lock()
	left := s.leases
	s.leases = nil // and no call begins
	s.mu.Unlock()
	s.passing.Wait()
	b.Lose(slices.Collect(maps.Keys(left))...)
}

// A pass is a call of a worker within the limits of an account, which decides when and
// how often the worker tries.
type pass struct {
	ctx     context.Context //nolint:containedctx // it ends when the worker leaves the call
	cancel  context.CancelFunc
	results chan tryResult

	// Guarded by the session's mutex.
	granted, reported int // tries
	given             time.Time
	until             time.Time          // when the last try must have ended; zero for no bound
	sent              func(at time.Time) // of the try under way, else nil
	changed           chan struct{}      // closed at the next grant, or end
	ended             bool
	err               error // of the call, once it has ended
}

// errLost ends a try of a worker that is gone.
var errLost = errors.New("the worker is gone")

// tryCall takes what came of a try of a call, and says when to try it next.
func (c *Coordinator) tryCall(ctx context.Context, s *session, q tryRequest) (any, error) {
	s.mu.Lock()
	p := s.passes[q.Call]
	if p == nil {
		if q.Left || q.Result != nil && q.Result.Fault == nil { // it has ended
			s.mu.Unlock()
			return tryAnswer{}, nil
		}
		var err error
		if p, err = c.newPass(s, q); err != nil {
			s.mu.Unlock()
			return nil, err
		}
	}
	if q.Left {
		p.cancel()
	}
	if q.Result != nil && q.Tried == p.granted && q.Tried > p.reported {
		p.reported, p.sent = q.Tried, nil
		p.results <- *q.Result // there is room for one
	}
	for !p.ended && p.granted <= q.Tried {
		changed := p.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, errWait
		}
		s.mu.Lock()
	}
	defer s.mu.Unlock()
	switch {
	case errors.Is(p.err, errOver):
		return nil, errOver
	case p.ended:
		return tryAnswer{Fault: toWire(p.err)}, nil
	case p.until.IsZero():
		return tryAnswer{Try: true}, nil
	default:
		return tryAnswer{Try: true, Within: max(time.Until(p.until), 1)}, nil
	}
}

// newPass begins a call; the session's mutex is held. Once begins has ended, none does.
func (c *Coordinator) newPass(s *session, q tryRequest) (*pass, error) {
	account, ok := c.board.Accounts.Find(q.Account)
	switch {
	case c.begins.Err() != nil:
		return nil, errOver
	case s.leases == nil:
		return nil, errUnknown
	case q.Tokens < 0 || q.Tried < 0:
		return nil, fmt.Errorf("a call of %d tokens that was tried %d times", q.Tokens, q.Tried)
	case !ok:
		return nil, fmt.Errorf("the run has no account %q", q.Account)
	case len(s.passes) >= maxPasses:
		return nil, fmt.Errorf("%d calls are in progress", maxPasses)
	}
	// One that was tried in an earlier session continues with that number.
	p := &pass{results: make(chan tryResult, 1), changed: make(chan struct{}), granted: q.Tried, reported: q.Tried}
	p.ctx, p.cancel = context.WithCancel(s.ctx)
	s.passes[q.Call] = p
	s.passing.Go(func() {
		defer p.cancel()
		_, err := account.Lend(p.ctx, q.Tokens, func(ctx context.Context, sent func(time.Time)) (int, error) {
			return c.lend(ctx, s, p, sent)
		})
		s.mu.Lock()
		defer s.mu.Unlock()
		p.ended, p.err = true, err
		close(p.changed)
		time.AfterFunc(c.Patience, func() { // until then the worker may ask again
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.passes, q.Call)
		})
	})
	return p, nil
}

// lend has the worker try a call once.
func (c *Coordinator) lend(ctx context.Context, s *session, p *pass, sent func(time.Time)) (int, error) {
	if c.begins.Err() != nil {
		return 0, errOver
	}
	s.mu.Lock()
	p.granted++
	p.given, p.sent = time.Now(), sent
	p.until, _ = ctx.Deadline()
	close(p.changed)
	p.changed = make(chan struct{})
	s.mu.Unlock()
	select {
	case r := <-p.results:
		sent(time.Now().Add(-min(max(r.Took, 0), time.Since(p.given))))
		return max(r.Tokens, 0), r.Fault.err()
	case <-p.ctx.Done():
		return 0, errLost
	}
}

// renew holds the sign of life of a worker until the run is over, at most for some
// seconds. It says since when calls are with the provider, which may take minutes.
func (c *Coordinator) renew(ctx context.Context, s *session, trying map[string]time.Duration) (any, error) {
	s.mu.Lock()
	for call, since := range trying {
		if p := s.passes[call]; p != nil && p.sent != nil {
			p.sent(time.Now().Add(-min(max(since, 0), time.Since(p.given))))
		}
	}
	s.mu.Unlock()
	select {
	case <-ctx.Done():
		return nil, nil
	case <-c.begins.Done():
		return nil, errOver
	}
}

// reserve leases budget to a worker.
func (c *Coordinator) reserve(ctx context.Context, s *session, q reserveRequest) (any, error) {
	if c.begins.Err() != nil {
		return nil, errOver
	}
	if q.Lease == 0 {
		return nil, errors.New("a lease without a number")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.begins, cancel)() //nolint:contextcheck // the end of either ends the wait
	if err := c.board.Budget.Lease(ctx, q.Lease, q.Tokens, q.USD, q.Wait); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leases == nil { // the session has ended meanwhile
		c.board.Budget.Lose(q.Lease)
		return nil, errUnknown
	}
	s.leases[q.Lease] = true
	return nil, nil
}

// settle says what a call of a worker did cost. The lease may be of an earlier session;
// with 0, which is none, what recordings saved is counted each time that it comes.
func (c *Coordinator) settle(_ context.Context, s *session, q settleRequest) (any, error) {
	if err := c.board.Settle(s.ctx, q.Lease, q.Settlement); err != nil { //nolint:contextcheck // what was paid is settled though the request has ended
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.leases, q.Lease)
	return nil, nil
}
