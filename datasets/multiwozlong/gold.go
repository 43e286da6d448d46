package multiwozlong

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
)

// distance is how many sessions lie between the answer and the end: the number
// of the last session minus that of the one that settles the answer.
func (v *conversation) distance(c candidate) int { return len(v.chain) - 1 - c.session }

// ask words a candidate as a request with its gold answer.
func (v *conversation) ask(id string, c candidate, random *rand.Rand) (datasets.Request, datasets.Gold) {
	text, mention := fill(c.table[random.IntN(len(c.table))], c)
	g := datasets.Gold{
		Category: c.category,
		Answer:   c.answer(v),
		Evidence: v.evidence(c),
		Labels: map[string]string{
			"distance": strconv.Itoa(v.distance(c)),
			"mention":  string(c.how),
			"service":  c.kind,
			"slot":     c.slot,
		},
	}
	g.Variants = c.variants(v, g.Answer)
	g.Entities = v.entities(c, g, mention)
	return datasets.Request{ID: id, Text: text}, g
}

// fill fills a sentence, and returns the place of its mention of the entity in
// bytes; both 0 where it has none.
func fill(sentence string, c candidate) (string, [2]int) {
	if before, rest, ok := strings.Cut(sentence, "["); ok {
		// Only the first pair of brackets is the mention; others are of it, too.
		inner, after, _ := strings.Cut(rest, "]")
		after = strings.NewReplacer("[", "", "]", "").Replace(after)
		return before + inner + after, [2]int{len(before), len(before) + len(inner)}
	}
	text := strings.ReplaceAll(sentence, "{}", c.phrase)
	named := c.phrase
	if c.how == byName {
		named = c.names[0]
	}
	at := strings.Index(text, named)
	if c.slot == "name" || at < 0 {
		return text, [2]int{}
	}
	return text, [2]int{at, at + len(named)}
}

// surface is what the fact's turn says literally.
func (v *conversation) surface(c candidate) string {
	return v.text(c.fact.session, c.fact.turn)[c.fact.start:c.fact.end]
}

// answer is the value as it is best written.
func (c candidate) answer(v *conversation) string {
	if c.slot == "name" {
		return c.names[0]
	}
	switch classes[c.slot] {
	case text, code, fee:
		return v.surface(c)
	case clock, number, day, area, price:
	}
	return c.fact.value
}

// variants are other ways to write the answer: as it was said, as the annotation
// has it, and as values of its class can be written.
func (c candidate) variants(v *conversation, answer string) []string {
	all := []string{v.surface(c)}
	all = append(all, c.fact.variants...)
	if cl := classes[c.slot]; cl != text && cl != fee {
		all = append(append(all, c.fact.value), cl.variants(c.fact.value)...)
	}
	var kept []string
	for _, s := range all {
		if s = strings.TrimSpace(s); s != "" && s != answer && !slices.Contains(kept, s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// evidence returns the ids of the turns that a candidate rests on, in order.
func (v *conversation) evidence(c candidate) []string {
	places := append([]place{{session: c.fact.session, turn: c.fact.turn}}, c.evidence...)
	slices.SortFunc(places, func(a, b place) int {
		if a.session != b.session {
			return a.session - b.session
		}
		return a.turn - b.turn
	})
	var ids []string
	for _, p := range places {
		if id := v.turnID(p.session, p.turn); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// entities are the cluster of what is asked about and that of the value.
func (v *conversation) entities(c candidate, g datasets.Gold, mention [2]int) []datasets.Entity {
	asked := datasets.Entity{ID: c.entity, Names: c.names}
	for _, m := range v.mentions {
		if m.key == c.entity && slices.Contains(g.Evidence, v.turnID(m.session, m.turn)) {
			asked.Mentions = append(asked.Mentions, datasets.Mention{Turn: v.turnID(m.session, m.turn), Start: m.start, End: m.end})
		}
	}
	if mention[1] > 0 && c.how != byOmitted || c.slot == "name" && mention[1] > 0 {
		asked.Mentions = append(asked.Mentions, datasets.Mention{Start: mention[0], End: mention[1]})
	}
	if c.slot == "name" {
		return []datasets.Entity{asked} // which is the answer
	}
	value := datasets.Entity{
		ID:       valueKind(c.slot) + ":" + c.fact.value,
		Names:    append([]string{g.Answer}, g.Variants...),
		Mentions: []datasets.Mention{{Turn: v.turnID(c.fact.session, c.fact.turn), Start: c.fact.start, End: c.fact.end}},
	}
	if c.how == byOmitted {
		value.Mentions = append(value.Mentions, datasets.Mention{Start: mention[0], End: mention[1]})
	}
	return []datasets.Entity{asked, value}
}

// valueKind names what values are of: a day is the same day whatever it is of.
func valueKind(slot string) string {
	switch classes[slot] {
	case clock:
		return "time"
	case day:
		return "day"
	case text, number, area, price, code, fee:
	}
	return slot
}
