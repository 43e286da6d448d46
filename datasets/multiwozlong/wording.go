package multiwozlong

import (
	_ "embed"

	"recallbench/datasets/internal/wording"
)

//go:embed wording.txt
var wordingText string

// The tables of wording.txt, which says what they are for: sentences by slot, or
// by the kind of an entity and the slot.
var (
	tables       = wording.Parse(wordingText)
	phrases      = tables["phrases"]
	updated      = tables["updated"]["any"]
	settled      = tables["settled"]
	pronouns     = tables["pronouns"]
	omitted      = tables["omitted"]
	descriptions = tables["descriptions"]
)

// sentences returns those of a table for a slot of a kind of entity.
func sentences(table map[string][]string, kind, slot string) []string {
	if list := table[kind+" "+slot]; list != nil {
		return list
	}
	return table[slot]
}
