package annotator

import (
	"cmp"
	"slices"
	"strings"

	"recallbench/internal/door/annotate"
	"recallbench/internal/text/english"
)

// A clause is a predicate and what the rules found of its frame.
type clause struct {
	start     int // first token of its verbs
	predicate int // the head: the main verb, or what a copula says
	subject   int // head of the subject, -1 for none
	object    int // head of the object, -1 for none
	passive   bool
}

// A parser attaches the tokens of a sentence by their parts of speech. It is no
// parser of a grammar: a noun phrase hangs on the verbs before or behind it, and
// each clause on the one before it.
type parser struct {
	*sentence
	heads   []int
	labels  []string
	chunkOf []int // chunk that a token is in, -1 for none
	clauses []clause
}

const unset = -2

// parse fills in the dependencies of a sentence. Every token has one head; the
// root has -1.
func (s *sentence) parse() {
	n := len(s.Tokens)
	p := &parser{sentence: s, heads: make([]int, n), labels: make([]string, n), chunkOf: make([]int, n)}
	for i := range n {
		p.heads[i], p.chunkOf[i] = unset, -1
	}
	for k, c := range s.chunks {
		p.phrase(k, c)
	}
	for i := 0; i < n; i++ {
		if p.chunkOf[i] < 0 && verbal(p.pos(i)) {
			i = p.verbs(i)
		}
	}
	p.arguments()
	p.finish()
	s.Dependencies = make([]annotate.Dependency, n)
	for i := range n {
		s.Dependencies[i] = annotate.Dependency{Head: p.heads[i], Dependent: i, Label: p.labels[i]}
	}
}

// attach gives a token its head unless it has one or the edge would be a loop.
func (p *parser) attach(dependent, head int, label string) {
	for h := head; h >= 0; h = p.heads[h] {
		if h == dependent {
			return
		}
	}
	if p.heads[dependent] == unset {
		p.heads[dependent], p.labels[dependent] = head, label
	}
}

// within are the labels of what stands before the head of a noun phrase.
var within = map[string]string{
	"DT": "det", "PDT": "det", "WDT": "det", "PRP$": "nmod:poss", "CD": "nummod", "RB": "advmod",
	"NN": "compound", "NNS": "compound", "NNP": "compound", "NNPS": "compound",
}

// phrase attaches the tokens of a noun phrase.
func (p *parser) phrase(k int, c chunk) {
	for i := c.start; i < c.end; i++ {
		p.chunkOf[i] = k
		if i != c.head {
			p.attach(i, c.head, cmp.Or(within[p.pos(i)], "amod"))
		}
	}
	if c.ownerOf >= 0 {
		owner := p.chunks[c.ownerOf]
		p.attach(owner.head, c.head, "nmod:poss")
		p.attach(owner.end, owner.head, "case")
	}
}

func auxiliary(lemma string) bool { return lemma == "be" || lemma == "have" || lemma == "do" }

// verbs reads a clause from its first verb on: auxiliaries, the subject between
// them in a question, the main verb, and what a copula says. It returns the last
// token.
func (p *parser) verbs(i int) int {
	c := clause{start: i, predicate: i, subject: -1, object: -1}
	inverted := i == 0 || p.chunkOf[i-1] < 0 || strings.HasPrefix(p.pos(p.chunks[p.chunkOf[i-1]].start), "W") // "what time did he leave"
	end := i
	for k := i + 1; k < len(p.Tokens); k++ {
		head := k
		if n := p.chunkOf[k]; n >= 0 {
			head, k = p.chunks[n].head, p.chunks[n].end-1
			if p.owned(n) {
				continue
			}
		}
		copula := p.lemma(c.predicate) == "be"
		switch chunked := p.chunkOf[k] >= 0; {
		case adverb(p.pos(k)):
			continue
		case chunked && inverted && c.subject < 0 && (p.pos(c.predicate) == "MD" || auxiliary(p.lemma(c.predicate))):
			c.subject = head
			continue
		case !chunked && verb(p.pos(k)) && (p.pos(c.predicate) == "MD" || auxiliary(p.lemma(c.predicate))):
			c.passive = copula && p.pos(k) == "VBN"
			p.attach(c.predicate, k, "aux")
			c.predicate, end = k, k
			continue
		case copula && (chunked || adjective(p.pos(k))) && p.word(c.start-1) != "there":
			p.attach(c.predicate, head, "cop")
			for a := range p.heads {
				if p.heads[a] == c.predicate {
					p.heads[a] = head
				}
			}
			c.predicate, end = head, k
		}
		break
	}
	p.clauses = append(p.clauses, c)
	return end
}

// owned reports whether a chunk owns the next one.
func (p *parser) owned(k int) bool { return k+1 < len(p.chunks) && p.chunks[k+1].ownerOf == k }

// objective are pronouns that are no subjects.
var objective = map[string]bool{"me": true, "him": true, "us": true, "them": true}

// arguments attaches the noun phrases to the clauses around them.
func (p *parser) arguments() {
	next := 0 // the first clause behind
	last := -1
	for k, ch := range p.chunks {
		for next < len(p.clauses) && p.clauses[next].start < ch.start {
			next++
		}
		var before, behind *clause
		if next > 0 {
			before = &p.clauses[next-1]
		}
		if next < len(p.clauses) {
			behind = &p.clauses[next]
		}
		end := ch.end
		for adverb(p.pos(end)) {
			end++
		}
		prep := ch.start - 1
		linked := (p.pos(prep) == "IN" || p.pos(prep) == "TO") && p.chunkOf[prep] < 0
		verbal := behind != nil && end == behind.start && p.pos(end) != "VBG" && p.pos(end) != "VBN" && !objective[p.low[ch.head]]
		switch {
		case p.owned(k) || before != nil && (ch.head == before.subject || ch.head == before.predicate):
			continue
		case verbal && !(linked && !subordinating[p.low[prep]]), before == nil && behind != nil && !linked && behind.subject < 0:
			if behind.subject < 0 {
				behind.subject = ch.head
			}
		case linked && before != nil && (last < 0 || p.low[prep] != "of"):
			p.attach(ch.head, before.predicate, "obl")
		case linked && last >= 0:
			p.attach(ch.head, last, "nmod")
		case before == nil:
		case p.word(before.start-1) == "there":
			before.subject = ch.head
		case p.timely(ch.head):
			p.attach(ch.head, before.predicate, "obl:tmod")
		case before.object < 0:
			p.attach(ch.head, before.predicate, "obj")
			before.object = ch.head
		case p.pos(before.object) == "PRP":
			p.labels[before.object] = "iobj"
			p.attach(ch.head, before.predicate, "obj")
		}
		if linked {
			p.attach(prep, ch.head, "case")
		}
		last = ch.head
	}
}

// subordinating are prepositions that may open a clause.
var subordinating = map[string]bool{
	"because": true, "if": true, "that": true, "since": true, "while": true, "although": true, "though": true, "unless": true, "until": true,
	"after": true, "before": true, "as": true, "so": true, "whether": true, "once": true, "when": true, "whereas": true,
}

// finish attaches the subjects, hangs each clause on the one before, names the
// root and hangs on it what is left.
func (p *parser) finish() {
	root := 0
	if len(p.clauses) > 0 {
		root = p.clauses[0].predicate
	} else if len(p.chunks) > 0 {
		root = p.chunks[len(p.chunks)-1].head
	}
	for k, c := range p.clauses {
		if c.subject >= 0 && c.passive {
			p.attach(c.subject, c.predicate, "nsubj:pass")
		} else if c.subject >= 0 {
			p.attach(c.subject, c.predicate, "nsubj")
		}
		if k > 0 {
			p.attach(c.predicate, p.clauses[k-1].predicate, "conj")
		}
	}
	for p.heads[root] >= 0 { // what something else took
		root = p.heads[root]
	}
	p.heads[root], p.labels[root] = -1, "root"
	near := root
	for i, t := range p.Tokens {
		for _, c := range p.clauses {
			if c.start <= i {
				near = c.predicate
			}
		}
		switch {
		case english.Mark(t.Text):
			p.attach(i, root, "punct")
		case p.is(i, "n't", "not", "never"):
			p.attach(i, near, "neg")
		case adverb(t.POS):
			p.attach(i, near, "advmod")
		}
		p.attach(i, near, "dep")
		p.attach(i, root, "dep")
	}
}

// A chunk is a noun phrase without what follows its head: "my old friend
// Anna", "it", "the hotel".
type chunk struct {
	start, end int
	head       int // the last noun
	owner      int // the possessive pronoun at its start, or -1
	ownerOf    int // index of the chunk before it that owns it ("Anna 's sister"), or -1
}

// chunk finds the noun phrases of a sentence.
func (s *sentence) chunk() {
	owned := -1
	for i := 0; i < len(s.Tokens); {
		c := s.chunkAt(i)
		if c.head < 0 {
			owned = -1
			i++
			continue
		}
		c.ownerOf, owned = owned, -1
		s.chunks = append(s.chunks, c)
		i = c.end
		if next := s.pos(i + 1); s.pos(i) == "POS" || s.word(i) == "'s" && noun(s.pos(i-1)) && (noun(next) || adjective(next) && noun(s.pos(i+2))) {
			s.Tokens[i].POS, s.Tokens[i].Lemma = "POS", s.low[i]
			owned = len(s.chunks) - 1
			i++
		}
	}
}

// chunkAt reads a noun phrase that starts at a token; its head is -1 for none.
func (s *sentence) chunkAt(i int) chunk {
	c := chunk{start: i, head: -1, owner: -1, ownerOf: -1}
	if s.Tokens[i].POS == "PRP" {
		c.end, c.head = i+1, i
		return c
	}
	for s.pos(i) == "DT" || s.pos(i) == "PDT" || s.pos(i) == "WDT" {
		i++
	}
	if s.pos(i) == "PRP$" { // "all my friends"
		c.owner = i
		i++
	}
	for ; i < len(s.Tokens); i++ {
		p, next := s.Tokens[i].POS, s.pos(i+1)
		switch {
		case c.head >= 0 && (noun(p) || p == "CD") && s.timely(i) && !s.timely(i-1),
			c.head >= 0 && p == "CD" && s.pos(c.head) == "NN" && noun(next):
			return c // a day is next to a noun phrase, not in it
		case noun(p), p == "CD":
			c.head, c.end = i, i+1
		case c.head < 0 && (adjective(p) || p == "RB" && adjective(next) && noun(s.pos(i+2)) || (p == "VBG" || p == "VBN") && noun(next) && i > c.start):
		default:
			return c
		}
	}
	return c
}

// timely reports whether a token is part of what says when.
func (s *sentence) timely(i int) bool {
	return slices.ContainsFunc(s.Entities, func(e annotate.Entity) bool {
		return e.Start <= i && i < e.End && (e.Type == "DATE" || e.Type == "TIME")
	})
}
