package runners

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/sourcegraph/conc/pool"

	"recallbench/internal/door/fault"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/checkpoint"
	"recallbench/internal/result/record"
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

// Load is what the cell takes in all; its Units are the cell's requests.
func (e CellEstimate) Load() Load {
	all := e.Ingest.Add(e.Query)
	if e.Tuning != nil {
		all = all.Add(*e.Tuning)
	}
	all.Units = e.Query.Units
	return all
}

// Estimate says what each cell of the plan will take. It asks every method as
// a run does and writes nothing; where the plan was laid with Env.Estimate,
// no model is called for it: what is not recorded is answered by the stand-in, and
// counted and priced as calls of the model.
//
// A prompt that depends on the text of an earlier reply, or on what embeddings
// rank first, will not be quite the one that was counted. What an earlier run of the
// same cell used, of those in past, is therefore taken in place of it.
//
// Of cells that share the parts of a memory the first is charged with them. With
// Env.Reuse the same holds of calls that are the same, and of texts that are
// embedded again.
func (p *Plan) Estimate(ctx context.Context, past []Past) ([]CellEstimate, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	tried := make([][]trial, len(p.cells))
	work := pool.New().WithMaxGoroutines(runtime.GOMAXPROCS(0))
	for i, c := range p.cells {
		tried[i] = make([]trial, len(c.samples))
	}
	for _, d := range p.sets {
		for j, entry := range d.samples {
			work.Go(func() {
				shared := make(map[string]*sharedParts) // by memory
				for i, c := range p.cells {
					if c.Dataset != d.label {
						continue
					}
					sample, err := loadSample(ctx, c.set, entry)
					if err != nil {
						stop(err)
						return
					}
					if c.Memory != "" && shared[c.Memory] == nil {
						shared[c.Memory] = new(sharedParts)
					}
					tried[i][j] = cellSample{p, c, sample}.try(ctx, shared[c.Memory])
				}
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
			Ingest:    nothing(), Query: nothing(), Memory: c.Memory, Tuning: tunings[i],
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
			e.Failed, e.Failure = e.Failed+t.failed, cmp.Or(e.Failure, t.failure)
			e.Unforeseen = e.Unforeseen || c.unforeseen(t)
		}
		if e.Unforeseen {
			e.Ingest, e.Query = e.Ingest.unknown(), e.Query.unknown()
		}
		p.consult(&e, c, past)
		estimates[i] = e
	}
	return estimates, nil
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

// sharedParts are the parts of a memory that several cells share, as one of them
// finds and leaves them. They are not written anywhere.
type sharedParts []checkpoint.Part

// Parts implements [checkpoint.Keeper].
func (s *sharedParts) Parts() []checkpoint.Part { return slices.Clone(*s) }

// Add implements [checkpoint.Keeper].
func (s *sharedParts) Add(part any) error {
	data, err := json.Marshal(part)
	*s = append(*s, checkpoint.Part{Data: data, Use: func() {}})
	return err
}

// Beside implements [checkpoint.Keeper].
func (*sharedParts) Beside() string { return "" }

// try builds the memory of the sample, of parts that other cells have made, and asks its
// requests; nil shares none. Once ctx is over, what it returns means nothing.
func (s cellSample) try(ctx context.Context, parts *sharedParts) trial {
	t := trial{query: nothing()}
	step := func(do func(metered context.Context) error) (Load, []meter.Pending, error) {
		one := s.plan.step(ctx, do)
		if one.err != nil {
			t.failed++
			if t.failure == "" {
				t.failure, t.kind = one.failure.Message, fault.KindOf(one.err)
			}
		}
		return s.cell.metered(one.meter), one.meter.Seen().Pending, one.err
	}
	var memory methods.Memory
	var err error
	t.ingest, t.building, err = step(func(metered context.Context) (err error) {
		if parts != nil {
			metered = checkpoint.With(metered, parts)
		}
		memory, err = s.build(metered)
		return err
	})
	if err != nil { // without a memory nothing is asked
		t.query.Units = len(s.sample.Requests)
		t.failed += t.query.Units
		return t
	}
	defer s.leave(memory)
	for _, r := range s.sample.Requests {
		if ctx.Err() != nil {
			return t
		}
		load, pending, _ := step(func(metered context.Context) error {
			_, err := s.answer(metered, memory, r)
			return err
		})
		t.query, t.asking = t.query.Add(load), append(t.asking, pending...)
	}
	return t
}

// unforeseen reports whether a trial failed because the cell's adapter asked a model,
// which nothing stood in for.
func (c *cell) unforeseen(t trial) bool {
	return c.Adapter != nil && !c.doors.Offline && t.kind == fault.NoModel
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

// A Past is an earlier run.
type Past struct {
	Dir    string
	header record.Header
}

// PastRuns returns the runs below a folder, the newest first. A folder that is
// not there holds none, and a run that cannot be read is left out with a
// warning.
func PastRuns(dir string, log *slog.Logger) ([]Past, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var runs []Past
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if _, err := os.Stat(filepath.Join(path, "run.json")); err != nil {
			continue // no run, or one that was killed before it asked anything
		}
		header, err := record.ReadHeader(path)
		if err != nil {
			log.Warn("a run is left out of the estimate", "run", path, "error", err)
			continue
		}
		runs = append(runs, Past{path, header})
	}
	slices.SortStableFunc(runs, func(a, b Past) int {
		return cmp.Or(b.header.Start.Compare(a.header.Start), cmp.Compare(a.Dir, b.Dir))
	})
	return runs, nil
}

// consult replaces what prompts say of a cell by what the newest earlier run of the same
// cell measured. How much of it recordings give stays as it was found.
func (p *Plan) consult(e *CellEstimate, c *cell, past []Past) {
	if e.Offline {
		return // counted exactly as it will run
	}
	for _, run := range past {
		if !slices.ContainsFunc(run.header.Cells, func(o record.Cell) bool { return o.ID == c.ID }) {
			continue
		}
		ingest, query, err := c.measured(run.Dir)
		if err != nil {
			p.env.Log.Warn("a run is left out of the estimate", "run", run.Dir, "error", err)
			continue
		}
		if query.Units == 0 {
			continue
		}
		e.Run, e.Measured = run.Dir, query.Units
		if e.Unforeseen {
			e.Unforeseen, e.Failed, e.Failure = false, 0, ""
		}
		e.Query = e.Query.by(query)
		if ingest.Units > 0 {
			e.Ingest = e.Ingest.by(ingest)
		}
		return
	}
}

// measured returns what the cell took in an earlier run, of what did not fail.
func (c *cell) measured(dir string) (ingest, query Load, err error) {
	ingest, query = nothing(), nothing()
	folder, _, err := record.Open(dir)
	if err != nil {
		return ingest, query, err
	}
	for r, err := range record.Values[record.Record](folder.Records(c.ID)) {
		if err != nil {
			return ingest, query, err
		}
		if r.Status == record.OK {
			query = query.Add(usageLoad(r.Usage["query"], r.Cost))
		}
	}
	for i, err := range record.Values[record.Ingest](folder.Ingests(c.ID)) {
		if err != nil {
			return ingest, query, err
		}
		if i.Status == record.OK {
			ingest = ingest.Add(usageLoad(i.Usage, i.Cost))
		}
	}
	return ingest, query, nil
}

// by returns what a phase takes by what was measured of m.Units of its kind. The share to
// pay for is that of l, and so is the bound: at least what is to pay.
func (l Load) by(m Load) Load {
	scale := float64(l.Units) / float64(m.Units)
	times := func(x int, by float64) int { return int(math.Round(float64(x) * by)) }
	out := Load{
		Units: l.Units, Calls: times(m.Calls, scale), Input: times(m.Input, scale), Output: times(m.Output, scale), Embedded: times(m.Embedded, scale),
	}
	if l.Calls > 0 {
		out.Recorded = min(out.Calls, times(out.Calls, float64(l.Recorded)/float64(l.Calls)))
	}
	unpaid := 1.0
	if all := l.Input + l.Output + l.Embedded; all > 0 {
		unpaid = float64(l.PayTokens) / float64(all)
	}
	out.PayTokens = times(out.Input+out.Output+out.Embedded, unpaid)
	if m.USD != nil {
		out.USD, out.Pay = new(*m.USD*scale), new(*m.USD*scale*unpaid)
	}
	if out.PayTokens == 0 { // nothing costs nothing, whatever the price is
		out.Pay = new(0.0)
	}
	out.MostOutput, out.MostPayTokens = atLeast(l.MostOutput, out.Output), atLeast(l.MostPayTokens, out.PayTokens)
	if out.Pay != nil {
		out.MostPay = atLeast(l.MostPay, *out.Pay)
	}
	return out
}

// atLeast returns a bound that is raised to what is expected; nil for none.
func atLeast[N int | float64](bound *N, expected N) *N {
	if bound == nil {
		return nil
	}
	return new(max(*bound, expected))
}
