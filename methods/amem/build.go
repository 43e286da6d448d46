package amem

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/checkpoint"
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

// A part is a kept piece of ingest: how a turn is described, and how its note
// changed others.
type part struct {
	At      int       `json:"note"` // number of the note
	Note    Note      `json:"described"`
	Links   []int     `json:"links,omitempty"`
	Evolves bool      `json:"evolves,omitempty"`
	Rewrite []rewrite `json:"rewrite,omitempty"`
}

// A rewrite is a new description of an earlier note.
type rewrite struct {
	At      int      `json:"note"`
	Context string   `json:"context"`
	Tags    []string `json:"tags"`
}

// A builder reads a conversation into a memory.
type builder struct {
	memory

	keeper   checkpoint.Keeper
	messages []building.Message
	contents []string
}

// newBuilder gathers the messages of a conversation and makes the embedding space. It
// takes over kept parts up to the first gap.
func (m *method) newBuilder(ctx context.Context, s datasets.Sample) (*builder, error) {
	b := &builder{memory: memory{method: m}, keeper: checkpoint.From(ctx), messages: building.Messages(s, images), contents: contents(s)}
	var err error
	if b.space, err = building.Fit(ctx, m.Embed, b.messages); err != nil {
		return nil, err
	}
	return b, building.Parts(b.keeper, func(p part, use func()) error {
		if p.At != len(b.notes) || p.At >= len(b.messages) {
			return nil
		}
		use()
		return b.add(ctx, p)
	})
}

// add puts a note into the memory, with the changes that it makes.
func (b *builder) add(ctx context.Context, p part) error {
	for _, r := range p.Rewrite {
		if r.At < 0 || r.At >= len(b.notes) {
			return fmt.Errorf("note %d of the kept memory rewrites note %d, which does not come before it", p.At, r.At)
		}
		b.notes[r.At].Context, b.notes[r.At].Tags = r.Context, r.Tags
		b.rewritten++
	}
	m := b.messages[p.At]
	b.notes = append(b.notes, note{Note: p.Note, turn: m.ID, line: m.Line, content: b.contents[p.At], links: p.Links})
	if err := b.embedNotes(ctx, (*note).document, p.At); err != nil {
		return err
	}
	if !p.Evolves {
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
