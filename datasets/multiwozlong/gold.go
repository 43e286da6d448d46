package multiwozlong

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
)

// ask words a candidate as a question with its gold answer.
func (v *conversation) ask(id string, c candidate, random *rand.Rand) (datasets.Request, datasets.Gold) {
	sentence, mention := c.fill(c.table[random.IntN(len(c.table))])
	g := datasets.Gold{
		Category: c.category,
		Answer:   c.value,
		Labels: map[string]string{
			"distance": strconv.Itoa(v.distance(c)),
			"mention":  string(c.how),
			"service":  kindOf(c.entity),
			"slot":     c.slot,
		},
	}
	places := append([]spot{c.spot}, c.evidence...)
	slices.SortFunc(places, spot.compare)
	for _, at := range slices.Compact(places) {
		g.Evidence = append(g.Evidence, v.turnID(at))
	}
	class, surface := classes[c.slot], c.of(v.text(c.spot)) // what the fact's turn says literally
	variants := append([]string{surface}, c.variants...)
	if class != text && class != fee {
		variants = append(append(variants, c.value), class.variants(c.value)...)
	}
	if c.slot != "name" && (class == text || class == code || class == fee) {
		g.Answer = surface
	}
	for _, s := range variants {
		if s = strings.TrimSpace(s); s != "" && s != g.Answer && !slices.Contains(g.Variants, s) {
			g.Variants = append(g.Variants, s)
		}
	}
	g.Entities = v.entities(c, g, mention)
	return datasets.Request{ID: id, Text: sentence}, g
}

// fill fills a sentence, and returns the range of its mention of the entity;
// empty if it has none.
func (c candidate) fill(sentence string) (string, span) {
	if before, rest, ok := strings.Cut(sentence, "["); ok {
		// Only the first pair of brackets is the mention; others are of it, too.
		inner, after, _ := strings.Cut(rest, "]")
		after = strings.NewReplacer("[", "", "]", "").Replace(after)
		return before + inner + after, span{len(before), len(before) + len(inner)}
	}
	text := strings.ReplaceAll(sentence, "{}", c.phrase)
	named := c.phrase
	if c.how == byName {
		named = c.names[0]
	}
	at := strings.Index(text, named)
	if c.slot == "name" || at < 0 {
		return text, span{}
	}
	return text, span{at, at + len(named)}
}

// entities are the cluster of the entity asked about, which is mentioned in the
// question, and that of the value.
func (v *conversation) entities(c candidate, g datasets.Gold, mentioned span) []datasets.Entity {
	asked := datasets.Entity{ID: c.entity, Names: c.names}
	for _, m := range v.mentions {
		if m.key == c.entity && slices.Contains(g.Evidence, v.turnID(m.spot)) {
			asked.Mentions = append(asked.Mentions, datasets.Mention{Turn: v.turnID(m.spot), Start: m.start, End: m.end})
		}
	}
	kind := c.slot // of the value: a day is the same day whatever it is of
	switch classes[c.slot] {
	case clock:
		kind = "time"
	case day:
		kind = "day"
	case text, number, area, price, code, fee:
	}
	value := datasets.Entity{
		ID:       kind + ":" + c.value,
		Names:    append([]string{g.Answer}, g.Variants...),
		Mentions: []datasets.Mention{{Turn: v.turnID(c.spot), Start: c.start, End: c.end}},
	}
	inRequest := datasets.Mention{Start: mentioned.start, End: mentioned.end}
	switch {
	case mentioned.end == 0:
	case c.how == byOmitted && c.slot != "name":
		value.Mentions = append(value.Mentions, inRequest)
	default:
		asked.Mentions = append(asked.Mentions, inRequest)
	}
	if c.slot == "name" {
		return []datasets.Entity{asked} // which is the answer
	}
	return []datasets.Entity{asked, value}
}
