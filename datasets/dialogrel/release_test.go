package dialogrel

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/datasets/internal/dialogre"
	"recallbench/datasets/jsonl"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// release is the folder of the release, where it is found.
var release string

// A part is a split of the release as it was built, and how its sessions came about.
type part struct {
	Name                string
	Set                 *datasets.Set
	Sessions            []cutSession
	dialogues, replaced int
}

// A cutSession says where a session is from, and whether its dialogue ends with it.
type cutSession struct {
	Sample, Session, Origin string
	Ends                    bool
	Turns                   int
}

// assemble builds a split of the release.
func assemble(tb testing.TB, name string, seed uint64) part {
	tb.Helper()
	dialogues, err := dialogre.Read(tb.Context(), filepath.Join(release, name+".json"))
	try.Do(tb, err)
	p := part{Name: name, dialogues: len(dialogues)}
	set, all := build(dialogues, name, seed)
	try.Do(tb, jsonl.Fingerprint(tb.Context(), set))
	p.Set = set
	for i, scenes := range all {
		id := 0
		for _, s := range scenes {
			for _, t := range s.turns {
				p.replaced += len(t.replaced)
			}
			for k := range s.sessions {
				id++
				turns := 0
				for _, t := range s.turns {
					if t.session == k {
						turns++
					}
				}
				p.Sessions = append(p.Sessions, cutSession{set.Entries[i].ID, strconv.Itoa(id), s.origin, k == s.sessions-1, turns})
			}
		}
	}
	return p
}

// built is the release built with seed 1, once.
var built struct {
	sync.Once
	parts []part
}

func releaseBuild(tb testing.TB) []part {
	tb.Helper()
	release = filepath.Join(realdata.Datasets(tb), "dialogre")
	built.Do(func() { built.parts = []part{assemble(tb, "dev", 1), assemble(tb, "test", 1)} })
	if len(built.parts) == 0 {
		tb.Fatal("the release was not built")
	}
	return built.parts
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
	for _, split := range releaseBuild(t) {
		t.Run(split.Name, func(t *testing.T) {
			checkSessions(t, split)
			asked, distant, replaced := 0, 0, 0
			for _, s := range try.All(t, split.Set.All(t.Context())) {
				needs := false
				history := newHistory(s)
				for _, r := range s.Requests {
					g, _ := split.Set.Gold(s.ID, r.ID)
					history.check(t, r, g)
					asked++
					if g.Labels["distance"] != "0" {
						needs = true
					}
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
			if asked < 1000 || distant < 50 || replaced == 0 {
				t.Errorf("%d questions, %d at distance 10, %d with a replaced name in the evidence", asked, distant, replaced)
			}
		})
	}
}

// checkSessions checks the boundaries.
func checkSessions(t *testing.T, split part) {
	t.Helper()
	next := 0
	dialogues := make(map[string]bool)
	for k, s := range try.All(t, split.Set.All(t.Context())) {
		if len(s.Sessions) < minSessions && k < len(try.All(t, split.Set.All(t.Context())))-1 {
			t.Errorf("sample %s has %d sessions, want at least %d", s.ID, len(s.Sessions), minSessions)
		}
		origin := ""
		for i, session := range s.Sessions {
			if next == len(split.Sessions) {
				t.Fatal("sessions of the build end too early")
			}
			how := split.Sessions[next]
			next++
			if how.Sample != s.ID || how.Session != session.ID || how.Turns != len(session.Turns) {
				t.Fatalf("session %s of %s is %+v", session.ID, s.ID, how)
			}
			if how.Origin != origin && dialogues[how.Origin] {
				t.Errorf("%s is in two places", how.Origin)
			}
			origin = how.Origin
			dialogues[origin] = true
			if !how.Ends && (len(session.Turns) < minTurns || how.Origin != split.Sessions[next].Origin) {
				t.Errorf("%+v is cut within a dialogue", how)
			}
			if len(session.Turns) > maxTurns || i == len(s.Sessions)-1 && !how.Ends {
				t.Errorf("%+v", how)
			}
			if !session.Time.IsZero() || slices.ContainsFunc(session.Turns, func(t datasets.Turn) bool { return !t.Time.IsZero() }) {
				t.Errorf("%+v tells methods of time", how)
			}
			if !strings.HasPrefix(how.Origin, split.Name+"[") {
				t.Errorf("%+v is of another split", how)
			}
		}
	}
	if next != len(split.Sessions) {
		t.Errorf("%d sessions told of, %d built", len(split.Sessions), next)
	}
	if got := len(dialogues); got != split.dialogues {
		t.Errorf("%d dialogues are used of %d", got, split.dialogues)
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
	if relation == dialogre.Unanswerable || questions[relation].category != g.Category {
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

// TestReplacedNames checks that turns differ from the source in replaced names
// alone, that each had been said in an earlier session of its dialogue, and that
// cuts are at the best places.
func TestReplacedNames(t *testing.T) {
	for _, split := range releaseBuild(t) {
		dialogues, err := dialogre.Read(t.Context(), filepath.Join(release, split.Name+".json"))
		try.Do(t, err)
		before := make(map[string]string) // what earlier sessions of a dialogue say
		at := make(map[string]int)
		replaced, next := 0, 0
		for _, s := range try.All(t, split.Set.All(t.Context())) {
			for _, session := range s.Sessions {
				origin := split.Sessions[next].Origin
				next++
				k := try.Get(strconv.Atoi(strings.Trim(strings.TrimPrefix(origin, split.Name), "[]")))(t)
				var now strings.Builder
				for _, turn := range session.Turns {
					for dialogues[k].Turns[at[origin]].Text == "" {
						at[origin]++
					}
					old := dialogues[k].Turns[at[origin]].Text
					at[origin]++
					now.WriteString(old + "\n")
					if old == turn.Text {
						continue
					}
					for _, name := range lost(old, turn.Text) {
						replaced++
						if !strings.Contains(before[origin], name) {
							t.Errorf("%s: %q has lost %q, which no earlier session has", origin, old, name)
						}
					}
				}
				before[origin] += now.String()
			}
		}
		if replaced == 0 || replaced != split.replaced {
			t.Errorf("%s: %d names are replaced, %d counted", split.Name, replaced, split.replaced)
		}
	}
}

// lost returns the runs of words of a text that another has others for.
func lost(old, text string) (names []string) {
	a, b := strings.Split(old, " "), strings.Split(text, " ")
	for len(a) > 0 && len(b) > 0 {
		if a[0] == b[0] {
			a, b = a[1:], b[1:]
			continue
		}
		// The shortest pair of runs behind which both go on alike.
		n, m := len(a), len(b)
		for i := 1; i <= min(len(a), 4); i++ {
			for j := 1; j <= min(len(b), 4); j++ {
				if i+j < n+m && (slices.Equal(a[i:], b[j:]) || i < len(a) && j < len(b) && a[i] == b[j]) {
					n, m = i, j
				}
			}
		}
		name := strings.Join(a[:n], " ")
		name = strings.TrimRight(name, ".!?,…—–")
		for _, end := range []string{"'s", "’s"} {
			name = strings.TrimSuffix(name, end)
		}
		if cut := strings.IndexAny(name, "—–,"); cut > 0 {
			name = name[:cut]
		}
		names = append(names, name)
		a, b = a[n:], b[m:]
	}
	return names
}

// TestSeed builds again, with the same seed and with another.
func TestSeed(t *testing.T) {
	longtest.Skip(t)
	lines := func(s part) string {
		var out bytes.Buffer
		try.Do(t, jsonl.Write(t.Context(), &out, s.Set))
		return out.String()
	}
	first, again, other := releaseBuild(t)[0], assemble(t, "dev", 1), assemble(t, "dev", 2)
	if lines(first) != lines(again) || !cmp.Equal(first.Sessions, again.Sessions) {
		t.Error("the same seed gives another set")
	}
	if lines(first) == lines(other) {
		t.Error("another seed gives the same set")
	}
}
