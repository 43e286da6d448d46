package annotate

import (
	"strings"

	"recallbench/internal/door/annotate"
)

// A clause is a predicate and what the rules found of its frame.
type clause struct {
	start     int // first token of its verbs
	end       int // behind its verbs
	predicate int // the head: the main verb, or what a copula says
	subject   int // head of the subject, -1 for none
	link      int // the word that joins it to another clause, -1 for none
	passive   bool
}

// A parser attaches the tokens of a sentence by their parts of speech. It is no
// parser of a grammar: heads are found within a noun phrase, a group of verbs and
// the clause around them, and each clause hangs on the one before it.
type parser struct {
	s       *sentence
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
	p := &parser{s: s, heads: make([]int, 2*n), labels: make([]string, n)}
	p.heads, p.chunkOf = p.heads[:n], p.heads[n:]
	for i := range n {
		p.heads[i], p.chunkOf[i] = unset, -1
	}
	for k := range s.chunks {
		p.phrase(k)
	}
	p.verbs()
	for k := range p.clauses {
		p.frame(k)
	}
	p.conjoin()
	p.finish()
	s.Dependencies = make([]annotate.Dependency, n)
	for i := range n {
		s.Dependencies[i] = annotate.Dependency{Head: p.heads[i], Dependent: i, Label: p.labels[i]}
	}
}

// attach gives a token its head unless it has one or the edge would be a loop.
func (p *parser) attach(dependent, head int, label string) bool {
	if dependent == head || p.heads[dependent] != unset {
		return false
	}
	for h, steps := head, 0; h >= 0; h = p.heads[h] {
		if steps++; h == dependent || steps > len(p.heads) {
			return false
		}
	}
	p.heads[dependent], p.labels[dependent] = head, label
	return true
}

// phrase attaches the tokens of a noun phrase.
func (p *parser) phrase(k int) {
	c := p.s.chunks[k]
	for i := c.start; i < c.end; i++ {
		p.chunkOf[i] = k
		if i == c.head {
			continue
		}
		switch t := p.s.Tokens[i].POS; {
		case t == "DT" || t == "PDT" || t == "WDT":
			p.attach(i, c.head, "det")
		case t == "PRP$":
			p.attach(i, c.head, "nmod:poss")
		case t == "CD":
			p.attach(i, c.head, "nummod")
		case t == "RB":
			p.attach(i, min(i+1, c.head), "advmod")
		case noun(t):
			p.attach(i, c.head, "compound")
		default:
			p.attach(i, c.head, "amod")
		}
	}
	if c.ownerOf >= 0 {
		owner := p.s.chunks[c.ownerOf]
		p.attach(owner.head, c.head, "nmod:poss")
		if owner.end < c.start {
			p.attach(owner.end, owner.head, "case")
		}
	}
}

func auxiliary(lemma string) bool { return lemma == "be" || lemma == "have" || lemma == "do" }

// verbs finds the clauses: groups of verbs with their auxiliaries.
func (p *parser) verbs() {
	s := p.s
	for i := 0; i < len(s.Tokens); {
		if t := s.Tokens[i]; p.chunkOf[i] >= 0 || !verb(t.POS) && t.POS != "MD" {
			i++
			continue
		}
		c := clause{start: i, predicate: i, subject: -1, link: -1}
		var aux []int
		for {
			t := s.Tokens[c.predicate]
			if t.POS != "MD" && !auxiliary(t.Lemma) {
				break
			}
			next, subject := p.nextVerb(c.predicate)
			if next < 0 {
				break
			}
			aux = append(aux, c.predicate)
			c.predicate = next
			if subject >= 0 && c.subject < 0 {
				c.subject = s.chunks[subject].head
			}
		}
		c.end = c.predicate + 1
		for _, a := range aux {
			label := "aux"
			if s.Tokens[a].Lemma == "be" && s.Tokens[c.predicate].POS == "VBN" {
				label, c.passive = "aux:pass", true
			}
			p.attach(a, c.predicate, label)
		}
		p.clauses = append(p.clauses, c)
		i = c.end
	}
}

// nextVerb returns the verb that an auxiliary goes with, or -1, and the chunk
// between them, or -1.
func (p *parser) nextVerb(i int) (next, subject int) {
	s, subject := p.s, -1
	aux := s.Tokens[i]
	for k := i + 1; k < len(s.Tokens) && k < i+12; k++ {
		t := s.Tokens[k]
		switch {
		case p.chunkOf[k] >= 0:
			if subject >= 0 && subject != p.chunkOf[k] || !p.inverted(i) {
				return -1, -1
			}
			subject = p.chunkOf[k]
		case strings.HasPrefix(t.POS, "RB"):
		case verb(t.POS):
			fits := false
			switch {
			case aux.POS == "MD" || aux.Lemma == "do":
				fits = t.POS == "VB" || t.POS == "VBP" || t.Lemma == "be" || t.Lemma == "have"
			case aux.Lemma == "be":
				fits = t.POS == "VBG" || t.POS == "VBN" || t.POS == "VBD"
			case aux.Lemma == "have":
				fits = t.POS == "VBN" || t.POS == "VBD"
			}
			if fits {
				return k, subject
			}
			return -1, -1
		default:
			return -1, -1
		}
	}
	return -1, -1
}

// inverted reports whether an auxiliary stands before its subject: nothing but
// question words and marks is before it in its clause.
func (p *parser) inverted(i int) bool {
	if i == 0 {
		return true
	}
	t := p.s.Tokens[i-1]
	if strings.HasPrefix(t.POS, "W") || mark(t.Text) || t.POS == "CC" || t.POS == "UH" || strings.HasPrefix(t.POS, "RB") {
		return true
	}
	if k := p.chunkOf[i-1]; k >= 0 { // "what time did he leave"
		start := p.s.chunks[k].start
		return strings.HasPrefix(p.s.pos(start), "W") || start > 0 && strings.HasPrefix(p.s.pos(start-1), "W")
	}
	return false
}

// conjoin hangs each clause on one before it, and noun phrases joined by "and"
// on the first.
func (p *parser) conjoin() {
	s := p.s
	for k := range s.chunks {
		if k == 0 {
			continue
		}
		c, before := s.chunks[k], s.chunks[k-1]
		if c.start-before.end == 1 && (s.pos(before.end) == "CC" || s.pos(before.end) == ",") && p.heads[c.head] == unset {
			joint := "punct"
			if s.pos(before.end) == "CC" {
				joint = "cc"
			}
			p.attach(before.end, c.head, joint)
			p.attach(c.head, before.head, "conj")
		}
	}
	for k := range p.clauses {
		if k == 0 {
			continue
		}
		c, main := p.clauses[k], p.clauses[k-1].predicate
		label := "parataxis"
		switch {
		case c.link >= 0:
			switch t := s.Tokens[c.link].POS; {
			case t == "TO":
				label = "xcomp"
			case t == "CC":
				label = "conj"
				p.attach(c.link, c.predicate, "cc")
			case (t == "WDT" || t == "WP") && c.link > 0 && p.chunkOf[c.link-1] >= 0:
				label, main = "acl:relcl", s.chunks[p.chunkOf[c.link-1]].head
			case s.low[c.link] == "that" || strings.HasPrefix(t, "W") || s.low[c.link] == "whether":
				label = "ccomp"
			default:
				label = "advcl"
			}
		case c.subject >= 0 && !p.commaBetween(p.clauses[k-1].end, c.start):
			label = "ccomp"
		case s.pos(c.start) == "VBG" || s.pos(c.start) == "VB":
			label = "xcomp"
		}
		p.attach(c.predicate, main, label)
	}
}

func (p *parser) commaBetween(from, to int) bool {
	for i := from; i < to; i++ {
		if mark(p.s.Tokens[i].Text) {
			return true
		}
	}
	return false
}

// finish names the root and hangs on it what is left.
func (p *parser) finish() {
	root := -1
	if len(p.clauses) > 0 {
		root = p.clauses[0].predicate
		for p.heads[root] >= 0 { // a predicate that something else took
			root = p.heads[root]
		}
	}
	if root < 0 {
		for _, c := range p.s.chunks {
			if p.heads[c.head] == unset {
				root = c.head
				break
			}
		}
	}
	if root < 0 {
		for i := range p.heads {
			if p.heads[i] == unset && (root < 0 || mark(p.s.Tokens[root].Text)) {
				root = i
			}
		}
	}
	p.heads[root], p.labels[root] = -1, "root"
	for i, t := range p.s.Tokens {
		if p.heads[i] != unset {
			continue
		}
		label := "dep"
		switch {
		case mark(t.Text):
			label = "punct"
		case t.POS == "UH":
			label = "discourse"
		case t.POS == "CC":
			label = "cc"
		case strings.HasPrefix(t.POS, "RB"):
			label = "advmod"
		}
		p.heads[i], p.labels[i] = root, label
	}
}
