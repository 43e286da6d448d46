package annotate

import (
	"slices"
	"strings"
	"sync"
)

// A usage says how a connective stands in a sentence.
type usage int

const (
	anywhere     usage = iota // a phrase that is nothing but a connective: "for example"
	opening                   // a connective only where a clause begins: "still", "plus"
	closing                   // where a clause begins or ends: "too", "though"
	coordinating              // between clauses, or where a sentence begins: "but"
	subordinate               // before a clause: "because", "after"
	cue                       // a cue of repair or repetition, not in the PDTB
)

// A connective signals a relation.
type connective struct {
	words []string
	sense string
	usage usage
}

// connectives returns the connectives by their first word, the longest first.
var connectives = sync.OnceValue(func() map[string][]connective {
	m := make(map[string][]connective)
	for line := range strings.Lines(connectiveList) {
		sense, rest, ok := strings.Cut(line, "|")
		if !ok {
			continue
		}
		kind, list, _ := strings.Cut(rest, "|")
		use := usage(slices.Index([]string{"any", "open", "close", "coord", "sub", "cue"}, strings.TrimSpace(kind)))
		for phrase := range strings.SplitSeq(list, ",") {
			w := strings.Fields(phrase)
			m[w[0]] = append(m[w[0]], connective{w, strings.TrimSpace(sense), use})
		}
	}
	for _, list := range m {
		slices.SortStableFunc(list, func(a, b connective) int { return len(b.words) - len(a.words) })
	}
	return m
})

// connectiveList holds, for each coarse sense of the PDTB 3 and usage, the
// connectives that signal it alone or most often. Senses are the second level
// of its hierarchy (Webber and others, "The Penn Discourse Treebank 3.0
// Annotation Manual", 2019).
const connectiveList = `
Temporal.Synchronous       | any   | meanwhile, in the meantime, at the same time, simultaneously
Temporal.Synchronous       | sub   | when, whenever, while, as
Temporal.Asynchronous      | any   | afterwards, afterward, subsequently, after that, before that, ever since, since then, later on
Temporal.Asynchronous      | open  | then, later, finally, eventually, previously, next, earlier
Temporal.Asynchronous      | sub   | before, after, until, till, once, as soon as, by the time
Contingency.Cause          | any   | therefore, thus, hence, consequently, as a result, accordingly, for that reason, that 's why, which is why, this is why, that is why, because of
Contingency.Cause          | sub   | because, 'cause, cuz, since, now that
Contingency.Cause          | coord | so
Contingency.Condition      | any   | if so, in that case, if not
Contingency.Condition      | sub   | if, as long as, provided that, in case, only if
Contingency.Negative-condition | any | otherwise, or else
Contingency.Negative-condition | sub | unless
Contingency.Purpose        | any   | in order to, in order that
Contingency.Purpose        | sub   | so that
Comparison.Concession      | any   | however, nevertheless, nonetheless, even so, despite, in spite of, that said
Comparison.Concession      | open  | still, yet
Comparison.Concession      | close | though
Comparison.Concession      | sub   | although, even though, even if, though
Comparison.Concession      | coord | but
Comparison.Contrast        | any   | on the other hand, by contrast, in contrast, conversely
Comparison.Contrast        | sub   | whereas
Comparison.Similarity      | any   | likewise, similarly, in the same way
Comparison.Similarity      | sub   | as if, as though
Expansion.Conjunction      | any   | also, moreover, furthermore, in addition, additionally, what 's more
Expansion.Conjunction      | open  | besides, plus
Expansion.Conjunction      | close | too, as well
Expansion.Conjunction      | coord | and
Expansion.Disjunction      | any   | alternatively
Expansion.Disjunction      | coord | or
Expansion.Instantiation    | any   | for example, for instance, e.g.
Expansion.Level-of-detail  | any   | in fact, specifically, in particular, in short, to be precise, to be exact
Expansion.Level-of-detail  | open  | indeed, overall, namely
Expansion.Level-of-detail  | cue   | as last time, like last time, as before, as usual, as always, the same again, as the last time
Expansion.Equivalence      | any   | in other words, that is to say
Expansion.Equivalence      | cue   | i mean
Expansion.Substitution     | any   | instead, rather than, on second thought, on second thoughts, scratch that, or rather
Expansion.Substitution     | cue   | actually, i meant, make that
Expansion.Exception        | any   | except that, other than that, apart from that
`
