package runners

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"runtime"
	"slices"

	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/checkpoint"
	"recallbench/methods"
)

// A Load is the cost of a phase of a cell: building its memories, or answering its
// requests.
type Load struct {
	Units    int `json:"n"`        // memories that are built, or requests
	Calls    int `json:"calls"`    // of language models
	Recorded int `json:"recorded"` // of them, those that recordings answer
	// Input and Output are tokens of language models, and Embedded those that
	// are embedded.
	Input    int `json:"input"`
	Output   int `json:"output"`
	Embedded int `json:"embedded"`
	// MostOutput is Output if every reply is as long as allowed; nil if some reply is
	// not bounded.
	MostOutput *int `json:"most_output"`
	// USD is the price of it all, recordings as if they were paid for. Pay is
	// what is left to pay, and MostPay that for MostOutput and for prompts that are
	// longer by [RankedRoom]. They are nil where a price or a bound is unknown.
	USD     *float64 `json:"usd"`
	Pay     *float64 `json:"pay"`
	MostPay *float64 `json:"most_pay"`
	// PayTokens and MostPayTokens are the tokens of what is left to pay, of all
	// models.
	PayTokens     int  `json:"pay_tokens"`
	MostPayTokens *int `json:"most_pay_tokens"`
}

// nothing is the load of nothing, to which others are added.
func nothing() Load {
	return Load{MostOutput: new(0), USD: new(0.0), Pay: new(0.0), MostPay: new(0.0), MostPayTokens: new(0)}
}

// Add returns the sum of l and m. What is unknown of either is unknown.
func (l Load) Add(m Load) Load {
	return Load{
		Units: l.Units + m.Units, Calls: l.Calls + m.Calls, Recorded: l.Recorded + m.Recorded,
		Input: l.Input + m.Input, Output: l.Output + m.Output, Embedded: l.Embedded + m.Embedded,
		MostOutput: sum(l.MostOutput, m.MostOutput),
		USD:        sum(l.USD, m.USD), Pay: sum(l.Pay, m.Pay), MostPay: sum(l.MostPay, m.MostPay),
		PayTokens: l.PayTokens + m.PayTokens, MostPayTokens: sum(l.MostPayTokens, m.MostPayTokens),
	}
}

func sum[N int | float64](x, y *N) *N {
	if x == nil || y == nil {
		return nil
	}
	return new(*x + *y)
}

// Total adds up the loads of cells; its Units are requests of the cells
// themselves.
func Total(cells []CellEstimate) Load {
	total := nothing()
	for _, c := range cells {
		total = total.Add(c.Load())
	}
	return total
}

// RankedRoom is the share by which a bound takes prompts to be longer where embeddings
// rank what they hold: the model's embeddings may put longer texts first than those that
// the estimate ranked by.
const RankedRoom = 0.25

// metered returns the load of one memory or request of a cell. Its bound takes each
// reply as long as the request allows, at the price of the dearest of the models that
// may have written it, and prompts longer by [RankedRoom] where it applies.
func (c *cell) metered(m *meter.Meter) Load {
	seen := m.Seen()
	l := Load{Units: 1, USD: seen.Cost, Recorded: seen.Paid.Reused, Pay: seen.Paid.USD, PayTokens: seen.Paid.Tokens}
	for role, u := range seen.Usage {
		if role == meter.EmbedRole {
			l.Embedded += u.Input
		} else {
			l.Calls, l.Input, l.Output = l.Calls+u.Calls, l.Input+u.Input, l.Output+u.Output
		}
	}
	if seen.Room == nil {
		return l
	}
	room := *seen.Room
	_, ranked := seen.Usage[meter.EmbedRole]
	ranked = ranked && l.Recorded < l.Calls
	l.MostOutput, l.MostPayTokens = new(l.Output+room), new(l.PayTokens+room)
	replies, prompts := 0.0, 0.0
	for role, u := range seen.Usage {
		if role == meter.EmbedRole {
			continue
		}
		longer := 0
		if ranked {
			longer = int(math.Ceil(RankedRoom * float64(u.Input)))
		}
		reply, known := c.doors.Price(role, llm.Usage{Output: room})
		prompt, too := c.doors.Price(role, llm.Usage{Input: longer})
		if !known && room > 0 || !too && longer > 0 {
			return l
		}
		*l.MostPayTokens += longer
		replies, prompts = max(replies, reply), prompts+prompt
	}
	l.MostPay = sum(l.Pay, new(replies+prompts))
	return l
}

// A CellEstimate is what a cell will cost.
type CellEstimate struct {
	ID      string `json:"id"`
	Dataset string `json:"dataset"`
	Method  string `json:"method"`
	Model   string `json:"model"`
	// Seed is the cell's where the plan has several; else nil.
	Seed    *uint64 `json:"seed,omitempty"`
	Offline bool    `json:"offline"` // no model is called
	// Tokenizer is the tokenizer that counts tokens.
	Tokenizer string `json:"tokenizer"`
	Ingest    Load   `json:"ingest"`
	Query     Load   `json:"query"`
	// Tuning is what choosing the options of the cell's method takes, at most:
	// points of the grid that show the reader the same share a recording. It
	// stands with the first cell of the method and the model; nil where nothing is
	// chosen.
	Tuning *Load `json:"tuning,omitempty"`
	// Failed is how many memories and requests failed and took nothing more,
	// and Failure why the first of them did.
	Failed  int    `json:"failed,omitzero"`
	Failure string `json:"failure,omitzero"`
	// Unforeseen says that an adapter asks models for what is not known before it
	// runs: the loads lack it, and their prices and bounds are nil.
	Unforeseen bool `json:"unforeseen,omitzero"`
}

// Load is the total cost of the cell; its Units are the cell's requests.
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
// A prompt that depends on the text of an earlier reply, or on a ranking by embeddings, will
// differ somewhat from the one that was counted.
//
// If cells share parts of a memory, the first is charged for them. Calls that cells have in
// common are charged to each.
func (p *Plan) Estimate(ctx context.Context) ([]CellEstimate, error) {
	tried, err := p.tryAll(ctx)
	if err != nil {
		return nil, err
	}
	var estimates []CellEstimate
	tuned := make(map[string]bool) // by method and model
	for i, c := range p.cells {
		e := CellEstimate{
			ID: c.ID, Dataset: c.Dataset, Method: c.Method, Model: c.Model, Offline: c.doors.Offline,
			Tokenizer: cmp.Or(c.doors.Settings["tokenizer"], c.doors.Tokens.Name()), Ingest: nothing(), Query: nothing(),
		}
		if len(p.config.Seeds) > 0 {
			e.Seed = &c.Seed
		}
		for _, t := range tried[i] {
			e.Ingest, e.Query = e.Ingest.Add(t.ingest), e.Query.Add(t.query)
			e.Failed, e.Failure = e.Failed+t.failed, cmp.Or(e.Failure, t.failure)
			e.Unforeseen = e.Unforeseen || c.unforeseen(t)
		}
		if e.Unforeseen { // adding what is unknown makes the prices and bounds unknown
			e.Ingest, e.Query = e.Ingest.Add(Load{}), e.Query.Add(Load{})
		}
		if of := c.Method + "\x00" + c.Model; len(c.grid) > 1 && !tuned[of] {
			tuned[of] = true
			if e.Tuning, err = p.estimateTuning(ctx, c); err != nil {
				return nil, err
			}
		}
		estimates = append(estimates, e)
	}
	return estimates, nil
}

// tryAll tries all samples of all cells: by cell and sample.
func (p *Plan) tryAll(ctx context.Context) ([][]trial, error) {
	tried := make([][]trial, len(p.cells))
	for i, c := range p.cells {
		tried[i] = make([]trial, len(c.samples))
	}
	work := firstError(ctx, runtime.GOMAXPROCS(0))
	for _, d := range p.sets {
		for j, entry := range d.samples {
			work.Go(func(ctx context.Context) error {
				shared := make(map[string]*sharedParts) // by memory
				for i, c := range p.cells {
					if c.Dataset != d.label {
						continue
					}
					sample, err := loadSample(ctx, c.set, entry)
					if err != nil {
						return err
					}
					if c.Memory != "" && shared[c.Memory] == nil {
						shared[c.Memory] = new(sharedParts)
					}
					tried[i][j] = cellSample{p, c, sample}.try(ctx, shared[c.Memory])
				}
				return nil
			})
		}
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	return tried, context.Cause(ctx)
}

// estimateTuning returns what choosing a cell's options takes, at most.
func (p *Plan) estimateTuning(ctx context.Context, c *cell) (*Load, error) {
	load := nothing()
	for _, d := range p.tuning {
		for _, entry := range d.samples {
			sample, err := loadSample(ctx, d.set, entry)
			if err != nil {
				return nil, err
			}
			t := cellSample{p, c, sample}.try(ctx, nil)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			t.ingest.Units = 0
			load = load.Add(t.ingest)
			for range c.grid {
				load = load.Add(t.query)
			}
		}
	}
	return &load, nil
}

// A trial is what the sample of a cell took.
type trial struct {
	ingest, query Load
	failed        int
	failure       string
	kind          fault.Kind // of the failure
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
	attempt := func(do func(metered context.Context) error) (Load, error) {
		one := s.plan.step(ctx, do)
		if one.err != nil {
			if t.failed++; t.failed == 1 {
				t.failure, t.kind = one.failure.Message, fault.KindOf(one.err)
			}
		}
		return s.cell.metered(one.meter), one.err
	}
	var memory methods.Memory
	var err error
	t.ingest, err = attempt(func(metered context.Context) (err error) {
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
			break
		}
		load, _ := attempt(func(metered context.Context) error {
			_, err := s.answer(metered, memory, r)
			return err
		})
		t.query = t.query.Add(load)
	}
	return t
}

// unforeseen reports whether a trial failed because the cell's adapter asked a model,
// which nothing stood in for.
func (c *cell) unforeseen(t trial) bool {
	return c.Adapter != nil && !c.doors.Offline && t.kind == fault.NoModel
}
