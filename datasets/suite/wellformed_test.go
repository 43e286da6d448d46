package suite_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/internal/testkit/try"
)

// A wants reports, with a format, what does not hold.
type wants func(holds bool, format string, args ...any)

// in returns what reports the faults of a place.
func in(t *testing.T, format string, args ...any) wants {
	t.Helper()
	return func(holds bool, what string, of ...any) {
		t.Helper()
		if !holds {
			t.Errorf("%s%s", fmt.Sprintf(format, args...), fmt.Sprintf(what, of...))
		}
	}
}

// checkSet checks that a set and all its samples are well formed.
func checkSet(t *testing.T, spec *datasets.Spec, set *datasets.Set) {
	t.Helper()
	want := in(t, "dataset %q: ", spec.Name)
	want(set.Name == spec.Name, "the set is named %q", set.Name)
	want(set.Version != "", "the set has no version")
	want(digest.MatchString(set.SHA256), "the set's SHA-256 is %q, want 64 lower-case hex digits", set.SHA256)
	seen := make(map[string]bool)
	for _, c := range set.Categories {
		want(c.ID != "" && c.Name != "" && !seen[c.ID], "category %+v has no id or no name, or comes twice", c)
		seen[c.ID] = true
		known := func(k datasets.Category) bool { return k.ID == c.ID && k.Name == c.Name }
		want(len(spec.Categories) == 0 || slices.ContainsFunc(spec.Categories, known), "the set's category %q is not one of the Spec's", c.ID)
	}
	for key := range set.Settings {
		want(key != "", "a setting has no name")
	}
	for _, w := range set.Warnings {
		want(w.What != "" && len(w.Where) > 0 && w.Count >= len(w.Where), "warning %+v does not say what, where and how often", w)
	}
	want(len(set.Entries) > 0, "the set has no samples")
	names := make(map[string]bool) // of golds
	ids := make(map[string]bool)
	for i, e := range set.Entries {
		want(e.ID != "" && !ids[e.ID], "sample id %q is empty or comes twice", e.ID)
		ids[e.ID] = true
		s := try.Get(set.Load(t.Context(), i))(t)
		turns := checkSessionsOf(t, &s)
		if s.Tree != nil {
			for n := range s.Tree.All() {
				turns[n.ID] = true
			}
		}
		checkRequests(t, set, &s, turns, names)
		checkLeaks(t, set, &s)
		bytes := e.Bytes
		e.Bytes = 0
		loaded := new(datasets.Set).Index(i, &s)
		want(cmp.Equal(e, loaded) && bytes >= 0, "sample %q: its entry is %+v of %d bytes, what is loaded %+v", e.ID, e, bytes, loaded)
	}
}

// longID is from how many letters on the id of a category counts as a word.
const longID = 8

// checkLeaks reports ids that tell a method what is gold, in a dataset whose release
// has other names for its requests.
func checkLeaks(t *testing.T, set *datasets.Set, s *datasets.Sample) {
	t.Helper()
	var secrets []string
	for _, q := range s.Requests {
		if g, _ := set.Gold(s.ID, q.ID); g.Name != "" {
			secrets = append(secrets, g.Name)
		}
	}
	if len(secrets) == 0 {
		return
	}
	secrets = append(secrets, "abs", "answer", "noans")
	for _, c := range set.Categories {
		if len(c.ID) >= longID {
			secrets = append(secrets, c.ID)
		}
	}
	want := in(t, "sample %q: ", s.ID)
	check := func(what, id string) {
		for _, secret := range secrets {
			want(!strings.Contains(strings.ToLower(id), strings.ToLower(secret)), "%s id %q contains %q, which tells a method what is gold", what, id, secret)
		}
	}
	check("sample", s.ID)
	for _, session := range s.Sessions {
		check("session", session.ID)
		for _, t := range session.Turns {
			check("turn", t.ID)
		}
	}
	for _, q := range s.Requests {
		check("request", q.ID)
	}
}

// checkSessionsOf checks what a method ingests and returns the ids of the turns.
func checkSessionsOf(t *testing.T, s *datasets.Sample) map[string]bool {
	t.Helper()
	want := in(t, "sample %q: ", s.ID)
	want((len(s.Sessions) == 0) != (s.Tree == nil), "has no sessions and no tree, or both")
	sessions, turns := make(map[string]bool), make(map[string]bool)
	var last time.Time
	later := func(t time.Time, where string) {
		want(t.IsZero() || !t.Before(last), "%s is at %v, before the one before it", where, t)
		if !t.IsZero() {
			last = t
		}
	}
	for _, session := range s.Sessions {
		want(session.ID != "" && !sessions[session.ID], "session id %q is empty or comes twice", session.ID)
		sessions[session.ID] = true
		later(session.Time, "session "+session.ID)
		want(len(session.Turns) > 0, "session %q has no turns", session.ID)
		for _, turn := range session.Turns {
			want(turn.ID != "" && !turns[turn.ID], "turn id %q is empty or comes twice", turn.ID)
			turns[turn.ID] = true
			later(turn.Time, "turn "+turn.ID)
			want(slices.Contains(s.Speakers, turn.Speaker), "turn %q: speaker %q is not one of the sample's", turn.ID, turn.Speaker)
		}
	}
	return turns
}

// checkRequests checks what is asked, and its gold answers.
func checkRequests(t *testing.T, set *datasets.Set, s *datasets.Sample, turns, names map[string]bool) {
	t.Helper()
	if len(s.Requests) == 0 {
		t.Errorf("sample %q has no requests", s.ID)
	}
	ids := make(map[string]bool)
	for _, q := range s.Requests {
		want := in(t, "sample %q: request %q: ", s.ID, q.ID)
		want(q.ID != "" && !ids[q.ID], "its id is empty or comes twice")
		ids[q.ID] = true
		want(q.Text != "", "asks nothing")
		g, ok := set.Gold(s.ID, q.ID)
		if !ok {
			t.Errorf("sample %q: request %q has no gold", s.ID, q.ID)
			continue
		}
		known := func(c datasets.Category) bool { return c.ID == g.Category }
		want(len(set.Categories) == 0 || slices.ContainsFunc(set.Categories, known), "category %q is not one of the set's", g.Category)
		want(g.Name == "" || !names[g.Name], "the name %q comes twice", g.Name)
		names[g.Name] = true
		checkKind(q, g, want)
		checkSessions(s, g, want)
		checkAnswers(s, q, g, want)
		for name := range g.Labels {
			want(name != "" && name != "category", "a label is named %q", name)
		}
		if g.Expect != nil {
			err := g.Expect.Validate()
			want(err == nil, "%v", err)
			want(s.Tree != nil, "expects something of a tree that there is not")
		}
		for i, id := range g.Evidence {
			want(turns[id] && !slices.Contains(g.Evidence[:i], id), "evidence %q is no turn or node of the sample or comes twice", id)
		}
	}
}

// checkKind checks of what kind a gold answer is, and what comes with it.
func checkKind(q datasets.Request, g datasets.Gold, want wants) {
	answered := g.Answer != "" || !g.Abstain && (len(g.Rubric) > 0 || g.Correct != "")
	want(answered != g.Abstain, "gold is neither an answer, a rubric or an option nor an abstention, or both: %+v", g)
	want(g.Explanation == "" || g.Abstain, "there is an explanation without an abstention")
	want(!slices.Contains(g.Rubric, "") && (!g.Ordered || len(g.Rubric) > 0), "a nugget is empty, or there is an order of none")
	keys := make(map[string]bool)
	for _, o := range q.Options {
		want(o.Key != "" && o.Text != "" && !keys[o.Key], "option %+v is empty or its key comes twice", o)
		keys[o.Key] = true
	}
	want(g.Correct == "" || keys[g.Correct], "%q is the key of no option", g.Correct)
}

// checkSessions checks the sessions that an answer rests on.
func checkSessions(s *datasets.Sample, g datasets.Gold, want wants) {
	if len(g.Sessions) == 0 {
		return
	}
	within := make(map[string]string) // sessions of turns
	sessions := make(map[string]bool)
	for _, session := range s.Sessions {
		sessions[session.ID] = true
		for _, t := range session.Turns {
			within[t.ID] = session.ID
		}
	}
	for i, id := range g.Sessions {
		want(sessions[id] && !slices.Contains(g.Sessions[:i], id), "%q is no session of the sample or comes twice", id)
	}
	for _, turn := range g.Evidence {
		want(slices.Contains(g.Sessions, within[turn]), "the session of evidence %q is not among its sessions", turn)
	}
}

// checkAnswers checks the variants of an answer and what it and its request are about.
func checkAnswers(s *datasets.Sample, q datasets.Request, g datasets.Gold, want wants) {
	for i, v := range g.Variants {
		want(v != "" && v != g.Answer && !slices.Contains(g.Variants[:i], v), "variant %q is empty or is there twice", v)
	}
	if len(g.Entities) == 0 {
		return
	}
	texts := map[string]string{"": q.Text}
	for _, session := range s.Sessions {
		for _, t := range session.Turns {
			texts[t.ID] = t.Text
		}
	}
	ids := make(map[string]bool)
	for _, e := range g.Entities {
		want(e.ID != "" && !ids[e.ID] && len(e.Names) > 0 && !slices.Contains(e.Names, ""), "entity %+v has no id or one that comes twice, or no names", e)
		ids[e.ID] = true
		for _, m := range e.Mentions {
			text, ok := texts[m.Turn]
			ok = ok && 0 <= m.Start && m.Start < m.End && m.End <= len(text) && cuts(text, m.Start) && cuts(text, m.End)
			want(ok, "entity %q: mention %+v is no place in a text of the sample", e.ID, m)
		}
	}
}

// cuts tells whether text can be cut at an offset within its bounds.
func cuts(text string, at int) bool { return at == len(text) || utf8.RuneStart(text[at]) }
