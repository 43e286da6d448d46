package amem

import (
	"context"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/index"
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

// A builder reads a conversation into a memory.
type builder struct {
	memory

	model    building.Model
	messages []building.Message
	contents []string
}

// add makes the note of message i, and the changes that it and similar ones make to one
// another.
func (b *builder) add(ctx context.Context, i int) error {
	m := b.messages[i]
	n := note{turn: m.ID, line: m.Line, content: b.contents[i]}
	var err error
	if n.Note, err = b.describe(ctx, n.content); err != nil {
		return err
	}
	evolves, err := b.evolve(ctx, &n)
	if err != nil {
		return err
	}
	b.notes = append(b.notes, n)
	if err := b.embedNotes(ctx, (*note).document, i); err != nil || !evolves {
		return err
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

// describe asks for keywords, context and tags. If the model gives none, the note
// has none, as in the authors' code.
func (b *builder) describe(ctx context.Context, content string) (Note, error) {
	n := Note{Keywords: []string{}, Context: noContext, Tags: []string{}}
	reply, ok, err := building.JSON[Note](ctx, b.model, describe, describeData{content})
	if err != nil || !ok {
		return n, err
	}
	n.Keywords, n.Tags = cleaned(reply.Keywords), cleaned(reply.Tags)
	if c := building.Clean(reply.Context, building.MaxFact); c != "" {
		n.Context = c
	}
	return n, nil
}

// evolve asks what a new note and the notes most like it change about one another, and
// changes them.
func (b *builder) evolve(ctx context.Context, n *note) (evolves bool, err error) {
	var near []index.Hit
	if len(b.notes) > 0 {
		v, err := building.Query(ctx, b.space, n.content)
		if err != nil {
			return false, err
		}
		if near, err = b.index.Search(v, neighbours); err != nil {
			return false, err
		}
	}
	data := evolveData{Content: n.content, Context: n.Context, Keywords: n.Keywords}
	for _, h := range near {
		old := &b.notes[h.Index]
		shown := neighbourData{Index: h.Index, Content: old.content, Context: old.Context, Keywords: old.Keywords, Tags: old.Tags}
		if !old.line.Time.IsZero() {
			shown.Time = transcript.Time(old.line.Time)
		}
		data.Neighbours = append(data.Neighbours, shown)
	}
	reply, ok, err := building.JSON[evolution](ctx, b.model, evolve, data)
	if err != nil || !ok || !reply.Evolves {
		return false, err
	}
	if slices.Contains(reply.Actions, "update_neighbor") {
		b.rewrite(reply, near)
	}
	for _, action := range reply.Actions {
		if action == "strengthen" {
			n.links = append(n.links, reply.Links...)
			n.links = n.links[:min(len(n.links), maxLinks)]
			n.Tags = cleaned(reply.Tags)
		}
	}
	return true, nil
}

// rewrite gives neighbours new tags and contexts, by position. A neighbour without new
// tags stays as it is; one with only tags keeps its context.
func (b *builder) rewrite(reply evolution, near []index.Hit) {
	for k, h := range near[:min(len(near), len(reply.NeighbourTags))] {
		n := &b.notes[h.Index]
		n.Tags = cleaned(reply.NeighbourTags[k])
		if k < len(reply.Contexts) {
			n.Context = building.Clean(reply.Contexts[k], building.MaxFact)
		}
		b.rewritten++
	}
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
