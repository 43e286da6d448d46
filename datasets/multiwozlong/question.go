package multiwozlong

import (
	"math/rand/v2"
	"slices"
	"strings"

	"recallbench/datasets/internal/multiwoz"
)

// The categories of questions.
const (
	catSettled   = "settled"
	catUpdated   = "updated"
	catEllipsis  = "ellipsis"
	catReference = "reference"
)

// A candidate is a question that could be asked.
type candidate struct {
	category string
	how      how
	kind     string // of the entity, which is the service
	slot     string
	entity   string // its key
	fact     statement
	// evidence are the turns beside the fact's that the answer rests on.
	evidence []place
	// session is the one that settles the answer, from 0.
	session int
	// names are what the entity asked about is called, the one in the question
	// first.
	names []string
	// table holds the sentences, and phrase what stands for {}.
	table  []string
	phrase string
}

// candidates returns the questions that could be asked of a conversation, in the
// order in which their answers are told.
func (v *conversation) candidates() []candidate {
	var all []candidate
	last := v.last()
	for _, r := range v.records() {
		fact, changed, ok := r.newest()
		if !ok {
			continue
		}
		kind := kindOf(r.entity)
		c := candidate{kind: kind, slot: r.slot, entity: r.entity, fact: fact, session: fact.session}
		if c.names, ok = v.names(&c); !ok {
			continue
		}
		byNames := c
		byNames.how, byNames.phrase = byName, c.names[0]
		named := v.alone(r.entity) || kind == "train" || kind == "taxi"
		switch phrase := sentences(phrases, kind, r.slot); {
		case !named:
		case changed && phrase != nil:
			byNames.category, byNames.table = catUpdated, updated
			byNames.phrase = strings.ReplaceAll(phrase[0], "{}", byNames.phrase)
			all = append(all, byNames)
		case !changed:
			byNames.category, byNames.table = catSettled, sentences(settled, kind, r.slot)
			all = append(all, byNames)
		}
		if last[kind] == r.entity && !changed {
			all = append(all, references(c)...)
		}
	}
	all = append(all, v.venueNames()...)
	all = append(all, v.sameAgain()...)
	return slices.DeleteFunc(all, func(c candidate) bool { return len(c.table) == 0 })
}

// references asks about what was mentioned last of its kind by a description and
// by a pronoun.
func references(c candidate) []candidate {
	c.category, c.how = catReference, byNominal
	var all []candidate
	c.table = sentences(settled, c.kind, c.slot)
	for _, d := range descriptions[c.kind] {
		c.phrase = d
		all = append(all, c)
	}
	c.how, c.phrase, c.table = byPronoun, "", pronouns[c.kind+" "+c.slot]
	return append(all, c)
}

// names returns what the entity of a candidate is called, and makes the turn that
// names it evidence where the fact's turn does not.
func (v *conversation) names(c *candidate) ([]string, bool) {
	if c.kind == "train" || c.kind == "taxi" {
		from, _, _ := strings.Cut(c.entity[strings.Index(c.entity, ":")+1:], " > ")
		name := journeyName(c.entity)
		if c.slot == "destination" {
			name = "the " + c.kind + " from " + title(from)
			for _, s := range v.told {
				if s.entity != c.entity && strings.HasPrefix(s.entity, c.kind+":"+from+" > ") {
					return nil, false // from there another goes elsewhere
				}
			}
		}
		return []string{name}, true
	}
	name := v.called(c.entity)
	if name == "" {
		return nil, false
	}
	names := []string{name}
	var near *place
	for i, m := range v.mentions {
		if m.key != c.entity {
			continue
		}
		if m.how == byName {
			if s := v.text(m.session, m.turn)[m.start:m.end]; !slices.Contains(names, s) {
				names = append(names, s)
			}
		}
		if m.how == byName && v.chain[m.session].story == c.fact.story && m.turn <= c.fact.turn {
			near = &v.mentions[i]
		}
	}
	if near == nil {
		return nil, false // only named later: the fact's turn does not say whose it is
	}
	if near.turn != c.fact.turn {
		c.evidence = append(c.evidence, *near)
	}
	return names, true
}

// last returns the entity of each kind that the conversation mentions last; none
// for a kind where the last turn mentions several.
func (v *conversation) last() map[string]string {
	all := make(map[string]string)
	where := make(map[string][2]int)
	note := func(kind, key string, session, turn int) {
		at := [2]int{session, turn}
		if w, ok := where[kind]; ok && w == at && all[kind] != key {
			key = "" // several
		}
		all[kind], where[kind] = key, at
	}
	for _, m := range v.mentions {
		note(m.kind(), m.key, m.session, m.turn)
	}
	// Journeys have no names: the dialogue says which is spoken of.
	for i, p := range v.chain {
		for turn := p.from; turn < p.to; turn++ {
			for _, kind := range []string{"train", "taxi"} {
				if !slices.ContainsFunc(p.Turns[turn].Acts, func(a multiwoz.Act) bool { return strings.HasPrefix(strings.ToLower(a.Name), kind+"-") }) {
					continue
				}
				key := ""
				for _, a := range p.told {
					if kindOf(a.entity) == kind {
						if key != "" && key != a.entity {
							key = ""
							break
						}
						key = a.entity
					}
				}
				note(kind, key, i, turn)
			}
		}
	}
	return all
}

// maxDistance is the largest session distance that is asked for, that of figure 2.
const maxDistance = 10

// A picker chooses questions so that over a split all distances, categories and
// slots come up about equally often.
type picker struct {
	random *rand.Rand
	count  map[string]int // how often a category, a way to mention, a slot was chosen
}

// pick chooses at most n candidates of a conversation: in rounds over the
// distances, one for each in which there is one, the category, then the way to
// mention and the slot that were chosen least so far, drawn among equals. No fact
// is asked for twice.
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
	var chosen []candidate
	for more := true; more; {
		more = false
		for d := 1; d <= maxDistance && len(chosen) < n; d++ {
			if len(at[d]) == 0 {
				continue
			}
			c := slices.MinFunc(at[d], func(a, b candidate) int { return p.rank(a) - p.rank(b) })
			p.count[c.category] += 2
			p.count[string(c.how)]++
			p.count[c.kind+" "+c.slot]++
			chosen = append(chosen, c)
			more = true
			for i := range at {
				at[i] = slices.DeleteFunc(at[i], func(o candidate) bool { return o.entity == c.entity && o.slot == c.slot })
			}
		}
	}
	return chosen
}

// rank is the lower the less was chosen that is like a candidate.
func (p *picker) rank(c candidate) int {
	return p.count[c.category] + p.count[string(c.how)] + p.count[c.kind+" "+c.slot]
}
