package datasettest

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
)

func (r *report) set(ctx context.Context, spec *datasets.Spec, set *datasets.Set) {
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
	if len(set.Entries) == 0 {
		r.addf("the set has no samples")
	}
	r.names = make(map[string]bool)
	ids := make(map[string]bool)
	for i, e := range set.Entries {
		if e.ID == "" || ids[e.ID] {
			r.addf("sample id %q is empty or comes twice", e.ID)
		}
		ids[e.ID] = true
		s, err := set.Load(ctx, i)
		if err != nil {
			r.addf("sample %q: does not load: %v", e.ID, err)
			continue
		}
		r.sample(set, &s)
		bytes := e.Bytes
		e.Bytes = 0
		if want := new(datasets.Set).Index(i, &s); !cmp.Equal(e, want) || bytes < 0 {
			r.addf("sample %q: its entry is %+v of %d bytes, what is loaded %+v", e.ID, e, bytes, want)
		}
		r.loads(ctx, set, i, s)
	}
}

func (r *report) sample(set *datasets.Set, s *datasets.Sample) {
	turns := r.sessions(s)
	if s.Tree != nil {
		for n := range s.Tree.All() {
			turns[n.ID] = true
		}
	}
	r.requests(set, s, turns)
	r.idLeaks(set, s)
}

// longID is from how many letters on the id of a category counts as a word.
const longID = 8

// idLeaks reports ids that tell a method what is gold, in a dataset whose release
// has other names for its requests.
func (r *report) idLeaks(set *datasets.Set, s *datasets.Sample) {
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
	check := func(what, id string) {
		for _, secret := range secrets {
			if strings.Contains(strings.ToLower(id), strings.ToLower(secret)) {
				r.addf("sample %q: %s id %q contains %q, which tells a method what is gold", s.ID, what, id, secret)
			}
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
		r.kind(s, q, g)
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

// kind checks of what kind a gold answer is, and what comes with it.
func (r *report) kind(s *datasets.Sample, q datasets.Request, g datasets.Gold) {
	if g.Abstain && g.Answer != "" || !g.Abstain && g.Answer == "" && len(g.Rubric) == 0 && g.Correct == "" {
		r.addf("sample %q: request %q: gold is neither an answer, a rubric or an option nor an abstention, or both: %+v", s.ID, q.ID, g)
	}
	if g.Explanation != "" && !g.Abstain {
		r.addf("sample %q: request %q: there is an explanation without an abstention", s.ID, q.ID)
	}
	if slices.Contains(g.Rubric, "") || g.Ordered && len(g.Rubric) == 0 {
		r.addf("sample %q: request %q: a nugget is empty, or there is an order of none", s.ID, q.ID)
	}
	if g.Name != "" && r.names[g.Name] {
		r.addf("sample %q: request %q: the name %q comes twice", s.ID, q.ID, g.Name)
	}
	r.names[g.Name] = true
	keys := make(map[string]bool)
	for _, o := range q.Options {
		if o.Key == "" || o.Text == "" || keys[o.Key] {
			r.addf("sample %q: request %q: option %+v is empty or its key comes twice", s.ID, q.ID, o)
		}
		keys[o.Key] = true
	}
	if g.Correct != "" && !keys[g.Correct] {
		r.addf("sample %q: request %q: %q is the key of no option", s.ID, q.ID, g.Correct)
	}
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
		if !sessions[id] || slices.Contains(g.Sessions[:i], id) {
			r.addf("sample %q: request %q: %q is no session of the sample or comes twice", s.ID, q.ID, id)
		}
	}
	for _, turn := range g.Evidence {
		if !slices.Contains(g.Sessions, within[turn]) {
			r.addf("sample %q: request %q: the session of evidence %q is not among its sessions", s.ID, q.ID, turn)
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
