package dialogrel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"recallbench/datasets"
	"recallbench/datasets/jsonl"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// releaseOf reads a split of the release.
func releaseOf(tb testing.TB, split string) []dialogue {
	tb.Helper()
	return try.Get(readSource(tb.Context(), filepath.Join(realdata.Datasets(tb), "dialogre", split+".json")))(tb)
}

// wordsOf returns the words of a text between spaces, so that one text has another
// as whole words if its words have the other's: not as the set was built.
func wordsOf(text string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.N, unicode.M)
	}), " ") + " "
}

// TestRelease checks on the built data what appendix A.3 and the package say.
func TestRelease(t *testing.T) {
	for _, split := range []string{"dev", "test"} {
		t.Run(split, func(t *testing.T) {
			dialogues := releaseOf(t, split)
			set, scenes := build(dialogues, split, 1)
			asked, distant, replaced := 0, 0, 0
			used := make(map[string]bool)
			for i, s := range try.All(t, set.All(t.Context())) {
				if len(s.Sessions) < minSessions && i < len(set.Entries)-1 {
					t.Errorf("sample %s has %d sessions, want at least %d", s.ID, len(s.Sessions), minSessions)
				}
				history := newHistory(s)
				for k, scene := range scenes[i] {
					if used[scene.origin] {
						t.Errorf("%s is in two places", scene.origin)
					}
					used[scene.origin] = true
					var n int
					try.Get(fmt.Sscanf(scene.origin, split+"[%d]", &n))(t)
					checkScene(t, history, scenes[i][k], dialogues[n])
				}
				needs := false
				for _, r := range s.Requests {
					g, _ := set.Gold(s.ID, r.ID)
					history.check(t, r, g)
					asked++
					needs = needs || g.Labels["distance"] != "0"
					if g.Labels["distance"] == "10" {
						distant++
					}
					if g.Labels["names"] == replacedNames {
						replaced++
					}
				}
				if !needs {
					t.Errorf("sample %s: no question needs an earlier session", s.ID)
				}
			}
			if asked < 1000 || distant < 50 || replaced == 0 || len(used) != len(dialogues) {
				t.Errorf("%d questions, %d at distance 10, %d with a replaced name in the evidence, %d of %d dialogues", asked, distant, replaced, len(used), len(dialogues))
			}
		})
	}
}

// checkScene checks where a dialogue was cut, that its turns differ from the source in
// replaced names alone, and that an earlier session had each of these.
func checkScene(t *testing.T, h history, s *scene, source dialogue) {
	t.Helper()
	said := slices.DeleteFunc(slices.Clone(source.turns), func(t turn) bool { return t.text == "" })
	sizes := make([]int, s.sessions)
	before := make([]string, s.sessions+1) // what the sessions before one say
	for i, turn := range s.turns {
		sizes[turn.session]++
		if h.text[turn.id] != turn.text || h.number[turn.id] != turn.number {
			t.Errorf("%s: turn %s is %q, want %q", s.origin, turn.id, h.text[turn.id], turn.text)
		}
		text := turn.text
		for _, r := range slices.Backward(turn.replaced) {
			text = text[:r.start] + r.name + text[r.end:]
			if !strings.Contains(before[turn.session], r.name) {
				t.Errorf("%s: %q has lost %q, which no earlier session has", s.origin, text, r.name)
			}
		}
		if text != said[i].text {
			t.Errorf("%s: %q was made of %q", s.origin, turn.text, said[i].text)
		}
		for k := turn.session + 1; k <= s.sessions; k++ {
			before[k] += text + "\n"
		}
	}
	for k, size := range sizes {
		if size > maxTurns || k < len(sizes)-1 && size < minTurns {
			t.Errorf("%s: session %d of %d has %d turns", s.origin, k+1, len(sizes), size)
		}
	}
}

// A history is a sample as its questions are checked against it.
type history struct {
	datasets.Sample
	all    string            // that is said, with the speakers
	number map[string]int    // of the session of a turn
	text   map[string]string // of a turn
}

func newHistory(s datasets.Sample) history {
	h := history{s, "", make(map[string]int), make(map[string]string)}
	var all strings.Builder
	for i, session := range s.Sessions {
		for _, turn := range session.Turns {
			all.WriteString(turn.Speaker + "\n" + turn.Text + "\n")
			h.number[turn.ID], h.text[turn.ID] = i+1, turn.Text
		}
	}
	h.all = wordsOf(all.String())
	return h
}

// check checks a question.
func (h history) check(t *testing.T, r datasets.Request, g datasets.Gold) {
	t.Helper()
	accepted := append([]string{g.Answer}, g.Variants...)
	if !slices.ContainsFunc(accepted, func(name string) bool { return strings.Contains(h.all, wordsOf(name)) }) {
		t.Errorf("%s %s: %q is never said", h.ID, r.ID, accepted)
	}
	relation := g.Labels["relation"]
	if relation == alternateNames && slices.Contains(accepted, g.Entities[0].Names[0]) {
		t.Errorf("%s %s: %q has one of the answers %q", h.ID, r.ID, r.Text, accepted)
	}
	h.text[""] = r.Text
	newest := 0
	for _, id := range g.Evidence {
		newest = max(newest, h.number[id])
	}
	if newest == 0 || g.Labels["distance"] != strconv.Itoa(len(h.Sessions)-newest) {
		t.Errorf("%s %s: evidence %v at distance %s", h.ID, r.ID, g.Evidence, g.Labels["distance"])
	}
	if questions[relation].category != g.Category {
		t.Errorf("%s %s: relation %q of category %s", h.ID, r.ID, relation, g.Category)
	}
	if len(g.Entities) == 0 || relation == alternateNames && len(g.Entities) > 1 {
		t.Errorf("%s %s: entities %v", h.ID, r.ID, g.Entities)
	}
	inRequest := false
	for _, e := range g.Entities {
		for _, m := range e.Mentions {
			what, ok := h.text[m.Turn]
			if !ok || m.Start < 0 || m.End <= m.Start || m.End > len(what) || m.Turn != "" && !slices.Contains(g.Evidence, m.Turn) {
				t.Errorf("%s %s: mention %+v", h.ID, r.ID, m)
				continue
			}
			phrase := what[m.Start:m.End]
			named := slices.ContainsFunc(e.Names, func(name string) bool { return key(name) == key(phrase) })
			if !named && !stands[strings.ToLower(phrase)] && !strings.HasPrefix(strings.ToLower(phrase), "my ") {
				t.Errorf("%s %s: %q mentions %q", h.ID, r.ID, phrase, e.Names)
			}
			inRequest = inRequest || m.Turn == ""
		}
	}
	if !inRequest {
		t.Errorf("%s %s: %q mentions no entity", h.ID, r.ID, r.Text)
	}
}

// stands are what can stand for a name.
var stands = map[string]bool{
	"i": true, "me": true, "my": true, "mine": true, "myself": true, "he": true, "him": true, "she": true, "her": true,
	"that man": true, "that woman": true, "that person": true, "that place": true, "that organization": true,
}

// TestSeed builds again, with the same seed and with another.
func TestSeed(t *testing.T) {
	longtest.Skip(t)
	lines := func(seed uint64) string {
		var out bytes.Buffer
		set, _ := build(releaseOf(t, "dev"), "dev", seed)
		try.Do(t, jsonl.Write(t.Context(), &out, set))
		return out.String()
	}
	if first := lines(1); first != lines(1) || first == lines(2) {
		t.Error("the same seed gives another set, or another seed the same")
	}
}

// TestSourceCounts compares the release with the counts that its description gives.
func TestSourceCounts(t *testing.T) {
	var want struct {
		Splits map[string]struct {
			Dialogues, Turns int
			Pairs            int            `json:"argument_pairs"`
			Triggers         int            `json:"labels_with_trigger"`
			Relations        map[string]int `json:"by_relation"`
		}
	}
	try.Do(t, json.Unmarshal(try.Get(os.ReadFile(filepath.Join(realdata.Datasets(t), "dialogre", "expected_stats.json")))(t), &want))
	for _, split := range []string{"dev", "test"} {
		got, w := want.Splits[split], want.Splits[split]
		got.Dialogues, got.Turns, got.Pairs, got.Triggers, got.Relations = 0, 0, 0, 0, make(map[string]int)
		for _, d := range releaseOf(t, split) {
			got.Dialogues, got.Turns, got.Pairs = got.Dialogues+1, got.Turns+len(d.turns), got.Pairs+len(d.pairs)
			for _, p := range d.pairs {
				for i, name := range p.Relations {
					got.Relations[name]++
					if p.Triggers[i] != "" {
						got.Triggers++
					}
				}
			}
		}
		try.Equal(t, split, w, got)
	}
}
