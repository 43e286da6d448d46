package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/onnx"
	"recallbench/internal/backend/openai"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/token"
)

// openEmbed opens the door to embeddings.
func (b *opening) openEmbed() error {
	switch b.Embed.Use {
	case standIn:
		b.doors.Embed, b.doors.EmbedRates = b.stand.Embed, free
		b.settings["embedder"] = b.stand.Settings["embedder"]
		return nil
	case "openai":
		return b.openRemoteEmbed()
	case "onnx":
		return b.openLocalEmbed()
	}
	return nil
}

// openRemoteEmbed opens embeddings of a server.
func (b *opening) openRemoteEmbed() error {
	o, counter := b.Embed, token.Counter(b.tokens)
	if name, ok := token.ForModel(o.Model); ok {
		own, err := token.New(name)
		if err != nil {
			return err
		}
		counter = own
	}
	key, err := b.key(o.Server)
	e, fault := openai.NewEmbedder(openai.Config{BaseURL: o.BaseURL, Key: key, Model: o.Model}, o.Dimensions)
	if err := errors.Join(err, fault); err != nil {
		return err
	}
	g, rates, err := b.gate(o.Server, o.Model, o.Price)
	if err != nil {
		return err
	}
	g.tokens = counter
	// The fields stand in the order of their names.
	fixed, err := json.Marshal(struct {
		Dimensions     int    `json:"dimensions,omitempty"`
		DocumentPrefix string `json:"document_prefix,omitempty"`
		QueryPrefix    string `json:"query_prefix,omitempty"`
	}{o.Dimensions, o.DocumentPrefix, o.QueryPrefix})
	if err != nil {
		return err
	}
	b.doors.EmbedRates = rates
	b.settings["embedder"] = o.Model
	b.settings["embedder.provider"] = o.provider()
	b.settings["embedder.normalise"] = "auto"
	if o.Dimensions > 0 {
		b.settings["embedder.dim"] = strconv.Itoa(o.Dimensions)
	}
	var inner embed.Embedder
	if b.calls() {
		inner = limitedEmbedder{prefixed{e, o}, g}
	}
	b.setEmbed(calls.Identity{Class: "openai", Provider: o.provider(), Model: o.Model, Fixed: fixed}, o.Dimensions, inner, counter.Count)
	return nil
}

// openLocalEmbed opens a local model. Replayed recordings need its files only
// where their hash names it.
func (b *opening) openLocalEmbed() error {
	o := b.Embed
	id := calls.Identity{Class: "onnx", Provider: "local", Model: o.Model}
	var err error
	id.Fixed, err = json.Marshal(map[string]any{
		"pooling": "auto", "normalise": "auto", "query_prefix": o.QueryPrefix, "document_prefix": o.DocumentPrefix,
	})
	if err != nil {
		return err
	}
	dim := 0
	var inner embed.Embedder
	if b.needsFiles(o.Model) {
		local := onnx.Options{Dir: o.folder(b.env), Runtime: onnxRuntime(b.env, o.Runtime), Batch: o.BatchTexts}
		e, err := openLocal(b, local, func() (*onnx.Embedder, error) { return onnx.OpenEmbedder(local) })
		if err != nil {
			return err
		}
		if e != nil {
			inner, dim, id.Model = prefixed{e, o}, e.Dim(), cmp.Or(id.Model, localName(o.Dir, e.SHA256()))
		}
	}
	b.doors.EmbedRates = free
	b.settings["embedder"] = id.Model
	b.settings["embedder.provider"] = "onnx"
	b.settings["embedder.normalise"] = "auto"
	b.setEmbed(id, dim, inner, func(string) int { return 0 })
	return nil
}

// needsFiles reports whether a local model is opened: to be run, or because a
// hash of its files names it in recordings.
func (b *opening) needsFiles(name string) bool {
	return b.calls() || name == "" && b.env.Calls.Mode() == calls.Replay
}

// setEmbed wraps an embedder as the door. Dim is the length of its vectors; 0 if unknown.
func (b *opening) setEmbed(id calls.Identity, dim int, inner embed.Embedder, count func(string) int) {
	door := pretrained{b.env.Calls.Embedder(id, dim, inner), b.Embed, count}
	if !b.env.Estimate {
		b.doors.Embed = door
		return
	}
	m := estimatedModel{Model: b.stand.Embed}
	if b.env.Calls.Mode() == calls.Replay {
		m.recorded = door
	}
	b.doors.Embed = m
}

// prefix is what stands before each text of a kind.
func (e Embed) prefix(k embed.Kind) string {
	if k == embed.Query {
		return e.QueryPrefix
	}
	return e.DocumentPrefix
}

// A prefixed embedder puts the prefixes of the options before texts.
type prefixed struct {
	embed.Embedder
	options Embed
}

func (p prefixed) Embed(ctx context.Context, r embed.Request) (embed.Reply, error) {
	texts := lists.Map(r.Texts, func(text string) string { return p.options.prefix(r.Kind) + text })
	return p.Embedder.Embed(ctx, embed.Request{Kind: r.Kind, Texts: texts})
}

// A pretrained embedder is the same for every memory. It cuts requests into batches
// before they are recorded, so that a batch that fails costs none of those before it.
type pretrained struct {
	embed.Embedder
	options Embed
	count   func(string) int // tokens
}

// Fit implements [embed.Model].
func (p pretrained) Fit(context.Context, []string) (embed.Embedder, error) { return p, nil }

func (p pretrained) Embed(ctx context.Context, r embed.Request) (embed.Reply, error) {
	var all embed.Reply
	for _, texts := range p.batches(r) {
		reply, err := p.Embedder.Embed(ctx, embed.Request{Kind: r.Kind, Texts: texts})
		if err != nil {
			return embed.Reply{}, err
		}
		all.Vectors = append(all.Vectors, reply.Vectors...)
		all.Tokens += reply.Tokens
		all.Reused += reply.Reused
		all.ReusedTokens += reply.ReusedTokens
	}
	return all, nil
}

// batchTokens bounds the tokens of a batch. OpenAI takes 300,000. A text that is
// larger makes a batch of its own.
const batchTokens = 100_000

// batches splits the texts of a request into those that are sent together.
func (p pretrained) batches(r embed.Request) (batches [][]string) {
	start, tokens := 0, 0
	for i, text := range r.Texts {
		n := p.count(p.options.prefix(r.Kind) + text)
		if i > start && (i-start >= p.options.BatchTexts || tokens+n > batchTokens) {
			batches = append(batches, r.Texts[start:i])
			start, tokens = i, 0
		}
		tokens += n
	}
	if start < len(r.Texts) {
		batches = append(batches, r.Texts[start:])
	}
	return batches
}

// An estimatedModel embeds a memory for an estimate: with recordings where it has all of
// them, and else with the stand-in, as two spaces cannot be mixed.
type estimatedModel struct {
	embed.Model                // the stand-in
	recorded    embed.Embedder // nil for no recordings
}

func (m estimatedModel) Fit(ctx context.Context, texts []string) (embed.Embedder, error) {
	if m.recorded != nil && len(texts) > 0 {
		reply, err := m.recorded.Embed(ctx, embed.Request{Kind: embed.Document, Texts: texts})
		if err == nil {
			return estimatedEmbedder{m.recorded, reply.Vectors[0]}, nil
		}
		if fault.KindOf(err) != fault.Miss {
			return nil, err
		}
	}
	return m.Model.Fit(ctx, texts)
}

// An estimatedEmbedder gives a text without a recording a vector of the memory: something
// like what it would find has to be found.
type estimatedEmbedder struct {
	embed.Embedder
	vector []float32
}

func (e estimatedEmbedder) Embed(ctx context.Context, r embed.Request) (embed.Reply, error) {
	reply, err := e.Embedder.Embed(ctx, r)
	if fault.KindOf(err) == fault.Miss {
		return embed.Reply{Vectors: slices.Repeat([][]float32{e.vector}, len(r.Texts))}, nil
	}
	return reply, err
}
