package annotate

import (
	"errors"
	"fmt"
)

// Check reports everything that is wrong with the document of a request: places
// outside a text, a sentence or the document, tokens or utterances out of order,
// and empty clusters. Documents from outside are checked before they are used.
func (d Document) Check(r Request) error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	utterance := 0
	for i, s := range d.Sentences {
		if s.Utterance < utterance || s.Utterance >= len(r.Utterances) {
			fault("sentence %d is of utterance %d, want %d to %d", i, s.Utterance, utterance, len(r.Utterances)-1)
			continue
		}
		utterance = s.Utterance
		text, end := r.Utterances[s.Utterance].Text, 0
		for k, t := range s.Tokens {
			if t.Start < end || t.End <= t.Start || t.End > len(text) {
				fault("sentence %d: token %d is from byte %d to %d, want within %d to %d", i, k, t.Start, t.End, end, len(text))
				break
			}
			end = t.End
		}
		for _, e := range s.Entities {
			if !e.within(len(s.Tokens)) {
				fault("sentence %d: entity is from token %d to %d of %d", i, e.Start, e.End, len(s.Tokens))
			}
		}
		for _, dep := range s.Dependencies {
			if dep.Dependent < 0 || dep.Dependent >= len(s.Tokens) || dep.Head < -1 || dep.Head >= len(s.Tokens) || dep.Head == dep.Dependent {
				fault("sentence %d: dependency from token %d to %d of %d", i, dep.Head, dep.Dependent, len(s.Tokens))
			}
		}
	}
	seen := make(map[string]bool)
	for _, c := range d.Clusters {
		if c.ID == "" || seen[c.ID] {
			fault("cluster id %q is empty or of two clusters", c.ID)
		}
		seen[c.ID] = true
		if len(c.Mentions) == 0 {
			fault("cluster %s has no mention", c.ID)
		}
		for _, m := range c.Mentions {
			if m.Sentence < 0 || m.Sentence >= len(d.Sentences) || !m.within(len(d.Sentences[m.Sentence].Tokens)) {
				fault("cluster %s: mention of tokens %d to %d of sentence %d is outside the document", c.ID, m.Start, m.End, m.Sentence)
			}
		}
	}
	for _, rel := range d.Relations {
		if rel.From < -1 || rel.From >= len(d.Sentences) || rel.To < 0 || rel.To >= len(d.Sentences) || rel.Sense == "" {
			fault("relation %q from sentence %d to %d of %d", rel.Sense, rel.From, rel.To, len(d.Sentences))
		}
	}
	return errors.Join(faults...)
}

func (s Span) within(n int) bool { return s.Start >= 0 && s.Start < s.End && s.End <= n }
