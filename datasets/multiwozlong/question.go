package multiwozlong

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
)

// The categories of questions.
const (
	catSettled   = "settled"
	catUpdated   = "updated"
	catEllipsis  = "ellipsis"
	catReference = "reference"
)

// A candidate is a possible question: for the value of a fact.
type candidate struct {
	fact
	category string
	how      how
	evidence []spot   // further turns that support the answer
	names    []string // of the entity asked about, the one in the question first
	table    []string // sentences
	phrase   string   // that stands for {} in them
}

// candidates returns the possible questions of a conversation, in the order in
// which their answers are stated.
func (v *conversation) candidates() []candidate {
	var all []candidate
	last := v.last()
	subject := func(f fact) [2]string { return [2]string{f.entity, f.slot} }
	for _, k := range lists.Distinct(v.facts, subject) {
		f, changed, ok := newest(lists.Filter(v.facts, func(f fact) bool { return subject(f) == k }))
		if !ok {
			continue
		}
		c, ok := v.about(f)
		if !ok {
			continue
		}
		kind := kindOf(f.entity)
		named := c
		named.how, named.phrase = byName, c.names[0]
		switch phrase := sentences(phrases, kind, f.slot); {
		case !journey(kind) && !v.alone(f.entity), changed && phrase == nil:
		case changed:
			named.category, named.table = catUpdated, updated
			named.phrase = strings.ReplaceAll(phrase[0], "{}", named.phrase)
			all = append(all, named)
		default:
			named.category, named.table = catSettled, sentences(settled, kind, f.slot)
			all = append(all, named)
		}
		if last[kind] != f.entity || changed {
			continue
		}
		// The entity of its kind mentioned last is asked about by a description and a
		// pronoun.
		c.category, c.how, c.table = catReference, byNominal, sentences(settled, kind, f.slot)
		for _, c.phrase = range descriptions[kind] {
			all = append(all, c)
		}
		c.how, c.phrase, c.table = byPronoun, "", pronouns[kind+" "+f.slot]
		all = append(all, c)
	}
	all = append(all, v.venueNames()...)
	all = append(all, v.sameAgain()...)
	return slices.DeleteFunc(all, func(c candidate) bool { return len(c.table) == 0 })
}

// journey reports whether entities of a kind are known by where they go.
func journey(kind string) bool { return kind == "train" || kind == "taxi" }

// about returns a candidate with the names of its fact's entity and, if the fact's turn
// does not name it, the turn that does as evidence.
func (v *conversation) about(f fact) (c candidate, ok bool) {
	c.fact = f
	if kind := kindOf(f.entity); journey(kind) {
		from, to, _ := strings.Cut(nameOf(f.entity), " > ")
		name := "the " + kind + " from " + title(from)
		if f.slot != "destination" {
			c.names = []string{name + " to " + title(to)}
			return c, true
		}
		c.names = []string{name}
		elsewhere := slices.ContainsFunc(v.facts, func(o fact) bool {
			return o.entity != f.entity && strings.HasPrefix(o.entity, kind+":"+from+" > ")
		})
		return c, !elsewhere
	}
	c.names = v.names(f.entity)
	// An entity that is only named later does not work: the fact's turn does not say
	// whose it is.
	near, ok := v.naming(f.entity, func(at spot) bool { return v.story(at) == v.story(f.spot) && at.turn <= f.turn })
	if near.turn != f.turn {
		c.evidence = append(c.evidence, near.spot)
	}
	return c, ok
}

// last returns the entity of each kind that the conversation mentions last; none
// for a kind if the last turn mentions several.
func (v *conversation) last() map[string]string {
	all := make(map[string]string)
	where := make(map[string]spot)
	note := func(kind, key string, at spot) {
		if w, ok := where[kind]; ok && w == at && all[kind] != key {
			key = "" // several
		}
		all[kind], where[kind] = key, at
	}
	for _, m := range v.mentions {
		note(kindOf(m.key), m.key, m.spot)
	}
	// Journeys have no names: the dialogue says which is spoken of.
	for i, p := range v.sessions {
		for turn := p.from; turn < p.to; turn++ {
			for _, kind := range []string{"train", "taxi"} {
				if p.turns[turn].about(kind) {
					note(kind, p.only(kind), spot{i, turn})
				}
			}
		}
	}
	return all
}

// only returns the entity of a kind about which a dialogue has facts, empty for several.
func (s *story) only(kind string) string {
	key := ""
	for _, f := range s.facts {
		switch {
		case kindOf(f.entity) != kind || f.entity == key:
		case key != "":
			return ""
		default:
			key = f.entity
		}
	}
	return key
}

// venueNames asks for the names of restaurants and hotels by what was booked
// there.
func (v *conversation) venueNames() []candidate {
	var all []candidate
	for _, r := range v.bookings {
		by := r.described()
		other := func(o reservation) bool {
			return kindOf(o.entity) == kindOf(r.entity) && (v.story(o.spot) != v.story(r.spot) || o.turn != r.turn) && (o.described() == by || o.described() == "")
		}
		if by == "" || slices.ContainsFunc(v.bookings, other) {
			continue
		}
		c, ok := v.venue(r)
		if !ok {
			continue
		}
		c.category, c.how = catSettled, byNominal
		c.table, c.phrase = settled[kindOf(r.entity)+" name"], by
		for _, slot := range []string{"bookday", "booktime", "bookstay"} {
			if d, ok := r.details[slot]; ok {
				c.evidence = append(c.evidence, d.spot)
			}
		}
		all = append(all, c)
	}
	return all
}

// described says what distinguishes a booking from others; empty if unknown.
func (r reservation) described() string {
	day, at, nights := r.details["bookday"], r.details["booktime"], r.details["bookstay"]
	switch kind := kindOf(r.entity); {
	case !day.literal():
	case kind == "restaurant" && at.literal():
		return day.value + " at " + at.value
	case kind == "hotel" && nights.value == "1" && nights.literal():
		return "from " + day.value + " for 1 night"
	case kind == "hotel" && nights.literal():
		return "from " + day.value + " for " + nights.value + " nights"
	}
	return ""
}

// venue asks for the name of what was booked. The turn that names it must be in
// the session of the booking.
func (v *conversation) venue(r reservation) (c candidate, ok bool) {
	at, ok := v.naming(r.entity, func(at spot) bool { return at.session == r.session && at.turn <= r.turn })
	if !ok {
		return c, false
	}
	c.names = v.names(r.entity)
	c.fact = fact{entity: r.entity, slot: "name", value: c.names[0], variants: c.names[1:], spot: at.spot, settled: true, span: at.span}
	if at.turn != r.turn {
		c.evidence = []spot{r.spot}
	}
	return c, true
}

// sameAgain asks for a detail of the last booking of each kind.
func (v *conversation) sameAgain() []candidate {
	var all []candidate
	last := make(map[string]reservation)
	for _, r := range v.bookings {
		last[kindOf(r.entity)] = r
	}
	for _, kind := range []string{"restaurant", "hotel", "train"} {
		r, ok := last[kind]
		if !ok || v.later(r) {
			continue
		}
		for _, slot := range bookable {
			if f := r.details[slot]; f.literal() {
				if c, ok := v.about(f); ok {
					c.category, c.how, c.table = catEllipsis, byOmitted, omitted[kind+" "+slot]
					all = append(all, c)
				}
			}
		}
		if kind == "train" {
			continue
		}
		if c, ok := v.venue(r); ok {
			c.category, c.how, c.table = catEllipsis, byOmitted, omitted[kind+" name"]
			all = append(all, c)
		}
	}
	return all
}

// later reports whether the user wanted another booking of the kind after the
// last one, so that "last time" could mean that.
func (v *conversation) later(r reservation) bool {
	kind := kindOf(r.entity)
	for i := r.session; i < len(v.sessions); i++ {
		p := v.sessions[i]
		for turn := p.from; turn < p.to; turn++ {
			if i == r.session && turn <= r.turn {
				continue
			}
			referred := func(a act) bool {
				return a.slot == "ref" && a.value != "?" && (a.service == kind || a.service == "booking" && turn > 0 && booking(&p.turns[turn-1]) == kind)
			}
			wanted := func(s state) bool {
				return s.service == kind && p.story != v.story(r.spot) && (s.intent == "book_"+kind || len(s.value("bookpeople")) > 0)
			}
			if slices.ContainsFunc(p.turns[turn].acts, referred) || slices.ContainsFunc(p.turns[turn].states, wanted) {
				return true
			}
		}
	}
	return slices.ContainsFunc(v.facts, func(f fact) bool {
		return kindOf(f.entity) == kind && (strings.HasPrefix(f.slot, "book") || f.slot == "day") && f.compare(r.spot) > 0
	})
}

// distance is the number of sessions between the answer and the end: the number
// of the last session minus that of the session that settles the answer.
func (v *conversation) distance(c candidate) int { return len(v.sessions) - 1 - c.session }

// maxDistance is the largest session distance that is asked for, that of figure 2.
const maxDistance = 10

// A picker chooses questions so that over a split all distances, categories and
// slots come up about equally often.
type picker struct {
	random *rand.Rand
	count  map[string]int // how often a category, a way to mention, a slot was chosen
}

// pick chooses at most n candidates of a conversation: in rounds over the
// distances, one for each distance that has any; then the least used category,
// way to mention and slot, with ties drawn. No fact is asked for twice.
func (p *picker) pick(v *conversation, n int) []candidate {
	at := make([][]candidate, maxDistance+1)
	for _, c := range v.candidates() {
		if d := v.distance(c); 1 <= d && d <= maxDistance {
			at[d] = append(at[d], c)
		}
	}
	for d := range at {
		p.random.Shuffle(len(at[d]), func(i, j int) { at[d][i], at[d][j] = at[d][j], at[d][i] })
	}
	rank := func(c candidate) int {
		return p.count[c.category] + p.count[string(c.how)] + p.count[kindOf(c.entity)+" "+c.slot]
	}
	var chosen []candidate
	for more := true; more; {
		more = false
		for d := 1; d <= maxDistance && len(chosen) < n; d++ {
			if len(at[d]) == 0 {
				continue
			}
			c := slices.MinFunc(at[d], func(a, b candidate) int { return rank(a) - rank(b) })
			p.count[c.category] += 2
			p.count[string(c.how)]++
			p.count[kindOf(c.entity)+" "+c.slot]++
			chosen = append(chosen, c)
			more = true
			for i := range at {
				at[i] = slices.DeleteFunc(at[i], func(o candidate) bool { return o.entity == c.entity && o.slot == c.slot })
			}
		}
	}
	return chosen
}

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
	// A day is the same day whatever it is of.
	kind := cmp.Or(map[class]string{clock: "time", day: "day"}[classes[c.slot]], c.slot)
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
