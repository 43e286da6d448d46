package fleet

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/limit"
	"recallbench/internal/result/record"
	"recallbench/runners"
)

// maxDeliver is how many workers a unit is given to before it is a failure.
const maxDeliver = 5

// maxName bounds the name of a worker in bytes.
const maxName = 200

// maxAsked is how many questions are answered at the same time, those that wait for
// limits included.
const maxAsked = 1 << 14

// DefaultPatience is how long a worker may show no sign of life.
const DefaultPatience = 30 * time.Second

// A Coordinator gives the units of a run to workers.
type Coordinator struct {
	Link *Link
	Keys Keys
	// Binary is the program that workers must be.
	Binary record.Binary
	Log    *slog.Logger
	// Patience is how long a worker may show no sign of life before its units go to
	// others; 0 is [DefaultPatience].
	Patience time.Duration

	// Grace is how long workers may take to deliver what is in flight when the run ends.
	Grace time.Duration

	board    *runners.Board
	accounts *limit.Registry
	calls    *calls.Server
	js       jetstream.JetStream
	begins   context.Context //nolint:containedctx // while it lasts, something new may begin
	files    []sentFile
	over     string // what tells workers that the run is over; they know its hash

	mu       sync.Mutex
	sessions map[string]*session
	gone     []record.Worker // the last maxGone
	tries    map[runners.Unit][]try
}

// A try is what became of a unit with a worker.
type try struct {
	worker string // name, for people
	reason string // why it failed; empty while nobody knows
}

// Run gives the units of a board to workers until all are finished, ctx ends or the
// run has to stop. It is the Workers of [runners.Options].
func (c *Coordinator) Run(ctx context.Context, b *runners.Board) (err error) {
	if c.Patience == 0 {
		c.Patience = DefaultPatience
	}
	c.board, c.accounts, c.calls = b, b.Accounts(), calls.NewServer(b.Calls())
	c.sessions, c.tries = make(map[string]*session), make(map[runners.Unit][]try)
	c.over = rand.Text()
	b.Watch(c.workers)
	begins, end := context.WithCancel(ctx)
	defer end()
	c.begins = begins
	if c.js, err = jetstream.New(c.Link.conn, jetstream.WithPublishAsyncMaxPending(1000)); err != nil {
		return err
	}
	remove, err := c.sendFiles(ctx, b.Own())
	if err != nil {
		return fmt.Errorf("files for workers: %w", err)
	}
	defer func() { err = errors.Join(err, remove()) }()
	if err := c.enqueue(ctx, b.Units()); err != nil {
		return fmt.Errorf("queue of units: %w", err)
	}
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx)) // what is in flight is delivered although ctx has ended
	defer cancel()
	var working sync.WaitGroup
	defer working.Wait()
	slots := make(chan struct{}, maxAsked)
	asked, err := c.Link.conn.Subscribe(askSubject(c.Keys.Run, "*"), func(m *nats.Msg) {
		slots <- struct{}{} // NATS holds what comes meanwhile, or leaves it out, and it is asked again
		working.Go(func() {
			defer func() { <-slots }()
			c.serve(serving, m)
		})
	})
	if err != nil {
		return err
	}
	asked.SetPendingLimits(-1, 16*maxMessage) //nolint:errcheck // a subscription that is there takes limits
	working.Go(func() { c.watch(serving) })
	err = b.Wait(ctx)
	end()
	c.release(asked)
	cancel()
	return err
}

// lateTime is how long the end of a run waits for workers that have connected and asked
// nothing yet: they would look for the coordinator for minutes.
const lateTime = 2 * time.Second

// release tells workers that the run is over, and waits for those that still deliver
// what was in flight.
func (c *Coordinator) release(asked *nats.Subscription) {
	_ = c.Link.conn.Publish(overSubject(c.Keys.Run), []byte(c.over)) // a worker that misses it learns it from the next answer
	_ = c.Link.conn.Flush()
	for deadline := time.Now().Add(c.Grace); time.Now().Before(deadline) && c.sessionsLeft() > 0; {
		time.Sleep(10 * time.Millisecond)
	}
	if c.Link.others != nil {
		for deadline := time.Now().Add(lateTime); time.Now().Before(deadline) && c.Link.others() > 0; {
			time.Sleep(10 * time.Millisecond)
		}
	}
	_ = asked.Unsubscribe() // the connection ends next
}

// sessionsLeft counts the workers that have joined and not left.
func (c *Coordinator) sessionsLeft() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, s := range c.sessions {
		if s.joined() {
			n++
		}
	}
	return n
}

// maxGone is how many workers that have gone are shown.
const maxGone = 50

// workers returns those at work by name, and then those that have gone.
func (c *Coordinator) workers() (all []record.Worker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sessions {
		all = append(all, s.show(func(*record.Worker) {}))
	}
	slices.SortFunc(all, func(a, b record.Worker) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), a.Joined.Compare(b.Joined))
	})
	return append(all, c.gone...)
}

// requeue puts a unit into the queue again that nobody failed to ask.
func (c *Coordinator) requeue(ctx context.Context, u runners.Unit) error {
	data, err := encode(u)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.tries[u] = slices.DeleteFunc(c.tries[u], func(t try) bool { return t.reason == "" })
	c.mu.Unlock()
	_, err = c.js.Publish(ctx, unitSubject(c.Keys.Run), data)
	return err
}

// enqueue makes the queue anew, with units that are left.
func (c *Coordinator) enqueue(ctx context.Context, units []runners.Unit) error {
	name := streamName(c.Keys.Run)
	if err := c.js.DeleteStream(ctx, name); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	queue, err := c.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: name, Subjects: []string{unitSubject(c.Keys.Run)}, Storage: jetstream.MemoryStorage,
		Retention: jetstream.WorkQueuePolicy, Replicas: c.replicas(),
	})
	if err != nil {
		return err
	}
	_, err = queue.CreateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: consumerName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: c.Patience, MaxDeliver: maxDeliver,
		MaxAckPending: -1, MemoryStorage: true,
	})
	if err != nil {
		return err
	}
	var acks []jetstream.PubAckFuture
	for _, u := range units {
		data, err := encode(u)
		if err != nil {
			return err
		}
		ack, err := c.js.PublishAsync(unitSubject(c.Keys.Run), data)
		if err != nil {
			return err
		}
		acks = append(acks, ack)
	}
	for _, ack := range acks {
		select {
		case <-ack.Ok():
		case err := <-ack.Err():
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// replicas is how many nodes of NATS have what is stored, so that the loss of one of a
// cluster loses nothing.
func (c *Coordinator) replicas() int {
	if len(c.Link.conn.Servers()) >= 3 {
		return 3
	}
	return 1
}

// refill looks after units that are neither queued nor with a worker: the cluster lost
// its queue, or the queue gave a unit to the last worker that it may. What was given to
// too many workers has failed, the rest is queued again. It returns whether there may
// be such units; there are when it finds the queue empty twice.
func (c *Coordinator) refill(ctx context.Context, was bool) (empty bool, err error) {
	consumer, err := c.js.Consumer(ctx, streamName(c.Keys.Run), consumerName)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrConsumerNotFound):
	case err != nil:
		return false, err
	default:
		if info := consumer.CachedInfo(); info.NumPending > 0 || info.NumAckPending > 0 {
			return false, nil
		}
	}
	if !was {
		return true, nil
	}
	units := c.board.Units()
	left := units[:0]
	for _, u := range units {
		c.mu.Lock()
		failed := len(c.tries[u]) >= maxDeliver
		c.mu.Unlock()
		if !failed {
			left = append(left, u)
		} else if err := c.fail(u); err != nil {
			return true, err
		}
	}
	if len(left) == 0 {
		return false, nil
	}
	c.Log.Warn("the queue was lost; it is filled again", "units", len(left))
	return false, c.enqueue(ctx, left)
}

// reasons says why workers could not ask a unit.
func (c *Coordinator) reasons(u runners.Unit) (reasons []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, t := range c.tries[u] {
		reason := t.reason
		if reason == "" {
			reason = fmt.Sprintf("no sign of life for %s", c.Patience)
		}
		reasons = append(reasons, fmt.Sprintf("%d. %s: %s", i+1, t.worker, reason))
	}
	return reasons
}

// watch ends the sessions of workers that show no sign of life, and refills the queue.
func (c *Coordinator) watch(ctx context.Context) {
	ticks := time.NewTicker(c.Patience / 4)
	defer ticks.Stop()
	empty := false
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticks.C:
			if c.begins.Err() == nil {
				var err error
				if empty, err = c.refill(c.begins, empty); err != nil && c.begins.Err() == nil { //nolint:contextcheck // begins ends before ctx
					c.Log.Warn("the queue does not answer; looking again", "error", err)
				}
			}
			c.mu.Lock()
			all := c.sessions
			var lost []*session
			for _, s := range all {
				if now.Sub(s.seen) > c.Patience {
					lost = append(lost, s)
				}
			}
			c.mu.Unlock()
			for _, s := range lost {
				c.Log.Warn("a worker is lost; its units go to others", "worker", s.name, "silent", c.Patience)
				c.leave(s, record.WorkerLost) //nolint:contextcheck // a session outlives what is asked in it
			}
		}
	}
}

// leave ends a session: others may have what it held.
func (c *Coordinator) leave(s *session, how record.WorkerState) {
	c.mu.Lock()
	_, open := c.sessions[s.id]
	delete(c.sessions, s.id)
	if open {
		c.gone = append(c.gone, s.show(func(w *record.Worker) { w.State = how }))
		c.gone = c.gone[max(0, len(c.gone)-maxGone):]
	}
	c.mu.Unlock()
	if !open {
		return
	}
	s.cancel()
	s.waitPasses(c.board.Budget())
	c.board.Lost(s.id)
	c.calls.Lost(context.WithoutCancel(s.ctx), s.id)
}

// serve answers a question, to the inbox of who asked it and nowhere else: what the
// coordinator says elsewhere has effects that no worker may have.
func (c *Coordinator) serve(ctx context.Context, m *nats.Msg) {
	user := strings.TrimPrefix(m.Subject, askSubject(c.Keys.Run, ""))
	if !strings.HasPrefix(m.Reply, inbox(user)+".") {
		c.Log.Warn("a question that wants its answer to go elsewhere", "subject", m.Reply)
		return
	}
	var q question
	var a answer
	if err := json.Unmarshal(m.Data, &q); err != nil {
		c.Log.Warn("a message that is no question", "bytes", len(m.Data))
		a = failed(fmt.Errorf("a message that is no question: %w", err))
	} else {
		a = c.answer(ctx, user, q)
	}
	data, err := encode(a)
	if most := min(maxMessage, c.Link.conn.MaxPayload()); err == nil && int64(len(data)) > most {
		data, err = encode(failed(fmt.Errorf("the answer to %s has %d bytes, want at most %d", q.Op, len(data), most)))
	}
	if err == nil {
		err = m.Respond(data)
	}
	if err != nil && ctx.Err() == nil {
		c.Log.Warn("an answer was not sent; the worker asks again", "question", string(q.Op), "error", err)
	}
}

// holdTime is how long a question is held before the worker is told to ask again.
const holdTime = 5 * time.Second

func (c *Coordinator) answer(ctx context.Context, user string, q question) answer {
	c.mu.Lock()
	s := c.sessions[q.Session]
	if s != nil && s.user != user {
		s = nil
	}
	if s != nil {
		s.seen = time.Now()
	}
	c.mu.Unlock()
	if c.begins.Err() != nil && slices.Contains([]op{opHello, opBeat, opBegin, opOpenKept, opReserve, opPass}, q.Op) {
		return answer{Status: statusOver}
	}
	if q.Op == opHello {
		return c.hello(ctx, user, q.Body)
	}
	if s == nil {
		return answer{Status: statusUnknown}
	}
	t := s.task(q, func() answer { //nolint:contextcheck // a session outlives what is asked in it
		a := c.do(s, q)
		if a.Status == statusFailed {
			c.Log.Warn("refused", "worker", s.name, "question", string(q.Op), "error", a.Fault.Message)
			s.fault(a.Fault.Message)
		}
		return a
	})
	hold := time.NewTimer(holdTime)
	defer hold.Stop()
	select {
	case <-t.done:
		return t.answer
	case <-hold.C:
		return answer{Status: statusWait}
	case <-ctx.Done():
		return answer{Status: statusOver}
	}
}

func failed(err error) answer {
	if errors.Is(err, errOver) {
		return answer{Status: statusOver}
	}
	return answer{Status: statusFailed, Fault: toWire(err)}
}

// said returns an answer with a body, or the failure.
func said(body any, err error) answer {
	if err != nil {
		return failed(err)
	}
	data, err := encode(body)
	if err != nil {
		return failed(err)
	}
	return answer{Status: statusOK, Body: data}
}

// hello begins a session.
func (c *Coordinator) hello(ctx context.Context, user string, body json.RawMessage) answer {
	var h hello
	err := json.Unmarshal(body, &h)
	switch {
	case err != nil:
	case h.Token != c.Keys.Token:
		err = errors.New("the token is not that of the run; bring the access file that 'bench serve' names")
	case len(h.Name) > maxName:
		err = fmt.Errorf("the worker's name has %d bytes, want at most %d", len(h.Name), maxName)
		h.Name = h.Name[:maxName]
	case h.Run != c.Keys.Run:
		err = fmt.Errorf("the access file is of run %s, this is run %s", h.Run, c.Keys.Run)
	default:
		err = sameProgram(c.Binary, h.Binary, h.Sum)
	}
	if err == nil && h.Joined != nil {
		err = c.board.Check(*h.Joined)
	}
	if err != nil {
		c.Log.Warn("refused a worker", "worker", h.Name, "error", err)
		return failed(err)
	}
	over := sha256.Sum256([]byte(c.over))
	w := welcome{Over: over[:], Calls: string(c.board.Calls().Mode()), Patience: c.Patience, Files: c.files}
	if w.Config, err = c.board.Config(); err != nil {
		return failed(err)
	}
	if w.Header, err = c.board.Header(); err != nil {
		return failed(err)
	}
	s := newSession(ctx, user, h.Name)
	w.Session = s.id
	s.checked = h.Joined != nil
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, u := range h.Units {
		_, _, err := c.board.Begin(u)
		s.units[u] = err == nil && s.checked
	}
	c.sessions[s.id] = s
	return said(w, nil)
}

// do does what a question asks, once.
func (c *Coordinator) do(s *session, q question) answer {
	if !s.joined() && q.Op != opJoin && q.Op != opBeat && q.Op != opBye && q.Op != opCalls {
		return failed(fmt.Errorf("%s before the worker's plan was checked", q.Op))
	}
	switch q.Op {
	case opJoin:
		return ask(q, func(h record.Header) (any, error) {
			if err := c.board.Check(h); err != nil {
				return nil, err
			}
			s.join()
			c.Log.Info("a worker has joined", "worker", s.name)
			return nil, nil
		})
	case opBeat:
		return said(nil, nil)
	case opBye:
		c.Log.Info("a worker has left", "worker", s.name)
		go c.leave(s, record.WorkerLeft) // which waits for this answer
		return said(nil, nil)
	case opBegin:
		return ask(q, func(b begin) (any, error) { return c.begin(s, b) })
	case opEnd:
		return ask(q, func(e end) (any, error) { return nil, c.end(s, e) })
	case opDeliver:
		return ask(q, func(d deliver) (any, error) {
			if !s.has(d.Unit) {
				return nil, fmt.Errorf("lines of unit %s, which the worker was not given", d.Unit)
			}
			if err := c.board.Take(d.Unit, d.Delivery); err != nil {
				return nil, err
			}
			if d.File == runners.RecordLines {
				s.show(func(w *record.Worker) { w.Requests += len(d.Lines) })
			}
			return nil, nil
		})
	case opOpenKept:
		return ask(q, func(k runners.KeptMemory) (any, error) {
			parts, busy, err := c.board.OpenKept(s.id, k)
			return keptParts{busy, parts}, err
		})
	case opAddKept:
		return ask(q, func(a addKept) (any, error) { return nil, c.board.AddKept(s.id, a.KeptMemory, a.Line) })
	case opCloseKept:
		return ask(q, func(k runners.KeptMemory) (any, error) {
			c.board.CloseKept(s.id, k)
			return nil, nil
		})
	case opCalls:
		reply, err := c.calls.Answer(s.ctx, s.id, q.Body)
		if err != nil {
			return failed(err)
		}
		return answer{Status: statusOK, Body: reply}
	case opPass:
		return ask(q, func(p pass) (any, error) { return s.pass(c.begins, c.accounts, q.Number, p) })
	case opTried:
		return ask(q, func(t tried) (any, error) { return s.tried(q.Number, t) })
	case opLeave:
		return ask(q, func(number uint64) (any, error) {
			s.leavePass(number)
			return nil, nil
		})
	case opReserve:
		return ask(q, func(a amount) (any, error) { return s.reserve(c.board.Budget(), a) })
	case opSettle:
		return ask(q, func(a settle) (any, error) {
			if err := c.board.CheckSettlement(a.Settlement); err != nil {
				return nil, err
			}
			return nil, s.settle(c.board.Budget(), a)
		})
	default:
		return failed(fmt.Errorf("no question %q", q.Op))
	}
}

// ask decodes the body of a question and does what it asks.
func ask[T any](q question, do func(T) (any, error)) answer {
	var body T
	if err := json.Unmarshal(q.Body, &body); err != nil {
		return failed(fmt.Errorf("%s: %w", q.Op, err))
	}
	return said(do(body))
}

// begin gives a unit to a worker.
func (c *Coordinator) begin(s *session, b begin) (any, error) {
	if c.board.Stopping() {
		return begun{Done: true}, nil
	}
	pending, done, err := c.board.Begin(b.Unit)
	if err != nil || done {
		return begun{Done: done}, err
	}
	s.give(b.Unit)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tries[b.Unit] = append(c.tries[b.Unit], try{worker: s.name})
	return begun{Pending: pending}, nil
}

// end takes a unit back.
func (c *Coordinator) end(s *session, e end) error {
	if !s.has(e.Unit) {
		return fmt.Errorf("unit %s has ended, which the worker was not given", e.Unit)
	}
	s.take(e.Unit)
	err := e.Fault.err()
	if err == nil || e.Left {
		if err = c.board.End(e.Unit); err == nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			delete(c.tries, e.Unit)
			s.show(func(w *record.Worker) { w.Done++ })
			return nil
		}
	}
	if e.Left {
		return c.requeue(s.ctx, e.Unit)
	}
	if stops(err) {
		c.board.Halt(err)
		return nil
	}
	c.Log.Warn("a worker could not ask a unit", "worker", s.name, "unit", e.Unit, "error", err)
	c.mu.Lock()
	all := c.tries[e.Unit]
	for i, t := range slices.Backward(all) {
		if t.worker == s.name && t.reason == "" {
			all[i].reason = err.Error()
			break
		}
	}
	c.mu.Unlock()
	if len(all) < maxDeliver {
		return err
	}
	return c.fail(e.Unit)
}

// fail makes failures of a unit that was given to workers too often.
func (c *Coordinator) fail(u runners.Unit) error {
	reasons := c.reasons(u)
	c.Log.Warn("no worker could ask a unit", "unit", u, "workers", len(reasons))
	return c.board.Fail(u, reasons)
}
