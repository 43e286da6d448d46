package amem

import (
	"context"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/transcript"
)

// A note is a turn with its description and links.
type note struct {
	Note

	turn    string // its id
	line    transcript.Line
	content string // the turn as embedded and shown to models
	links   []int  // numbers of notes, as the model gave them: they may not exist
	found   string // the text by which it is currently found
}

// document is the text by which a note is found.
func (n *note) document() string {
	return "content:" + n.content + " context:" + n.Context + " keywords: " + strings.Join(n.Keywords, ", ") + " tags: " + strings.Join(n.Tags, ", ")
}

// later is the text by which a note is found once all are embedded again; the
// authors write it differently.
func (n *note) later() string {
	return n.content + " , " + n.Context + " " + strings.Join(n.Keywords, " ") + " " + strings.Join(n.Tags, " ")
}

// contents writes the turns of a conversation as the authors do, without a space
// after the name. An image counts only if the turn has its address too.
func contents(s datasets.Sample) []string {
	var all []string
	for _, session := range s.Sessions {
		for _, t := range session.Turns {
			text := t.Text
			if img := t.Image; img != nil && img.URL != "" && img.Caption != "" {
				text = strings.TrimSpace("[Image: " + img.Caption + "] " + text)
			}
			all = append(all, "Speaker "+t.Speaker+"says : "+text)
		}
	}
	return all
}

// A reading is how a turn is described, and how its note changes others.
type reading struct {
	Note
	links   []int
	evolves bool
	rewrite []rewrite
}

// A rewrite is a new description of an earlier note.
type rewrite struct {
	at      int // number of the note
	context string
	tags    []string
}

// A builder reads a conversation into a memory.
type builder struct {
	memory

	model    building.Model
	messages []building.Message
	contents []string
}

// newBuilder gathers the messages of a conversation and makes the embedding space.
func (m *method) newBuilder(ctx context.Context, s datasets.Sample) (*builder, error) {
	b := &builder{memory: memory{method: m}, messages: building.Messages(s, images), contents: contents(s)}
	var err error
	if b.model, err = m.Resume(ctx); err != nil {
		return nil, err
	}
	b.space, err = building.Fit(ctx, m.Embed, b.messages)
	return b, err
}

// add puts the note of message i into the memory, with the changes that it makes.
func (b *builder) add(ctx context.Context, i int, r reading) error {
	for _, w := range r.rewrite {
		b.notes[w.at].Context, b.notes[w.at].Tags = w.context, w.tags
		b.rewritten++
	}
	m := b.messages[i]
	b.notes = append(b.notes, note{Note: r.Note, turn: m.ID, line: m.Line, content: b.contents[i], links: r.links})
	if err := b.embedNotes(ctx, (*note).document, i); err != nil {
		return err
	}
	if !r.evolves {
		return nil
	}
	if b.evolved++; b.evolved%b.every > 0 {
		return nil
	}
	all := make([]int, len(b.notes))
	for i := range all {
		all[i] = i
	}
	return b.embedNotes(ctx, (*note).later, all...)
}

// embedNotes puts the vectors of notes into the index, by one of their texts. A
// note already found by that text keeps its vector.
func (b *builder) embedNotes(ctx context.Context, text func(*note) string, which ...int) error {
	which = slices.DeleteFunc(which, func(i int) bool { return text(&b.notes[i]) == b.notes[i].found })
	texts := lists.Map(which, func(i int) string { return text(&b.notes[i]) })
	vectors, err := building.Vectors(ctx, b.space, texts...)
	if err != nil {
		return err
	}
	for k, i := range which {
		b.notes[i].found = texts[k]
		if i == b.index.Len() {
			err = b.index.Add(vectors[k])
		} else {
			err = b.index.Set(i, vectors[k])
		}
		if err != nil {
			return err
		}
	}
	return nil
}
