package amem

import (
	"context"
	"slices"
	"strings"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/llm"
	"recallbench/internal/engine/index"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/transcript"
)

// temperature is that of all calls of the authors' code.
const temperature = 0.7

// What is kept of a reply: more words or links than that describe nothing.
const (
	maxWords = 50
	maxLinks = 100
)

// noContext is the context of a note that has none.
const noContext = "General"

// words are shown separated by commas.
type words []string

func (w words) String() string { return strings.Join(w, ", ") }

// Python writes words as Python shows a list, for the authors' prompts.
func (w words) Python() string {
	quoted := make([]string, len(w))
	for i, word := range w {
		quote := "'"
		if strings.Contains(word, "'") && !strings.Contains(word, `"`) {
			quote = `"`
		}
		quoted[i] = quote + strings.NewReplacer(`\`, `\\`, quote, `\`+quote).Replace(word) + quote
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

type describeData struct{ Content string }

const describeSchema = `{
	"type": "object",
	"properties": {
		"keywords": {"type": "array", "items": {"type": "string"}},
		"context": {"type": "string"},
		"tags": {"type": "array", "items": {"type": "string"}}
	},
	"required": ["keywords", "context", "tags"],
	"additionalProperties": false
}`

type neighbourData struct {
	Index                  int
	Time, Content, Context string
	Keywords, Tags         words
}

type evolveData struct {
	Content, Context string
	Keywords         words
	Neighbours       []neighbourData
}

const evolveSchema = `{
	"type": "object",
	"properties": {
		"should_evolve": {"type": "boolean"},
		"actions": {"type": "array", "items": {"type": "string"}},
		"suggested_connections": {"type": "array", "items": {"type": "integer"}},
		"tags_to_update": {"type": "array", "items": {"type": "string"}},
		"new_context_neighborhood": {"type": "array", "items": {"type": "string"}},
		"new_tags_neighborhood": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}
	},
	"required": ["should_evolve", "actions", "suggested_connections", "tags_to_update", "new_context_neighborhood", "new_tags_neighborhood"],
	"additionalProperties": false
}`

// read asks how message i is described, and what its note and those like it change
// about one another.
func (b *builder) read(ctx context.Context, i int) (part, error) {
	p := part{At: i}
	var err error
	if p.Note, err = b.describe(ctx, i); err != nil {
		return part{}, err
	}
	near, err := b.nearest(ctx, b.contents[i])
	if err != nil {
		return part{}, err
	}
	return p, b.evolve(ctx, &p, near)
}

// nearest finds the notes most like a text.
func (b *builder) nearest(ctx context.Context, text string) ([]index.Hit, error) {
	if len(b.notes) == 0 || b.Construction.Neighbours == 0 {
		return nil, nil
	}
	v, err := building.Vectors(ctx, b.space, embed.Query, text)
	if err != nil {
		return nil, err
	}
	return b.index.Search(v[0], b.Construction.Neighbours)
}

// describe asks for keywords, context and tags. Where there are none to be had the
// note has none, or those of its first words, as in the authors' code.
func (b *builder) describe(ctx context.Context, i int) (llm.Note, error) {
	n := llm.Note{Keywords: []string{}, Context: noContext, Tags: []string{}}
	if b.Construction.Analysis == Lost {
		return n, nil
	}
	reply, ok, err := building.JSON[llm.Note](ctx, b.Model, building.Call{
		Role:     describe,
		Template: describe, Data: describeData{b.contents[i]},
		Task:   llm.NoteTask{Line: b.messages[i].Line},
		Params: building.Params(temperature, b.Construction.MaxTokens),
		Schema: describeSchema,
	})
	if err == nil && !ok && b.Construction.Layer == Robust {
		return fromWords(b.messages[i].Line.Text), nil
	}
	if err != nil || !ok {
		return n, err
	}
	n.Keywords, n.Tags = cleaned(reply.Keywords), cleaned(reply.Tags)
	if c := building.Clean(reply.Context, building.MaxFact); c != "" {
		n.Context = c
	}
	return n, nil
}

// evolve asks what a note and its neighbours change about one another.
func (b *builder) evolve(ctx context.Context, p *part, near []index.Hit) error {
	data := evolveData{Content: b.contents[p.At], Context: p.Note.Context, Keywords: p.Note.Keywords}
	task := llm.EvolveTask{Note: p.Note}
	link := b.space.Info().Scaled(b.Construction.OfflineLink)
	for _, h := range near {
		n := &b.notes[h.Index]
		shown := neighbourData{Index: h.Index, Content: n.content, Context: n.Context, Keywords: n.Keywords, Tags: n.Tags}
		if !n.line.Time.IsZero() {
			shown.Time = transcript.Time(n.line.Time)
		}
		data.Neighbours = append(data.Neighbours, shown)
		task.Neighbours = append(task.Neighbours, llm.Neighbour{Note: n.Note, Index: h.Index, Close: h.Score >= link})
	}
	ask := b.evolution
	if b.Construction.Layer == Robust {
		ask = b.inSteps
	}
	reply, err := ask(ctx, data, task)
	if err != nil || !reply.Evolves {
		return err
	}
	p.Evolves = true
	for _, action := range reply.Actions {
		switch action {
		case "strengthen":
			p.Links = append(p.Links, reply.Links...)
			p.Links = p.Links[:min(len(p.Links), maxLinks)]
			if tags := cleaned(reply.Tags); b.Construction.Layer != Robust || len(tags) > 0 {
				p.Note.Tags = tags
			}
		case "update_neighbor":
			p.Rewrite = b.rewrites(reply, near)
		}
	}
	return nil
}

// evolution asks for an evolution by one call.
func (b *builder) evolution(ctx context.Context, data evolveData, task llm.EvolveTask) (llm.Evolution, error) {
	reply, ok, err := building.JSON[llm.Evolution](ctx, b.Model, building.Call{
		Role:     evolve,
		Template: evolve, Data: data,
		Task:   task,
		Params: building.Params(temperature, b.Construction.MaxTokens),
		Schema: evolveSchema,
	})
	if !ok {
		return llm.Evolution{}, err
	}
	return reply, err
}

// rewrites pairs new tags and contexts with neighbours by place. A neighbour
// without new tags stays as it is; one with tags alone keeps its context. In the
// robust layer each changes by itself, and what is empty changes nothing.
func (b *builder) rewrites(reply llm.Evolution, near []index.Hit) []rewrite {
	robust, n := b.Construction.Layer == Robust, len(reply.NeighbourTags)
	if robust {
		n = max(n, len(reply.Contexts))
	}
	var all []rewrite
	for k, h := range near[:min(len(near), n)] {
		r := rewrite{At: h.Index, Context: b.notes[h.Index].Context, Tags: b.notes[h.Index].Tags}
		if k < len(reply.NeighbourTags) {
			if tags := cleaned(reply.NeighbourTags[k]); !robust || len(tags) > 0 {
				r.Tags = tags
			}
		}
		if k < len(reply.Contexts) {
			if c := building.Clean(reply.Contexts[k], building.MaxFact); !robust || c != "" {
				r.Context = c
			}
		}
		all = append(all, r)
	}
	return all
}

// cleaned cleans words, and leaves out empty ones and what is too many.
func cleaned(list []string) []string {
	out := []string{}
	for _, w := range list[:min(len(list), maxWords)] {
		if w = building.Clean(w, building.MaxTitle); w != "" {
			out = append(out, w)
		}
	}
	return slices.Clip(out)
}
