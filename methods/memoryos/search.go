package memoryos

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/index"
	"recallbench/methods"
	"recallbench/methods/internal/building"
)

// A search is what was found for a question.
type search struct {
	keywords              []string
	segments              []index.Hit
	pages                 []pageHit
	userFacts, agentFacts []index.Hit
}

type pageHit struct {
	page  *page
	score float64
}

// search finds pages in the segments nearest to a question, and facts.
func (m *memory) search(ctx context.Context, question string) (*search, error) {
	found := new(search)
	if len(m.mid.segments) == 0 {
		return found, nil
	}
	vectors, err := building.Vectors(ctx, m.space, embed.Query, question)
	if err != nil {
		return found, err
	}
	if m.Profile != PyPI {
		if found.keywords, err = m.method.keywords(ctx, question); err != nil {
			return found, err
		}
	}
	defer meter.Stage(ctx, "retrieve")()
	if err := m.findPages(found, vectors[0]); err != nil {
		return found, err
	}
	if found.userFacts, err = m.findFacts(m.byUser, m.long.user, vectors[0], m.Search.User); err != nil {
		return found, err
	}
	found.agentFacts, err = m.findFacts(m.byAgent, m.long.agent, vectors[0], m.Search.Assistant)
	return found, err
}

// findPages takes the segments that are most similar to a question, and of their
// pages the most similar. Segments are taken by cosine and keywords; the authors'
// code takes them by cosine, and keywords only help them over the bound. It shows
// a page as often as segments hold it; here once, but for the authors' profiles.
func (m *memory) findPages(found *search, question []float32) error {
	info := m.space.Info()
	near, err := m.bySegment.Search(question, len(m.mid.segments))
	if err != nil {
		return err
	}
	similar := func(h index.Hit) float64 {
		return h.Score + info.Scaled(1)*similarity(m.Keywords, found.keywords, m.mid.segments[h.Index].keywords)
	}
	if m.Profile == Paper {
		for i, h := range near {
			near[i].Score = similar(h)
		}
		slices.SortStableFunc(near, func(a, b index.Hit) int { return cmp.Compare(b.Score, a.Score) })
	}
	cosines, err := m.byPage.Cosines(question)
	if err != nil {
		return err
	}
	seen := make(map[*page]bool)
	for _, h := range near[:min(len(near), m.Search.Segments)] {
		if m.Profile != Paper {
			h.Score = similar(h)
		}
		if h.Score < info.Scaled(m.Search.SegmentLeast) {
			continue
		}
		found.segments = append(found.segments, h)
		for _, p := range m.mid.segments[h.Index].pages {
			if cosines[p.row] < info.Scaled(m.Search.PageLeast) || m.Profile == Paper && seen[p] {
				continue
			}
			seen[p] = true
			found.pages = append(found.pages, pageHit{p, cosines[p.row]})
		}
	}
	slices.SortStableFunc(found.pages, func(a, b pageHit) int { return cmp.Compare(b.score, a.score) })
	found.pages = found.pages[:min(len(found.pages), m.Search.Pages)]
	return nil
}

// findFacts returns the k facts that are most similar to a question; all, in their
// order, for -1.
func (m *memory) findFacts(x *index.Dense, facts []string, question []float32, k int) ([]index.Hit, error) {
	if k < 0 {
		all := make([]index.Hit, len(facts))
		for i := range all {
			all[i].Index = i
		}
		return all, nil
	}
	near, err := x.Search(question, k)
	least := m.space.Info().Scaled(m.Search.KnowledgeLeast)
	return slices.DeleteFunc(near, func(h index.Hit) bool { return h.Score < least }), err
}

// trace tells what was found.
func (s *search) trace() []methods.Step {
	ids := make([]int, len(s.pages))
	for i, p := range s.pages {
		ids[i] = p.page.id
	}
	segments := make([]int, len(s.segments))
	for i, h := range s.segments {
		segments[i] = h.Index
	}
	return []methods.Step{
		{Name: "segments", Note: fmt.Sprintf("%d, by %d keywords", len(segments), len(s.keywords)), Data: map[string]any{"segments": segments, "keywords": s.keywords}},
		{Name: "pages", Note: fmt.Sprintf("%d, and %d facts", len(ids), len(s.userFacts)+len(s.agentFacts)), Data: map[string]any{"pages": ids}},
	}
}
