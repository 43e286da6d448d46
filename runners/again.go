package runners

import (
	"context"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/fault"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// Again compares a model's replies now with those in a run.
type Again struct {
	Roles []AgainRole `json:"roles"` // by name
	// Answers counts the replies that were the answer to a question and were scored again.
	Answers      int           `json:"answers"`
	EqualAnswers int           `json:"equal_answers"` // of them
	Columns      []AgainColumn `json:"columns"`
}

// An AgainRole counts the calls of a role.
type AgainRole struct {
	Role     string `json:"role"`
	Recorded int    `json:"recorded"` // that the run names
	Asked    int    `json:"asked"`
	Equal    int    `json:"equal"`  // replies, byte for byte
	Failed   int    `json:"failed"` // without a reply
}

// An AgainColumn compares the mean of a metric's column over the answers of a run with that
// over the new ones.
type AgainColumn struct {
	Column   metrics.Column `json:"-"`
	Name     string         `json:"name"`
	Answers  int            `json:"answers"` // with a value in both
	Changed  int            `json:"changed"` // of them
	Recorded float64        `json:"recorded"`
	Now      float64        `json:"now"`
}

// Repeated sums up all roles, and the column that moved most.
func (a *Again) Repeated(now time.Time) record.Repeated {
	r := record.Repeated{Day: now.UTC().Format(time.DateOnly), Answers: a.Answers, EqualAnswers: a.EqualAnswers}
	for _, role := range a.Roles {
		r.Replies += role.Asked - role.Failed
		r.Equal += role.Equal
	}
	for _, c := range a.Columns {
		if moved := math.Abs(c.Now-c.Recorded) * c.Column.Scale; c.Answers > 0 && c.Column.Scale == 100 && moved >= r.Moved {
			r.Metric, r.Moved = c.Name, moved
		}
	}
	return r
}

// A caller is what made a call: a question, or a memory, which has no record.
type caller struct {
	cell  *cell
	rec   *record.Record
	score func(record.Record) (record.Score, error)
}

// AskAgain repeats up to n calls of each role of a run, drawn at random by the run's seed,
// and compares the replies with those in store, by specs where they are answers. Nothing is
// recorded. The plan is the run's config with recordings off. It stops at the first fault
// that every further call would meet.
func (p *Plan) AskAgain(ctx context.Context, folder record.Folder, h record.Header, store *calls.Store, specs []*metrics.Spec, n int) (*Again, error) {
	recordings, err := store.Recordings()
	if err != nil {
		return nil, err
	}
	specs = lists.Filter(specs, func(s *metrics.Spec) bool { return s.Of == metrics.Answer && ScoredAlone(s) })
	callers, err := p.callers(folder, h, specs)
	if err != nil {
		return nil, err
	}
	byRole := make(map[string][]*calls.Recording)
	for _, r := range recordings {
		if _, ok := callers[r.Key.ID()]; ok && r.Kind == calls.Chat {
			byRole[r.Role] = append(byRole[r.Role], r)
		}
	}
	a := &Again{Roles: make([]AgainRole, len(byRole))}
	for _, s := range specs {
		for _, c := range s.Columns {
			a.Columns = append(a.Columns, AgainColumn{Column: c, Name: c.Name})
		}
	}
	random := rand.New(rand.NewPCG(p.config.Seed, 0)) //nolint:gosec // a sample that anybody may draw again
	group := firstError(ctx, p.config.Concurrency.Requests)
	var mu sync.Mutex
	for i, role := range slices.Sorted(maps.Keys(byRole)) {
		all := byRole[role]
		slices.SortFunc(all, func(a, b *calls.Recording) int { return strings.Compare(a.Key.ID(), b.Key.ID()) })
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		a.Roles[i] = AgainRole{Role: role, Recorded: len(all)}
		for _, r := range all[:min(n, len(all))] {
			group.Go(func(ctx context.Context) error { return p.askAgain(ctx, callers[r.Key.ID()], r, a, &a.Roles[i], &mu) })
		}
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i := range a.Columns {
		c := &a.Columns[i]
		c.Recorded /= float64(max(1, c.Answers))
		c.Now /= float64(max(1, c.Answers))
	}
	return a, nil
}

// callers returns what made the calls of a run, by the ids of the calls.
func (p *Plan) callers(folder record.Folder, h record.Header, specs []*metrics.Spec) (map[string]caller, error) {
	callers := make(map[string]caller)
	for _, c := range p.cells {
		if !slices.ContainsFunc(h.Cells, func(of record.Cell) bool { return of.ID == c.ID }) {
			continue
		}
		score, err := RecordScorer(folder, h, c.Cell, specs, nil)
		if err != nil {
			return nil, err
		}
		err = errors.Join(
			eachLine(folder.Ingests(c.ID), func(in record.Ingest) {
				for _, id := range in.Calls {
					callers[id] = caller{cell: c}
				}
			}),
			eachLine(folder.Records(c.ID), func(rec record.Record) {
				for _, id := range rec.Calls {
					callers[id] = caller{c, &rec, score}
				}
			}),
		)
		if err != nil {
			return nil, err
		}
	}
	return callers, nil
}

// askAgain makes a recorded call again and adds to a and role how its reply compares.
func (p *Plan) askAgain(ctx context.Context, by caller, r *calls.Recording, a *Again, role *AgainRole, mu *sync.Mutex) error {
	call, err := r.Call()
	if err != nil {
		return err
	}
	was, err := r.Reply()
	if err != nil {
		return err
	}
	metered, _, cancel := p.meter(ctx)
	defer cancel()
	now, err := by.cell.doors.LLM.Generate(metered, call.Request())
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil && fault.KindOf(err).Stops() {
		return err
	}
	mu.Lock()
	defer mu.Unlock()
	role.Asked++
	if err != nil {
		role.Failed++
		return nil
	}
	if now.Written() == was.Chat.Written() {
		role.Equal++
	}
	if by.rec == nil || by.rec.Answer == "" || strings.TrimSpace(was.Chat.Text) != by.rec.Answer {
		return nil // the reply is not the answer
	}
	answer := strings.TrimSpace(now.Text)
	if answer == by.rec.Answer {
		a.EqualAnswers++
	}
	return a.score(by, answer)
}

// score adds the scores of an answer and of the one that is given now.
func (a *Again) score(by caller, answer string) error {
	rec := *by.rec
	rec.Evidence = nil // which no metric of an answer reads
	before, err := by.score(rec)
	if err != nil {
		return err
	}
	rec.Answer = answer
	after, err := by.score(rec)
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
