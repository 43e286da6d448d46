package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/limit"
	"recallbench/internal/door/fault"
	"recallbench/internal/result/record"
	"recallbench/runners"
)

// A Worker works on units of a coordinator.
type Worker struct {
	URL    string
	Access Access
	Name   string // for people
	Binary record.Binary
	Log    *slog.Logger
	// Patience is how long the worker continues without a response from the coordinator;
	// until it has joined, at most [ReachTime].
	Patience time.Duration
	// Grace is how long what is in flight may take to end and to be delivered, when
	// ctx or the run has ended.
	Grace time.Duration
	// Plan lays the plan of a config with the data and the keys of this machine. Env has
	// what the workers of a run share.
	Plan func(ctx context.Context, config []byte, env runners.Env) (*runners.Plan, error)
}

// ReachTime is how long a worker tries to reach a coordinator that has never responded.
const ReachTime = 5 * time.Minute

// Work processes units until the run is over, or ctx ends. It is an error if the coordinator
// refuses the worker.
func (w Worker) Work(ctx context.Context) error {
	life, kill := context.WithCancelCause(context.WithoutCancel(ctx))
	defer kill(nil)
	leave := func() { time.AfterFunc(w.Grace, func() { kill(errOver) }) }
	defer context.AfterFunc(ctx, leave)()
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c := w.client(life, sync.OnceFunc(func() {
		stop(errOver)
		leave()
	}))
	defer c.http.CloseIdleConnections()
	err := w.work(ctx, running, stop, c)
	if errors.Is(err, errOver) {
		return nil
	}
	return err
}

// work joins the run and asks units while it is running, which stop ends.
func (w Worker) work(ctx, running context.Context, stop func(error), c *client) (err error) { //nolint:contextcheck // joining ends with the run
	welcome, err := c.join(running)
	if err != nil {
		return err
	}
	renewing, end := context.WithCancel(c.life)
	var asking sync.WaitGroup
	asking.Go(func() { c.renew(renewing) })
	defer func() {
		end()
		asking.Wait()
		_ = c.ask(context.WithoutCancel(ctx), opLeave, nil, nil) // else the coordinator finds the worker gone
	}()
	var h record.Header
	if err := json.Unmarshal(welcome.Header, &h); err != nil {
		return fmt.Errorf("the run's header: %w", err)
	}
	dir, err := os.MkdirTemp("", "bench-work-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	env := runners.Env{Log: w.Log, Binary: w.Binary, Limits: limit.NewRemote(c.call), Budget: budget.NewRemote(c)}
	env.Calls = calls.NewRemote(calls.Mode(welcome.Calls), "the run", c.calls)
	if env.Sent, err = c.fetchFiles(running, dir, welcome.Files); err != nil {
		return err
	}
	plan, err := w.Plan(running, welcome.Config, env)
	if err != nil {
		return err
	}
	header := plan.Header()
	c.header.Store(&header)
	if _, err := c.join(running); err != nil {
		return errors.Join(err, plan.Close())
	}
	worker, err := plan.Work(ctx, h, dir, c.deliver)
	if err == nil {
		c.mu.Lock()
		c.patience = w.Patience
		c.mu.Unlock()
		err = w.take(ctx, running, stop, c, worker)
	}
	if errors.Is(err, errOver) {
		err = nil
	}
	return errors.Join(err, worker.Close())
}

// take leases units and asks them, as many at the same time as the config has samples.
func (w Worker) take(ctx, running context.Context, stop func(error), c *client, worker *runners.Worker) error {
	slots := make(chan struct{}, worker.Samples())
	var asking sync.WaitGroup
	defer asking.Wait()
	defer context.AfterFunc(running, func() {
		if ctx.Err() == nil {
			worker.Stop(context.Cause(running))
		}
	})()
	for {
		select {
		case slots <- struct{}{}:
		case <-running.Done():
			return context.Cause(running)
		}
		var l leased
		if err := c.ask(running, opLease, c.held(), &l); err != nil {
			return err
		}
		c.units.Store(l.Unit, true)
		asking.Go(func() {
			defer func() { <-slots }()
			err := worker.Do(ctx, l.Unit, l.Pending)
			if fault.KindOf(err).Stops() || errors.Is(err, runners.ErrData) {
				stop(err)
			}
			e := endRequest{Unit: l.Unit, Fault: toWire(err), Left: ctx.Err() != nil || errors.Is(err, errOver)}
			_ = c.ask(context.WithoutCancel(ctx), opEnd, e, nil) // what is refused is asked by others
			c.units.Delete(l.Unit)
		})
	}
}
