package fleet

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"recallbench/internal/backend/calls"
	"recallbench/internal/door/fault"
	"recallbench/internal/result/record"
	"recallbench/runners"
)

// maxTries is how many workers may fail on a unit before the run stops.
const maxTries = 5

// DefaultPatience is how long a worker may be silent.
const DefaultPatience = 30 * time.Second

// A Coordinator hands out the units of a run to workers. Call [Coordinator.Listen] before
// [Coordinator.Run].
type Coordinator struct {
	Keys Keys
	// Binary is the program that workers must be.
	Binary record.Binary
	Log    *slog.Logger
	// Patience is how long a worker may be silent before others get its units; 0 is
	// [DefaultPatience].
	Patience time.Duration
	// Grace is how long workers may take to deliver what is in flight when the run ends.
	Grace time.Duration
	// URL is the coordinator's address for workers, once it listens.
	URL string

	server *http.Server
	mux    *http.ServeMux

	// Set when the run begins.
	board   *runners.Board
	calls   *calls.Server
	welcome welcome
	files   map[string]*os.File // of the user, by SHA-256
	hold    time.Duration       // of a request that has to wait
	begins  context.Context     //nolint:containedctx // while it lasts, something new may begin
	life    context.Context     //nolint:containedctx // of sessions: what is in flight is delivered although the run has ended

	mu       sync.Mutex // is not held while the board writes, whose progress asks for the workers
	begun    bool
	closed   bool // nothing is answered any more
	serving  sync.WaitGroup
	early    map[string]bool // sessions that asked before the run began, and not since
	sessions map[string]*session
	gone     []record.Worker // the last maxGone
	queue    []runners.Unit
	changed  chan struct{}             // closed when units come into the queue
	failures map[runners.Unit][]string // why workers could not ask a unit
}

// Run hands out the units of a board to workers until all are finished, ctx ends or the
// run has to stop. It is the Workers of [runners.Options].
func (c *Coordinator) Run(ctx context.Context, b *runners.Board) (err error) {
	defer func() {
		for _, f := range c.files {
			_ = f.Close() // it was only read
		}
	}()
	if err := c.begin(ctx, b); err != nil {
		return err
	}
	var end, cancel context.CancelFunc
	c.begins, end = context.WithCancel(ctx)
	defer end()
	c.life, cancel = context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	c.mu.Lock()
	c.begun = true
	c.mu.Unlock()
	var watching sync.WaitGroup
	watching.Go(func() { c.watch(c.life) })
	err = b.Wait(ctx)
	end()
	c.release()
	cancel()
	watching.Wait()
	c.mu.Lock()
	c.closed = true
	left := slices.Collect(maps.Values(c.sessions))
	c.mu.Unlock()
	c.serving.Wait()
	for _, s := range left {
		c.leave(s, false)
	}
	return err
}

// begin sets what workers are told of a run, and fills the queue.
func (c *Coordinator) begin(ctx context.Context, b *runners.Board) (err error) {
	c.Patience = cmp.Or(c.Patience, DefaultPatience)
	c.hold = min(holdTime, c.Patience/4)
	c.board, c.calls = b, calls.NewServer(b.Calls)
	c.queue = slices.Clone(b.Units)
	c.welcome = welcome{Calls: string(b.Calls.Mode())}
	if c.welcome.Config, c.welcome.Header, err = b.Plan(); err != nil {
		return err
	}
	return errors.Join(c.openFiles(b.Own), ctx.Err())
}

// release waits for workers that learn from their next request that the run is over,
// and still deliver what was in flight.
func (c *Coordinator) release() {
	for begun := time.Now(); time.Since(begun) < c.Grace; time.Sleep(10 * time.Millisecond) {
		c.mu.Lock()
		left := len(c.sessions)
		c.mu.Unlock()
		if left == 0 {
			return
		}
	}
}

// maxGone is how many workers that have gone are shown.
const maxGone = 50

// Workers returns the active workers by name, followed by those that have left.
func (c *Coordinator) Workers() (all []record.Worker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sessions {
		all = append(all, s.worker())
	}
	slices.SortFunc(all, func(a, b record.Worker) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), a.Joined.Compare(b.Joined))
	})
	return append(all, c.gone...)
}

// refused notes a request of a worker that was refused, which may have no session.
func (c *Coordinator) refused(s *session, op string, err error) {
	if s == nil || s.owner == "" {
		c.Log.Warn("refused a worker", "request", op, "error", err)
		return
	}
	c.Log.Warn("refused", "worker", s.shown.Name, "request", op, "error", err)
	c.mu.Lock()
	defer c.mu.Unlock()
	s.shown.Faults, s.shown.Fault = s.shown.Faults+1, err.Error()
}

// watch ends the sessions of workers that show no sign of life.
func (c *Coordinator) watch(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(c.Patience / 4):
		}
		c.mu.Lock()
		all := slices.Collect(maps.Values(c.sessions))
		all = slices.DeleteFunc(all, func(s *session) bool { return time.Since(s.seen) <= c.Patience })
		c.mu.Unlock()
		for _, s := range all {
			c.Log.Warn("lost a worker; others get its conversations", "worker", s.shown.Name, "silent", c.Patience)
			c.leave(s, false)
		}
	}
}

// leave ends a session: others may have what it held. A worker that does not leave by
// itself is lost.
func (c *Coordinator) leave(s *session, itself bool) {
	c.mu.Lock()
	if c.sessions[s.id] != s {
		c.mu.Unlock()
		return
	}
	delete(c.sessions, s.id)
	w := s.worker()
	if w.State = record.WorkerLost; itself {
		w.State = record.WorkerLeft
	}
	c.gone = append(c.gone, w)
	c.gone = c.gone[max(0, len(c.gone)-maxGone):]
	c.mu.Unlock()
	s.end(c.board.Budget)
	c.calls.Lost(context.WithoutCancel(s.ctx), s.owner)
	c.mu.Lock()
	left := slices.Collect(maps.Keys(s.units))
	clear(s.units)
	c.mu.Unlock()
	for _, u := range left {
		c.again(u, s, fmt.Sprintf("silent for %s", c.Patience))
	}
}

// session returns the session of a request, which a join begins. A worker whose plan was
// not checked may ask for little.
func (c *Coordinator) session(id, op string) (*session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sessions[id]
	switch {
	case s != nil:
		s.seen = time.Now()
	case op == opJoin:
		return &session{id: id}, nil
	default:
		return nil, errUnknown
	}
	if !s.checked && !slices.Contains([]string{opJoin, opFile, opRenew, opCalls, opLeave}, op) {
		return s, fmt.Errorf("%s before the worker's plan was checked", op)
	}
	return s, nil
}

// join begins a session or continues it.
func (c *Coordinator) join(_ context.Context, s *session, j joinRequest) (any, error) {
	if c.begins.Err() != nil {
		return nil, errOver
	}
	if len(s.id) != len(rand.Text()) || len(j.Name) > maxName {
		return nil, fmt.Errorf("a session %.30q of a worker with a name of %d bytes, want at most %d", s.id, len(j.Name), maxName)
	}
	if own := Program(c.Binary); j.Program != own {
		return nil, fmt.Errorf("the worker %s is %.200s, but the run is from %s; use the same program file, or build both from one commit without local changes", j.Name, j.Program, own)
	}
	if j.Header != nil {
		if err := c.board.Check(*j.Header); err != nil {
			return nil, fmt.Errorf("worker %s: %w", j.Name, err)
		}
	}
	has := slices.DeleteFunc(j.Units, func(u runners.Unit) bool { // of a session that was lost
		_, done, err := c.board.Begin(u)
		return done || err != nil
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.sessions[s.id]; now != nil {
		s = now
	} else {
		s = newSession(c.life, s.id, j.Name) //nolint:contextcheck // a session outlives the request that began it
		c.sessions[s.id] = s
	}
	if j.Header == nil {
		return c.welcome, nil
	}
	if !s.checked {
		c.Log.Info("a worker has joined", "worker", s.shown.Name)
	}
	s.checked = true
	for _, u := range has {
		s.units[u] = true
	}
	c.queue = slices.DeleteFunc(c.queue, func(u runners.Unit) bool { return s.units[u] })
	return nil, nil
}

// lease gives a worker a unit, once there is one.
func (c *Coordinator) lease(ctx context.Context, s *session, has []runners.Unit) (any, error) {
	for {
		c.mu.Lock()
		u, ok := c.next(s, has)
		changed := c.changed
		c.mu.Unlock()
		if ok {
			pending, done, err := c.board.Begin(u)
			if err != nil || !done {
				return leased{u, pending}, err
			}
			c.take(s, u)
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, errWait
		case <-c.begins.Done():
			return nil, errOver
		}
	}
}

// next returns a unit that the worker was given and does not know to have, or the first
// of the queue, which it is given.
func (c *Coordinator) next(s *session, has []runners.Unit) (u runners.Unit, ok bool) {
	if c.begins.Err() != nil || c.sessions[s.id] != s {
		return u, false
	}
	for u := range s.units {
		if !slices.Contains(has, u) {
			return u, true
		}
	}
	if len(c.queue) == 0 {
		return u, false
	}
	u, c.queue = c.queue[0], c.queue[1:]
	s.units[u] = true
	return u, true
}

// take takes a unit back; had is false where the worker has not got it.
func (c *Coordinator) take(s *session, u runners.Unit) (had bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	had = s.units[u]
	delete(s.units, u)
	return had
}

// again has a unit asked again that a worker could not ask, unless another worker has it.
// Where the worker is to blame there is a reason, and after maxTries the run stops.
func (c *Coordinator) again(u runners.Unit, s *session, reason string) {
	if _, done, err := c.board.Begin(u); done || err != nil {
		return
	}
	c.mu.Lock()
	if reason != "" {
		c.failures[u] = append(c.failures[u], fmt.Sprintf("%d. %s: %s", len(c.failures[u])+1, s.shown.Name, reason))
	}
	reasons := c.failures[u]
	elsewhere := slices.Contains(c.queue, u)
	for _, s := range c.sessions {
		elsewhere = elsewhere || s.units[u]
	}
	if !elsewhere && len(reasons) < maxTries {
		c.queue = append(c.queue, u)
		close(c.changed)
		c.changed = make(chan struct{})
	}
	c.mu.Unlock()
	if len(reasons) >= maxTries {
		c.board.Halt(fault.New(fault.Unavailable, "%d workers failed on conversation %s: %s", len(reasons), u, strings.Join(reasons, "; ")))
	}
}

// endUnit takes a unit back that a worker has asked, or could not ask.
func (c *Coordinator) endUnit(_ context.Context, s *session, e endRequest) (any, error) {
	if !c.take(s, e.Unit) {
		return nil, nil // it came twice
	}
	err := e.Fault.err()
	if err == nil || e.Left {
		err = c.board.End(e.Unit)
	}
	switch kind := fault.KindOf(err); {
	case err == nil:
		c.mu.Lock()
		defer c.mu.Unlock()
		s.shown.Done++
		return nil, nil
	case e.Left:
		c.again(e.Unit, s, "")
		return nil, nil
	case kind.Stops() && kind != fault.Auth: // a key that a provider does not take ends its worker alone
		c.board.Halt(err)
		return nil, nil
	}
	c.again(e.Unit, s, err.Error())
	return nil, err
}

// deliver takes lines of a unit.
func (c *Coordinator) deliver(_ context.Context, s *session, d deliverRequest) (any, error) {
	c.mu.Lock()
	has := s.units[d.Unit]
	c.mu.Unlock()
	if !has {
		return nil, fmt.Errorf("lines of unit %s, which the worker does not have", d.Unit)
	}
	if err := c.board.Take(d.Unit, d.Delivery); err != nil {
		return nil, err
	}
	if d.File == runners.RecordLines {
		c.mu.Lock()
		defer c.mu.Unlock()
		s.shown.Requests += len(d.Lines)
	}
	return nil, nil
}
