package dialogrel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
)

// minSessions is the least number of sessions of a conversation, so that
// questions reach back ten sessions.
const minSessions = 11

// The values of the label names: whether names in the evidence are replaced.
const (
	keptNames     = "kept"
	replacedNames = "replaced"
)

// A sampler makes a conversation of scenes.
type sampler struct {
	rand   *rand.Rand
	scenes []*scene
	sample datasets.Sample
	ids    map[string]string // of entities, by the key of their name
}

// build makes a set of the dialogues of a split, and returns the scenes of its
// conversations.
func build(dialogues []dialogue, split string, seed uint64) (*datasets.Set, [][]*scene) {
	set := &datasets.Set{Name: dataset, Categories: Categories()}
	random := rand.New(rand.NewPCG(seed, uint64(len(split))))
	var all [][]*scene
	for order := random.Perm(len(dialogues)); len(order) > 0; {
		b := sampler{rand: random, sample: datasets.Sample{ID: fmt.Sprintf("%s-%02d", split, len(set.Entries)+1)}, ids: make(map[string]string)}
		speakers, sessions := 0, 0
		for sessions < minSessions && len(order) > 0 {
			s, n := newScene(dialogues[order[0]], fmt.Sprintf("%s[%d]", split, order[0]), speakers+1)
			order = order[1:]
			if len(s.turns) > 0 {
				s.divide(random)
				b.scenes, speakers, sessions = append(b.scenes, s), speakers+n, sessions+s.sessions
			}
		}
		if sessions < 2 {
			continue
		}
		b.history()
		// At least one question must need an earlier session.
		golds := b.ask()
		if !slices.ContainsFunc(golds, func(g datasets.Gold) bool { return g.Labels["distance"] != "0" }) {
			continue
		}
		for i, r := range b.sample.Requests {
			set.SetGold(b.sample.ID, r.ID, golds[i])
		}
		set.Fill(b.sample)
		all = append(all, b.scenes)
	}
	return set, all
}

// history adds the sessions of the scenes to the conversation.
func (b *sampler) history() {
	s := &b.sample
	for _, scene := range b.scenes {
		scene.replaceNames()
		for k := range scene.sessions {
			session := datasets.Session{ID: strconv.Itoa(len(s.Sessions) + 1)}
			for i := range scene.turns {
				turn := &scene.turns[i]
				if turn.session != k {
					continue
				}
				turn.number, turn.id = len(s.Sessions)+1, fmt.Sprintf("%s:%d", session.ID, len(session.Turns)+1)
				speaker := strings.Join(turn.speakers, ", ")
				if !slices.Contains(s.Speakers, speaker) {
					s.Speakers = append(s.Speakers, speaker)
				}
				session.Turns = append(session.Turns, datasets.Turn{ID: turn.id, Speaker: speaker, Text: turn.text})
			}
			b.rand.IntN(14) // the time until the next session; not shown, but drawing it keeps the data the same
			s.Sessions = append(s.Sessions, session)
		}
	}
}

// An asked is a question's subject: all facts of one first argument and relation.
type asked struct {
	facts []fact
	turns []*turn // that support the facts, in order
}

// ask adds the questions of the conversation, in the order of their facts, and
// returns their gold answers.
func (b *sampler) ask() []datasets.Gold {
	var all []*asked
	byKey := make(map[string]*asked)
	for _, scene := range b.scenes {
		for _, f := range scene.facts {
			if len(f.evidence) == 0 || !b.occurs(argument{names: f.answers()}) {
				continue
			}
			k := f.relation + " " + key(f.x.names[0])
			if byKey[k] == nil {
				byKey[k] = &asked{}
				all = append(all, byKey[k])
			}
			a := byKey[k]
			a.facts = append(a.facts, f)
			for _, i := range scene.evidence(f) {
				if t := &scene.turns[i]; !slices.Contains(a.turns, t) {
					a.turns = append(a.turns, t)
				}
			}
		}
	}
	var golds []datasets.Gold
	for _, a := range all {
		x, q := a.facts[0].x.names[0], questions[a.facts[0].relation]
		text := strings.ReplaceAll(q.wordings[b.rand.IntN(len(q.wordings))], "*", x)
		b.sample.Requests = append(b.sample.Requests, datasets.Request{ID: fmt.Sprintf("q%d", len(golds)+1), Text: text})
		golds = append(golds, b.gold(a, q.category, text))
	}
	return golds
}

// occurs reports whether some turn of the conversation has one of the names, or is
// said by that person.
func (b *sampler) occurs(a argument) bool {
	return slices.ContainsFunc(b.scenes, func(s *scene) bool {
		return slices.ContainsFunc(s.turns, func(t turn) bool { return t.has(a.names...) || t.speaks(a) })
	})
}

// gold returns the gold of a question.
func (b *sampler) gold(a *asked, category, text string) datasets.Gold {
	newest, names := 0, keptNames
	g := datasets.Gold{Category: category, Answer: a.facts[0].answers()[0]}
	for _, t := range a.turns {
		newest = max(newest, t.number)
		g.Evidence = append(g.Evidence, t.id)
		if len(t.replaced) > 0 {
			names = replacedNames
		}
	}
	g.Labels = map[string]string{
		"distance": strconv.Itoa(len(b.sample.Sessions) - newest),
		"relation": a.facts[0].relation,
		"names":    names,
	}
	accepted := argument{names: []string{g.Answer}}
	entities := []argument{{}}
	for _, f := range a.facts {
		accepted = accepted.with(argument{names: f.answers()})
		entities[0] = entities[0].with(f.x)
		if f.relation == alternateNames {
			entities[0] = entities[0].with(f.y)
		} else if i := slices.IndexFunc(entities, func(e argument) bool { return e.shares(f.y) }); i >= 0 {
			entities[i] = entities[i].with(f.y)
		} else {
			entities = append(entities, f.y)
		}
	}
	if len(accepted.names) > 1 {
		g.Variants = accepted.names[1:]
	}
	taken := make(map[string][]span)
	for _, e := range entities {
		k := key(e.names[0])
		if b.ids[k] == "" {
			b.ids[k] = fmt.Sprintf("e%d", len(b.ids)+1)
		}
		g.Entities = append(g.Entities, datasets.Entity{ID: b.ids[k], Names: e.names, Mentions: a.mentions(e, text, taken)})
	}
	return g
}

// mentions returns where an entity is mentioned in the evidence and in the
// question: by a name, by what replaces a name, and by I, me and my if only the
// entity speaks. Places taken by another entity are left out.
func (a *asked) mentions(e argument, text string, taken map[string][]span) []datasets.Mention {
	mentions := []datasets.Mention{}
	add := func(turn, text string, places []span, names []string) {
		from := len(mentions)
		for _, name := range names {
			places = append(places, occurrences(text, name)...)
		}
		for _, at := range places {
			if !slices.ContainsFunc(taken[turn], at.overlaps) {
				taken[turn] = append(taken[turn], at)
				mentions = append(mentions, datasets.Mention{Turn: turn, Start: at.start, End: at.end})
			}
		}
		slices.SortStableFunc(mentions[from:], func(m, o datasets.Mention) int { return m.Start - o.Start })
	}
	longest := slices.SortedStableFunc(slices.Values(e.names), func(x, y string) int { return len(y) - len(x) })
	for _, t := range a.turns {
		var places []span
		for _, r := range t.replaced {
			if slices.Contains(e.names, r.name) {
				places = append(places, r.span)
			}
		}
		names := longest
		if len(t.speakers) == 1 && t.speaks(e) {
			names = slices.Concat(longest, []string{"I", "me", "my", "mine", "myself"})
		}
		add(t.id, t.text, places, names)
	}
	add("", text, nil, longest)
	return mentions
}
