package errata

import (
	"fmt"
	"strings"
)

// Options say how the entries of overlays are applied. The zero value has the
// defaults.
type Options struct {
	// Premise says what the key corrected makes of the questions with that action.
	Premise Treatment `yaml:"premise,omitempty"`
	// Unanswerable is the same for the questions with that action.
	Unanswerable Treatment `yaml:"unanswerable,omitempty"`
	// Evidence is whether corrections of evidence count; true by default.
	Evidence *bool `yaml:"evidence,omitempty"`
	// Stale says what happens to an entry whose published answer is not the
	// dataset's, or whose question the dataset does not have.
	Stale Stale `yaml:"stale,omitempty"`
	// Conflict says what happens where two overlays are about one question.
	Conflict Conflict `yaml:"conflict,omitempty"`
}

// String lists what differs from the defaults; empty for nothing.
func (o Options) String() string {
	var parts []string
	add := func(differs bool, name string, value any) {
		if differs {
			parts = append(parts, fmt.Sprintf("%s %v", name, value))
		}
	}
	add(o.Premise != "" && o.Premise != Out, "premise", o.Premise)
	add(o.Unanswerable != "" && o.Unanswerable != Out, "unanswerable", o.Unanswerable)
	add(o.Evidence != nil && !*o.Evidence, "evidence", false)
	add(o.Stale != "" && o.Stale != RefuseStale, "stale", o.Stale)
	add(o.Conflict != "" && o.Conflict != RefuseConflict, "conflict", o.Conflict)
	return strings.Join(parts, ", ")
}

// A Treatment says what the key corrected makes of a question that has no right
// answer.
type Treatment string

// The treatments.
const (
	Out     Treatment = "out"     // left out, the default
	Keep    Treatment = "keep"    // scored against the published answer
	Abstain Treatment = "abstain" // the right answer is an abstention
)

// Values implements the enumeration of a run file.
func (Treatment) Values() []string { return []string{string(Out), string(Keep), string(Abstain)} }

// Stale says what happens to a stale entry.
type Stale string

// What happens to stale entries.
const (
	RefuseStale Stale = "error" // the default
	SkipStale   Stale = "skip"  // counted, and not applied
	ApplyStale  Stale = "apply" // counted, and applied where there is a question
)

// Values implements the enumeration of a run file.
func (Stale) Values() []string {
	return []string{string(RefuseStale), string(SkipStale), string(ApplyStale)}
}

// Conflict says what happens where two overlays are about one question.
type Conflict string

// What happens to conflicts.
const (
	RefuseConflict Conflict = "error" // the default; entries that say the same are none
	LastConflict   Conflict = "last"  // the overlay that is named last has its way
)

// Values implements the enumeration of a run file.
func (Conflict) Values() []string { return []string{string(RefuseConflict), string(LastConflict)} }
