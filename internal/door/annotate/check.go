package annotate

import (
	"errors"

	"recallbench/internal/door/fault"
)

// Check reports everything that is wrong with the document of a request: places
// outside a text, a sentence or the document, tokens or utterances out of order,
// and empty clusters. Documents from outside are checked before they are used.
func (d Document) Check(r Request) error {
	var faults fault.List
	utterance := 0
	for i, s := range d.Sentences {
		if s.Utterance < utterance || s.Utterance >= len(r.Utterances) {
			faults.Want(false, "sentence %d is of utterance %d, want %d to %d", i, s.Utterance, utterance, len(r.Utterances)-1)
			continue
		}
		utterance = s.Utterance
		text, end, n := r.Utterances[s.Utterance].Text, 0, len(s.Tokens)
		for k, t := range s.Tokens {
			if t.Start < end || t.End <= t.Start || t.End > len(text) {
				faults.Want(false, "sentence %d: token %d is from byte %d to %d, want within %d to %d", i, k, t.Start, t.End, end, len(text))
				break
			}
			end = t.End
		}
		for _, e := range s.Entities {
			faults.Want(e.Within(n), "sentence %d: entity is from token %d to %d of %d", i, e.Start, e.End, n)
		}
		for _, dep := range s.Dependencies {
			inside := 0 <= dep.Dependent && dep.Dependent < n && -1 <= dep.Head && dep.Head < n && dep.Head != dep.Dependent
			faults.Want(inside, "sentence %d: dependency from token %d to %d of %d", i, dep.Head, dep.Dependent, n)
		}
	}
	seen := make(map[string]bool)
	for _, c := range d.Clusters {
		faults.Want(c.ID != "" && !seen[c.ID], "cluster id %q is empty or of two clusters", c.ID)
		seen[c.ID] = true
		faults.Want(len(c.Mentions) > 0, "cluster %s has no mention", c.ID)
		for _, m := range c.Mentions {
			faults.Want(d.has(m), "cluster %s: mention of tokens %d to %d of sentence %d is outside the document", c.ID, m.Start, m.End, m.Sentence)
		}
	}
	for _, rel := range d.Relations {
		inside := -1 <= rel.From && rel.From < len(d.Sentences) && 0 <= rel.To && rel.To < len(d.Sentences)
		faults.Want(inside && rel.Sense != "", "relation %q from sentence %d to %d of %d", rel.Sense, rel.From, rel.To, len(d.Sentences))
	}
	return errors.Join(faults...)
}

// has reports whether a mention is within a sentence of the document.
func (d Document) has(m Mention) bool {
	return 0 <= m.Sentence && m.Sentence < len(d.Sentences) && m.Within(len(d.Sentences[m.Sentence].Tokens))
}

// Within reports whether a span is one of n tokens.
func (s Span) Within(n int) bool { return s.Start >= 0 && s.Start < s.End && s.End <= n }
