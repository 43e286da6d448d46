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
	"recallbench/internal/door/fault"
	"recallbench/internal/result/record"
)

// An AgainRole compares a model's replies now with those in a run, to calls of a role.
type AgainRole struct {
	Role     string `json:"role"`
	Recorded int    `json:"recorded"` // that the run names
	Asked    int    `json:"asked"`
	Equal    int    `json:"equal"`  // replies, byte for byte
	Failed   int    `json:"failed"` // without a reply
}

// AskAgain repeats up to n calls of each role of a run, drawn at random by the run's seed,
// and compares the replies with those in store; the roles are sorted by name. Nothing is
// recorded. The plan is the run's config with recordings off. It stops at the first fault
// that every further call would meet.
func (p *Plan) AskAgain(ctx context.Context, folder record.Folder, h record.Header, store *calls.Store, n int) ([]AgainRole, error) {
	recordings, err := store.Recordings()
	if err != nil {
		return nil, err
	}
	cells, err := p.callers(folder, h)
	if err != nil {
		return nil, err
	}
	byRole := make(map[string][]*calls.Recording)
	for _, r := range recordings {
		if r.Kind == calls.Chat && cells[r.Key.ID()] != nil {
			byRole[r.Role] = append(byRole[r.Role], r)
		}
	}
	random := rand.New(rand.NewPCG(p.config.Seed, 0)) //nolint:gosec // a sample that anybody may draw again
	group := pool.New().WithMaxGoroutines(p.config.Concurrency.Requests).WithContext(ctx).WithCancelOnError().WithFirstError()
	var mu sync.Mutex
	roles := make([]AgainRole, len(byRole))
	for i, role := range slices.Sorted(maps.Keys(byRole)) {
		all := byRole[role]
		slices.SortFunc(all, func(a, b *calls.Recording) int { return strings.Compare(a.Key.ID(), b.Key.ID()) })
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		roles[i] = AgainRole{Role: role, Recorded: len(all)}
		for _, r := range all[:min(n, len(all))] {
			group.Go(func(ctx context.Context) error {
				equal, failed, err := p.askAgain(ctx, cells[r.Key.ID()], r)
				if err != nil {
					return err
				}
				mu.Lock()
				defer mu.Unlock()
				roles[i].Asked++
				if equal {
					roles[i].Equal++
				}
				if failed {
					roles[i].Failed++
				}
				return nil
			})
		}
	}
	return roles, group.Wait()
}

// callers returns the cells of a run by the ids of the calls that they made.
func (p *Plan) callers(folder record.Folder, h record.Header) (map[string]*cell, error) {
	cells := make(map[string]*cell)
	for _, c := range p.cells {
		if !slices.ContainsFunc(h.Cells, func(of record.Cell) bool { return of.ID == c.ID }) {
			continue
		}
		type caller struct{ Calls []string }
		for _, path := range []string{folder.Ingests(c.ID), folder.Records(c.ID)} {
			for line, err := range record.Parts[caller](path) {
				if err != nil {
					return nil, err
				}
				for _, id := range line.Value.Calls {
					cells[id] = c
				}
			}
		}
	}
	return cells, nil
}

// askAgain makes a recorded call again with the models of a cell, and reports whether the
// reply is the recorded one, or whether there was none.
func (p *Plan) askAgain(ctx context.Context, c *cell, r *calls.Recording) (equal, failed bool, err error) {
	call, err := r.Call()
	if err != nil {
		return false, false, err
	}
	was, err := r.Reply()
	if err != nil {
		return false, false, err
	}
	metered, _, cancel := p.meter(ctx)
	defer cancel()
	now, err := c.doors.LLM.Generate(metered, call.Request())
	switch {
	case ctx.Err() != nil:
		return false, false, context.Cause(ctx)
	case err != nil && fault.KindOf(err).Stops():
		return false, false, err
	case err != nil:
		return false, true, nil //nolint:nilerr // it is counted
	}
	return now.Written() == was.Chat.Written(), false, nil
}
