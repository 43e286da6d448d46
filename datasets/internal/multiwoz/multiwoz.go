// Package multiwoz reads dialogues in the file layout of MultiWOZ 2.2: a user
// and an assistant about hotels, restaurants, trains and the like, with the
// state of what the user wants after each turn and the acts of each turn.
//
// [Load] reads splits of a folder into a [Corpus]. The builder of MultiWOZ-Long
// takes it from there; no method is asked about MultiWOZ itself.
//
// The layout is that of data/MultiWOZ_2.2 of the official repository: a folder for
// each split with dialogues_NNN.json, and dialog_acts.json beside them, each of them
// plain or with gzip (.gz). Offsets of the files count characters; here they count
// bytes. Flaws of the release that are known are put right and counted in the
// corpus's warnings. What has another shape than the layout is a fault; all faults of
// all files come at once.
//
// Zang et al., "MultiWOZ 2.2: A Dialogue Dataset with Additional Annotation
// Corrections and State Tracking Baselines", 2020. The data is under the MIT
// licence and not part of this project.
package multiwoz

import (
	"slices"

	"recallbench/datasets"
)

// A Corpus is what was read of a folder.
type Corpus struct {
	Dir string // that the dialogues are from
	// Caveat is what must stand beside each result on the data, such as that its
	// labels are those of 2.1; empty for the whole of 2.2.
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
	// States are what the user wants of each service after the turn; none for
	// the assistant's turns.
	States []State
	Acts   []Act
}

// A State is what the user wants of a service so far.
type State struct {
	Service string
	Intent  string // such as "find_hotel"; "NONE"
	Values  []Value
}

// A Value is what the user wants of a slot, such as "hotel-bookday".
type Value struct {
	Slot     string
	Variants []string // ways to write it, one or more; none of them comes first
}

// An Act says what a turn does with a slot.
type Act struct {
	Service string // in lower case, such as "hotel", "booking" and "general"
	Does    string // in lower case, such as "inform" and "request"
	Slot    string // without the service, such as "ref"; "none" for a bare act
	Value   string // "?" for a request, "none" for a bare act
	// Start and End are the place of the value in bytes of the utterance, End
	// excluded; both 0 where the data does not say.
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

// Value returns the variants of a slot's value, none where it is not set.
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
