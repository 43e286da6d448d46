// Package flatrag implements retrieval over chunks of the conversation: the
// naive RAG of the papers, with the choices that they leave open as options.
// For a structured memory the chunks are its nodes, without their structure.
package flatrag

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/compress"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/prompt"
	"recallbench/internal/door/token"
	"recallbench/internal/engine/index"
	"recallbench/methods"
	"recallbench/methods/internal/handler"
	"recallbench/methods/internal/pruning"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

// Spec describes the method.
var Spec = spec(
	"flat-rag", "retrieve the best chunks of the conversation, or nodes of a tree, and answer from them",
	"Naive RAG of the xMemory paper, section 5; chunking as in mem0's evaluation", Defaults(),
)

// VectorSpec describes flat RAG as in the Semantic Anchoring paper: each
// utterance is an entry, found only by the cosine of vectors. The paper does not
// say how many the reader gets.
var VectorSpec = spec(
	"vector-rag", "flat-rag with one utterance per entry: retrieve the nearest ten",
	"Vector RAG of the Semantic Anchoring paper, section 4.2", vectorDefaults(),
)

// GrepSpec describes search by words only: turns that share the question's rare words.
var GrepSpec = spec(
	"grep", "flat-rag by the question's rare words, without an embedder: the best 20 turns",
	"flat-bm25 of LongMemEval, by turns", grepDefaults(),
)

func spec(name, doc, source string, o Options) *methods.Spec {
	return &methods.Spec{
		Name: name, Doc: doc, Source: source, Options: o, Ingests: methods.Anything,
		Prompts: prompt.Join(prompt.Embedded(files), reader.Prompts()), New: newMethod,
	}
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
		mem := m.newItems(handler.NewState(s))
		return mem, mem.refresh(ctx)
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
	mem := &memory{method: m, chunks: chunks, index: x}
	var said []string
	for _, c := range chunks {
		said = append(said, c.lines()...)
	}
	if c := m.Prune.Compressor(m.classifier, m.counter, said); c != nil {
		mem.pruner = &pruner{Compressor: c, done: make(map[int]pruning.Compressed)}
	}
	return mem, nil
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

// Options are the method's options. The papers do not give all of them:
// docs/methods.md says where each value comes from.
type Options struct {
	// K is the number of chunks that the reader gets.
	K int `yaml:"k"`
	// Chunk says how the conversation is cut.
	Chunk Chunk `yaml:"chunk"`
	// Ranking says how chunks are ranked for a question.
	Ranking Ranking `yaml:"ranking"`
	// Prune says how retrieved chunks are shortened before the reader sees them:
	// the words said are reduced line by line; times and names of speakers stay.
	Prune pruning.Options `yaml:"prune"`
	// Images says what of a shared image becomes text, which the method fixes.
	Images transcript.Images `yaml:"-"`
	// Reader has the reader's options.
	Reader reader.Options `yaml:"reader"`
	// Tree configures tasks about a tree; K, Chunk, Prune, Images and Reader do
	// not apply to them.
	Tree TreeOptions `yaml:"tree"`
}

// TreeOptions are the options for conversations with a tree.
type TreeOptions struct {
	// K is the number of nodes that the model gets, which is fixed.
	K int `yaml:"-"`
	// Ask configures the model calls.
	Ask handler.Options `yaml:"ask"`
}

// Chunk says how the conversation is cut into chunks.
type Chunk struct {
	// Unit is what a chunk is made of.
	Unit Unit `yaml:"unit"`
	// Size is the number of tokens or turns of a chunk.
	Size int `yaml:"size"`
}

// Unit is what a chunk is made of.
type Unit string

// The units of chunks.
const (
	Tokens Unit = "tokens" // windows of tokens over the whole transcript, which may split a turn
	Turns  Unit = "turns"  // windows of whole turns
)

// Values lists the units.
func (Unit) Values() []string { return []string{string(Tokens), string(Turns)} }

// Ranking says how chunks are ranked.
type Ranking string

// The rankings.
const (
	Dense Ranking = "dense" // cosine of embeddings
	BM25  Ranking = "bm25"  // shared words
	RRF   Ranking = "rrf"   // both, joined by reciprocal rank fusion
)

// The parameters of BM25 are the defaults of rank_bm25; those of fusion are of
// Cormack et al. (2009).
const (
	saturation     = 1.5  // of a term's count
	lengthWeight   = 0.75 // of the text's length
	fusionConstant = 60.0 // added to each rank
	fusionDepth    = 40   // chunks of each ranking that take part; k if that is more
)

// Values lists the rankings.
func (Ranking) Values() []string { return []string{string(Dense), string(BM25), string(RRF)} }

// Defaults are 20 chunks of 256 tokens by dense rank.
func Defaults() Options {
	return Options{
		K:       20,
		Chunk:   Chunk{Unit: Tokens, Size: 256},
		Ranking: Dense,
		Prune:   pruning.Options{Use: pruning.None, Rate: 0.6},
		Images:  transcript.CaptionsAndQuery,
		Reader:  reader.Defaults(),
		Tree:    TreeOptions{K: 30, Ask: handler.Defaults()},
	}
}

// vectorDefaults are ten utterances by dense rank.
func vectorDefaults() Options {
	o := Defaults()
	o.K, o.Chunk, o.Images = 10, Chunk{Unit: Turns, Size: 1}, transcript.Captions
	return o
}

// grepDefaults are 20 utterances by the words that they share with the question.
func grepDefaults() Options {
	o := Defaults()
	o.Chunk, o.Ranking = Chunk{Unit: Turns, Size: 1}, BM25
	return o
}

// Validate reports values out of range.
func (o Options) Validate() error {
	var faults fault.List
	faults.Want(o.K >= 1, "k is %d, want at least 1", o.K)
	faults.Want(o.Chunk.Size >= 1, "chunk.size is %d, want at least 1", o.Chunk.Size)
	return errors.Join(faults...)
}

// ranked is an index of texts by the method's ranking.
type ranked struct {
	*method
	embed   embed.Embedder // with dense; nil if it is not used
	dense   *index.Dense
	vectors map[string][]float32 // of texts that recur, here or in a later state
	words   *index.BM25
}

// batchTexts is how many texts are embedded at once: only the index holds all
// vectors of a long conversation.
const batchTexts = 1024

// index indexes texts. If there is an index of an earlier state, its embedder is
// used and only new texts are embedded; otherwise the embedder is fitted to the
// texts. Without an earlier state no later one follows.
func (m *method) index(ctx context.Context, texts []string, earlier *ranked) (*ranked, error) {
	x := &ranked{method: m, vectors: make(map[string][]float32)}
	if m.Ranking != Dense {
		x.words = index.NewBM25(texts, saturation, lengthWeight)
	}
	if m.Ranking == BM25 || len(texts) == 0 {
		return x, nil
	}
	defer meter.Stage(ctx, "embed")()
	if earlier != nil {
		x.embed, x.vectors = earlier.embed, earlier.vectors
	}
	if x.embed == nil {
		var err error
		if x.embed, err = m.embed.Fit(ctx, texts); err != nil {
			return nil, fmt.Errorf("fit the embedder to %d texts: %w", len(texts), err)
		}
	}
	count := make(map[string]int)
	for _, text := range texts {
		count[text]++
	}
	x.dense = new(index.Dense)
	for batch := range slices.Chunk(texts, batchTexts) {
		err := x.add(ctx, batch, func(text string) bool { return earlier != nil || count[text] > 1 })
		if err != nil {
			return nil, err
		}
	}
	return x, nil
}

// add indexes further texts and keeps the vectors of those that recur.
func (x *ranked) add(ctx context.Context, texts []string, again func(text string) bool) error {
	fresh := lists.Filter(lists.AddNew(nil, texts...), func(text string) bool { return x.vectors[text] == nil })
	made := make(map[string][]float32)
	if len(fresh) > 0 {
		vectors, err := embed.Vectors(ctx, x.embed, embed.Document, fresh)
		if err != nil {
			return err
		}
		for i, text := range fresh {
			made[text] = vectors[i]
			if again(text) {
				x.vectors[text] = vectors[i]
			}
		}
	}
	return x.dense.Add(lists.Map(texts, func(text string) []float32 {
		if v, ok := made[text]; ok {
			return v
		}
		return x.vectors[text]
	}))
}

// search returns the k best texts, best first.
func (x *ranked) search(ctx context.Context, question string, k int) ([]index.Hit, error) {
	depth := k
	if x.Ranking == RRF {
		depth = max(k, fusionDepth)
	}
	var rankings [][]index.Hit
	if x.dense != nil {
		vectors, err := embed.Vectors(ctx, x.embed, embed.Query, []string{question})
		if err != nil {
			return nil, fmt.Errorf("question: %w", err)
		}
		hits, err := x.dense.Search(vectors[0], depth)
		if err != nil {
			return nil, err
		}
		rankings = append(rankings, hits)
	}
	if x.words != nil {
		rankings = append(rankings, x.words.Search(question, depth))
	}
	switch len(rankings) {
	case 0: // an empty conversation has no index
		return nil, nil
	case 1:
		return rankings[0], nil
	default:
		return index.Fuse(fusionConstant, k, rankings...), nil
	}
}
