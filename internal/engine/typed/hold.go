package typed

import (
	"slices"

	"recallbench/internal/calc/lists"
)

// A Planted is a value that a conversation states about somebody, as it is at its end.
type Planted struct {
	Kind  Kind
	Value string
	// Forgotten is set if somebody asked to have it forgotten.
	Forgotten bool
}

// Holdings count the planted values that stored items contain.
type Holdings struct {
	Planted, Held     int // values that hold, and those that any item names
	Items, Noise      int // items, and those that name no planted value of either sort
	Doubles           int // items whose text another item has before them
	Forgotten, Leaked int // values to be forgotten, and those that any item names
}

// Hold looks for planted values in items.
func Hold(planted []Planted, items []string) Holdings {
	h := Holdings{Items: len(items)}
	kinds := lists.Distinct(planted, func(p Planted) Kind { return p.Kind })
	named, seen := make(map[Planted]bool), make(map[string]bool)
	for _, text := range items {
		if seen[text] {
			h.Doubles++
		}
		seen[text] = true
		holds := false
		for _, kind := range kinds {
			for _, v := range Find(kind, text) {
				for _, forgotten := range []bool{false, true} {
					if p := (Planted{kind, v, forgotten}); slices.Contains(planted, p) {
						named[p], holds = true, true
					}
				}
			}
		}
		if !holds {
			h.Noise++
		}
	}
	for _, p := range planted {
		switch {
		case p.Forgotten && named[p]:
			h.Leaked++
			fallthrough
		case p.Forgotten:
			h.Forgotten++
		case named[p]:
			h.Held++
			fallthrough
		default:
			h.Planted++
		}
	}
	return h
}

// Numbers returns the holdings by name, as the record of a memory's ingest keeps them.
func (h Holdings) Numbers() map[string]float64 {
	return map[string]float64{
		"planted": float64(h.Planted), "planted-held": float64(h.Held),
		"stored-items": float64(h.Items), "stored-noise": float64(h.Noise), "stored-doubles": float64(h.Doubles),
		"forgotten": float64(h.Forgotten), "forgotten-held": float64(h.Leaked),
	}
}
