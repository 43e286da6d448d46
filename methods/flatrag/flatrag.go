// Package flatrag implements retrieval over chunks of the conversation: the
// naive RAG of the papers, with the choices that they leave open as options.
// For a structured memory the chunks are its nodes, without their structure.
package flatrag

import (
	"context"
	"fmt"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/compress"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/prompt"
	"recallbench/internal/door/token"
	"recallbench/methods"
	"recallbench/methods/internal/handler"
	"recallbench/methods/internal/reader"
)

// Spec describes the method.
var Spec = &methods.Spec{
	Name:    "flat-rag",
	Doc:     "retrieve the best chunks of the conversation, or nodes of a tree, and answer from them",
	Source:  "Naive RAG of the xMemory paper, section 5; chunking as in mem0's evaluation",
	Options: Defaults(),
	Ingests: methods.Anything,
	Prompts: prompts(),
	New:     newMethod,
}

// VectorSpec describes flat RAG as in the Semantic Anchoring paper: each
// utterance is an entry, found only by the cosine of vectors. The paper does not
// say how many the reader gets.
var VectorSpec = &methods.Spec{
	Name:    "vector-rag",
	Doc:     "flat-rag with one utterance per entry: retrieve the nearest ten",
	Source:  "Vector RAG of the Semantic Anchoring paper, section 4.2",
	Options: vectorDefaults(),
	Ingests: methods.Anything,
	Prompts: prompts(),
	New:     newMethod,
}

// GrepSpec describes search by words only: turns that share the question's rare words.
var GrepSpec = &methods.Spec{
	Name:    "grep",
	Doc:     "flat-rag by the question's rare words, without an embedder: the best 20 turns",
	Source:  "flat-bm25 of LongMemEval, by turns",
	Options: grepDefaults(),
	Ingests: methods.Anything,
	Prompts: prompts(),
	New:     newMethod,
}

func newMethod(env methods.Env, options any) (methods.Method, error) {
	o := options.(Options)
	tokens, ok := env.Tokens.(token.Codec)
	if !ok && o.Chunk.Unit == Tokens {
		return nil, fmt.Errorf("chunk.unit is tokens, but the tokenizer %s cannot split a text; use turns", env.Tokens.Name())
	}
	if env.Embed == nil && o.Ranking != BM25 {
		return nil, fmt.Errorf("the model entry has no embedder, which ranking %s needs", o.Ranking)
	}
	if err := o.Prune.Needs(env); err != nil {
		return nil, err
	}
	r, err := reader.New(env, o.Reader)
	if err != nil {
		return nil, err
	}
	h, err := handler.New(env, o.Tree.Ask, itemsTemplate)
	if err != nil {
		return nil, err
	}
	return &method{Options: o, embed: env.Embed, classifier: env.Prune, tokens: tokens, counter: env.Tokens, reader: r, handler: h}, nil
}

func prompts() prompt.Texts {
	return prompt.Join(prompt.Embedded(files), reader.Prompts())
}

type method struct {
	Options
	embed      embed.Model
	classifier compress.Classifier // of tokens; nil if none is needed
	tokens     token.Codec
	counter    token.Counter
	reader     reader.Reader
	handler    *handler.Handler
}

// Build cuts the conversation into chunks, or takes the nodes of a tree, and
// indexes them.
func (m *method) Build(ctx context.Context, s datasets.Sample) (methods.Memory, error) {
	if s.Tree != nil {
		return m.items(ctx, s)
	}
	end := meter.Stage(ctx, "chunk")
	chunks := m.chunks(s)
	end()
	texts := lists.Map(chunks, func(c chunk) string { return c.text })
	x, err := m.index(ctx, texts, nil)
	if err != nil {
		return nil, err
	}
	x.vectors = nil
	return &memory{method: m, chunks: chunks, index: x, pruner: m.newPruner(chunks)}, nil
}

type memory struct {
	*method
	chunks []chunk
	index  *ranked
	pruner *pruner // nil for none
}

func (m *memory) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	end := meter.Stage(ctx, "retrieve")
	hits, err := m.index.search(ctx, r.Text, m.K)
	end()
	if err != nil {
		return methods.Response{}, err
	}
	blocks, steps, err := m.blocks(ctx, hits)
	if err != nil {
		return methods.Response{}, err
	}
	return m.reader.Answer(ctx, r, reader.Blocks(blocks, "\n\n"), blocks, steps...)
}

// Items implements [methods.Storing]: the chunks.
func (m *memory) Items() (items []string, known bool) {
	return lists.Map(m.chunks, func(c chunk) string { return c.text }), true
}

func (*memory) Close() error { return nil }
