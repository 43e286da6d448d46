package nemori

import (
	"context"
	"fmt"

	"recallbench/datasets"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/index"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/episodes"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

// Parameters of the authors' code: of package rank_bm25, whose defaults it takes,
// and of its rank fusion.
const (
	bm25K1   = 1.5
	bm25B    = 0.75
	fusion   = 60
	deepness = 2 // times as many of each ranking are fused as are asked for
)

// A finder ranks texts for a question.
type finder struct {
	ranking Ranking
	dense   *index.Dense
	words   *index.BM25
}

func (r Ranking) newFinder(texts []string, vectors [][]float32) (f finder, err error) {
	f = finder{ranking: r}
	if r != Vector {
		f.words = index.NewBM25(texts, bm25K1, bm25B)
	}
	f.dense, err = index.NewDense(vectors)
	return f, err
}

// find returns the k best texts for a question, whose vector is nil where the
// ranking needs none.
func (f finder) find(question string, vector []float32, k int) ([]index.Hit, error) {
	switch f.ranking {
	case BM25:
		return f.words.Search(question, k), nil
	case Hybrid:
		near, err := f.dense.Search(vector, deepness*k)
		if err != nil {
			return nil, err
		}
		return index.Fuse(fusion, k, f.words.Search(question, deepness*k), near), nil
	default:
		return f.dense.Search(vector, k)
	}
}

// Answer retrieves episodes and statements, and asks the reader.
func (m *memory) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	accounts, facts, err := m.find(ctx, r.Text)
	if err != nil {
		return methods.Response{}, err
	}
	shown := m.shown(accounts, facts)
	resp := methods.Response{Evidence: shown.Evidence}
	reply, err := m.reader.Ask(ctx, r, shown.Context(), shown.Passages)
	if err != nil {
		return methods.Response{}, err
	}
	resp.Text = reply.Text
	resp.Trace = append([]methods.Step{{
		Name: "retrieve",
		Note: fmt.Sprintf("%d of %d episodes, %d of %d statements", len(accounts), len(m.live), len(facts), len(m.statements)),
	}}, reader.Trace(reply)...)
	return resp, nil
}

// find ranks episodes and statements for a question.
func (m *memory) find(ctx context.Context, question string) (accounts, facts []index.Hit, err error) {
	if len(m.episodes) == 0 {
		return nil, nil, nil
	}
	var vector []float32
	if m.Search.Ranking != BM25 {
		v, err := building.Vectors(ctx, m.space, embed.Query, question)
		if err != nil {
			return nil, nil, err
		}
		vector = v[0]
	}
	defer meter.Stage(ctx, "retrieve")()
	if accounts, err = m.byEpisode.find(question, vector, m.Search.Episodes); err != nil {
		return nil, nil, err
	}
	facts, err = m.byStatement.find(question, vector, m.Search.Statements)
	return accounts, facts, err
}

// shown lays out what was found. A statement has the time of its episode and
// stands for no turn: only episodes count as evidence of their turns.
func (m *memory) shown(accounts, facts []index.Hit) *reader.Shown {
	c := new(reader.Shown)
	for rank, h := range accounts {
		i := m.live[h.Index]
		e := m.episodes[i]
		block, lines := episodes.Block(fmt.Sprintf("episode %d", i), h.Score, e, e.Index(), m.messages, rank < m.Search.Originals)
		c.Add(&c.Episodic, block, lines)
	}
	for _, h := range facts {
		s := m.statements[h.Index]
		line := llm.Line{Time: m.episodes[s.Episode].Time, Text: s.Text}
		c.Add(&c.Semantic, methods.Evidence{ID: fmt.Sprintf("statement %d", h.Index), Score: h.Score, Text: "- " + transcript.Text(line)}, []llm.Line{line})
	}
	return c
}
