package metrics

import (
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/typed"
	"recallbench/metrics/internal/span"
)

// ChangesSpec scores an answer by the values that it names ([Item.Values]). Its columns
// are 0 or 1, and undefined if the item has no values or the question is of another
// kind.
//
//	changes     all required values are named, and besides them only allowed ones. Where
//	            nothing is known, the answer says so and names no value. Undefined where
//	            something was to be forgotten: silence would be right there
//	stale       a value is named that is out of date, and not all required ones are
//	mixed       a value is named that is out of date, and all required ones are, too
//	leak        a value is named that was to be forgotten
//	invent      a value is named where nothing is known
//	collateral  the answer is not right, and was told beside what was to be forgotten
//
// Values are found as package typed does, regardless of the words around them: an
// answer that names a value in order to deny it has still named it.
var ChangesSpec = &Spec{
	Name:   "changes",
	Doc:    "correctness by the values that the answer names; stale, leaked and invented values",
	Source: "this project; docs/changes.md",
	Of:     Answer,
	Columns: append(
		columns(Column{Scale: 100, Digits: 1, Binary: true}, "changes"),
		columns(Column{Scale: 100, Digits: 1, Binary: true, Lower: true}, "stale", "mixed", "leak", "invent", "collateral")...,
	),
	Score: func(i Item) []Value {
		values := make([]Value, 6)
		e := i.Values
		if e == nil {
			return values
		}
		var named []string
		if !i.Failed {
			named = typed.Find(e.Kind, i.Prediction)
		}
		complete := !i.Failed && containsAll(named, e.Required)
		other := slices.ContainsFunc(named, func(v string) bool {
			return !slices.Contains(e.Required, v) && !slices.Contains(e.Allowed, v)
		})
		right := complete && !other
		if len(e.Required) == 0 {
			right = right && span.Abstains(i.Prediction)
		}
		outdated := containsAny(named, e.Stale)
		switch {
		case len(e.Forgotten) > 0:
			values[3] = holds(containsAny(named, e.Forgotten))
			return values
		case len(e.Required) == 0:
			values[4] = holds(other)
		case e.Neighbour:
			values[5] = holds(!right)
		}
		values[0] = holds(right)
		if len(e.Stale) > 0 {
			values[1], values[2] = holds(outdated && !complete), holds(outdated && complete)
		}
		return values
	},
}

// ChangesEvidenceSpec scores the evidence alone, so that the reader does not matter. Its
// columns are 0 or 1, and undefined if the item has no values of that kind:
//
//	found        all required values are in the blocks; undefined for answers that no text
//	             says, such as counts
//	found-stale  a value is in them that is out of date, and not all required ones are
//	found-leak   a value is in them that was to be forgotten
//
// At(k) considers the first k blocks.
var ChangesEvidenceSpec = ranked(Spec{
	Name:   "changes-evidence",
	Doc:    "required, stale and forgotten values in the evidence",
	Source: "this project; docs/changes.md",
	Columns: append(
		columns(Column{Scale: 100, Digits: 1, Binary: true}, "found"),
		columns(Column{Scale: 100, Digits: 1, Binary: true, Lower: true}, "found-stale", "found-leak")...,
	),
	Score: func(i Item) []Value {
		values := make([]Value, 3)
		e := i.Values
		if e == nil || e.Derived {
			return values
		}
		texts := lists.Map(i.Blocks, func(b Block) string { return b.Text })
		named := typed.Find(e.Kind, strings.Join(texts, "\n"))
		complete := containsAll(named, e.Required)
		if len(e.Required) > 0 {
			values[0] = holds(complete)
		}
		if len(e.Stale) > 0 {
			values[1] = holds(containsAny(named, e.Stale) && !complete)
		}
		if len(e.Forgotten) > 0 {
			values[2] = holds(containsAny(named, e.Forgotten))
		}
		return values
	},
})

// StoredSpec says what a memory stores of what its conversation said. It needs a
// dataset that lists all of that and a memory that lists its items:
//
//	stored          the share of the values that hold which any item names
//	stored-noise    the share of items that name no value which the conversation told
//	stored-doubles  the share of items whose text another one has
//	stored-leak     the share of the values to be forgotten which any item names
//
// Values count, not the person that an item attributes them to. Each memory counts once.
var StoredSpec = &Spec{
	Name:   "stored",
	Doc:    "shares of stated values that a memory stores, of items without values, of duplicates, and of values to be forgotten",
	Source: "this project; docs/changes.md",
	Of:     Usage,
	Apart:  true,
	Columns: append(
		columns(Column{Scale: 100, Digits: 1, Sample: true}, "stored"),
		columns(Column{Scale: 100, Digits: 1, Lower: true, Sample: true}, "stored-noise", "stored-doubles", "stored-leak")...,
	),
	Score: func(i Item) []Value {
		values := make([]Value, 4)
		for k, share := range [][2]string{{"planted-held", "planted"}, {"stored-noise", "stored-items"}, {"stored-doubles", "stored-items"}, {"forgotten-held", "forgotten"}} {
			if all := i.Memory.Structure[share[1]]; all > 0 {
				values[k] = Def(i.Memory.Structure[share[0]] / all)
			}
		}
		return values
	},
}

func containsAll(values, want []string) bool {
	return !slices.ContainsFunc(want, func(v string) bool { return !slices.Contains(values, v) })
}

func containsAny(values, want []string) bool {
	return slices.ContainsFunc(want, func(v string) bool { return slices.Contains(values, v) })
}
