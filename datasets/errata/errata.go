// Package errata has known errors in the gold answers of datasets.
//
// An [Overlay] lists the questions whose published answer or evidence is disputed,
// in a file of the user's own or one that is fetched. [Match] matches its entries to
// the questions of a dataset, by id and text. A [Key] then decides what a question
// is scored against: nothing of this reaches a method, and no question is asked
// again.
package errata

import (
	"slices"

	"recallbench/internal/calc/lists"
)

// A Key is an answer key: the gold answers that count, as published or as
// changed by overlays.
type Key string

// The answer keys.
const (
	// Published is the gold answers as published.
	Published Key = "published"
	// Excluded leaves out the questions whose answer is disputed.
	Excluded Key = "excluded"
	// Corrected uses the corrected answers, and leaves out the questions that have
	// none.
	Corrected Key = "corrected"
	// Lenient accepts the published answers and the corrected ones.
	Lenient Key = "lenient"
)

// Keys lists the answer keys in the order of tables.
func Keys() []Key { return []Key{Published, Excluded, Corrected, Lenient} }

// Values implements the enumeration of a run file.
func (Key) Values() []string {
	return lists.Map(Keys(), func(k Key) string { return string(k) })
}

// An Action says what an entry does with a question.
type Action string

// The actions of entries.
const (
	// Correct replaces the published answer.
	Correct Action = "correct"
	// Also adds answers that are as right as the published one.
	Also Action = "also"
	// Premise disputes the question: it asks about the wrong person or day.
	Premise Action = "premise"
	// Unanswerable says that the conversation does not contain the answer.
	Unanswerable Action = "unanswerable"
	// Exclude leaves the question out for any other reason.
	Exclude Action = "exclude"
	// Evidence replaces the evidence and leaves the answer.
	Evidence Action = "evidence"
)

// actions lists the actions in the order of listings.
var actions = []Action{Correct, Also, Premise, Unanswerable, Exclude, Evidence}

// Actions lists the actions in the order of listings.
func Actions() []Action { return slices.Clone(actions) }

// An Overlay lists errors in the answer key of a dataset. Its first fields are the
// header of a file.
type Overlay struct {
	Format      string   `json:"errata" want:"filled"`
	Name        string   `json:"name" want:"filled"`
	Version     string   `json:"version"`
	Dataset     string   `json:"dataset" want:"filled"` // its name
	Data        []string `json:"data_sha256"`           // of the data files that it was written for; none for any
	License     string   `json:"license" want:"filled"`
	Source      string   `json:"source" want:"filled"`
	Attribution string   `json:"attribution"`

	// SHA256 is the hash of its entries as they are applied, in hex: the same for
	// files that differ only in white space.
	SHA256  string
	Entries []Entry

	file string
}

// An Entry disputes the gold of a question.
type Entry struct {
	ID       string   `json:"id" want:"filled"` // SAMPLE/REQUEST, as the program numbers them, or the release's name of the question
	Question string   `json:"question"`         // needed in a file of the user's own
	Gold     string   `json:"gold,omitempty"`   // the disputed answer; empty if the entry does not say
	Action   Action   `json:"action" want:"filled"`
	Answers  []string `json:"answers,omitempty"` // right answers, the best first
	Kind     string   `json:"kind,omitempty"`
	Why      string   `json:"why,omitempty"`
	Evidence []string `json:"evidence,omitempty"` // replaces the gold evidence; none leaves it
	Category string   `json:"category,omitempty"` // replaces the category; empty leaves it
	By       string   `json:"by,omitempty"`       // who says so
	Ref      string   `json:"ref,omitempty"`      // source of the claim

	line int // in the file
}

// A Change is an entry that was matched to a question: a line of
// gold/<dataset>.errata.jsonl in a run folder.
type Change struct {
	Sample   string   `json:"sample"`
	Request  string   `json:"request"`
	Overlay  string   `json:"overlay"`
	Action   Action   `json:"action"`
	Answers  []string `json:"answers,omitempty"`
	Evidence []string `json:"evidence,omitempty"`
	Category string   `json:"category,omitempty"`
	Kind     string   `json:"kind,omitempty"`
	Why      string   `json:"why,omitempty"`
}

// A Ruling is what a question is scored against under an answer key.
type Ruling struct {
	// Out leaves the question out of everything that uses its gold answer.
	Out bool
	// Published says that the published answer is right; Answers are right in
	// addition, or instead.
	Published bool
	Answers   []string
	// Evidence replaces the gold evidence; none leaves it.
	Evidence []string
	// Category replaces the category; empty leaves it.
	Category string
}

// Under returns the effect of the change under a key.
func (c Change) Under(k Key) Ruling {
	r := Ruling{Evidence: c.Evidence, Category: c.Category}
	switch {
	case k == Published:
		return Ruling{Published: true}
	case c.Action == Evidence, k == Lenient:
		r.Published, r.Answers = true, c.Answers
	case k == Corrected && (c.Action == Correct || c.Action == Also):
		r.Published, r.Answers = c.Action == Also, c.Answers
	default:
		return Ruling{Out: true}
	}
	return r
}

// Options say how the entries of overlays are applied.
type Options struct {
	// Stale says how to treat an entry whose published answer is not the dataset's: as an
	// error, or skipped and counted.
	Stale Stale `yaml:"stale,omitempty"`
}

// String lists what differs from the defaults; empty for nothing.
func (o Options) String() string {
	if o.Stale == SkipStale {
		return "stale skip"
	}
	return ""
}

// Stale says how to treat a stale entry.
type Stale string

// The ways to treat stale entries.
const (
	RefuseStale Stale = "error" // the default
	SkipStale   Stale = "skip"
)

// Values implements the enumeration of a run file.
func (Stale) Values() []string { return []string{string(RefuseStale), string(SkipStale)} }

// Objects reports whether the change is about the answer, so that scores differ, and
// not only about the evidence.
func (c Change) Objects() bool { return c.Action != Evidence }
