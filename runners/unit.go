package runners

import (
	"context"
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
	for _, r := range requests {
		if u.pending(r) {
			u.asked.Add(1)
			u.requests.Go(func() {
				defer u.asked.Done()
				if _, err := u.ask(ctx, memory, failure, r, u.sample.Tree, true); err != nil {
					fail(err)
				}
			})
		}
	}
}

// order returns the requests in the order in which they are asked, and whether one
// waits for the other.
func (u unit) order(memory methods.Memory) (requests []datasets.Request, serial bool) {
	ordered, ok := memory.(methods.Ordered)
	if !ok {
		return u.sample.Requests, u.sample.Dialogue
	}
	order, serial := ordered.Order(u.sample.Requests)
	if u.sample.Dialogue {
		return u.sample.Requests, true
	}
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

// ingest builds the memory and records how. A failure of the method is
// returned for the records of the requests.
func (u unit) ingest(ctx context.Context) (methods.Memory, *record.Failure, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, context.Cause(ctx)
	}
	if u.stopping() {
		return nil, nil, nil
	}
	metered, m, cancel := u.plan.meter(ctx)
	defer cancel()
	start := u.plan.env.Now()
	defer u.flights.begin(record.InFlight{Cell: u.cell.ID, Sample: u.sample.ID, Since: start}, m)()
	var keeper *keeper
	if u.cell.kept != nil {
		var err error
		if keeper, err = u.memories.take(ctx, u.cell.Memory, u.sample, m, u.syncDelay(u.cell)); err != nil {
			return nil, nil, err
		}
		keeper.embeddings = u.cell.kept.Embeddings
		metered = checkpoint.With(metered, keeper)
	}
	memory, err := u.build(metered)
	took, kept := tookBy(m), 0
	if keeper != nil {
		took, kept = keeper.took()
		if err := keeper.close(); err != nil {
			return nil, nil, err
		}
	}
	u.settle(u.cell.Model, m) //nolint:contextcheck // what was paid is settled, although the run may be ending
	if err != nil && ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if fault.KindOf(err).Stops() {
		u.halt(err)
		return nil, nil, nil
	}
	ingest := record.Ingest{
		Sample: u.sample.ID, Status: record.OK, Usage: took.Usage, Cost: took.Cost, Calls: took.Calls, Degraded: took.Degraded,
		Time: u.plan.timing(start, m.Seen()),
	}
	ingest.Time.Kept = kept
	if s, ok := memory.(methods.Structured); ok && err == nil {
		ingest.Structure = s.Structure()
	}
	u.ledger.memory(u.store.ledger, m.Seen().Usage)
	u.Progress.Memory()
	var failure *record.Failure
	if err != nil {
		ingest.Status, ingest.Error = failed(metered, err)
		failure = &record.Failure{Kind: "ingest", Message: ingest.Error.Message, Provider: ingest.Error.Provider}
	}
	return memory, failure, u.keep(called(m), ingest.Error, func() error {
		if s, ok := memory.(methods.Shown); ok && err == nil && u.store.shown != nil {
			if err := u.store.shown.Append(record.Structure{Sample: u.sample.ID, Holds: s.Show()}); err != nil {
				return err
			}
		}
		return u.store.ingests.Append(ingest)
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
	if u.stopping() {
		return before, nil
	}
	c := u.cell
	gold, _ := c.set.Gold(u.sample.ID, r.ID)
	rec := record.Record{
		Sample: u.sample.ID, Request: r.ID, Hash: requestHash(c.set, u.sample.ID, r), Category: gold.Category,
		Status: record.OK,
	}
	metered, m, cancel := u.plan.meter(ctx)
	defer cancel()
	start := u.plan.env.Now()
	defer u.flights.begin(record.InFlight{Cell: c.ID, Sample: u.sample.ID, Request: r.ID, Since: start}, m)()
	var resp methods.Response
	after = before
	if failure != nil {
		rec.Status = record.Error
	} else {
		resp, err = u.answer(metered, memory, r)
		u.settle(c.Model, m) //nolint:contextcheck // what was paid is settled, although the run may be ending
		if err != nil {
			if ctx.Err() != nil {
				return before, context.Cause(ctx)
			}
			if fault.KindOf(err).Stops() {
				u.halt(err)
				return before, nil
			}
			rec.Status, failure = failed(metered, err)
		}
	}
	if resp.Tree != nil {
		after = resp.Tree.Tree
		rec.Edits = tree.Diff(before, after)
	}
	if !write {
		return after, nil
	}
	u.plan.note(&rec, start, m, resp)
	rec.Error = failure
	if rec.Evidence, err = u.store.addBlocks(u.sample.ID, resp.Evidence, c.doors.Tokens); err != nil {
		return after, err
	}
	return after, u.keep(called(m), failure, func() error {
		if err := u.store.records.Append(rec); err != nil {
			return err
		}
		u.finish(u.store, rec)
		return nil
	})
}

// called reports whether a provider replied to a call.
func called(m *meter.Meter) bool {
	paid := m.Seen().Paid
	return paid.Calls+paid.Tokens > 0
}

// finish notes that a record is in its file.
func (e *execution) finish(s *store, rec record.Record) {
	s.finish(key{rec.Sample, rec.Request}, rec.Status)
	usage := rec.Usage["query"]
	e.ledger.request(s.ledger, usage, rec.Status)
	tokens := 0
	for _, role := range usage {
		tokens += role.Total()
	}
	e.Progress.Request(rec.Status, tokens)
}

// failed returns what the record of a request says of err, which ended it
// under ctx.
func failed(ctx context.Context, err error) (record.Status, *record.Failure) {
	if cause := context.Cause(ctx); cause != nil {
		err = cause // the request's time was up, whatever came of it
	}
	switch kind := fault.KindOf(err); kind {
	case fault.Refused:
		return record.Refused, &record.Failure{Kind: string(kind), Message: err.Error()}
	case fault.Limit:
		return record.Limit, &record.Failure{Kind: string(kind), Message: err.Error()}
	case "":
		return record.Error, &record.Failure{Kind: "answer", Message: err.Error()}
	default:
		return record.Error, &record.Failure{Kind: string(kind), Message: err.Error(), Provider: kind.Passes() || kind.Garbled()}
	}
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
func (p *Plan) note(rec *record.Record, start time.Time, m *meter.Meter, resp methods.Response) {
	seen := m.Seen()
	rec.Time = p.timing(start, seen)
	rec.Time.Calls = callTimes(start, seen)
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
