package runners

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"recallbench/datasets"
	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/tree"
	"recallbench/internal/result/record"
	"recallbench/methods"
)

// A Conversation asks one memory requests that are in no dataset. It writes nothing.
type Conversation struct {
	cellSample
	memory methods.Memory
	built  meter.Paid // for building the memory, until the first request says it
}

// Sample loads a sample of the plan's first dataset.
func (p *Plan) Sample(ctx context.Context, id string) (s datasets.Sample, err error) {
	d := p.sets[0]
	i := slices.IndexFunc(d.samples, func(e datasets.Entry) bool { return e.ID == id })
	if i < 0 {
		return s, fmt.Errorf("dataset %s has no conversation %q", d.label, id)
	}
	return loadSample(ctx, d.set, d.samples[i])
}

// SampleIDs are the samples of the plan's first dataset.
func (p *Plan) SampleIDs() []string {
	return lists.Map(p.sets[0].samples, func(e datasets.Entry) string { return e.ID })
}

// Converse builds the memory of a sample with the method of the plan's first cell.
// The conversation closes the plan.
func (p *Plan) Converse(ctx context.Context, sample datasets.Sample) (*Conversation, error) {
	c := &Conversation{cellSample: cellSample{p, p.cells[0], sample}}
	built := p.step(ctx, func(metered context.Context) (err error) {
		c.memory, err = c.build(metered)
		return err
	})
	c.built = built.meter.Paid()
	if err := built.err; err != nil {
		return nil, fmt.Errorf("sample %s: %w", sample.ID, err)
	}
	if _, ok := c.memory.(methods.Forker); sample.Tree != nil && !ok {
		return nil, errors.Join(fmt.Errorf("method %s cannot continue from versions of a tree", c.cell.Method), methods.Close(c.memory))
	}
	return c, nil
}

// Sample is the conversation that the memory was built from.
func (c *Conversation) Sample() datasets.Sample { return c.sample }

// Paid reports whether answers may cost something: neither the stand-in nor recordings alone
// answer.
func (c *Conversation) Paid() bool {
	return !c.cell.doors.Offline && c.plan.env.Calls.Mode() != calls.Replay
}

// Close closes the memory and the plan.
func (c *Conversation) Close() error { return errors.Join(methods.Close(c.memory), c.plan.Close()) }

// Query runs a query over a version, where the method runs such.
func (c *Conversation) Query(ctx context.Context, query string, v *tree.Version) (semxpath.Result, error) {
	q, ok := c.memory.(methods.Querier)
	if !ok {
		return semxpath.Result{}, fmt.Errorf("method %s runs no queries", c.cell.Method)
	}
	metered, _, cancel := c.plan.meter(ctx)
	defer cancel()
	return q.Query(metered, query, v)
}

// Ask asks a request of the memory as it is at the newest of some versions, to which
// the one is appended that the request makes. Nil for a memory without versions. The
// record has no evidence; it is in the response. What was paid for the building
// counts with the first request. One request is asked at a time. An answer that fails
// is a record with its error; the error returned is that of ctx.
func (c *Conversation) Ask(ctx context.Context, versions *tree.History, r datasets.Request) (record.Record, methods.Response, meter.Paid, error) {
	memory := c.memory
	rec := record.Record{Sample: c.sample.ID, Request: r.ID, Status: record.OK}
	if versions != nil {
		memory = memory.(methods.Forker).Fork(versions) // as Converse found it to be
	}
	var resp methods.Response
	s := c.plan.step(ctx, func(metered context.Context) (err error) {
		resp, err = c.answer(metered, memory, r)
		return err
	})
	paid := s.meter.Paid().Add(c.built)
	c.built = meter.Paid{USD: new(0.0)}
	if ctx.Err() != nil {
		return rec, methods.Response{}, paid, context.Cause(ctx)
	}
	if s.err == nil && resp.Tree != nil && versions != nil {
		at, _ := versions.At(resp.Tree.Number - 1)
		rec.Edits = tree.Diff(at.Tree, resp.Tree.Tree)
	}
	c.plan.note(&rec, s, resp)
	return rec, resp, paid, nil
}
