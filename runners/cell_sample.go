package runners

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/meter"
	"recallbench/internal/result/record"
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

// A step is the building of a memory or the answering of a request, once it is done.
type step struct {
	meter   *meter.Meter
	start   time.Time
	err     error           // of the method
	status  record.Status   // of the request
	failure *record.Failure // nil where there is no error
}

// step does something under a meter and the limits of a request.
func (p *Plan) step(ctx context.Context, do func(metered context.Context) error) step {
	metered, m, cancel := p.meter(ctx)
	defer cancel()
	s := step{meter: m, start: p.env.Now(), status: record.OK}
	if s.err = do(metered); s.err != nil {
		s.status, s.failure = failed(metered, s.err)
	}
	return s
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

// failed returns what the record of a request says of err, which ended it
// under ctx.
func failed(ctx context.Context, err error) (record.Status, *record.Failure) {
	if cause := context.Cause(ctx); cause != nil {
		err = cause // the request's time was up, whatever came of it
	}
	kind := fault.KindOf(err)
	f := &record.Failure{Kind: string(kind), Message: err.Error()}
	switch kind {
	case fault.Refused:
		return record.Refused, f
	case fault.Limit:
		return record.Limit, f
	case "":
		f.Kind = "answer"
	default:
	}
	f.Provider = kind.Passes() || kind.Garbled()
	return record.Error, f
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
	if fault := s.check(resp); fault != nil { // it could not be written
		return methods.Response{}, cmp.Or(err, fault)
	}
	if err != nil {
		return methods.Response{Trace: resp.Trace}, err
	}
	return resp, nil
}

// leave closes a memory.
func (s cellSample) leave(memory methods.Memory) {
	if err := methods.Close(memory); err != nil {
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

// check reports what could not be written as a record.
func (s cellSample) check(resp methods.Response) error {
	if resp.Tree != nil && (s.sample.Tree == nil || resp.Tree.Tree == nil) {
		return errors.New("the method edits a tree, but there is none")
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
