package xmemory

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"recallbench/internal/meter"
	"recallbench/internal/themes"
	"recallbench/methods"
)

// A search chooses what of a memory reaches the reader.
type search struct {
	*memory
	question string

	vector  []float32
	ranking themes.Ranking // of the semantics
	themes  []scored       // chosen by stage I
	facts   []scored       // semantics that are chosen

	included []inclusion // episodes, in the order in which they were tried
	trace    []methods.Step
}

// scored is a place in a list with a score.
type scored struct {
	index int
	score float64
}

// best returns the k highest scores, the first of equal ones first.
func best(scores []float64, k int) []scored {
	found := make([]scored, 0, min(k, len(scores)))
	for i, x := range scores {
		if len(found) == k {
			if k == 0 || x <= found[k-1].score {
				continue
			}
			found = found[:k-1]
		}
		at, _ := slices.BinarySearchFunc(found, x, func(f scored, x float64) int {
			if f.score >= x {
				return -1
			}
			return 1
		})
		found = slices.Insert(found, at, scored{i, x})
	}
	return found
}

func (s *search) run(ctx context.Context) error {
	if len(s.episodes) == 0 {
		return nil
	}
	var err error
	if s.vector, err = s.query(ctx, s.question); err != nil {
		return err
	}
	end := meter.Stage(ctx, "retrieve")
	s.ranking, err = s.bySemantic.Search(s.vector, max(s.Search.Pool, s.Search.Semantics))
	end()
	if err != nil {
		return err
	}
	if s.Search.Representatives {
		err = s.represent(ctx)
	} else {
		s.facts = s.nearest(s.Search.Semantics)
	}
	if err != nil {
		return err
	}
	s.step("facts", fmt.Sprintf("%d of %d", len(s.facts), len(s.semantics)), map[string]any{"themes": indexes(s.themes), "facts": indexes(s.facts)})
	ranked, err := s.rank(ctx)
	if err != nil {
		return err
	}
	if s.Search.Uncertainty {
		return s.try(ctx, ranked)
	}
	for _, e := range ranked[:min(len(ranked), s.Search.Episodes)] {
		s.included = append(s.included, inclusion{scored: e, expanded: true})
	}
	s.step("episodes", fmt.Sprintf("the first %d", len(s.included)), nil)
	return nil
}

func (s *search) step(name, note string, data map[string]any) {
	s.trace = append(s.trace, methods.Step{Name: name, Note: note, Data: data})
}

func indexes(found []scored) []int {
	list := make([]int, len(found))
	for i, f := range found {
		list[i] = f.index
	}
	return list
}

// nearest returns the k semantics that are nearest to the question.
func (s *search) nearest(k int) []scored {
	var found []scored
	for _, n := range s.ranking.Nearest[:min(k, len(s.ranking.Nearest))] {
		found = append(found, scored{n.Index, n.Similarity})
	}
	return found
}

// represent is stage I: of the semantics that are most similar to the question,
// themes that stand for those which own them, and then semantics of these
// themes (paper, equation 4; released code, search lines 998 to 1160).
func (s *search) represent(ctx context.Context) error {
	pool := s.nearest(s.Search.Pool)
	owners, err := similar(ctx, s.byTheme, s.vector)
	if err != nil {
		return err
	}
	var candidates []scored
	seen := make(map[int]bool)
	for _, p := range pool {
		if t := s.hierarchy.ThemeOf[p.index]; !seen[t] {
			seen[t] = true
			candidates = append(candidates, scored{t, owners[t]})
		}
	}
	slices.SortStableFunc(candidates, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.index, b.index))
	})
	s.themes = s.pick(candidates, s.Search.Themes, func(t int) []themes.Neighbour { return s.hierarchy.Themes[t].Neighbours })
	chosen := make(map[int]bool)
	for _, t := range s.themes {
		chosen[t.index] = true
	}
	within := slices.DeleteFunc(slices.Clone(pool), func(p scored) bool { return !chosen[s.hierarchy.ThemeOf[p.index]] })
	if len(within) == 0 {
		within = pool
	}
	s.facts = s.pick(within, s.Search.Semantics, func(i int) []themes.Neighbour { return s.hierarchy.Neighbours[i] })
	return nil
}

// pick chooses representatives of candidates, which are in the order of their
// scores.
func (s *search) pick(candidates []scored, budget int, neighbours func(int) []themes.Neighbour) []scored {
	place := make(map[int]int, len(candidates))
	for i, c := range candidates {
		place[c.index] = i
	}
	nodes := make([]themes.Node, len(candidates))
	for i, c := range candidates {
		nodes[i].Relevance = c.score
		for _, n := range neighbours(c.index) {
			if at, ok := place[n.Index]; ok {
				nodes[i].Neighbours = append(nodes[i].Neighbours, themes.Neighbour{Index: at, Similarity: n.Similarity})
			}
		}
	}
	var picked []scored
	for _, i := range themes.Representatives(nodes, budget, s.Search.Alpha, 1) {
		picked = append(picked, candidates[i])
	}
	return picked
}

// rank ranks episodes. Without either stage they are ranked by the similarity of
// title and account. Otherwise those of the chosen semantics and the most
// similar ones are, by
//
//	priority = (cosine scaled to [0, 1] over the pool) + support · (best scaled cosine of a chosen semantic)
//
// where the cosines of semantics are scaled over all of them, 0.5 where all are
// equal.
func (s *search) rank(ctx context.Context) ([]scored, error) {
	if !s.Search.Representatives && !s.Search.Uncertainty {
		cosines, err := similar(ctx, s.byIndex, s.vector)
		return best(cosines, s.Search.Episodes), err
	}
	cosines, err := similar(ctx, s.byContent, s.vector)
	if err != nil {
		return nil, err
	}
	support := make(map[int]float64)
	for _, f := range s.facts {
		e := s.semantics[f.index].episode
		support[e] = max(support[e], s.scaled(f.score))
	}
	pool := make(map[int]bool)
	for e := range support {
		pool[e] = true
	}
	for _, e := range best(cosines, s.Search.Similar) {
		pool[e.index] = true
	}
	var ranked []scored
	lo, hi := 1.0, -1.0
	for e, c := range cosines {
		if pool[e] {
			ranked = append(ranked, scored{e, c})
			lo, hi = min(lo, c), max(hi, c)
		}
	}
	for i, r := range ranked {
		ranked[i].score = (r.score-lo)/max(hi-lo, 1e-6) + s.Search.Support*support[r.index]
	}
	slices.SortStableFunc(ranked, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	return ranked, nil
}

// scaled scales the cosine of a semantic to [0, 1] over all of them; to 0.5 where
// these are equal.
func (s *search) scaled(cosine float64) float64 {
	if s.ranking.High <= s.ranking.Low {
		return 0.5
	}
	return (cosine - s.ranking.Low) / (s.ranking.High - s.ranking.Low)
}
