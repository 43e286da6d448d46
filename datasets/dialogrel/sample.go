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
	rand   *rand.Rand
	set    *datasets.Set
	scenes [][]*scene // of each sample
	split  string
}

// build makes a set of the dialogues of a split, and returns the scenes of its samples.
func build(dialogues []dialogre.Dialogue, split string, seed uint64) (*datasets.Set, [][]*scene) {
	b := builder{
		rand:  rand.New(rand.NewPCG(seed, uint64(len(split)))),
		split: split,
		set:   &datasets.Set{Name: dataset, Categories: Categories()},
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
	return b.set, b.scenes
}

// sample makes a sample of scenes, if there is something to ask that only an
// earlier session tells.
func (b *builder) sample(scenes []*scene) {
	s := datasets.Sample{ID: fmt.Sprintf("%s-%02d", b.split, len(b.set.Entries)+1)}
	for _, scene := range scenes {
		scene.replaceNames()
		for k := range scene.cuts {
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
			b.rand.IntN(14) // the time until the next session, which nobody is shown: without, the data would be another
			s.Sessions = append(s.Sessions, session)
		}
	}
	golds := b.ask(&s, scenes)
	if !slices.ContainsFunc(golds, func(g datasets.Gold) bool { return g.Labels["distance"] != "0" }) {
		return
	}
	for i, g := range golds {
		b.set.SetGold(s.ID, s.Requests[i].ID, g)
	}
	b.set.Fill(s)
	b.scenes = append(b.scenes, scenes)
}
