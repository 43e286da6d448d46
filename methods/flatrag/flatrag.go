// Package flatrag implements retrieval over chunks of the history: the naive
// RAG of the papers, with the choices that they leave open as options.
package flatrag

import (
	"context"
	"fmt"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/embed"
	"recallbench/internal/index"
	"recallbench/internal/llm"
	"recallbench/internal/meter"
	"recallbench/internal/token"
	"recallbench/methods"
	"recallbench/methods/reader"
)

// Spec describes the method.
var Spec = &methods.Spec{
	Name:    "flat-rag",
	Doc:     "retrieve the best chunks of the history and answer from them",
	Source:  "Naive RAG of the xMemory paper, section 5; chunking as in mem0's evaluation",
	Options: Defaults(),
	Prompts: reader.Prompts(),
	New:     newMethod,
}

func newMethod(env methods.Env, options any) (methods.Method, error) {
	o := options.(Options)
	tokens, ok := env.Tokens.(token.Codec)
	if !ok && o.Chunk.Unit == Tokens {
		return nil, fmt.Errorf("chunk.unit is tokens, but the tokenizer %s cannot cut a text; use turns, session or episode", env.Tokens.Name())
	}
	if env.Embed == nil && (o.Ranking != BM25 || o.Chunk.Unit == Episode) {
		return nil, fmt.Errorf("the model entry brings no embedder, which ranking %s with chunks of unit %s needs", o.Ranking, o.Chunk.Unit)
	}
	r, err := reader.New(env, o.Reader)
	if err != nil {
		return nil, err
	}
	return &method{Options: o, embed: env.Embed, tokens: tokens, reader: r}, nil
}

type method struct {
	Options
	embed  embed.Model
	tokens token.Codec
	reader reader.Reader
}

// Build cuts the history into chunks and indexes them.
func (m *method) Build(ctx context.Context, s datasets.Sample) (methods.Memory, error) {
	end := meter.Stage(ctx, "chunk")
	chunks, err := m.chunks(ctx, s)
	end()
	if err != nil {
		return nil, err
	}
	mem := &memory{method: m, chunks: chunks}
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = c.text
	}
	if m.Ranking != Dense {
		mem.words = index.NewBM25(texts, m.BM25.K1, m.BM25.B)
	}
	if m.Ranking != BM25 && len(texts) > 0 {
		defer meter.Stage(ctx, "embed")()
		if mem.embed, err = m.embed.Fit(ctx, texts); err != nil {
			return nil, fmt.Errorf("fit the embedder to %d chunks: %w", len(texts), err)
		}
		reply, err := mem.embed.Embed(ctx, embed.Request{Kind: embed.Document, Texts: texts})
		if err != nil {
			return nil, fmt.Errorf("embed %d chunks: %w", len(texts), err)
		}
		if mem.dense, err = index.NewDense(reply.Vectors); err != nil {
			return nil, err
		}
	}
	return mem, nil
}

type memory struct {
	*method
	chunks []chunk
	embed  embed.Embedder // with dense, nil where it is not used
	dense  *index.Dense
	words  *index.BM25
}

func (m *memory) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	end := meter.Stage(ctx, "retrieve")
	hits, err := m.search(ctx, r.Text)
	end()
	if err != nil {
		return methods.Response{}, err
	}
	var resp methods.Response
	var passages []llm.Passage
	var texts []string
	for _, h := range hits {
		c := m.chunks[h.Index]
		resp.Evidence = append(resp.Evidence, methods.Evidence{ID: c.id, Sources: c.sources, Score: h.Score, Text: c.text})
	}
	for _, h := range m.shown(hits) {
		c := m.chunks[h.Index]
		passages = append(passages, llm.Passage{ID: c.id, Lines: c.lines})
		texts = append(texts, c.text)
	}
	reply, err := m.reader.Ask(ctx, r.Text, strings.Join(texts, "\n\n"), passages)
	if err != nil {
		return methods.Response{}, err
	}
	resp.Text = reply.Text
	resp.Trace = reader.Trace(reply)
	return resp, nil
}

// search returns the K best chunks, best first.
func (m *memory) search(ctx context.Context, question string) ([]index.Hit, error) {
	depth := m.K
	if m.Ranking == RRF {
		depth = max(m.K, m.Fusion.Depth)
	}
	var rankings [][]index.Hit
	if m.dense != nil {
		reply, err := m.embed.Embed(ctx, embed.Request{Kind: embed.Query, Texts: []string{question}})
		if err != nil {
			return nil, fmt.Errorf("embed the question: %w", err)
		}
		if len(reply.Vectors) != 1 {
			return nil, fmt.Errorf("embed the question: got %d vectors for one text", len(reply.Vectors))
		}
		hits, err := m.dense.Search(reply.Vectors[0], depth)
		if err != nil {
			return nil, err
		}
		rankings = append(rankings, hits)
	}
	if m.words != nil {
		rankings = append(rankings, m.words.Search(question, depth))
	}
	switch len(rankings) {
	case 0: // an empty history has no index
		return nil, nil
	case 1:
		return rankings[0], nil
	default:
		return index.Fuse(m.Fusion.Constant, m.K, rankings...), nil
	}
}

func (*memory) Close() error { return nil }
