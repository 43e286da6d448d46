package runners

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"recallbench/datasets"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/tree"
	"recallbench/internal/result/record"
	"recallbench/methods"
)

// A Conversation asks one memory requests that no dataset has. It writes nothing.
type Conversation struct {
	cellSample
	memory methods.Memory
}

// Sample loads a sample of the plan's first dataset; ok is false where there is no
// sample of the id.
func (p *Plan) Sample(ctx context.Context, id string) (s datasets.Sample, ok bool, err error) {
	if len(p.sets) == 0 {
		return s, false, nil
	}
	entries := p.sets[0].samples
	i := slices.IndexFunc(entries, func(e datasets.Entry) bool { return e.ID == id })
	if i < 0 {
		return s, false, nil
	}
	s, err = loadSample(ctx, p.sets[0].set, entries[i])
	return s, true, err
}

// Converse builds the memory of a sample with the method of the plan's first cell.
// The plan is closed after the conversation.
func (p *Plan) Converse(ctx context.Context, sample datasets.Sample) (*Conversation, error) {
	if len(p.cells) == 0 {
		return nil, errors.New("the plan has no cell to talk to")
	}
	c := &Conversation{cellSample: cellSample{p, p.cells[0], sample}}
	metered, _, cancel := p.meter(ctx)
	defer cancel()
	memory, err := c.build(metered)
	if err != nil {
		return nil, fmt.Errorf("sample %s: %w", sample.ID, err)
	}
	c.memory = memory
	return c, nil
}

// Close closes the memory.
func (c *Conversation) Close() error { return c.memory.Close() }

// Offline reports whether rules answer in place of a model.
func (c *Conversation) Offline() bool { return c.cell.doors.Offline }

// Ask asks a request of the memory as it is at the newest of some versions, to which
// the one is appended that the request makes; nil for a memory without versions. The
// record has no evidence; it is in the response. An answer that fails is a record
// with its error; the error returned is that of ctx.
func (c *Conversation) Ask(ctx context.Context, versions *tree.History, r datasets.Request) (record.Record, methods.Response, meter.Paid, error) {
	memory := c.memory
	rec := record.Record{Sample: c.sample.ID, Request: r.ID, Status: record.OK}
	if versions != nil {
		f, ok := memory.(methods.Forker)
		if !ok {
			return rec, methods.Response{}, meter.Paid{}, fmt.Errorf("method %s does not go on from versions of a tree", c.cell.Method)
		}
		memory = f.Fork(versions)
	}
	metered, m, cancel := c.plan.meter(ctx)
	defer cancel()
	start := c.plan.env.Now()
	resp, err := c.answer(metered, memory, r)
	if ctx.Err() != nil {
		return rec, methods.Response{}, m.Paid(), context.Cause(ctx)
	}
	if err != nil {
		rec.Status, rec.Error = failed(metered, err)
	} else if resp.Tree != nil && versions != nil {
		at, _ := versions.At(resp.Tree.Number - 1)
		rec.Edits = tree.Diff(at.Tree, resp.Tree.Tree)
	}
	c.plan.note(&rec, start, m, resp)
	return rec, resp, m.Paid(), nil
}
