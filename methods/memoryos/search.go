package memoryos

import (
	"cmp"
	"context"
	"fmt"
	"slices"

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
	vector, err := building.Query(ctx, m.space, question)
	if err != nil {
		return found, err
	}
	if found.keywords, err = m.keywords(ctx, question); err != nil {
		return found, err
	}
	defer meter.Stage(ctx, "retrieve")()
	if err := m.findPages(found, vector); err != nil {
		return found, err
	}
	if found.userFacts, err = m.byUser.Search(vector, foundFacts); err != nil {
		return found, err
	}
	found.agentFacts, err = m.byAgent.Search(vector, foundFacts)
	return found, err
}

// findPages takes the segments that are most similar to a question, by cosine and
// keywords, and of their pages the most similar, each once.
func (m *memory) findPages(found *search, question []float32) error {
	near, err := m.bySegment.Search(question, len(m.mid.segments))
	if err != nil {
		return err
	}
	for i, h := range near {
		near[i].Score += similarity(found.keywords, m.mid.segments[h.Index].keywords)
	}
	slices.SortStableFunc(near, func(a, b index.Hit) int { return cmp.Compare(b.Score, a.Score) })
	cosines, err := m.byPage.Cosines(question)
	if err != nil {
		return err
	}
	seen := make(map[*page]bool)
	found.segments = near[:min(len(near), foundSegments)]
	for _, h := range found.segments {
		for _, p := range m.mid.segments[h.Index].pages {
			if !seen[p] {
				seen[p] = true
				found.pages = append(found.pages, pageHit{p, cosines[p.row]})
			}
		}
	}
	slices.SortStableFunc(found.pages, func(a, b pageHit) int { return cmp.Compare(b.score, a.score) })
	found.pages = found.pages[:min(len(found.pages), foundPages)]
	return nil
}

// trace records what was found.
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
