// Package multiwoz reads dialogues in the file layout of MultiWOZ 2.2: a user
// and an assistant talk about hotels, restaurants, trains and the like, with
// the state of the user's wishes after each turn and the acts of each turn.
//
// [Load] reads splits of a folder into a [Corpus]. The builder of MultiWOZ-Long
// uses it; MultiWOZ itself is not a dataset of runs.
//
// The layout is that of data/MultiWOZ_2.2 of the official repository: a folder for
// each split with dialogues_NNN.json, and dialog_acts.json next to them, each plain
// or gzipped (.gz). Offsets in the files count characters; here they count bytes.
// Known flaws of the release are corrected and counted in the corpus's warnings.
// Anything that does not fit the layout is a fault; all faults of all files are
// reported together.
//
// Zang et al., "MultiWOZ 2.2: A Dialogue Dataset with Additional Annotation
// Corrections and State Tracking Baselines", 2020. The data is under the MIT
// licence and not part of this project.
package multiwoz

import (
	"slices"

	"recallbench/datasets"
)

// A Corpus is the content of a folder.
type Corpus struct {
	Dir string // folder of the dialogues
	// Caveat is a note that must accompany each result on the data, such as that
	// its labels are those of 2.1; empty for the whole of 2.2.
	Caveat   string
	Splits   []Split // in the order asked for
	Warnings []datasets.Warning
}

// A Split is a part of the release, "train", "dev" or "test".
type Split struct {
	Name      string
	Dialogues []Dialogue // in the order of the files
}

// A Dialogue is a conversation between a user and an assistant.
type Dialogue struct {
	ID       string   // such as "PMUL0698.json"
	Services []string // that it is about, such as "hotel"
	Turns    []Turn
}

// A Turn is an utterance with its annotation.
type Turn struct {
	ID   string
	User bool // else the assistant's
	Text string
	// States are the user's wishes for each service after the turn; empty for
	// the assistant's turns.
	States []State
	Acts   []Act
}

// A State is the user's wishes for a service so far.
type State struct {
	Service string
	Intent  string // such as "find_hotel"; "NONE"
	Values  []Value
}

// A Value is the user's wish for a slot, such as "hotel-bookday".
type Value struct {
	Slot     string
	Variants []string // ways to write it, one or more; none of them comes first
}

// An Act says what a turn does with a slot.
type Act struct {
	Service string // in lowercase, such as "hotel", "booking" and "general"
	Does    string // in lowercase, such as "inform" and "request"
	Slot    string // without the service, such as "ref"; "none" for a bare act
	Value   string // "?" for a request, "none" for a bare act
	// Start and End are the byte range of the value in the utterance, End
	// excluded; both 0 if the data does not say.
	Start, End int
}

// State returns the state of a service after a user's turn; nil for none.
func (t *Turn) State(service string) *State {
	i := slices.IndexFunc(t.States, func(s State) bool { return s.Service == service })
	if i < 0 {
		return nil
	}
	return &t.States[i]
}

// Value returns the variants of a slot's value; empty if it is not set.
func (s *State) Value(slot string) []string {
	if s == nil {
		return nil
	}
	for _, v := range s.Values {
		if v.Slot == slot {
			return v.Variants
		}
	}
	return nil
}
