package metrics

import (
	"slices"

	"recallbench/internal/door/annotate"
)

// NewCoherence returns the metric of how well a coreference resolver connects what an
// answer mentions with its conversation: B-cubed F1, see [BCubed], of the resolver's
// clusters against the gold entities. It is a ratio in [0, 1]; higher is better.
//
// The conversation, the question and the answer are read as the utterances of one
// session, and the resolver is told the entities' names: spotting names is not what is
// measured. In the conversation and the question, the mentions are those that the
// dataset lists; in the answer, each occurrence of an entity's name, compared as for
// [FactualRecallSpec]. Of overlapping names the longer counts. Each mention is in the
// cluster of the predicted mention that has the same head and overlaps it most; a
// mention that the resolver misses is a cluster of its own. So an answer that names
// the entity as the conversation does is coherent, and one that the resolver takes for
// another is not.
//
// Other names in the answer count if the resolver puts them together with a gold
// entity: they cost precision. Otherwise they are left out, because every
// mention that is alone in gold and prediction would raise the score of an
// answer that names more. Pronouns of the answer are left out as well, as there
// is no gold for them. Only the first 8,192 bytes of an utterance are read.
//
// It is 0 if the answer mentions no gold entity and for a question that failed,
// and undefined for an abstention and if the dataset lists no entities.
//
// It follows section 4.3 of the Semantic Anchoring paper, "performing coreference
// resolution on generated responses, comparing cluster assignments with gold
// annotations", which names no measure. B-cubed and all of the above are this
// project's choice. A suite has one resolver, whatever the methods of a run use, so that
// all runs are measured alike.
func NewCoherence(resolver annotate.Annotator) *Spec {
	return ofItem(Spec{
		Name:    "dc@b3",
		Doc:     "B-cubed F1 of the answer's coreference with question and conversation",
		Source:  "Semantic Anchoring, section 4.3; Bagga and Baldwin, 1998",
		Columns: []Column{{Name: "dc@b3", Scale: 100, Digits: 1}},
	}, func(i Item) Value { return coherence(resolver, i) })
}

func coherence(resolver annotate.Annotator, i Item) Value {
	if i.Abstain || len(i.Entities) == 0 {
		return Value{}
	}
	said := utterances(i)
	answer := len(said) - 1
	inAnswer := named(said, answer, i.Entities)
	if i.Failed || !slices.ContainsFunc(inAnswer, func(places []place) bool { return len(places) > 0 }) {
		return Def(0)
	}
	found, err := resolve(resolver, said, names(i.Entities))
	if err != nil {
		return Value{}
	}
	golds, predictions := make([][]place, len(i.Entities)), make(map[int][]place)
	taken := make([]bool, len(found))
	for k, e := range i.Entities {
		golds[k] = append(mentions(i, e, said), inAnswer[k]...)
		for _, m := range golds[k] {
			cluster, mention := align(m, said, found)
			if mention >= 0 {
				taken[mention] = true
				predictions[cluster] = append(predictions[cluster], m)
			}
		}
	}
	inGold := func(p predicted) bool {
		return slices.ContainsFunc(slices.Concat(inAnswer...), func(m place) bool { return m.start < p.end && p.start < m.end })
	}
	for k, p := range found {
		if p.utterance == answer && p.kind == annotate.Named && !taken[k] && len(predictions[p.cluster]) > 0 && !inGold(p) {
			predictions[p.cluster] = append(predictions[p.cluster], p.place)
		}
	}
	clusters := make([][]place, 0, len(predictions))
	for _, p := range found {
		if c := predictions[p.cluster]; c != nil {
			clusters = append(clusters, c)
			delete(predictions, p.cluster)
		}
	}
	_, _, f1 := BCubed(golds, clusters)
	return Def(f1)
}

// mentions are the places of an entity in history and question, those left out
// that are in no text.
func mentions(i Item, e Entity, said []annotate.Utterance) []place {
	var out []place
	for _, m := range e.Mentions {
		u := len(i.History)
		if m.Turn != "" {
			if u = slices.IndexFunc(i.History, func(t Turn) bool { return t.ID == m.Turn }); u < 0 {
				continue
			}
		}
		if p := (place{u, m.Start, m.End}); 0 <= p.start && p.start < p.end && p.end <= len(said[u].Text) && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// named returns the places in an utterance that have names of entities, by
// entity.
func named(said []annotate.Utterance, utterance int, entities []Entity) [][]place {
	text := newTerms(said[utterance].Text)
	type hit struct {
		from, to, entity int
	}
	var hits []hit
	for k, e := range entities {
		for _, name := range e.Names {
			for from, to := range text.find(newTerms(name)) {
				hits = append(hits, hit{from, to, k})
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return (b.to - b.from) - (a.to - a.from) })
	out := make([][]place, len(entities))
	taken := make([]bool, len(text.list))
	for _, h := range hits {
		if slices.Contains(taken[h.from:h.to], true) {
			continue
		}
		for t := h.from; t < h.to; t++ {
			taken[t] = true
		}
		out[h.entity] = append(out[h.entity], place{utterance, text.list[h.from].start, text.list[h.to-1].end})
	}
	return out
}
