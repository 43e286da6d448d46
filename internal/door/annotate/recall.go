package annotate

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
)

// Text returns the words of a span as in the utterance.
func (d Document) Text(utterances []Utterance, m Mention) string {
	s := d.Sentences[m.Sentence]
	return utterances[s.Utterance].Text[s.Tokens[m.Start].Start:s.Tokens[m.End-1].End]
}

// Recall returns the entities that are known after a session: those known
// before, with what the session adds about them, and its own. Entities mentioned
// in the session come last, in the order of last mention.
func (d Document) Recall(utterances []Utterance, known []Known) []Known {
	all := make([]Known, 0, len(known)+len(d.Clusters))
	mentioned := make(map[string]bool, len(d.Clusters))
	for _, c := range d.Clusters {
		mentioned[c.ID] = true
	}
	before := make(map[string]Known, len(known))
	for _, k := range known {
		before[k.ID] = k
		if !mentioned[k.ID] {
			all = append(all, k)
		}
	}
	order := slices.SortedStableFunc(slices.Values(d.Clusters), func(a, b Cluster) int { return last(a).compare(last(b)) })
	for _, c := range order {
		all = append(all, d.know(utterances, before[c.ID], c))
	}
	return all
}

// know returns what is known of a cluster's entity.
func (d Document) know(utterances []Utterance, k Known, c Cluster) Known {
	k.ID, k.Mentions = c.ID, k.Mentions+len(c.Mentions)
	k.Name, k.Type = cmp.Or(c.Name, k.Name), cmp.Or(c.Type, k.Type)
	k.Gender = cmp.Or(c.Gender, k.Gender)
	k.Plural, k.Speaker = k.Plural || c.Plural, k.Speaker || c.Speaker
	k.Aliases, k.Heads = slices.Clone(k.Aliases), slices.Clone(k.Heads)
	for _, m := range c.Mentions {
		switch m.Kind {
		case Named:
			if text := d.Text(utterances, m); text != k.Name {
				k.Aliases = lists.AddNew(k.Aliases, text)
			}
		case Nominal:
			k.Heads = lists.AddNew(k.Heads, strings.ToLower(d.Sentences[m.Sentence].Tokens[m.End-1].Lemma))
		case Pronominal:
		}
	}
	return k
}

func last(c Cluster) Mention { return c.Mentions[len(c.Mentions)-1] }

func (m Mention) compare(n Mention) int {
	return cmp.Or(cmp.Compare(m.Sentence, n.Sentence), cmp.Compare(m.Start, n.Start))
}

// Fresh returns the number n of the first id "En" that is above those of all
// known entities.
func Fresh(known []Known) int {
	n := 1
	for _, k := range known {
		if i, err := strconv.Atoi(strings.TrimPrefix(k.ID, "E")); err == nil && strings.HasPrefix(k.ID, "E") {
			n = max(n, i+1)
		}
	}
	return n
}
