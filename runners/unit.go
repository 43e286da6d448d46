package runners

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/checkpoint"
	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/typed"
	"recallbench/internal/result/record"
	"recallbench/methods"
)

// A unit is one sample of a cell: its memory is built once and asked.
type unit struct {
	*execution
	cellSample
	store *store
	asked *sync.WaitGroup // counts the requests under way
}

// load loads the sample of an entry, to be asked by a store's cell.
func (e *execution) load(ctx context.Context, s *store, entry datasets.Entry) (unit, error) {
	sample, err := loadSample(ctx, s.cell.set, entry)
	return unit{e, cellSample{e.plan, s.cell, sample}, s, new(sync.WaitGroup)}, err
}

// run builds the memory and asks what is left. It returns when the last request is
// being asked, so that the next sample need not wait for the slowest one. Fail is
// told of errors of the store and of ctx. What fails in a method becomes a record.
func (u unit) run(ctx context.Context, fail func(error)) {
	memory, failure, err := u.ingest(ctx)
	u.sample.Sessions = nil // the memory has what it needs
	if err != nil {
		fail(err)
		return
	}
	if memory == nil && failure == nil {
		return // the run is stopping
	}
	defer u.closing.Go(func() {
		u.asked.Wait()
		if memory != nil {
			u.leave(memory)
		}
	})
	if !slices.ContainsFunc(u.sample.Requests, u.pending) {
		return // only the line about its memory was missing
	}
	requests, serial := u.order(memory)
	if serial {
		if err := u.converse(ctx, memory, failure, requests); err != nil {
			fail(err)
		}
		return
	}
	for _, r := range lists.Filter(requests, u.pending) {
		u.asked.Add(1)
		u.requests.Go(func() {
			defer u.asked.Done()
			if _, err := u.ask(ctx, memory, failure, r, u.sample.Tree, true); err != nil {
				fail(err)
			}
		})
	}
}

// order returns the requests in the order in which they are asked, and whether one
// waits for the other.
func (u unit) order(memory methods.Memory) (requests []datasets.Request, serial bool) {
	ordered, ok := memory.(methods.Ordered)
	if !ok || u.sample.Dialogue {
		return u.sample.Requests, u.sample.Dialogue
	}
	order, serial := ordered.Order(u.sample.Requests)
	return lists.Map(order, func(i int) datasets.Request { return u.sample.Requests[i] }), serial
}

// converse asks requests that depend on each other, one after the other. What was
// asked before is asked again without a record, because later requests see its
// effects. What comes after a request that is asked anew is recorded anew too,
// because its effects may be others now.
func (u unit) converse(ctx context.Context, memory methods.Memory, failure *record.Failure, requests []datasets.Request) (err error) {
	state, write := u.sample.Tree, false
	for _, r := range requests {
		write = write || u.pending(r)
		if state, err = u.ask(ctx, memory, failure, r, state, write); err != nil {
			return err
		}
	}
	return nil
}

func (u unit) pending(r datasets.Request) bool {
	return u.store.pending(key{u.sample.ID, r.ID}, u.Retry)
}

// attempt is [Plan.step] for a request, or without one for the memory. Done is false where
// it came to nothing: ctx has ended, or the run stops.
func (e *execution) attempt(ctx context.Context, of cellSample, request string, do func(metered context.Context) error) (s step, done bool, err error) {
	s = e.plan.step(ctx, func(metered context.Context) error {
		flight := record.InFlight{Cell: of.cell.ID, Sample: of.sample.ID, Request: request, Since: e.plan.env.Now()}
		defer e.flights.begin(flight, meter.From(metered))()
		return do(metered)
	})
	e.settle(of.cell.Model, s.meter) //nolint:contextcheck // what was paid is settled, although the run may be ending
	switch {
	case s.err != nil && ctx.Err() != nil:
		return s, false, context.Cause(ctx)
	case fault.KindOf(s.err).Stops():
		e.halt(s.err)
		return s, false, nil
	}
	return s, true, nil
}

// ingest builds the memory and records how. A failure of the method is
// returned for the records of the requests.
func (u unit) ingest(ctx context.Context) (memory methods.Memory, failure *record.Failure, err error) {
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if u.stop() != nil {
		return nil, nil, nil //nolint:nilerr // the cell tells why it stopped
	}
	k := new(keeper)
	if u.cell.kept != nil {
		if k, err = u.memories.take(ctx, u.cell.Memory, u.sample); err != nil {
			return nil, nil, err
		}
		k.embeddings = u.cell.kept.Embeddings
	}
	s, done, err := u.attempt(ctx, u.cellSample, "", func(metered context.Context) (err error) {
		k.meter = meter.From(metered)
		if u.cell.kept != nil {
			metered = checkpoint.With(metered, k)
		}
		memory, err = u.build(metered)
		return err
	})
	took, kept := k.took()
	if fault := k.close(); fault != nil {
		return nil, nil, fault
	}
	if !done {
		return nil, nil, err
	}
	ingest := record.Ingest{
		Sample: u.sample.ID, Status: s.status, Error: s.failure, Usage: took.Usage, Cost: took.Cost, Calls: took.Calls, Degraded: took.Degraded,
		Time: u.plan.timing(s.start, s.meter.Seen()),
	}
	ingest.Time.Kept = kept
	if structured, ok := memory.(methods.Structured); ok {
		ingest.Structure = structured.Structure()
	}
	if storing, ok := memory.(methods.Storing); ok {
		if planted := u.cell.set.Planted(u.sample.ID); len(planted) > 0 {
			if items, known := storing.Items(); known {
				numbers := typed.Hold(planted, items).Numbers()
				maps.Copy(numbers, ingest.Structure)
				ingest.Structure = numbers
			}
		}
	}
	u.ledger.memory()
	if s.failure != nil {
		failure = &record.Failure{Kind: "ingest", Message: s.failure.Message, Provider: s.failure.Provider}
	}
	return memory, failure, u.keep(called(s.meter), s.failure, func() error {
		if shown, ok := memory.(methods.Shown); ok && u.store.logs[StructureLines] != nil {
			if err := u.store.logs[StructureLines].Append(record.Structure{Sample: u.sample.ID, Holds: shown.Show()}); err != nil {
				return err
			}
		}
		return u.store.logs[IngestLines].Append(ingest)
	})
}

// ask asks one request and appends its record, when write is set. A request
// that ctx ended leaves no record and is asked again when the run is resumed.
// Before is the tree as it is when the request is made, nil for a conversation;
// the one after it is returned.
func (u unit) ask(ctx context.Context, memory methods.Memory, failure *record.Failure, r datasets.Request, before *tree.Tree, write bool) (after *tree.Tree, err error) {
	if ctx.Err() != nil {
		return before, context.Cause(ctx)
	}
	if u.stop() != nil {
		return before, nil //nolint:nilerr // the cell tells why it stopped
	}
	var resp methods.Response
	s := u.plan.step(ctx, func(context.Context) error { return nil })
	if failure == nil {
		var done bool
		s, done, err = u.attempt(ctx, u.cellSample, r.ID, func(metered context.Context) (err error) {
			resp, err = u.answer(metered, memory, r)
			return err
		})
		if !done {
			return before, err
		}
	} else {
		s.status, s.failure = record.Error, failure
	}
	rec := newRecord(u.cell.set, u.sample.ID, r)
	after = before
	if resp.Tree != nil {
		after = resp.Tree.Tree
		rec.Edits = tree.Diff(before, after)
	}
	if !write {
		return after, nil
	}
	u.plan.note(&rec, s, resp)
	if rec.Evidence, err = u.store.addBlocks(u.sample.ID, resp.Evidence, u.cell.doors.Tokens); err != nil {
		return after, err
	}
	return after, u.keep(called(s.meter), s.failure, func() error { return u.append(u.store, rec, rec) })
}

// newRecord is the record of a request, before it is asked.
func newRecord(set *datasets.Set, sample string, r datasets.Request) record.Record {
	gold, _ := set.Gold(sample, r.ID)
	return record.Record{Sample: sample, Request: r.ID, Hash: requestHash(set, sample, r), Category: gold.Category, Status: record.OK}
}

// called reports whether a provider replied to a call.
func called(m *meter.Meter) bool {
	paid := m.Paid()
	return paid.Calls+paid.Tokens > 0
}

// append appends a record to its file, as a line or as it is.
func (e *execution) append(s *store, line any, rec record.Record) error {
	if err := s.logs[RecordLines].Append(line); err != nil {
		return err
	}
	s.mu.Lock()
	s.done[key{rec.Sample, rec.Request}] = rec.Status
	s.mu.Unlock()
	e.ledger.request(rec.Status)
	return nil
}

func (p *Plan) timing(start time.Time, seen meter.Seen) record.Timing {
	t := record.Timing{Start: start.UTC(), Total: milliseconds(p.env.Now().Sub(start))}
	if len(seen.Stages) > 0 {
		t.Stages = make(map[string]float64, len(seen.Stages))
		for name, d := range seen.Stages {
			t.Stages[name] = milliseconds(d)
		}
	}
	return t
}

// note puts a response and what it took into a record.
func (p *Plan) note(rec *record.Record, s step, resp methods.Response) {
	seen := s.meter.Seen()
	rec.Status, rec.Error = s.status, s.failure
	rec.Time = p.timing(s.start, seen)
	rec.Time.Calls = callTimes(s.start, seen)
	rec.Answer, rec.Nodes, rec.Trace = resp.Text, resp.Nodes, resp.Trace
	rec.Calls, rec.Cost, rec.Text, rec.Attempts, rec.Degraded = seen.IDs(), seen.Cost, seen.Text, seen.Attempts, seen.Degraded
	if len(seen.Usage) > 0 {
		rec.Usage = map[string]map[string]llm.Usage{"query": seen.Usage}
	}
}

// callTimes returns when the recorded calls of what began at start were made.
func callTimes(start time.Time, seen meter.Seen) []record.CallTime {
	return lists.Map(seen.Calls, func(c meter.Call) record.CallTime {
		return record.CallTime{At: milliseconds(c.Start.Sub(start)), Took: milliseconds(c.Took), Reused: c.Reused, Stage: c.Stage}
	})
}

// milliseconds returns d in milliseconds, to the microsecond.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
