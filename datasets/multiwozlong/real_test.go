package multiwozlong

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"recallbench/datasets"
	"recallbench/datasets/jsonl"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// A part is a split as it was built of the real source with the default options.
type part struct {
	set           *datasets.Set
	conversations []*conversation
}

// parts are those built so far: the source is read once for all tests.
var parts = make(map[string]part)

func realBuild(t *testing.T, split string) part {
	t.Helper()
	if _, ok := parts[split]; !ok {
		o := defaults
		o.Split = Part(split)
		set, conversations, err := build(t.Context(), realSource(t, split), o)
		try.Do(t, err)
		parts[split] = part{set, conversations}
	}
	return parts[split]
}

func realSource(t *testing.T, split string) *source {
	t.Helper()
	return try.Get(readSource(t.Context(), filepath.Join(realdata.Datasets(t), "multiwoz"), split))(t)
}

// A view is a sample with what the tests need of it at hand.
type view struct {
	datasets.Sample
	session map[string]int // of a turn, from 0
	text    map[string]string
}

func viewOf(s datasets.Sample) view {
	v := view{Sample: s, session: make(map[string]int), text: make(map[string]string)}
	for i, session := range s.Sessions {
		for _, turn := range session.Turns {
			v.session[turn.ID], v.text[turn.ID] = i, turn.Text
		}
	}
	return v
}

// TestConstraints checks what appendix A.2 and the project's specification ask of
// the data, on what is built of the real source.
func TestConstraints(t *testing.T) {
	origins := make(map[string]string) // the split of each dialogue used
	for _, name := range []string{"dev", "test"}[:longtest.N(1, 2)] {
		split := realBuild(t, name)
		count := make(map[string]int)
		for _, s := range try.All(t, split.set.All(t.Context())) {
			v := viewOf(s)
			if len(s.Sessions) < maxDistance+1 {
				t.Errorf("%s has %d sessions", s.ID, len(s.Sessions))
			}
			hidden(t, v)
			for _, r := range s.Requests {
				g, _ := split.set.Gold(s.ID, r.ID)
				checkGold(t, v, r, g)
				count["questions"]++
				for label, value := range g.Labels {
					count[label+" "+value]++
				}
				count[g.Category]++
			}
		}
		if name == "test" && count["questions"] < 1000 {
			t.Errorf("test has %d questions, want 1,000", count["questions"])
		}
		// About as many of each distance: none has less than half of the mean.
		for d := 1; d <= maxDistance; d++ {
			if n := count["distance "+strconv.Itoa(d)]; n*2*maxDistance < count["questions"] {
				t.Errorf("%s: distance %d has %d of %d questions", name, d, n, count["questions"])
			}
		}
		for _, kind := range []string{"mention name", "mention nominal", "mention pronoun", "mention ellipsis", catUpdated, catSettled, catReference, catEllipsis} {
			if count[kind] < 50 {
				t.Errorf("%s: %d questions of %s, want 50", name, count[kind], kind)
			}
		}
		for _, v := range split.conversations {
			for _, p := range v.sessions {
				if other, ok := origins[p.id]; ok && other != v.id {
					t.Errorf("dialogue %s is used in %s and in %s", p.id, other, v.id)
				}
				origins[p.id] = v.id
			}
		}
		boundaries(t, name, split)
	}
}

// hidden checks that nothing tells methods of the gaps.
func hidden(t *testing.T, v view) {
	t.Helper()
	for _, s := range v.Sessions {
		if !s.Time.IsZero() {
			t.Errorf("%s %s has a time", v.ID, s.ID)
		}
		for _, turn := range s.Turns {
			if !turn.Time.IsZero() || strings.Contains(strings.ToLower(turn.Text), "gap=") {
				t.Errorf("%s %s tells of time: %v, %q", v.ID, turn.ID, turn.Time, turn.Text)
			}
		}
	}
}

// boundaries checks that each session has something of the one before it, by the
// mentions that the builder found, and that it closes a booking or a goal or
// used up its turns.
func boundaries(t *testing.T, name string, split part) {
	t.Helper()
	back := make(map[how]int) // the ways in which something came back
	for _, v := range split.conversations {
		for i, p := range v.sessions {
			if !p.closes[p.to-1] && p.to-p.from < minBudget && p.to != len(p.turns) {
				t.Errorf("%s %s: %d turns of %s", v.id, sessionID(i), p.to-p.from, p.id)
			}
			if i == 0 {
				continue
			}
			in, found := v.sessions[i-1].keys(), false
			for _, m := range v.mentions {
				if m.session == i && in[m.key] {
					found = true
					back[m.how]++
				}
			}
			if !found {
				t.Errorf("%s %s has nothing of the session before it", v.id, sessionID(i))
			}
		}
	}
	for _, h := range []how{byName, byNominal, byPronoun} {
		if back[h] == 0 {
			t.Errorf("%s: no entity comes back by %s", name, h)
		}
	}
}

// checkGold checks that an answer is told in an earlier session, where the
// evidence says, and that its label says how far back.
func checkGold(t *testing.T, v view, r datasets.Request, g datasets.Gold) {
	t.Helper()
	at := v.ID + " " + r.ID
	newest, told := -1, false
	answers := append([]string{g.Answer}, g.Variants...)
	for _, id := range g.Evidence {
		newest = max(newest, v.session[id])
		told = told || slices.ContainsFunc(answers, func(a string) bool { return said(v.text[id], a) })
	}
	if !told {
		t.Errorf("%s: none of %q is in the evidence %v", at, answers, g.Evidence)
	}
	distance := len(v.Sessions) - 1 - newest
	if got := g.Labels["distance"]; got != strconv.Itoa(distance) || distance < 1 || distance > maxDistance {
		t.Errorf("%s: distance %s, and the newest evidence is %d sessions back", at, got, distance)
	}
	if strings.ContainsAny(r.Text, "[]{}") {
		t.Errorf("%s: %q is not filled", at, r.Text)
	}
	asked, inEvidence := false, false
	for _, e := range g.Entities {
		for _, m := range e.Mentions {
			text := r.Text
			if m.Turn != "" {
				text = v.text[m.Turn]
				inEvidence = true
				if !slices.Contains(g.Evidence, m.Turn) {
					t.Errorf("%s: %s is mentioned in %s, which is no evidence", at, e.ID, m.Turn)
				}
			} else {
				asked = true
			}
			if m.Start >= m.End || m.End > len(text) {
				t.Errorf("%s: %s is mentioned at %d to %d of %q", at, e.ID, m.Start, m.End, text)
			}
		}
	}
	if !inEvidence || !asked && g.Labels["slot"] != "name" {
		t.Errorf("%s: mentions lack: %+v", at, g.Entities)
	}
}

// said tells whether a text has an answer in whole words.
func said(text, answer string) bool {
	if _, ok := find(words(text), norm(answer)); ok {
		return true
	}
	for _, c := range clocks(text) {
		if c.same(answer) {
			return true
		}
	}
	return false
}

// TestSeeds builds of a part of the source twice with one seed and once with
// another.
func TestSeeds(t *testing.T) {
	longtest.Skip(t)
	src := realSource(t, "test")
	src.dialogues = src.dialogues[:300]
	written := func(seed uint64) (text, sum string) {
		t.Helper()
		o := defaults
		o.Seed = seed
		set, _, err := build(t.Context(), src, o)
		try.Do(t, err)
		var b bytes.Buffer
		try.Do(t, jsonl.Write(t.Context(), &b, set))
		return b.String(), set.SHA256
	}
	text, sum := written(7)
	if again, same := written(7); text != again || sum != same {
		t.Error("the same seed builds another dataset")
	}
	if again, other := written(8); text == again || sum == other {
		t.Error("another seed builds the same dataset")
	}
}

// TestUnambiguous checks, by the final states of the source and not by what the
// builder reads out of them, that no dialogue of a sample gives what was booked at
// a venue another value than the answer: no later one where a value was changed,
// none at all where it was not.
func TestUnambiguous(t *testing.T) {
	checked := map[string]int{}
	for _, name := range []string{"dev", "test"}[:longtest.N(1, 2)] {
		split := realBuild(t, name)
		origins := make(map[string]*story)
		for _, v := range split.conversations {
			for i, p := range v.sessions {
				origins[v.id+" "+sessionID(i)] = p.story
			}
		}
		for _, s := range try.All(t, split.set.All(t.Context())) {
			v := viewOf(s)
			for _, r := range s.Requests {
				g, _ := split.set.Gold(s.ID, r.ID)
				slot, service := g.Labels["slot"], g.Labels["service"]
				if service == "train" && (slot == "leaveat" || slot == "arriveby" || slot == "trainid") {
					checked["train"] += otherTrains(t, v, r, g, origins)
				}
				if !strings.HasPrefix(slot, "book") || service == "train" || g.Category == catEllipsis {
					continue
				}
				from := 0
				if g.Category == catUpdated {
					from = v.session[g.Evidence[len(g.Evidence)-1]]
				}
				for _, session := range s.Sessions[from:] {
					state := final(origins[s.ID+" "+session.ID], service)
					names, values := state.value("name"), state.value(slot)
					if len(names) == 0 || len(values) == 0 || service+":"+strings.TrimPrefix(norm(names[0]), "the ") != g.Entities[0].ID {
						continue
					}
					checked[g.Category]++
					if value, _ := classes[slot].canonical(values[0]); value != g.Answer {
						t.Errorf("%s %s: %q is answered %s, and %s ends with %s", s.ID, r.ID, r.Text, g.Answer, origins[s.ID+" "+session.ID].id, values)
					}
				}
			}
		}
	}
	for _, category := range []string{catSettled, catUpdated, catReference, "train"} {
		if checked[category] < 5 {
			t.Errorf("%s: %d answers were checked, want 5", category, checked[category])
		}
	}
}

// otherTrains checks that no other dialogue of the sample tells of a train of the
// same way with another value, and returns how many go the same way.
func otherTrains(t *testing.T, v view, r datasets.Request, g datasets.Gold, origins map[string]*story) int {
	t.Helper()
	own := origins[v.ID+" "+v.Sessions[v.session[g.Evidence[0]]].ID]
	seen := map[*story]bool{own: true}
	same := 0
	slot := g.Labels["slot"]
	for _, session := range v.Sessions {
		s := origins[v.ID+" "+session.ID]
		state := final(s, "train")
		from, to := state.value("departure"), state.value("destination")
		if seen[s] || len(from) == 0 || len(to) == 0 || "train:"+norm(from[0])+" > "+norm(to[0]) != g.Entities[0].ID {
			continue
		}
		seen[s] = true
		same++
		for _, turn := range s.turns {
			for _, a := range turn.acts {
				if value, ok := classes[slot].canonical(a.value); ok && !turn.user && a.service == "train" && a.slot == slot && value != g.Entities[1].ID[strings.Index(g.Entities[1].ID, ":")+1:] {
					t.Errorf("%s %s: %q is answered %s, and %s tells of %s", v.ID, r.ID, r.Text, g.Answer, s.id, a.value)
				}
			}
		}
	}
	return same
}

// final returns the last state of a service.
func final(s *story, service string) *state {
	for _, turn := range slices.Backward(s.turns) {
		if turn.user {
			return turn.state(service)
		}
	}
	return nil
}
