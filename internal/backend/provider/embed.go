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
	return b.setEmbed(id, embed.Info{Name: o.Model, Dim: o.Dimensions}, inner, e.Batches)
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
	return b.setEmbed(id, info, inner, byCount(o.BatchTexts))
}

// needsFiles reports whether a local model is opened: to be run, or because a
// hash of its files names it in recordings.
func (b *opening) needsFiles(name string) bool {
	return b.calls() || name == "" && b.env.Calls.Mode() == calls.Replay
}

// setEmbed wraps an embedder as the door.
func (b *opening) setEmbed(id calls.Identity, info embed.Info, inner embed.Embedder, batches func(embed.Request) []embed.Request) error {
	door := pretrained{b.env.Calls.Embedder(id, info, inner), batches}
	if !b.env.Estimate {
		b.doors.Embed = door
		return nil
	}
	m := estimatedModel{Model: b.stand.Embed}
	if b.env.Calls.Mode() == calls.Replay {
		m.recorded = door
	}
	b.doors.Embed = m
	return nil
}

// byCount cuts requests into batches of at most n texts.
func byCount(n int) func(embed.Request) []embed.Request {
	return func(r embed.Request) (batches []embed.Request) {
		for texts := range slices.Chunk(r.Texts, n) {
			batches = append(batches, embed.Request{Kind: r.Kind, Texts: texts})
		}
		return batches
	}
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
