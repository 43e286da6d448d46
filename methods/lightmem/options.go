package lightmem

import (
	"errors"
	"fmt"

	"recallbench/methods/internal/pruning"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

// Options are the method's options. Defaults are those with which the authors
// ran LoCoMo: docs/methods.md says which value comes from where.
type Options struct {
	// Prune says how each message is shortened before anything is done with it.
	Prune pruning.Options `yaml:"prune"`
	// Segments says how messages are cut into topics.
	Segments Segments `yaml:"segments"`
	// ShortTerm is how many tokens of topics one call finds the facts of, at most;
	// a longer topic has a call of its own.
	ShortTerm int `yaml:"short_term"`
	// MaxTokens is the largest number of tokens of a reply.
	MaxTokens int `yaml:"max_tokens"`
	// Update says how facts are revised when the conversation is over.
	Update Update `yaml:"update"`
	// VectorOnUpdate says by which text a fact is found that was brought up to
	// date.
	VectorOnUpdate Vector `yaml:"vector_on_update"`
	// K is the number of facts that the reader gets; of each speaker's, if they are
	// ranked by themselves.
	K int `yaml:"k"`
	// Ranking says whether the facts of all speakers are ranked together.
	Ranking Ranking `yaml:"ranking"`
	// Images says what of a shared image becomes text.
	Images transcript.Images `yaml:"images"`
	// Reader says how the model is asked.
	Reader reader.Options `yaml:"reader"`
}

// Segments says how messages are cut into topics.
type Segments struct {
	// Buffer is the number of tokens of messages that are held until they are cut.
	Buffer int `yaml:"buffer"`
	// Least is the cosine of neighbouring messages below which a topic ends. Where
	// none is, it rises.
	Least float64 `yaml:"least"`
	// Most is how far the cosine rises.
	Most float64 `yaml:"most"`
	// Step is by how much it rises at a time.
	Step float64 `yaml:"step"`
	// LastCut says what becomes of topics that the last message of a conversation
	// has cut off: lossless takes them up; lossy forgets them, as the authors' code
	// does.
	LastCut LastCut `yaml:"last_cut"`
}

// LastCut says what becomes of topics that the last message has cut off.
type LastCut string

// The ways to end a conversation.
const (
	Lossless LastCut = "lossless"
	Lossy    LastCut = "lossy"
)

// Values lists the ways to end a conversation.
func (LastCut) Values() []string { return []string{string(Lossless), string(Lossy)} }

// Update says how facts are revised.
type Update struct {
	// Use says when facts are revised, if at all.
	Use UpdateUse `yaml:"use"`
	// Score is the cosine from which a later fact has a say about an earlier one.
	Score float64 `yaml:"score"`
	// Near is how many of the facts nearest to one, itself among them, are looked
	// at.
	Near int `yaml:"near"`
	// Queue is about how many of these it has a say at most.
	Queue int `yaml:"queue"`
}

// UpdateUse says when facts are revised.
type UpdateUse string

// The times of revision.
const (
	Offline  UpdateUse = "offline" // all at once, when the conversation is over
	NoUpdate UpdateUse = "none"
)

// Values lists the times of revision.
func (UpdateUse) Values() []string { return []string{string(Offline), string(NoUpdate)} }

// Vector says which text's vector a fact has.
type Vector string

// The vectors of facts that were brought up to date.
const (
	OldVector Vector = "old" // of the text before the revision
	NewVector Vector = "new"
)

// Values lists the vectors.
func (Vector) Values() []string { return []string{string(OldVector), string(NewVector)} }

// Ranking says which facts compete for the reader.
type Ranking string

// The rankings of the authors' search script.
const (
	Combined   Ranking = "combined"    // all with all
	PerSpeaker Ranking = "per_speaker" // those of a speaker with each other
)

// Values lists the rankings.
func (Ranking) Values() []string { return []string{string(Combined), string(PerSpeaker)} }

// Defaults are those of the authors' LoCoMo run, with idf-prune in the place of
// LLMLingua-2.
func Defaults() Options {
	o := Options{
		Prune:          pruning.Options{Use: pruning.IDF, Rate: 0.6},
		Segments:       Segments{Buffer: 512, Least: 0.2, Most: 0.5, Step: 0.05, LastCut: Lossless},
		ShortTerm:      512,
		MaxTokens:      8192,
		Update:         Update{Use: Offline, Score: 0.9, Near: 20, Queue: 10},
		VectorOnUpdate: OldVector,
		K:              60,
		Ranking:        Combined,
		Images:         transcript.Captions,
		Reader:         reader.Defaults(),
	}
	o.Reader.Slots = true
	return o
}

// Validate reports values out of range.
func (o Options) Validate() error {
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	s, u := o.Segments, o.Update
	fault(s.Buffer < 1, "segments.buffer is %d, want at least 1", s.Buffer)
	fault(!(s.Least >= -1 && s.Least <= 1), "segments.least is %v, want -1 to 1", s.Least)
	fault(!(s.Most >= s.Least && s.Most <= 1), "segments.most is %v, want segments.least (%v) to 1", s.Most, s.Least)
	fault(!(s.Step >= 0.001), "segments.step is %v, want at least 0.001", s.Step)
	fault(o.ShortTerm < 1, "short_term is %d, want at least 1", o.ShortTerm)
	fault(o.MaxTokens < 1, "max_tokens is %d, want at least 1", o.MaxTokens)
	fault(!(u.Score >= -1 && u.Score <= 1), "update.score is %v, want -1 to 1", u.Score)
	fault(u.Near < 1, "update.near is %d, want at least 1", u.Near)
	fault(u.Queue < 1, "update.queue is %d, want at least 1", u.Queue)
	fault(o.K < 1, "k is %d, want at least 1", o.K)
	return errors.Join(faults...)
}
