package linguistic

import (
	"context"
	"fmt"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/annotate"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/meter"
	"recallbench/methods/internal/transcript"
)

// The stages that are degraded.
const (
	// Parse is where a parser gives up on a sentence of a question, or of an utterance
	// that is shown for it.
	Parse = "parse"
	// Annotate is where a session or a question is left without annotation.
	Annotate = "annotate"
)

// An Entry is an utterance of the conversation.
type Entry struct {
	Turn string // its id
	Line transcript.Line
	// Text is what was annotated: the line's text, normalised.
	Text string
	Features
}

// ID names the entry within its memory.
func (e Entry) ID() string { return "utterance " + e.Turn }

// Lines are the utterances as a reader sees them.
func (h *History) Lines() []string {
	return lists.Map(h.Entries, func(e Entry) string { return transcript.Text(e.Line) })
}

// A History is a conversation with its annotations. It is safe for concurrent
// use.
type History struct {
	*Annotator
	Entries []Entry
	// Known are the entities of the whole conversation; empty without coreference.
	Known    []annotate.Known
	speakers []annotate.Name
	sizes    map[string]int   // mentions of an entity by its key
	postings map[string][]int // entries by the keys of their features, in order
}

// History annotates a conversation, one session after another.
func (a *Annotator) History(ctx context.Context, s datasets.Sample) (*History, error) {
	h := &History{Annotator: a, sizes: make(map[string]int), postings: make(map[string][]int)}
	for _, name := range s.Speakers {
		h.speakers = append(h.speakers, annotate.Name{Text: name, Type: "PERSON"})
	}
	for _, session := range s.Sessions {
		if err := h.add(ctx, session); err != nil {
			return nil, err
		}
	}
	for i, e := range h.Entries {
		h.index(i)
		for _, entity := range e.Entities {
			for _, name := range entity.Names {
				h.sizes[named+name]++
			}
		}
	}
	for _, k := range h.Known {
		h.sizes[identified+k.ID] = k.Mentions
	}
	return h, nil
}

// add annotates a session.
func (h *History) add(ctx context.Context, session datasets.Session) error {
	first := len(h.Entries)
	utterances := make([]annotate.Utterance, len(session.Turns))
	for i, turn := range session.Turns {
		e := Entry{Turn: turn.ID, Line: transcript.Captions.Line(turn)}
		e.Text = Normalise(e.Line.Text)
		utterances[i] = annotate.Utterance{ID: turn.ID, Speaker: turn.Speaker, Text: e.Text}
		h.Entries = append(h.Entries, e)
	}
	if len(utterances) == 0 {
		return nil
	}
	doc, err := h.annotate(ctx, utterances)
	if err != nil {
		return fmt.Errorf("annotate session %s: %w", session.ID, err)
	}
	for i, f := range h.features(doc, utterances) {
		h.Entries[first+i].Features = f
	}
	if h.Coreference {
		h.Known = doc.Recall(utterances, h.Known)
	}
	return nil
}

// annotate asks for the annotations in use. If the reply of a model or a server
// is unusable, utterances are left without features, and that is noted: they
// are still found by their vectors.
func (h *History) annotate(ctx context.Context, utterances []annotate.Utterance) (annotate.Document, error) {
	doc, err := h.door.Annotate(ctx, annotate.Request{Layers: h.asked(), Utterances: utterances, Known: h.Known, Names: h.speakers})
	if kind := fault.KindOf(err); kind == fault.BadReply || kind == fault.Refused || kind == fault.Empty {
		meter.Degrade(ctx, Annotate)
		return annotate.Document{}, nil
	}
	return doc, err
}

// Texts returns what is embedded of the entries, in order: their normalised
// texts as lines of a transcript, with speaker and time, as the other methods
// embed them.
func (h *History) Texts() []string {
	texts := make([]string, len(h.Entries))
	for i, e := range h.Entries {
		line := e.Line
		line.Text = e.Text
		texts[i] = transcript.Text(line)
	}
	return texts
}

// Question annotates a question that is asked after the conversation.
func (h *History) Question(ctx context.Context, text string) (Features, error) {
	utterances := []annotate.Utterance{{ID: "question", Text: Normalise(text)}}
	doc, err := h.annotate(ctx, utterances)
	if err != nil {
		return Features{}, fmt.Errorf("annotate the question: %w", err)
	}
	return h.features(doc, utterances)[0], nil
}

// Shown notes if a parser gave up on the question or on what is shown for it,
// so that an error can be attributed to that.
func (h *History) Shown(ctx context.Context, question Features, entries []int) {
	unparsed := question.Unparsed
	for _, i := range entries {
		unparsed += h.Entries[i].Unparsed
	}
	if unparsed > 0 {
		meter.Degrade(ctx, Parse)
	}
}

// Size is the number of mentions of an entity in the conversation: of its
// cluster or, if it has none, of its names; at least 1.
func (h *History) Size(e Entity) int {
	n := h.sizes[identified+e.ID]
	if n == 0 || e.ID == "" {
		for _, name := range e.Names {
			n += h.sizes[named+name]
		}
	}
	return max(1, n)
}
