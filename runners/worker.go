package runners

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/sourcegraph/conc/pool"

	"recallbench/datasets"
	"recallbench/internal/door/meter"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/record"
)

// A Desk is what a worker asks of the [Board] of its run. Each call returns when it
// is answered, or with the cause of ctx.
type Desk interface {
	Deliver(ctx context.Context, u Unit, d Delivery) error
	Kept(ctx context.Context, q KeptRequest) (parts []json.RawMessage, err error)
}

// A Worker asks units of a run whose folder another process writes.
type Worker struct {
	e    *execution
	desk Desk
}

// Work makes a worker of a plan for a run with the header h; [Board.Check] says
// whether the plan is that of the run. Adapters keep their logs in dir.
func (p *Plan) Work(ctx context.Context, h record.Header, dir string, desk Desk) (*Worker, error) {
	p.folder, p.header.Tunings = dir, h.Tunings
	e := &execution{
		Run:    &Run{plan: p, folder: record.Folder(dir)},
		ledger: newLedger(p.accounts.Counts), memories: &deskMemories{desk: desk}, worker: true, served: make(map[servedBy]bool),
		requests: pool.New().WithMaxGoroutines(p.config.Concurrency.Requests),
	}
	e.Progress = NoProgress{}
	p.charge = e.settle
	return &Worker{e, desk}, e.tune(ctx)
}

// Samples is how many units the config lets a worker ask at the same time.
func (w *Worker) Samples() int { return w.e.plan.config.Concurrency.Samples }

// Header returns the header of the run as far as it is known before the run.
func (p *Plan) Header() record.Header { return p.header }

// Stop ends the worker: what is in flight goes on, nothing else begins. [Worker.Do]
// returns err.
func (w *Worker) Stop(err error) { w.e.halt(err) }

// Do builds the memory of a unit, asks the pending requests and delivers what comes.
// A fault that every further call would meet is returned, and ends the worker.
func (w *Worker) Do(ctx context.Context, u Unit, pending []string) error {
	at := slices.IndexFunc(w.e.plan.cells, func(c *cell) bool { return c.ID == u.Cell })
	if at < 0 {
		return fmt.Errorf("the plan has no cell %s", u.Cell)
	}
	c := w.e.plan.cells[at]
	at = slices.IndexFunc(c.samples, func(e datasets.Entry) bool { return e.ID == u.Sample })
	if at < 0 {
		return fmt.Errorf("cell %s has no sample %q", u.Cell, u.Sample)
	}
	sample, err := loadSample(ctx, c.set, c.samples[at])
	if err != nil {
		return err
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	lines := func(f LineFile) lineLog {
		return delivery(func(d Delivery) error {
			d.File = f
			return w.desk.Deliver(ctx, u, d)
		})
	}
	s := newStore(c)
	s.records, s.ingests, s.blocks = lines(RecordLines), lines(IngestLines), lines(BlockLines)
	if w.e.plan.config.Structures {
		s.shown = lines(StructureLines)
	}
	s.ledger = new(ledgerPart)
	for _, r := range sample.Requests {
		if !slices.Contains(pending, r.ID) {
			s.done[key{sample.ID, r.ID}] = record.OK
		}
	}
	one := unit{execution: w.e, cellSample: cellSample{w.e.plan, c, sample}, store: s, asked: new(sync.WaitGroup)}
	one.run(ctx, fail)
	one.asked.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	w.e.mu.Lock()
	defer w.e.mu.Unlock()
	return w.e.stopped
}

// Close waits until memories are closed, and closes the plan.
func (w *Worker) Close() error {
	w.e.requests.Wait()
	w.e.closing.Wait()
	return w.e.plan.Close()
}

// A delivery is a lineLog whose lines are delivered.
type delivery func(Delivery) error

// Append implements lineLog.
func (d delivery) Append(values ...any) error {
	var one Delivery
	for _, v := range values {
		line, err := rawLine(v)
		if err != nil {
			return err
		}
		one.Lines = append(one.Lines, line)
		switch v := v.(type) {
		case record.Record:
			one.Provider = v.Error != nil && v.Error.Provider
		case record.Ingest:
			one.Provider = v.Error != nil && v.Error.Provider
		}
	}
	return d(one)
}

// Close implements lineLog.
func (delivery) Close() error { return nil }

// rawLine returns a value as a line without its end, as a log writes it.
func rawLine(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	if err := jsonout.Lines(&b, v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// deskMemories are the kept parts that the process with the run folder has.
type deskMemories struct {
	desk Desk
	keptLocks
}

// take implements [keptMemories].
func (m *deskMemories) take(ctx context.Context, memory string, sample datasets.Sample, used *meter.Meter, _ time.Duration) (*keeper, error) {
	kept := KeptMemory{memory, sample.ID, contentHash(sample)}
	mine := m.lock(kept) // the desk takes a second opening for the first one asked again
	mine.Lock()
	lines, err := m.desk.Kept(ctx, KeptRequest{KeptMemory: kept})
	if err != nil {
		mine.Unlock()
		return nil, fmt.Errorf("kept memory: %w", err)
	}
	k := &keeper{meter: used, used: make([]bool, len(lines)), release: func() {
		defer mine.Unlock()
		// Who does not hear of it closes the memory when the worker is gone.
		_, _ = m.desk.Kept(ctx, KeptRequest{KeptMemory: kept, Close: true})
	}}
	for _, line := range lines {
		p, whole := unmarshal[keptPart](line)
		if !whole || p.Sum != p.sum() {
			return nil, errors.Join(fmt.Errorf("kept memory: a part of %s of %q does not check out", memory, sample.ID), k.close())
		}
		k.parts = append(k.parts, p)
	}
	number := len(lines)
	k.log = delivery(func(d Delivery) error {
		for _, line := range d.Lines {
			if _, err := m.desk.Kept(ctx, KeptRequest{KeptMemory: kept, Number: number, Line: line}); err != nil {
				return err
			}
			number++
		}
		return nil
	})
	return k, nil
}
