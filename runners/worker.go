package runners

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"recallbench/datasets"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/record"
)

// A Worker works on units of a run whose folder another process writes.
type Worker struct {
	e *execution
	// deliver brings lines of a unit to the [Board] of the run.
	deliver func(ctx context.Context, u Unit, d Delivery) error
}

// Work makes a worker of a plan for a run with the header h; [Board.Check] says
// whether the plan is that of the run. What deliver is given is delivered once it
// returns. Adapters keep their logs in dir, and memories their parts.
func (p *Plan) Work(ctx context.Context, h record.Header, dir string, deliver func(context.Context, Unit, Delivery) error) (*Worker, error) {
	p.header.Tunings = h.Tunings
	e := (&Run{plan: p, folder: record.Folder(dir)}).execution(Options{})
	e.worker, e.memories.dir = true, e.folder.Memories()
	return &Worker{e, deliver}, e.tune(ctx)
}

// Samples is how many units the config lets a worker process concurrently.
func (w *Worker) Samples() int { return w.e.plan.config.Concurrency.Samples }

// Header returns the header of the run as far as it is known before the run.
func (p *Plan) Header() record.Header { return p.header }

// Stop ends the worker: calls in flight continue, but nothing new begins. [Worker.Do]
// returns err.
func (w *Worker) Stop(err error) { w.e.halt(err) }

// Do builds the memory of a unit, asks the pending requests and delivers the results.
// A fault that every further call would meet is returned, and ends the worker.
func (w *Worker) Do(ctx context.Context, u Unit, pending []string) error {
	plan := w.e.plan
	at := slices.IndexFunc(plan.cells, func(c *cell) bool { return c.ID == u.Cell })
	if at < 0 {
		return fmt.Errorf("the plan has no cell %s", u.Cell)
	}
	c := plan.cells[at]
	at = slices.IndexFunc(c.samples, func(e datasets.Entry) bool { return e.ID == u.Sample })
	if at < 0 {
		return fmt.Errorf("cell %s has no conversation %q", u.Cell, u.Sample)
	}
	s := newStore(c)
	one, err := w.e.load(ctx, s, c.samples[at])
	if err != nil {
		return err
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	for _, f := range lineFiles() {
		if f != StructureLines || plan.config.Structures {
			s.logs[f] = delivery{func(d Delivery) error { return w.deliver(ctx, u, d) }, f}
		}
	}
	for _, r := range one.sample.Requests {
		if !slices.Contains(pending, r.ID) {
			s.done[key{u.Sample, r.ID}] = record.OK
		}
	}
	one.run(ctx, fail)
	one.asked.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return w.e.stop()
}

// Close waits until memories are closed, and closes the plan.
func (w *Worker) Close() error {
	w.e.requests.Wait()
	w.e.closing.Wait()
	return w.e.plan.Close()
}

// A delivery is a lineLog whose lines are delivered.
type delivery struct {
	deliver func(Delivery) error
	file    LineFile
}

// Append implements lineLog.
func (d delivery) Append(values ...any) error {
	one := Delivery{File: d.file}
	for _, v := range values {
		var b bytes.Buffer
		if err := jsonout.Lines(&b, v); err != nil {
			return err
		}
		one.Lines = append(one.Lines, json.RawMessage(bytes.TrimSpace(b.Bytes())))
		switch v := v.(type) {
		case record.Record:
			one.Provider = v.Error != nil && v.Error.Provider
		case record.Ingest:
			one.Provider = v.Error != nil && v.Error.Provider
		}
	}
	return d.deliver(one)
}

// Close implements lineLog.
func (delivery) Close() error { return nil }
