package amem

import (
	"context"
	"slices"
	"strings"

	"recallbench/internal/engine/index"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/transcript"
)

// Limits on a reply: more words or links than that describe nothing.
const (
	maxWords = 50
	maxLinks = 100
)

// noContext is the context of a note that has none.
const noContext = "General"

// words are separated by commas when shown.
type words []string

func (w words) String() string { return strings.Join(w, ", ") }

// Python writes words the way Python prints a list, for the authors' prompts.
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

// A Note says what a message is about. The fields have the names in the authors'
// prompts.
type Note struct {
	Keywords []string `json:"keywords"` // the most important first
	Context  string   `json:"context"`
	Tags     []string `json:"tags"` // broad kinds, such as "hobby"
}

// An evolution says how a new note and similar ones change one another. The fields
// have the names in the authors' prompts.
type evolution struct {
	Evolves bool `json:"should_evolve"`
	// Actions are any of "strengthen", which sets links and tags of the note, and
	// "update_neighbor", which sets contexts and tags of the neighbours.
	Actions       []string   `json:"actions"`
	Links         []int      `json:"suggested_connections"` // indexes of notes
	Tags          []string   `json:"tags_to_update"`
	Contexts      []string   `json:"new_context_neighborhood"` // one a neighbour, in their order
	NeighbourTags [][]string `json:"new_tags_neighborhood"`    // likewise
}

// read asks for the description of message i, and for the changes that its note
// and similar ones make to one another.
func (b *builder) read(ctx context.Context, i int) (r reading, err error) {
	if r.Note, err = b.describe(ctx, i); err != nil {
		return r, err
	}
	near, err := b.nearest(ctx, b.contents[i])
	if err != nil {
		return r, err
	}
	return r, b.evolve(ctx, b.contents[i], &r, near)
}

// nearest finds the notes most like a text.
func (b *builder) nearest(ctx context.Context, text string) ([]index.Hit, error) {
	if len(b.notes) == 0 {
		return nil, nil
	}
	v, err := building.Query(ctx, b.space, text)
	if err != nil {
		return nil, err
	}
	return b.index.Search(v, neighbours)
}

// describe asks for keywords, context and tags. If the model gives none, the note
// has none, as in the authors' code.
func (b *builder) describe(ctx context.Context, i int) (Note, error) {
	n := Note{Keywords: []string{}, Context: noContext, Tags: []string{}}
	reply, ok, err := building.JSON[Note](ctx, b.model, describe, describeData{b.contents[i]})
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
func (b *builder) evolve(ctx context.Context, content string, r *reading, near []index.Hit) error {
	data := evolveData{Content: content, Context: r.Context, Keywords: r.Keywords}
	for _, h := range near {
		n := &b.notes[h.Index]
		shown := neighbourData{Index: h.Index, Content: n.content, Context: n.Context, Keywords: n.Keywords, Tags: n.Tags}
		if !n.line.Time.IsZero() {
			shown.Time = transcript.Time(n.line.Time)
		}
		data.Neighbours = append(data.Neighbours, shown)
	}
	reply, ok, err := building.JSON[evolution](ctx, b.model, evolve, data)
	if err != nil || !ok || !reply.Evolves {
		return err
	}
	r.evolves = true
	for _, action := range reply.Actions {
		switch action {
		case "strengthen":
			r.links = append(r.links, reply.Links...)
			r.links = r.links[:min(len(r.links), maxLinks)]
			r.Tags = cleaned(reply.Tags)
		case "update_neighbor":
			r.rewrite = b.rewrites(reply, near)
		}
	}
	return nil
}

// rewrites pairs new tags and contexts with neighbours by position. A neighbour
// without new tags stays as it is; one with only tags keeps its context.
func (b *builder) rewrites(reply evolution, near []index.Hit) []rewrite {
	var all []rewrite
	for k, h := range near[:min(len(near), len(reply.NeighbourTags))] {
		r := rewrite{h.Index, b.notes[h.Index].Context, cleaned(reply.NeighbourTags[k])}
		if k < len(reply.Contexts) {
			r.context = building.Clean(reply.Contexts[k], building.MaxFact)
		}
		all = append(all, r)
	}
	return all
}

// cleaned cleans words, and drops empty and surplus ones.
func cleaned(list []string) []string {
	out := []string{}
	for _, w := range list[:min(len(list), maxWords)] {
		if w = building.Clean(w, building.MaxTitle); w != "" {
			out = append(out, w)
		}
	}
	return slices.Clip(out)
}
