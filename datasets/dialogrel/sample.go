package dialogrel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/datasets/internal/dialogre"
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
		out: &datasets.Split{Name: split, Set: &datasets.Set{Name: dataset, Categories: Categories()}, Counts: map[string]int{
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
	s := datasets.Sample{ID: fmt.Sprintf("%s-%02d", b.split, len(b.out.Set.Entries)+1)}
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
	b.out.Set.Fill(s)
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
		if g.Labels["names"] == replacedNames {
			counts["questions with a replaced name in the evidence"]++
		}
	}
}
