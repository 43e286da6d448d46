package dialogrel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/datasets/dialogre"
)

// minSessions is the number of sessions that a sample has at least, so that
// questions reach back ten sessions.
const minSessions = 11

// A builder makes the set of a split.
type builder struct {
	rand  *rand.Rand
	out   *datasets.Split
	split string
}

// build makes a set of the dialogues of a split.
func build(dialogues []dialogre.Dialogue, split string, seed uint64) *datasets.Split {
	b := builder{
		rand:  rand.New(rand.NewPCG(seed, uint64(len(split)))),
		split: split,
		out: &datasets.Split{Name: split, Set: &datasets.Set{Name: "dialogre-l", Version: version, Categories: Categories()}, Counts: map[string]int{
			"dialogues of the source": len(dialogues),
		}},
	}
	order := b.rand.Perm(len(dialogues))
	for len(order) > 0 {
		var scenes []*scene
		speakers, sessions := 0, 0
		for sessions < minSessions && len(order) > 0 {
			k := order[0]
			order = order[1:]
			s, n := newScene(dialogues[k], fmt.Sprintf("%s[%d]", split, k), speakers+1)
			if len(s.turns) == 0 {
				continue
			}
			s.divide(b.rand)
			scenes = append(scenes, s)
			speakers += n
			sessions += len(s.cuts)
		}
		if sessions > 1 {
			b.sample(scenes)
		}
	}
	return b.out
}

// sample makes a sample of scenes, if there is something to ask that only an
// earlier session tells.
func (b *builder) sample(scenes []*scene) {
	s := datasets.Sample{ID: fmt.Sprintf("%s-%02d", b.split, len(b.out.Set.Samples)+1)}
	var built []datasets.BuiltSession
	for i, scene := range scenes {
		scene.replaceNames()
		for k, why := range scene.cuts {
			session := datasets.Session{ID: strconv.Itoa(len(s.Sessions) + 1)}
			for t := range scene.turns {
				turn := &scene.turns[t]
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
			end := string(why)
			gap := 12 + 12*b.rand.IntN(14) // half a day to a week
			if i == len(scenes)-1 && k == len(scene.cuts)-1 {
				end, gap = "end", 0
			}
			s.Sessions = append(s.Sessions, session)
			built = append(built, datasets.BuiltSession{Sample: s.ID, Session: session.ID, Origin: scene.origin, Turns: len(session.Turns), End: end, Gap: gap})
		}
	}
	golds, far := b.ask(&s, scenes), 0
	for _, g := range golds {
		if g.Labels["distance"] != "0" {
			far++
		}
	}
	if far == 0 {
		b.out.Counts["samples left out, as no question needs an earlier session"]++
		return
	}
	for i, g := range golds {
		b.out.Set.SetGold(s.ID, s.Requests[i].ID, g)
	}
	b.out.Set.Samples = append(b.out.Set.Samples, s)
	b.out.Sessions = append(b.out.Sessions, built...)
	b.count(s, scenes, golds)
}

// count adds a sample to the statistics.
func (b *builder) count(s datasets.Sample, scenes []*scene, golds []datasets.Gold) {
	counts := b.out.Counts
	counts["samples"]++
	counts["dialogues"] += len(scenes)
	counts["sessions"] += len(s.Sessions)
	counts["questions"] += len(golds)
	for _, scene := range scenes {
		for _, t := range scene.turns {
			counts["turns"]++
			counts["names replaced"] += len(t.replaced)
		}
	}
	for _, g := range golds {
		counts["questions at distance "+g.Labels["distance"]]++
		if g.Labels["mention"] == replacedMention {
			counts["questions with a replaced name in the evidence"]++
		}
	}
}

// An asked is what is asked once: all facts of one first argument and relation.
type asked struct {
	facts []fact
	turns []*turn // that the facts rest on, in order
}

// ask adds the questions of a sample, in the order of their facts, and returns
// their gold.
func (b *builder) ask(s *datasets.Sample, scenes []*scene) []datasets.Gold {
	var all []*asked
	byKey := make(map[string]*asked)
	for _, scene := range scenes {
		for _, f := range scene.facts {
			if len(f.evidence) == 0 {
				b.out.Counts["facts left out, as no turn tells them"]++
				continue
			}
			if !occurs(scenes, f.answers()) {
				b.out.Counts["facts left out, as nobody says the answer"]++
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
	ids := make(map[string]string)
	for _, a := range all {
		x, q := a.facts[0].x.names[0], questions[a.facts[0].relation]
		text := strings.ReplaceAll(q.wordings[b.rand.IntN(len(q.wordings))], "*", x)
		s.Requests = append(s.Requests, datasets.Request{ID: fmt.Sprintf("q%d", len(s.Requests)+1), Text: text})
		golds = append(golds, a.gold(q.category, text, len(s.Sessions), ids))
	}
	return golds
}

// answers returns the names of y that are right answers: those but x itself,
// where another name of x is asked for.
func (f fact) answers() []string {
	return slices.DeleteFunc(slices.Clone(f.y.names), func(name string) bool { return key(name) == key(f.x.names[0]) })
}

// evidence returns the turns of a fact with what replacing names has taken from
// them: for a turn that had y by a name and has it no more, the last one before
// that has.
func (s *scene) evidence(f fact) []int {
	found := slices.Clone(f.evidence)
	for _, i := range f.evidence {
		lost := slices.ContainsFunc(s.turns[i].replaced, func(r replacement) bool { return slices.Contains(f.y.names, r.name) })
		if !lost || hasAny(s.turns[i].text, f.y.names) {
			continue
		}
		for k := i - 1; k >= 0; k-- {
			if hasAny(s.turns[k].text, f.y.names) {
				found = append(found, k)
				break
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// occurs tells whether some turn of a sample has one of the names, or is said by
// one.
func occurs(scenes []*scene, names []string) bool {
	for _, s := range scenes {
		for _, t := range s.turns {
			if hasAny(t.text, names) || slices.ContainsFunc(names, func(n string) bool { return slices.Contains(t.speakers, n) }) {
				return true
			}
		}
	}
	return false
}

// The values of the label mention.
const (
	namedMention    = "named"
	replacedMention = "replaced" // a name in the evidence is replaced
)

// gold returns the gold of a question whose sample has so many sessions. Entities
// get ids of their names in the sample.
func (a *asked) gold(category, text string, sessions int, ids map[string]string) datasets.Gold {
	newest, mention := 0, namedMention
	var evidence []string
	for _, t := range a.turns {
		newest = max(newest, t.number)
		evidence = append(evidence, t.id)
		if len(t.replaced) > 0 {
			mention = replacedMention
		}
	}
	g := datasets.Gold{
		Category: category,
		Answer:   a.facts[0].y.names[0],
		Evidence: evidence,
		Labels: map[string]string{
			"distance": strconv.Itoa(sessions - newest),
			"relation": a.facts[0].relation,
			"mention":  mention,
		},
	}
	known := map[string]bool{key(g.Answer): true}
	entities := []argument{{}}
	for _, f := range a.facts {
		for _, name := range f.answers() {
			if !known[key(name)] {
				known[key(name)] = true
				g.Variants = append(g.Variants, name)
			}
		}
		entities[0].add(f.x)
		if f.relation == alternateNames {
			entities[0].add(f.y)
		} else if i := slices.IndexFunc(entities, func(e argument) bool { return e.shares(f.y) }); i >= 0 {
			entities[i].add(f.y)
		} else {
			entities = append(entities, argument{names: slices.Clone(f.y.names)})
		}
	}
	taken := make(map[string][]span)
	for _, e := range entities {
		k := key(e.names[0])
		if ids[k] == "" {
			ids[k] = fmt.Sprintf("e%d", len(ids)+1)
		}
		g.Entities = append(g.Entities, datasets.Entity{ID: ids[k], Names: e.names, Mentions: a.mentions(e, text, taken)})
	}
	return g
}

// shares tells whether an argument has a name of another.
func (a argument) shares(o argument) bool {
	return slices.ContainsFunc(a.names, func(name string) bool {
		return slices.ContainsFunc(o.names, func(other string) bool { return key(name) == key(other) })
	})
}

// add gives an argument the names of another.
func (a *argument) add(o argument) {
	for _, name := range o.names {
		if !a.shares(argument{names: []string{name}}) {
			a.names = append(a.names, name)
		}
	}
}

// mentions returns where an entity is mentioned in the evidence and in the
// request: by a name, by what stands for a name, and by I, me and my where the
// entity alone speaks. What is taken by another entity is left out.
func (a *asked) mentions(e argument, text string, taken map[string][]span) []datasets.Mention {
	mentions := []datasets.Mention{}
	add := func(turn string, at span) {
		if !slices.ContainsFunc(taken[turn], func(o span) bool { return o.start < at.end && at.start < o.end }) {
			taken[turn] = append(taken[turn], at)
			mentions = append(mentions, datasets.Mention{Turn: turn, Start: at.start, End: at.end})
		}
	}
	longest := slices.SortedStableFunc(slices.Values(e.names), func(x, y string) int { return len(y) - len(x) })
	for _, t := range a.turns {
		for _, r := range t.replaced {
			if slices.Contains(e.names, r.name) {
				add(t.id, r.span)
			}
		}
		for _, name := range longest {
			for _, at := range occurrences(t.text, name) {
				add(t.id, at)
			}
		}
		if len(t.speakers) == 1 && t.speaks(e) {
			for _, name := range []string{"I", "me", "my", "mine", "myself"} {
				for _, at := range occurrences(t.text, name) {
					add(t.id, at)
				}
			}
		}
	}
	for _, name := range longest {
		for _, at := range occurrences(text, name) {
			add("", at)
		}
	}
	slices.SortStableFunc(mentions, func(m, o datasets.Mention) int {
		if m.Turn != o.Turn {
			return a.place(m.Turn) - a.place(o.Turn)
		}
		return m.Start - o.Start
	})
	return mentions
}

// place orders turns, the request last.
func (a *asked) place(id string) int {
	if i := slices.IndexFunc(a.turns, func(t *turn) bool { return t.id == id }); i >= 0 {
		return i
	}
	return len(a.turns)
}
