package metrics

import (
	"slices"

	"recallbench/internal/calc/stats"
)

// BEAMEventOrder compares the items of an answer with events, both in order. An item
// that tells an event is replaced by the event's own text; other items stay as they
// are.
//
// Tau is (τ_b + 1) / 2 over the ranks of all distinct texts, events first: 1 for the same
// order, 0 for the reverse. A text missing from one list ties behind all others in it, and
// of equal items the last position counts. So an answer without an event scores more than
// 0, and a heading before a list costs much. F1 is the harmonic mean of precision and
// recall of the events; precision counts each event once, and every other item. Both are
// in [0, 1]. Where τ_b is undefined, as for one event and one item, ok is false.
//
// It follows event_ordering_score of BEAM (Tavakoli et al., 2026), compute_metrics.py,
// which reports Tau.
func BEAMEventOrder(events, items []string) (tau, f1 float64, ok bool) {
	at, told := places(events), places(items)
	found, wrong, missing := 0, 0, 0
	for event := range at {
		if _, ok := told[event]; ok {
			found++
		}
	}
	for _, event := range events {
		if _, ok := told[event]; !ok {
			missing++
		}
	}
	for _, item := range items {
		if _, ok := at[item]; !ok {
			wrong++
		}
	}
	if found > 0 {
		f1 = 2 * float64(found) / float64(2*found+wrong+missing)
	}
	union := slices.Compact(slices.Sorted(slices.Values(slices.Concat(events, items))))
	if tau, ok = stats.KendallTauB(ranks(union, at), ranks(union, told)); ok {
		tau = (tau + 1) / 2
	}
	return tau, f1, ok
}

// places returns the last place of each text, from 1.
func places(texts []string) map[string]int {
	at := make(map[string]int)
	for i, text := range texts {
		at[text] = i + 1
	}
	return at
}

// ranks returns the places of texts; those without one tie behind all.
func ranks(texts []string, at map[string]int) []float64 {
	list := make([]float64, len(texts))
	for i, text := range texts {
		place, ok := at[text]
		if !ok {
			place = len(texts) + 1
		}
		list[i] = float64(place)
	}
	return list
}
