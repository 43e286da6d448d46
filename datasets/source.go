package datasets

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
)

// ErrChanged is the error of a conversation whose file has changed since the
// dataset was opened.
var ErrChanged = errors.New("the data has changed since it was opened")

// An Entry has what is known about a conversation without loading its turns.
type Entry struct {
	ID       string
	Requests []Request
	Dialogue bool // as in [Sample]
	Tree     bool // a tree instead of sessions
	// Sessions and Turns count, and Text is the length of all turns in bytes.
	Sessions, Turns int
	Text            int64
	// Bytes is how much of the source Load reads; 0 for a conversation in memory.
	Bytes int64
	// Place is the entry's index in the dataset, to load it by.
	Place int
}

// A Source loads the conversations of a set. Load is called concurrently, and
// returns conversation i as it was when the set was opened, a new copy each
// time; its questions may be left out. An error wraps [ErrChanged] if the data
// has changed. No file stays open between two calls.
type Source interface {
	Load(ctx context.Context, i int) (Sample, error)
}

// Fill appends conversations that stay in memory. Loaders of small data call it,
// after they have set the gold answers.
func (s *Set) Fill(samples ...Sample) {
	held, _ := s.source.(*memory)
	if held == nil {
		held = new(memory)
		s.source = held
	}
	for i := range samples {
		s.Entries = append(s.Entries, s.Index(len(s.Entries), &samples[i]))
		held.samples = append(held.samples, samples[i])
	}
}

// Stream sets the entries, made by [Set.Index], and the source that loads their
// conversations. Loaders of data larger than memory call it.
func (s *Set) Stream(entries []Entry, src Source) { s.Entries, s.source = entries, src }

// Index returns the entry of a conversation at a place, and records what gold
// answers need of its turns. Gold that names entities must be set before.
func (s *Set) Index(place int, sample *Sample) Entry {
	e := Entry{
		ID: sample.ID, Requests: sample.Requests, Dialogue: sample.Dialogue, Tree: sample.Tree != nil,
		Sessions: len(sample.Sessions), Place: place,
	}
	for _, session := range sample.Sessions {
		e.Turns += len(session.Turns)
		for _, t := range session.Turns {
			e.Text += int64(len(t.Text))
		}
	}
	for _, r := range sample.Requests {
		if g := s.gold[key{sample.ID, r.ID}]; g != nil && len(g.Entities) > 0 {
			g.History = mentioning(sample, g.Entities)
		}
	}
	return e
}

// mentioning returns the turns of a conversation that mention entities, in order.
func mentioning(s *Sample, entities []Entity) []Turn {
	mentioned := make(map[string]bool)
	for _, e := range entities {
		for _, m := range e.Mentions {
			mentioned[m.Turn] = true
		}
	}
	var turns []Turn
	for _, session := range s.Sessions {
		for _, t := range session.Turns {
			if mentioned[t.ID] {
				turns = append(turns, t)
			}
		}
	}
	return turns
}

// Load returns the conversation of an entry, a copy for the caller. It may be
// called concurrently. The error wraps [ErrChanged] if the data has changed since
// the set was opened.
func (s *Set) Load(ctx context.Context, i int) (Sample, error) {
	if err := ctx.Err(); err != nil {
		return Sample{}, err
	}
	sample, err := s.source.Load(ctx, i)
	if err != nil {
		return Sample{}, fmt.Errorf("conversation %s: %w", s.Entries[i].ID, err)
	}
	sample.Requests = copyRequests(s.Entries[i].Requests)
	return sample, nil
}

// All loads the conversations in order, one at a time. It ends with the first error.
func (s *Set) All(ctx context.Context) iter.Seq2[Sample, error] {
	return func(yield func(Sample, error) bool) {
		for i := range s.Entries {
			sample, err := s.Load(ctx, i)
			if !yield(sample, err) || err != nil {
				return
			}
		}
	}
}

// memory is a source of conversations in memory.
type memory struct{ samples []Sample }

func (m *memory) Load(_ context.Context, i int) (Sample, error) {
	s := m.samples[i]
	s.Speakers = slices.Clone(s.Speakers)
	s.Sessions = slices.Clone(s.Sessions)
	for i := range s.Sessions {
		turns := slices.Clone(s.Sessions[i].Turns)
		for j := range turns {
			if turns[j].Image != nil {
				turns[j].Image = new(*turns[j].Image)
			}
		}
		s.Sessions[i].Turns = turns
	}
	return s, nil
}

func copyRequests(requests []Request) []Request {
	all := slices.Clone(requests)
	for i := range all {
		all[i].Options = slices.Clone(all[i].Options)
	}
	return all
}
