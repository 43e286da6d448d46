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
	o := b.Embed
	counter, err := b.embedTokens()
	if err != nil {
		return err
	}
	config := o.config(counter.Count)
	var keyFault error
	if b.calls() {
		config.Key, keyFault = o.Key.Read(b.env)
	}
	e, err := openai.NewEmbedder(config)
	if err := errors.Join(keyFault, err); err != nil {
		return err
	}
	g, rates, err := b.gate(o.Server, o.Model, o.Price)
	if err != nil {
		return err
	}
	g.tokens = counter
	var inner embed.Embedder
	if b.calls() {
		inner = limitedEmbedder{e, g}
	}
	b.doors.EmbedRates = rates
	b.settings["embedder"] = o.Model
	b.settings["embedder.provider"] = o.provider()
	b.settings["embedder.normalise"] = "auto"
	if o.Dimensions > 0 {
		b.settings["embedder.dim"] = strconv.Itoa(o.Dimensions)
	}
	id := calls.Identity{Class: "openai", Provider: o.provider(), Model: o.Model, Fixed: e.Fixed()}
	b.setEmbed(id, embed.Info{Name: o.Model, Dim: o.Dimensions}, inner, e.Batches)
	return nil
}

// embedTokens counts the tokens of the texts that are embedded.
func (b *opening) embedTokens() (token.Counter, error) {
	if name, ok := token.ForModel(b.Embed.Model); ok {
		return token.Open(name, b.env.Base)
	}
	return b.tokens, nil
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
	info := embed.Info{Name: o.Model}
	var inner embed.Embedder
	if b.needsFiles(o.Model) {
		local := o.local(b.env)
		e, err := openLocal(b, local, func() (*onnx.Embedder, error) { return onnx.OpenEmbedder(local) })
		if err != nil {
			return err
		}
		if e != nil {
			inner, info, id.Model = e, e.Info(), cmp.Or(id.Model, localName(o.Dir, e.SHA256()))
		}
	}
	b.doors.EmbedRates = free
	b.settings["embedder"] = id.Model
	b.settings["embedder.provider"] = "onnx"
	b.settings["embedder.normalise"] = "auto"
	b.setEmbed(id, info, inner, byCount(o.BatchTexts))
	return nil
}

// needsFiles reports whether a local model is opened: to be run, or because a
// hash of its files names it in recordings.
func (b *opening) needsFiles(name string) bool {
	return b.calls() || name == "" && b.env.Calls.Mode() == calls.Replay
}

// setEmbed wraps an embedder as the door.
func (b *opening) setEmbed(id calls.Identity, info embed.Info, inner embed.Embedder, batches func(embed.Request) []embed.Request) {
	door := batchedEmbedder{b.env.Calls.Embedder(id, info, inner), batches}
	switch {
	case b.env.Estimate && b.env.Calls.Mode() == calls.Replay:
		b.doors.Embed = b.named(id, standInModel{door, b.stand.Embed})
	case b.env.Estimate:
		b.doors.Embed = b.named(id, b.stand.Embed)
	default:
		b.doors.Embed = pretrained{door}
	}
}

// named lets a model that stands in for another one name the recordings that
// will be made of it.
func (b *opening) named(id calls.Identity, m embed.Model) embed.Model {
	namer, err := calls.NewNamer(id)
	if err != nil {
		return m // the door says so when it is used
	}
	return namedModel{m, namer}
}

type namedModel struct {
	embed.Model
	namer calls.Namer
}

func (m namedModel) Fit(ctx context.Context, texts []string) (embed.Embedder, error) {
	e, err := m.Model.Fit(ctx, texts)
	if err != nil {
		return nil, err
	}
	return namedEmbedder{e, m.namer}, nil
}

type namedEmbedder struct {
	embed.Embedder
	namer calls.Namer
}

// Call returns the id of the recording that a text will be.
func (e namedEmbedder) Call(kind embed.Kind, text string) string { return e.namer.Embed(kind, text) }

// byCount cuts requests into batches of at most n texts.
func byCount(n int) func(embed.Request) []embed.Request {
	return func(r embed.Request) (batches []embed.Request) {
		for texts := range slices.Chunk(r.Texts, n) {
			batches = append(batches, embed.Request{Kind: r.Kind, Texts: texts})
		}
		return batches
	}
}

// A standInModel embeds a memory with recordings where it has all of them, and
// else with another model: two spaces cannot be mixed.
type standInModel struct {
	recorded embed.Embedder
	other    embed.Model
}

func (m standInModel) Fit(ctx context.Context, texts []string) (embed.Embedder, error) {
	other, err := m.other.Fit(ctx, texts)
	if err != nil {
		return nil, err
	}
	reply, err := m.recorded.Embed(ctx, embed.Request{Kind: embed.Document, Texts: texts})
	switch {
	case fault.KindOf(err) == fault.Miss || len(texts) == 0:
		return other, nil
	case err != nil:
		return nil, err
	}
	return standInEmbedder{m.recorded, reply.Vectors[0]}, nil
}

// A standInEmbedder gives a text without a recording a vector of the memory: something
// like what it would find has to be found.
type standInEmbedder struct {
	embed.Embedder // of recordings
	vector         []float32
}

func (e standInEmbedder) Embed(ctx context.Context, r embed.Request) (embed.Reply, error) {
	reply, err := e.Embedder.Embed(ctx, r)
	if fault.KindOf(err) == fault.Miss {
		return embed.Reply{Vectors: slices.Repeat([][]float32{e.vector}, len(r.Texts))}, nil
	}
	return reply, err
}
