package datasettest

import (
	"slices"
	"time"
	"unicode/utf8"

	"recallbench/datasets"
)

func (r *report) set(spec *datasets.Spec, set *datasets.Set) {
	if set.Name != spec.Name {
		r.addf("the set is named %q", set.Name)
	}
	if set.Version == "" {
		r.addf("the set has no version")
	}
	if !digest.MatchString(set.SHA256) {
		r.addf("the set's SHA-256 is %q, want 64 lower-case hex digits", set.SHA256)
	}
	r.categories("Set", set.Categories)
	for _, c := range set.Categories {
		if known := func(k datasets.Category) bool { return k.ID == c.ID && k.Name == c.Name }; len(spec.Categories) > 0 &&
			!slices.ContainsFunc(spec.Categories, known) {
			r.addf("the set's category %q is not one of the Spec's", c.ID)
		}
	}
	for key := range set.Settings {
		if key == "" {
			r.addf("a setting has no name")
		}
	}
	for _, w := range set.Warnings {
		if w.What == "" || len(w.Where) == 0 || w.Count < len(w.Where) {
			r.addf("warning %+v does not say what, where and how often", w)
		}
	}
	if len(set.Samples) == 0 {
		r.addf("the set has no samples")
	}
	ids := make(map[string]bool)
	for i := range set.Samples {
		s := &set.Samples[i]
		if s.ID == "" || ids[s.ID] {
			r.addf("sample id %q is empty or comes twice", s.ID)
		}
		ids[s.ID] = true
		turns := r.sessions(s)
		if s.Tree != nil {
			for n := range s.Tree.All() {
				turns[n.ID] = true
			}
		}
		r.requests(set, s, turns)
	}
}

// sessions checks what a method ingests and returns the ids of the turns.
func (r *report) sessions(s *datasets.Sample) map[string]bool {
	if (len(s.Sessions) == 0) == (s.Tree == nil) {
		r.addf("sample %q has no sessions and no tree, or both", s.ID)
	}
	sessions, turns := make(map[string]bool), make(map[string]bool)
	var last time.Time
	later := func(t time.Time, where string) {
		if t.IsZero() {
			return
		}
		if t.Before(last) {
			r.addf("sample %q: %s is at %v, before the one before it", s.ID, where, t)
		}
		last = t
	}
	for _, session := range s.Sessions {
		if session.ID == "" || sessions[session.ID] {
			r.addf("sample %q: session id %q is empty or comes twice", s.ID, session.ID)
		}
		sessions[session.ID] = true
		later(session.Time, "session "+session.ID)
		if len(session.Turns) == 0 {
			r.addf("sample %q: session %q has no turns", s.ID, session.ID)
		}
		for _, turn := range session.Turns {
			if turn.ID == "" || turns[turn.ID] {
				r.addf("sample %q: turn id %q is empty or comes twice", s.ID, turn.ID)
			}
			turns[turn.ID] = true
			later(turn.Time, "turn "+turn.ID)
			if !slices.Contains(s.Speakers, turn.Speaker) {
				r.addf("sample %q: turn %q: speaker %q is not one of the sample's", s.ID, turn.ID, turn.Speaker)
			}
		}
	}
	return turns
}

func (r *report) requests(set *datasets.Set, s *datasets.Sample, turns map[string]bool) {
	if len(s.Requests) == 0 {
		r.addf("sample %q has no requests", s.ID)
	}
	ids := make(map[string]bool)
	for _, q := range s.Requests {
		if q.ID == "" || ids[q.ID] {
			r.addf("sample %q: request id %q is empty or comes twice", s.ID, q.ID)
		}
		ids[q.ID] = true
		if q.Text == "" {
			r.addf("sample %q: request %q asks nothing", s.ID, q.ID)
		}
		g, ok := set.Gold(s.ID, q.ID)
		if !ok {
			r.addf("sample %q: request %q has no gold", s.ID, q.ID)
			continue
		}
		if known := func(c datasets.Category) bool { return c.ID == g.Category }; len(set.Categories) > 0 &&
			!slices.ContainsFunc(set.Categories, known) {
			r.addf("sample %q: request %q: category %q is not one of the set's", s.ID, q.ID, g.Category)
		}
		if g.Abstain == (g.Answer != "") {
			r.addf("sample %q: request %q: gold is neither an answer nor an abstention, or both: %+v", s.ID, q.ID, g)
		}
		r.answers(s, q, g)
		for name := range g.Labels {
			if name == "" || name == "category" {
				r.addf("sample %q: request %q: a label is named %q", s.ID, q.ID, name)
			}
		}
		if g.Expect != nil {
			if err := g.Expect.Validate(); err != nil {
				r.addf("sample %q: request %q: %v", s.ID, q.ID, err)
			}
			if s.Tree == nil {
				r.addf("sample %q: request %q: expects something of a tree that there is not", s.ID, q.ID)
			}
		}
		seen := make(map[string]bool)
		for _, id := range g.Evidence {
			if !turns[id] || seen[id] {
				r.addf("sample %q: request %q: evidence %q is no turn or node of the sample or comes twice", s.ID, q.ID, id)
			}
			seen[id] = true
		}
	}
}

// answers checks the variants of an answer and what it and its request are about.
func (r *report) answers(s *datasets.Sample, q datasets.Request, g datasets.Gold) {
	for i, v := range g.Variants {
		if v == "" || v == g.Answer || slices.Contains(g.Variants[:i], v) {
			r.addf("sample %q: request %q: variant %q is empty or is there twice", s.ID, q.ID, v)
		}
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
		if e.ID == "" || ids[e.ID] || len(e.Names) == 0 || slices.Contains(e.Names, "") {
			r.addf("sample %q: request %q: entity %+v has no id or one that comes twice, or no names", s.ID, q.ID, e)
		}
		ids[e.ID] = true
		for _, m := range e.Mentions {
			text, ok := texts[m.Turn]
			if !ok || m.Start < 0 || m.Start >= m.End || m.End > len(text) || !cuts(text, m.Start) || !cuts(text, m.End) {
				r.addf("sample %q: request %q: entity %q: mention %+v is no place in a text of the sample", s.ID, q.ID, e.ID, m)
			}
		}
	}
}

// cuts tells whether text can be cut at an offset within its bounds.
func cuts(text string, at int) bool { return at == len(text) || utf8.RuneStart(text[at]) }
