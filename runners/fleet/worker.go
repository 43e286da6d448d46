package fleet

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/interrupt"
	"recallbench/internal/backend/limit"
	"recallbench/internal/door/fault"
	"recallbench/internal/result/record"
	"recallbench/runners"
)

// A Job is what a worker lays its plan from: the config of the run, and the doors to
// what its workers share.
type Job struct {
	Config []byte // YAML
	Calls  *calls.Recorder
	Limits *limit.Registry
	Budget *budget.Budget
	// Sent are copies of the user's own files that this machine has not, see
	// [runners.Env].
	Sent map[string]string
}

// A Worker takes units from a coordinator.
type Worker struct {
	URL    string
	Access Access
	// Credentials are a file for a cluster of NATS; empty for none.
	Credentials string
	Name        string // for people
	Binary      record.Binary
	Log         *slog.Logger
	// Patience is how long the worker goes on while it hears nothing from the
	// coordinator; until the first answer that is [ReachTime] at most.
	Patience time.Duration
	// Grace is how long what is in flight may take to end and to be delivered, when
	// ctx or the run has ended.
	Grace time.Duration
	// Plan lays the plan of a job with the data and the keys of this machine.
	Plan func(ctx context.Context, j Job) (*runners.Plan, error)
}

// ReachTime is how long a worker looks for a coordinator that has never answered.
const ReachTime = 5 * time.Minute

// Work asks units until the run is over, or ctx ends. What the coordinator refuses is
// an error.
func (w Worker) Work(ctx context.Context) (err error) {
	life, kill := context.WithCancelCause(context.WithoutCancel(ctx))
	defer kill(nil)
	leave := func() { time.AfterFunc(w.Grace, func() { kill(errOver) }) }
	defer context.AfterFunc(ctx, leave)()
	user := rand.Text()
	conn, err := w.connect(ctx, user)
	if err != nil {
		return err
	}
	defer conn.Close()
	c := &client{
		conn: conn, access: w.Access, user: user, name: w.Name, binary: w.Binary, log: w.Log, patience: w.reach(), life: life,
		units: make(map[runners.Unit]bool), heard: time.Now(),
	}
	c.connected(conn)
	conn.SetReconnectHandler(c.connected)
	joining, end := context.WithCancelCause(ctx) // while the worker has no units
	defer end(nil)
	waiting, stop := context.WithCancel(context.WithoutCancel(ctx)) // for units
	defer stop()
	var joined atomic.Pointer[runners.Worker]
	over, err := conn.Subscribe(overSubject(w.Access.Run), func(m *nats.Msg) {
		if ends, known := c.ends(m.Data); !ends {
			if known {
				w.Log.Warn("somebody else than the coordinator says that the run is over")
			}
			return
		}
		end(errOver)
		if worker := joined.Load(); worker != nil {
			worker.Stop(errOver)
		}
		stop()
		leave()
	})
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, over.Unsubscribe()); joined.Load() == nil && errors.Is(context.Cause(joining), errOver) {
			err = nil
		}
	}()
	welcome, err := c.hello(joining)
	if err != nil {
		return ended(err)
	}
	var h record.Header
	if err := json.Unmarshal(welcome.Header, &h); err != nil {
		return fmt.Errorf("the run's header: %w", err)
	}
	j := Job{
		Config: welcome.Config, Limits: limit.NewRemote(c.do),
		Calls:  calls.NewRemote(calls.Mode(welcome.Calls), "run "+w.Access.Run, c.calls),
		Budget: budget.NewRemote(c),
	}
	beating := c.beat(life, welcome.Patience)
	defer beating()
	dir, err := os.MkdirTemp("", "bench-work-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if j.Sent, err = fetchFiles(joining, conn, w.Access.Run, dir, welcome.Files); err != nil {
		return err
	}
	plan, err := w.Plan(joining, j)
	if err != nil {
		return ended(err)
	}
	if err := c.join(joining, plan.Header()); err != nil {
		return errors.Join(ended(err), plan.Close())
	}
	worker, err := plan.Work(ctx, h, dir, c)
	if err != nil {
		return errors.Join(err, worker.Close())
	}
	c.mu.Lock()
	c.patience = w.Patience
	c.mu.Unlock()
	joined.Store(worker)
	_, err = c.ask(ctx, opBeat, nil, nil) // the run may have ended since
	if err == nil {
		err = w.take(ctx, waiting, conn, c, worker, welcome.Patience)
	}
	err = errors.Join(ended(err), worker.Close())
	_, _ = c.ask(context.WithoutCancel(ctx), opBye, nil, nil) // else the coordinator finds the worker gone
	return err
}

// ended is nil for the end of the run.
func ended(err error) error {
	if errors.Is(err, errOver) {
		return nil
	}
	return err
}

// connect connects to the coordinator, which may start later than its workers.
func (w Worker) connect(ctx context.Context, user string) (*nats.Conn, error) {
	options := append(clusterOptions(w.Credentials), nats.Name(w.Name), nats.Timeout(answerTime), nats.CustomInboxPrefix(inbox(user)))
	if len(w.Access.Certificate) > 0 {
		options = append(options, nats.UserInfo(user, w.Access.Token), nats.Secure(w.Access.client()))
	}
	begun := time.Now()
	for first := true; ; first = false {
		conn, err := nats.Connect(w.URL, options...)
		switch {
		case err == nil:
			return conn, nil
		case errors.Is(err, errCertificate):
			return nil, fmt.Errorf("%s: %w; bring the file that 'bench serve' names", w.URL, err)
		case errors.Is(err, nats.ErrAuthorization):
			return nil, fmt.Errorf("%s refuses the token of run %s; bring the access file that 'bench serve' names: %w", w.URL, w.Access.Run, err)
		case time.Since(begun) > w.reach():
			return nil, fmt.Errorf("no coordinator at %s: %w; start 'bench serve', or correct the address", w.URL, err)
		case first:
			w.Log.Warn("no coordinator answers yet; looking again", "address", w.URL, "for", w.reach(), "error", err)
		}
		select {
		case <-time.After(reconnectWait):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// reach is how long the worker looks for a coordinator.
func (w Worker) reach() time.Duration { return min(w.Patience, ReachTime) }

// nextTime is how long a worker waits for a unit before it looks whether the run is
// over.
const nextTime = time.Second

// take takes units from the queue and asks them, as many at the same time as the
// config has samples. Waiting ends with the run; a wait that ended with ctx could lose
// a unit that is on its way.
func (w Worker) take(ctx, waiting context.Context, conn *nats.Conn, c *client, worker *runners.Worker, patience time.Duration) error {
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	slots := make(chan struct{}, worker.Samples())
	var asking sync.WaitGroup
	defer asking.Wait()
	var queue jetstream.Consumer
	for {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		var m jetstream.Msg
		for m == nil {
			switch err := worker.Stopped(); {
			case ctx.Err() != nil:
				return context.Cause(ctx)
			case err != nil:
				return ended(err)
			case c.silence() > w.Patience:
				return c.gone(nil)
			case c.conn.IsClosed():
				return fmt.Errorf("the connection to the coordinator is closed: %w", c.conn.LastError())
			}
			if queue == nil {
				queue, err = js.Consumer(ctx, streamName(w.Access.Run), consumerName)
			}
			if err == nil {
				once, end := context.WithTimeout(waiting, nextTime)
				m, err = queue.Next(jetstream.FetchContext(once))
				end()
			}
			if waiting.Err() == nil && err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, nats.ErrTimeout) && !errors.Is(err, jetstream.ErrNoMessages) {
				queue = nil // the coordinator may be starting again
				time.Sleep(againTime)
			}
			err = nil
		}
		asking.Go(func() {
			defer func() { <-slots }()
			w.unit(ctx, c, worker, m, patience)
		})
	}
}

// unit asks the unit of a message.
func (w Worker) unit(ctx context.Context, c *client, worker *runners.Worker, m jetstream.Msg, patience time.Duration) {
	var u runners.Unit
	if err := json.Unmarshal(m.Data(), &u); err != nil {
		w.Log.Error("a message of the queue that is no unit", "error", err)
		_ = m.Term() // it would come again
		return
	}
	alive := every(patience/4, func() { _ = m.InProgress() }) // one that is lost is followed by others
	defer alive()
	var given begun
	_, err := c.ask(ctx, opBegin, begin{Unit: u}, &given)
	if err == nil && !given.Done {
		c.hold(u, true)
		err = worker.Do(ctx, u, given.Pending)
		if fault.KindOf(err).Stops() || errors.Is(err, runners.ErrData) {
			worker.Stop(err)
		}
		e := end{Unit: u, Fault: toWire(err), Left: ctx.Err() != nil || errors.Is(err, errOver)}
		_, err = c.ask(context.WithoutCancel(ctx), opEnd, e, nil)
		c.hold(u, false)
	}
	if err != nil {
		_ = m.Nak() // else it comes again when the queue's patience ends
		return
	}
	_ = m.Ack()
}

// every calls f again and again until the function it returns is called.
func every(d time.Duration, f func()) (end func()) {
	done := make(chan struct{})
	var calling sync.WaitGroup
	calling.Go(func() {
		ticks := time.NewTicker(d)
		defer ticks.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticks.C:
				f()
			}
		}
	})
	return func() {
		close(done)
		calling.Wait()
	}
}

// beat shows the coordinator that the worker lives.
func (c *client) beat(ctx context.Context, patience time.Duration) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := every(patience/4, func() { _, _ = c.ask(ctx, opBeat, nil, nil) }) // the next one follows
	return func() {
		cancel()
		stop()
	}
}

// hold notes that a unit is under way, or no longer.
func (c *client) hold(u runners.Unit, on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if on {
		c.units[u] = true
	} else {
		delete(c.units, u)
	}
}

// attempt makes one try of a call within a time.
func attempt(ctx context.Context, number uint64, within time.Duration, try func(context.Context) (int, error)) (tried, error) {
	call, ended := interrupt.Call(ctx)
	defer ended()
	if within > 0 {
		var cancel context.CancelFunc
		call, cancel = context.WithTimeoutCause(call, within, fault.New(fault.Timeout, "no whole reply in %s", within))
		defer cancel()
	}
	begun := time.Now()
	tokens, err := try(call)
	took := time.Since(begun)
	if over := fault.KindOf(context.Cause(call)); err != nil && over == fault.Timeout {
		err = context.Cause(call)
	}
	return tried{Pass: number, Tokens: tokens, Fault: toWire(err), Took: took}, err
}

// Reserve implements [budget.Remote].
func (c *client) Reserve(ctx context.Context, tokens int, usd float64, wait bool) (lease uint64, err error) {
	_, err = c.ask(ctx, opReserve, amount{tokens, usd, !wait}, &lease)
	return lease, err
}

// Settle implements [budget.Remote].
func (c *client) Settle(ctx context.Context, lease uint64, s budget.Settlement) error {
	_, err := c.ask(ctx, opSettle, settle{lease, s}, nil)
	return err
}
