package runners

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/sourcegraph/conc/pool"

	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// Again compares a model's replies now with those in a run.
type Again struct {
	Roles []AgainRole `json:"roles"` // by name
	// Answers are the calls whose reply is the answer of a request, by Columns: the
	// values of their answers in the run, and of the new ones.
	Answers int           `json:"answers"`
	Columns []AgainColumn `json:"columns"`
}

// An AgainRole counts the calls of a role.
type AgainRole struct {
	Role     string `json:"role"`
	Recorded int    `json:"recorded"` // that the run names
	Asked    int    `json:"asked"`
	Equal    int    `json:"equal"`  // replies, byte for byte
	Failed   int    `json:"failed"` // without a reply
}

// An AgainColumn is a column of a metric over the answers of a run and the new ones
// to the same calls.
type AgainColumn struct {
	Column   metrics.Column `json:"-"`
	Name     string         `json:"name"`
	Answers  int            `json:"answers"` // with a value in both
	Changed  int            `json:"changed"` // of them
	Recorded float64        `json:"recorded"`
	Now      float64        `json:"now"` // means over Answers
}

// A recordedCall is a call that a run names, with the record whose request made it; a
// memory's calls have none.
type recordedCall struct {
	*calls.Recording
	cell *cell
	rec  *record.Record
}

// AskAgain repeats up to n calls of each role of a run, drawn at random by the run's seed,
// and compares the replies with those in store. Nothing is recorded. The plan is the run's
// config with recordings off. It stops at the first fault that every further call would
// meet.
func (p *Plan) AskAgain(ctx context.Context, folder record.Folder, h record.Header, store *calls.Store, specs []*metrics.Spec, n int) (*Again, error) {
	roles, err := p.recordedCalls(folder, h, store)
	if err != nil {
		return nil, err
	}
	a := &again{plan: p, scorers: make(map[string]*RecordScorer)}
	specs = lists.Filter(specs, func(s *metrics.Spec) bool { return s.Of == metrics.Answer && ScoredAlone(s) })
	for _, c := range p.cells {
		if a.scorers[c.ID], err = NewRecordScorer(folder, h, c.Cell, specs); err != nil {
			return nil, err
		}
	}
	for _, s := range specs {
		for _, c := range s.Columns {
			a.Columns = append(a.Columns, AgainColumn{Column: c, Name: c.Name})
		}
	}
	random := rand.New(rand.NewPCG(p.config.Seed, 0)) //nolint:gosec // a sample that anybody may draw again
	group := pool.New().WithMaxGoroutines(p.config.Concurrency.Requests).WithContext(ctx).WithCancelOnError().WithFirstError()
	for i, role := range slices.Sorted(maps.Keys(roles)) {
		all := roles[role]
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		a.Roles = append(a.Roles, AgainRole{Role: role, Recorded: len(all)})
		for _, one := range all[:min(n, len(all))] {
			group.Go(func(ctx context.Context) error { return a.ask(ctx, i, one) })
		}
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i := range a.Columns {
		if c := &a.Columns[i]; c.Answers > 0 {
			c.Recorded /= float64(c.Answers)
			c.Now /= float64(c.Answers)
		}
	}
	return &a.Again, nil
}

// recordedCalls returns the chat calls that a run names and a store has, by role, each
// once, in the order of the run.
func (p *Plan) recordedCalls(folder record.Folder, h record.Header, store *calls.Store) (map[string][]recordedCall, error) {
	recordings, err := store.Recordings()
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*calls.Recording, len(recordings))
	for _, r := range recordings {
		byID[r.Key.ID()] = r
	}
	roles := make(map[string][]recordedCall)
	take := func(c *cell, rec *record.Record, ids []string) {
		for _, id := range ids {
			if r := byID[id]; r != nil && r.Kind == calls.Chat {
				roles[r.Role] = append(roles[r.Role], recordedCall{r, c, rec})
				delete(byID, id)
			}
		}
	}
	for _, c := range p.cells {
		if !slices.ContainsFunc(h.Cells, func(of record.Cell) bool { return of.ID == c.ID }) {
			continue
		}
		for in, err := range record.Values[record.Ingest](folder.Ingests(c.ID)) {
			if err != nil {
				return nil, err
			}
			take(c, nil, in.Calls)
		}
		for rec, err := range record.Values[record.Record](folder.Records(c.ID)) {
			if err != nil {
				return nil, err
			}
			take(c, &rec, rec.Calls)
		}
	}
	return roles, nil
}

// again collects what comes of the calls.
type again struct {
	plan    *Plan
	scorers map[string]*RecordScorer // by cell

	mu sync.Mutex
	Again
}

// ask asks for one call of a role and compares the replies.
func (a *again) ask(ctx context.Context, role int, one recordedCall) error {
	call, err := one.Call()
	if err != nil {
		return err
	}
	was, err := one.Reply()
	if err != nil {
		return err
	}
	metered, _, cancel := a.plan.meter(ctx)
	defer cancel()
	now, err := one.cell.doors.LLM.Generate(metered, call.Request())
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil && fault.KindOf(err).Stops() {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	r := &a.Roles[role]
	r.Asked++
	if err != nil {
		r.Failed++
		return nil
	}
	if now.Written() == was.Chat.Written() {
		r.Equal++
	}
	return a.score(one, was.Chat, now)
}

// score scores an answer that is a reply, and what it would be now.
func (a *again) score(one recordedCall, was, now llm.Reply) error {
	if one.rec == nil || one.rec.Answer == "" || strings.TrimSpace(was.Text) != one.rec.Answer {
		return nil
	}
	rec := *one.rec
	rec.Evidence = nil
	before, err := a.scorers[one.cell.ID].Score(rec)
	if err != nil {
		return err
	}
	rec.Answer = strings.TrimSpace(now.Text)
	after, err := a.scorers[one.cell.ID].Score(rec)
	if err != nil {
		return err
	}
	a.Answers++
	for i := range a.Columns {
		c := &a.Columns[i]
		if x, y := before.Values[c.Name], after.Values[c.Name]; x != nil && y != nil {
			c.Answers++
			c.Recorded += *x
			c.Now += *y
			if *x != *y {
				c.Changed++
			}
		}
	}
	return nil
}
