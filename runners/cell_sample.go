package runners

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime/debug"

	"recallbench/datasets"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/meter"
	"recallbench/methods"
)

// A cellSample is one sample of a cell before the cell's method, whether what
// comes of it is recorded or only counted.
type cellSample struct {
	plan   *Plan
	cell   *cell
	sample datasets.Sample
}

// loadSample loads the sample of an entry, with the requests that the limit leaves.
func loadSample(ctx context.Context, set *datasets.Set, e datasets.Entry) (datasets.Sample, error) {
	s, err := set.Load(ctx, e.Place)
	s.Requests = e.Requests
	return s, changedData(err)
}

// changedData makes data that has changed since it was opened an [ErrData].
func changedData(err error) error {
	if errors.Is(err, datasets.ErrChanged) {
		return fmt.Errorf("%w: %w", ErrData, err)
	}
	return err
}

// build ingests the sample under a metered context.
func (s cellSample) build(metered context.Context) (memory methods.Memory, err error) {
	err = s.safely("build", func() (err error) {
		// A method gets a sample without its requests: a memory is built
		// before it is known what will be asked.
		sample := s.sample
		sample.Requests = nil
		memory, err = s.cell.method.Build(metered, sample)
		return err
	})
	if err != nil {
		return nil, err
	}
	return memory, nil
}

// answer asks a memory under a metered context. With an error comes the trace of
// what was done before it.
func (s cellSample) answer(metered context.Context, memory methods.Memory, r datasets.Request) (resp methods.Response, err error) {
	err = s.safely("answer", func() (err error) {
		resp, err = memory.Answer(metered, r)
		return err
	})
	fault := s.check(resp)
	if err == nil {
		err = fault
	}
	switch {
	case fault != nil: // it could not be written
		return methods.Response{}, err
	case err != nil:
		return methods.Response{Trace: resp.Trace}, err
	}
	return resp, nil
}

// leave closes a memory.
func (s cellSample) leave(memory methods.Memory) {
	if err := memory.Close(); err != nil {
		s.plan.env.Log.Warn("closing a memory failed", "cell", s.cell.ID, "sample", s.sample.ID, "error", err)
	}
}

// safely calls f and turns a panic of it into an error: a plug-in's fault
// costs a request, not the run.
func (s cellSample) safely(what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s panicked: %v", what, p)
			s.plan.env.Log.Error(err.Error(), "cell", s.cell.ID, "sample", s.sample.ID, "stack", string(debug.Stack()))
		}
	}()
	return f()
}

// meter returns ctx with a meter and the limits of a request.
func (p *Plan) meter(ctx context.Context) (context.Context, *meter.Meter, context.CancelFunc) {
	l := p.config.Limits.Request
	cancel := func() {}
	if l.Time > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, l.Time, fault.New(fault.Limit, "not done within %s (limits.request.time)", l.Time))
	}
	metered, m := meter.With(ctx, p.env.Now, meter.Limits{Calls: l.Calls, Tokens: l.Tokens, USD: l.USD})
	return metered, m, cancel
}

// check reports what could not be written as a record.
func (s cellSample) check(resp methods.Response) error {
	if resp.Tree != nil && (s.sample.Tree == nil || resp.Tree.Tree == nil) {
		return errors.New("the method edits a tree where there is none")
	}
	for _, e := range resp.Evidence {
		if math.IsNaN(e.Score) || math.IsInf(e.Score, 0) {
			return fmt.Errorf("evidence %q has the score %v, want a finite one", e.ID, e.Score)
		}
	}
	if len(resp.Trace) > 0 {
		if _, err := json.Marshal(resp.Trace); err != nil {
			return fmt.Errorf("trace: %w", err)
		}
	}
	return nil
}
