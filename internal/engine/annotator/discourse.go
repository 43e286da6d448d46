package annotator

import (
	"slices"
	"strings"
	"sync"

	"recallbench/internal/door/annotate"
	"recallbench/internal/text/english"
)

// A connective signals a relation. Its usage says how it stands in a sentence:
//
//	any    a phrase that is nothing but a connective: "for example"
//	open   a connective only where a clause begins: "still", "plus"
//	close  where a clause begins or ends: "too", "though"
//	coord  between clauses, or where a sentence begins: "but"
//	sub    before a clause: "because", "after"
//	cue    a cue of repair or repetition, not in the PDTB
//
// Senses are the second level of the PDTB 3 (Webber and others, "The Penn
// Discourse Treebank 3.0 Annotation Manual", 2019).
type connective struct {
	words        []string
	sense, usage string
}

// connectives returns the connectives by their first word, the longest first.
var connectives = sync.OnceValue(func() map[string][]connective {
	m := make(map[string][]connective)
	for usage, phrases := range english.Lines("connectives") {
		usage, sense, _ := strings.Cut(usage, " ")
		for phrase := range strings.SplitSeq(phrases, ",") {
			w := strings.Fields(phrase)
			m[w[0]] = append(m[w[0]], connective{w, sense, usage})
		}
	}
	for _, list := range m {
		slices.SortStableFunc(list, func(a, b connective) int { return len(b.words) - len(a.words) })
	}
	return m
})

// relate finds the relations that words signal. A connective within a sentence
// relates the sentence to itself; one that opens it relates it to the sentence
// before, whoever said that. In a question, "why" asks for a cause.
func relate(sents []sentence) []annotate.Relation {
	var out []annotate.Relation
	table := connectives()
	for i := range sents {
		s := &sents[i]
		if k := slices.Index(s.low[:min(len(s.low), 4)], "why"); s.question && k >= 0 && s.opens(k) {
			out = append(out, annotate.Relation{From: i - 1, To: i, Sense: "Contingency.Cause", Cue: "why"})
		}
		for k := 0; k < len(s.low); k++ {
			for _, c := range table[s.low[k]] {
				if end := k + len(c.words); end > len(s.low) || !slices.Equal(s.low[k:end], c.words) {
					continue
				}
				inside, ok := s.connects(k, c)
				if !ok {
					continue
				}
				from := i
				if !inside {
					from--
				}
				out = append(out, annotate.Relation{From: from, To: i, Sense: s.sense(k, c), Cue: strings.Join(c.words, " ")})
				k += len(c.words) - 1
				break
			}
		}
	}
	return out
}

// connects reports whether a connective at a token is one, and whether both its
// arguments are in the sentence.
func (s *sentence) connects(k int, c connective) (inside, ok bool) {
	end := k + len(c.words)
	first, before, after := s.initial(k), s.pos(k-1), s.word(end)
	pause := before == "," || before == ":" || before == "CC"
	if len(c.words) == 1 && s.ordinarily(k) {
		return false, false
	}
	switch c.usage {
	case "any":
		return !first && pause && s.clauseIn(0, k) && s.clauseIn(end, len(s.low)), true
	case "cue":
		return false, len(c.words) > 1 || first || pause // not "I actually like it"
	case "open":
		return !first && s.clauseIn(0, k), (first || pause) && (after == "," || s.clauseIn(end, end+12))
	case "close":
		return false, k > 0 && (after == "" || english.Mark(after))
	case "coord":
		return !first, (first || s.clauseIn(0, k) && (s.clauseAt(end) || c.words[0] == "but")) && after != "" && (after == "," || !english.Mark(after))
	}
	return !first || s.question || s.clauseIn(end, s.mark(end)) && s.clauseIn(s.mark(end), len(s.low)), s.clauseAt(end)
}

// ordinarily reports whether a single word that may be a connective is none where
// it stands.
func (s *sentence) ordinarily(k int) bool {
	next, opens := s.pos(k+1), s.opens(k)
	switch s.low[k] {
	case "but":
		return s.is(k-1, "anything", "nothing", "all", "none", "everything")
	case "so":
		return s.question || s.is(k-1, "or", "do", "think", "hope") || s.is(k+1, "far", "much", "many") ||
			!opens && (adjective(next) || adverb(next)) || opens && (verbal(next) || adjective(next)) // "so do I", "so cute"
	case "then":
		return slices.Contains(s.low[:k], "if") || slices.Contains(s.low[:k], "when") || s.is(k-1, "until", "by", "since", "back")
	case "while":
		return s.is(k-1, "a", "worth")
	case "when", "if":
		report := words().reports[s.lemma(k-1)] || s.pos(k-1) == "PRP" && words().reports[s.lemma(k-2)] // "I wonder if"
		return report || s.is(k-1, "as", "even") || s.low[k] == "when" && s.question && opens && (next == "MD" || auxiliary(s.lemma(k+1)))
	case "and", "or":
		return s.is(k+1, "then", "so", "also", "not") || s.word(k-1) == "both"
	case "after", "before":
		return next == "CD"
	case "as":
		return !slices.ContainsFunc(s.Tokens[k:min(k+6, len(s.Tokens))], func(t annotate.Token) bool { return t.POS == "VBG" })
	case "still", "yet", "next", "later", "earlier":
		return s.word(k+1) != "," && !(opens && next == "PRP")
	case "too":
		return s.is(k-1, "way", "far", "not") || s.pos(k-1) == "RB"
	}
	return false
}

// sense returns the sense of a connective where it has several.
func (s *sentence) sense(k int, c connective) string {
	switch cue := c.words[0]; {
	case len(c.words) > 1:
	case cue == "but" && !s.clauseIn(k, len(s.low)) && (slices.Contains(s.low[:k], "not") || slices.Contains(s.low[:k], "n't")): // "not Monday but Tuesday"
		return "Expansion.Substitution"
	case cue == "while" && s.word(k-1) == ",":
		return "Comparison.Contrast"
	case cue == "since" && slices.ContainsFunc(s.Tokens[:k], func(t annotate.Token) bool { return t.Lemma == "have" }): // "I have lived here since"
		return "Temporal.Asynchronous"
	}
	return c.sense
}

// clauseIn reports whether a range of tokens has a verb.
func (s *sentence) clauseIn(from, to int) bool {
	return slices.ContainsFunc(s.Tokens[from:min(to, len(s.Tokens))], func(t annotate.Token) bool { return verbal(t.POS) })
}

// clauseAt reports whether a clause begins at a token: a verb comes before the
// next mark.
func (s *sentence) clauseAt(k int) bool {
	if s.word(k) == "," {
		k++
	}
	for i := k; i < min(k+8, len(s.low)); i++ {
		switch p := s.Tokens[i].POS; {
		case verbal(p):
			return true
		case p == ".", p == ",", p == "CC" && i > k, p == "IN" && i == k, p == "TO":
			return false
		}
	}
	return false
}

// mark returns the place of the next comma.
func (s *sentence) mark(k int) int {
	for k < len(s.low) && s.low[k] != "," {
		k++
	}
	return k
}
