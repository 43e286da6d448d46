package metrics

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

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
	return ofItem(Column{Name: "dc@b3", Scale: 100, Digits: 1}, Spec{
		Doc:    "B-cubed F1 of the answer's coreference with question and conversation",
		Source: "Semantic Anchoring, section 4.3; Bagga and Baldwin, 1998",
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
	found, err := resolve(resolver, said, i.Entities)
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

// maxUtterance is how many bytes of an utterance are resolved. No turn of the
// datasets and no answer of a model asked to be brief is as long.
const maxUtterance = 1 << 13

// A predicted is a mention as the resolver found it.
type predicted struct {
	place
	kind    annotate.MentionKind
	head    int // where its last word begins
	cluster int
}

// A place is a range of bytes of an utterance.
type place struct{ utterance, start, end int }

// utterances are the history, the question and the answer, as one session.
func utterances(i Item) []annotate.Utterance {
	var out []annotate.Utterance
	add := func(id, speaker, text string) {
		if len(text) > maxUtterance {
			cut := maxUtterance
			for !utf8.RuneStart(text[cut]) && cut > 0 {
				cut--
			}
			text = text[:cut]
		}
		out = append(out, annotate.Utterance{ID: id, Speaker: speaker, Text: text})
	}
	for _, t := range i.History {
		add(t.ID, t.Speaker, t.Text)
	}
	add("question", "", i.Question)
	add("answer", "", i.Prediction)
	return out
}

// resolve returns the mentions in utterances, in the order of clusters. The names of the
// entities are given: what is measured is which entity a mention is taken for.
func resolve(annotator annotate.Annotator, said []annotate.Utterance, entities []Entity) ([]predicted, error) {
	req := annotate.Request{Layers: []annotate.Layer{annotate.Tokens, annotate.Entities, annotate.Coreference}, Utterances: said}
	for _, e := range entities {
		for _, name := range e.Names {
			req.Names = append(req.Names, annotate.Name{Text: name})
		}
	}
	doc, err := annotator.Annotate(context.Background(), req)
	if err != nil {
		return nil, err
	}
	if err := doc.Check(req); err != nil {
		return nil, err
	}
	var found []predicted
	for k, c := range doc.Clusters {
		for _, m := range c.Mentions {
			s := doc.Sentences[m.Sentence]
			found = append(found, predicted{
				place:   place{s.Utterance, s.Tokens[m.Start].Start, s.Tokens[m.End-1].End},
				kind:    m.Kind,
				head:    s.Tokens[m.End-1].Start,
				cluster: k,
			})
		}
	}
	return found, nil
}

// align returns the predicted mention that matches a gold mention, and its
// cluster; -1 for none. Of those that share a head with the gold mention, it is
// the one that overlaps it most: the bytes of both over the bytes of either. A
// mention that owns another, as in "Rachel's flat", does not match.
func align(m place, said []annotate.Utterance, found []predicted) (cluster, mention int) {
	cluster, mention = -1, -1
	text := said[m.utterance].Text
	if m.end > len(text) {
		return -1, -1
	}
	head := m.start + strings.LastIndexByte(strings.TrimRight(text[m.start:m.end], " "), ' ') + 1
	best := 0.0
	for i, p := range found {
		start, end := max(p.start, m.start), min(p.end, m.end)
		if p.utterance != m.utterance || start >= end {
			continue
		}
		switch {
		case p.head >= m.start && p.head < m.end && (p.end >= m.end || !owns(text[p.end:m.end])):
		case head >= p.start && head < p.end && (m.end >= p.end || !owns(text[m.end:p.end])):
		default:
			continue
		}
		share := float64(end-start) / float64(max(p.end, m.end)-min(p.start, m.start))
		if share > best {
			best, cluster, mention = share, p.cluster, i
		}
	}
	return cluster, mention
}

// owns reports whether the text after a name shows that the name owns something.
func owns(rest string) bool { return strings.HasPrefix(rest, "'") || strings.HasPrefix(rest, "’") }

// BCubed returns precision, recall and F1 of predicted clusters of mentions
// against gold ones:
//
//	P = 1/N Σ |G(m) ∩ P(m)| / |P(m)|,  R = 1/N Σ |G(m) ∩ P(m)| / |G(m)|,  F1 = 2PR / (P + R)
//
// where the sums are over all N mentions and G(m) and P(m) are the clusters that
// contain m. A mention missing on one side forms a cluster of its own there; if
// two clusters of a side contain the same mention, the first counts. All three
// are ratios in (0, 1]; higher is better. Without mentions they are 1.
//
// It follows Bagga and Baldwin, "Algorithms for Scoring Coreference Chains",
// 1998, with the same weight for each mention.
func BCubed[M comparable](gold, predicted [][]M) (precision, recall, f1 float64) {
	type pair struct{ gold, predicted int } // clusters of a mention, -1 for none
	at := make(map[M]int)
	var pairs []pair // of the mentions, in order: sums are the same each time
	each := func(clusters [][]M, of func(*pair) *int) {
		for i, cluster := range clusters {
			for _, m := range cluster {
				k, seen := at[m]
				if !seen {
					k = len(pairs)
					at[m], pairs = k, append(pairs, pair{-1, -1})
				}
				if c := of(&pairs[k]); *c < 0 {
					*c = i
				}
			}
		}
	}
	each(gold, func(p *pair) *int { return &p.gold })
	each(predicted, func(p *pair) *int { return &p.predicted })
	if len(pairs) == 0 {
		return 1, 1, 1
	}
	both, golds, predictions := make(map[pair]int), make(map[int]int), make(map[int]int)
	for k := range pairs {
		p := &pairs[k]
		if p.gold < 0 {
			p.gold = len(gold) + k
		}
		if p.predicted < 0 {
			p.predicted = len(predicted) + k
		}
		both[*p]++
		golds[p.gold]++
		predictions[p.predicted]++
	}
	for _, p := range pairs {
		precision += float64(both[p]) / float64(predictions[p.predicted])
		recall += float64(both[p]) / float64(golds[p.gold])
	}
	n := float64(len(pairs))
	precision, recall = precision/n, recall/n
	return precision, recall, 2 * precision * recall / (precision + recall)
}
