package runners

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"

	"github.com/sourcegraph/conc/pool"

	"recallbench/datasets"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/checkpoint"
	"recallbench/methods"
)

// A CellEstimate is what a cell will take.
type CellEstimate struct {
	ID      string `json:"id"`
	Dataset string `json:"dataset"`
	Method  string `json:"method"`
	Model   string `json:"model"`
	// Seed is the cell's where the plan has several; else nil.
	Seed    *uint64 `json:"seed,omitempty"`
	Offline bool    `json:"offline"` // no model is called
	// Tokenizer is what tokens are counted with.
	Tokenizer string `json:"tokenizer"`
	// Memory is that of the cell, see [record.Cell], and MemoryOf the id of the cell
	// before it that is charged with what both build; empty where there is none.
	Memory   string `json:"memory,omitzero"`
	MemoryOf string `json:"memory_of,omitzero"`
	Ingest   Load   `json:"ingest"`
	Query    Load   `json:"query"`
	// Tuning is what choosing the options of the cell's method takes, at most:
	// points of the grid that show the reader the same share a recording. It
	// stands with the first cell of the method and the model; nil where nothing is
	// chosen.
	Tuning *Load `json:"tuning,omitempty"`
	// Run is the folder of the earlier run that was measured, and Measured how
	// many of its requests; empty and 0 for an estimate from the prompts.
	Run      string `json:"run,omitzero"`
	Measured int    `json:"measured,omitzero"`
	// Failed is how many memories and requests failed and took nothing more,
	// and Failure why the first of them did.
	Failed  int    `json:"failed,omitzero"`
	Failure string `json:"failure,omitzero"`
	// Unforeseen says that an adapter asks models for what is not known before it
	// runs: the loads lack it, and their prices and bounds are nil.
	Unforeseen bool `json:"unforeseen,omitzero"`
}

// Estimate says what each cell of the plan will take. It asks every method as
// a run does and writes nothing; where the plan was laid with Env.Estimate,
// no model is called for it: what is not recorded is answered by rules, and
// counted and priced as calls of the model.
//
// A prompt that depends on the text of an earlier reply, or on what embeddings
// rank first, will not be quite the one that was counted. What an earlier run
// used, of those in past, is therefore taken in place of it.
//
// Of cells that share the parts of a memory the first is charged with them. With
// Env.Reuse the same holds of calls that are the same, and of texts that are
// embedded again.
func (p *Plan) Estimate(ctx context.Context, past []Past) ([]CellEstimate, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	tried := make([][]trial, len(p.cells))
	work := pool.New().WithMaxGoroutines(runtime.GOMAXPROCS(0))
	shared := make(map[[2]string]*sharedParts) // by memory and sample
	for i, c := range p.cells {
		tried[i] = make([]trial, len(c.samples))
		for j, entry := range c.samples {
			// Work begins in the order in which it is given, so that waiting
			// for the cell before ends.
			var parts *sharedParts
			if c.Memory != "" {
				at := [2]string{c.Memory, c.Dataset + " " + entry.ID}
				parts = shared[at].next()
				shared[at] = parts
			}
			work.Go(func() {
				sample, err := loadSample(ctx, c.set, entry)
				if err != nil {
					stop(err)
				}
				// Without a sample it ends at once, and lets those go on that wait for its parts.
				tried[i][j] = cellSample{p, c, sample}.try(ctx, parts)
			})
		}
	}
	work.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if p.env.Reuse {
		p.settle(tried)
	}
	tunings, err := p.estimateTunings(ctx)
	if err != nil {
		return nil, err
	}
	estimates := make([]CellEstimate, len(p.cells))
	for i, c := range p.cells {
		e := CellEstimate{
			ID: c.ID, Dataset: c.Dataset, Method: c.Method, Model: c.Model, Offline: c.doors.Offline,
			Tokenizer: cmp.Or(c.doors.Settings["tokenizer"], c.doors.Tokens.Name()),
			Ingest:    nothing(), Query: nothing(), Memory: c.Memory,
		}
		if first := slices.IndexFunc(p.cells[:i], func(o *cell) bool {
			return c.Memory != "" && o.Memory == c.Memory && o.Dataset == c.Dataset
		}); first >= 0 {
			e.MemoryOf = p.cells[first].ID
		}
		if len(p.config.Seeds) > 0 {
			e.Seed = &c.Seed
		}
		for _, t := range tried[i] {
			e.Ingest, e.Query = e.Ingest.Add(t.ingest), e.Query.Add(t.query)
			e.Failed += t.failed
			if e.Failure == "" {
				e.Failure = t.failure
			}
			e.Unforeseen = e.Unforeseen || c.unforeseen(t)
		}
		if e.Unforeseen {
			e.Ingest, e.Query = e.Ingest.unknown(), e.Query.unknown()
		}
		e.Tuning = tunings[i]
		p.consult(&e, c, past)
		estimates[i] = e
	}
	return estimates, nil
}

// Load is what the cell takes in all; its Units are the cell's requests.
func (e CellEstimate) Load() Load {
	ingest := e.Ingest
	ingest.Units = 0
	all := ingest.Add(e.Query)
	if e.Tuning != nil {
		tuning := *e.Tuning
		tuning.Units = 0
		all = all.Add(tuning)
	}
	return all
}

// A trial is what the sample of a cell took.
type trial struct {
	ingest, query Load
	failed        int
	failure       string
	kind          fault.Kind // of the failure
	// What will be called for.
	building, asking []meter.Pending
}

// settle charges what several trials will call for to the first of them, in the
// order of cells and samples: recordings give it to the others.
func (p *Plan) settle(tried [][]trial) {
	charged := make(map[string]bool)
	for i, c := range p.cells {
		for j := range tried[i] {
			t := &tried[i][j]
			t.ingest = c.settle(t.ingest, t.building, charged)
			t.query = c.settle(t.query, t.asking, charged)
			t.building, t.asking = nil, nil
		}
	}
}

// try builds the memory of the sample and asks its requests. Once ctx is over,
// what it returns means nothing.
func (s cellSample) try(ctx context.Context, parts *sharedParts) trial {
	t := trial{query: nothing()}
	memory, err := s.tryBuild(ctx, &t, parts)
	if err != nil {
		// Without a memory nothing is asked.
		t.query.Units = len(s.sample.Requests)
		t.failed += t.query.Units
		return t
	}
	defer s.leave(memory)
	for _, r := range s.sample.Requests {
		if ctx.Err() != nil {
			return t
		}
		s.tryAnswer(ctx, &t, memory, r)
	}
	return t
}

func (s cellSample) tryBuild(ctx context.Context, t *trial, parts *sharedParts) (methods.Memory, error) {
	metered, m, cancel := s.plan.meter(ctx)
	defer cancel()
	if parts != nil {
		parts.take()
		defer close(parts.built)
		metered = checkpoint.With(metered, parts)
	}
	memory, err := s.build(metered)
	t.ingest, t.building = s.cell.metered(m), m.Pending()
	t.fail(metered, err)
	return memory, err
}

func (s cellSample) tryAnswer(ctx context.Context, t *trial, memory methods.Memory, r datasets.Request) {
	metered, m, cancel := s.plan.meter(ctx)
	defer cancel()
	_, err := s.answer(metered, memory, r)
	t.query = t.query.Add(s.cell.metered(m))
	t.asking = append(t.asking, m.Pending()...)
	t.fail(metered, err)
}

// fail counts a failure.
func (t *trial) fail(metered context.Context, err error) {
	if err == nil {
		return
	}
	t.failed++
	if t.failure == "" {
		_, f := failed(metered, err)
		t.failure, t.kind = f.Message, fault.KindOf(err)
	}
}

// unforeseen reports whether a trial failed because the cell's adapter asked a model,
// which nothing stood in for.
func (c *cell) unforeseen(t trial) bool {
	return c.Adapter != nil && !c.doors.Offline && t.kind == fault.NoModel
}

// sharedParts are the parts of a memory that several cells share, as one of them
// finds and leaves them. They are not written anywhere.
type sharedParts struct {
	before *sharedParts // of the cell before; nil for the first
	built  chan struct{}
	parts  []checkpoint.Part
}

// next returns the parts for the cell after s; s is nil before the first.
func (s *sharedParts) next() *sharedParts {
	return &sharedParts{before: s, built: make(chan struct{})}
}

// take waits for the cell before and takes over its parts.
func (s *sharedParts) take() {
	if s.before != nil {
		<-s.before.built
		s.parts = slices.Clip(s.before.parts)
	}
}

// Parts implements [checkpoint.Keeper].
func (s *sharedParts) Parts() []checkpoint.Part { return s.parts }

// Add implements [checkpoint.Keeper].
func (s *sharedParts) Add(part any) error {
	data, err := json.Marshal(part)
	if err != nil {
		return fmt.Errorf("kept memory: %w", err)
	}
	s.parts = append(s.parts, checkpoint.Part{Data: data, Use: func() {}})
	return nil
}

// Beside implements [checkpoint.Keeper].
func (s *sharedParts) Beside() string { return "" }
