package annotate

import (
	"cmp"
	"strings"

	"recallbench/internal/door/annotate"
	"recallbench/internal/rules/english"
)

// A clause is a predicate and what the rules found around it.
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
	p.verbs()
	from := 0
	for k := range p.clauses {
		c, to := &p.clauses[k], n
		if k+1 < len(p.clauses) {
			to = p.clauses[k+1].start
		}
		p.before(c, from)
		p.after(c, to)
		label := "nsubj"
		if c.passive {
			label = "nsubj:pass"
		}
		if c.subject >= 0 {
			p.attach(c.subject, c.predicate, label)
		}
		from = c.end
	}
	p.join()
	p.finish()
	s.Dependencies = make([]annotate.Dependency, n)
	for i := range n {
		s.Dependencies[i] = annotate.Dependency{Head: p.heads[i], Dependent: i, Label: p.labels[i]}
	}
}

// attach gives a token its head unless it has one or the edge would be a loop.
func (p *parser) attach(dependent, head int, label string) bool {
	if p.heads[dependent] != unset {
		return false
	}
	for h := head; h >= 0; h = p.heads[h] {
		if h == dependent {
			return false
		}
	}
	p.heads[dependent], p.labels[dependent] = head, label
	return true
}

// within are the labels of what stands before the head of a noun phrase.
var within = map[string]string{"DT": "det", "PDT": "det", "WDT": "det", "PRP$": "nmod:poss", "CD": "nummod", "RB": "advmod"}

// phrase attaches the tokens of a noun phrase.
func (p *parser) phrase(k int, c chunk) {
	for i := c.start; i < c.end; i++ {
		p.chunkOf[i] = k
		if i == c.head {
			continue
		}
		label := within[p.Tokens[i].POS]
		if label == "" && noun(p.Tokens[i].POS) {
			label = "compound"
		}
		p.attach(i, c.head, cmp.Or(label, "amod"))
	}
	if c.ownerOf >= 0 {
		owner := p.chunks[c.ownerOf]
		p.attach(owner.head, c.head, "nmod:poss")
		p.attach(owner.end, owner.head, "case")
	}
}

func auxiliary(lemma string) bool { return lemma == "be" || lemma == "have" || lemma == "do" }

// verbs finds the clauses: groups of verbs with their auxiliaries.
func (p *parser) verbs() {
	for i := 0; i < len(p.Tokens); i++ {
		if p.chunkOf[i] >= 0 || !verb(p.Tokens[i].POS) && p.Tokens[i].POS != "MD" {
			continue
		}
		c := clause{start: i, predicate: i, subject: -1, link: -1}
		var helpers []int
		for p.pos(c.predicate) == "MD" || auxiliary(p.lemma(c.predicate)) {
			next, subject := p.nextVerb(c.predicate)
			if next < 0 {
				break
			}
			helpers = append(helpers, c.predicate)
			c.predicate = next
			if subject >= 0 && c.subject < 0 {
				c.subject = p.chunks[subject].head
			}
		}
		for _, a := range helpers {
			label := "aux"
			if p.lemma(a) == "be" && p.pos(c.predicate) == "VBN" {
				label, c.passive = "aux:pass", true
			}
			p.attach(a, c.predicate, label)
		}
		c.end = c.predicate + 1
		p.clauses = append(p.clauses, c)
		i = c.predicate
	}
}

// nextVerb returns the verb that an auxiliary goes with, or -1, and the chunk
// between them, or -1.
func (p *parser) nextVerb(i int) (next, subject int) {
	subject = -1
	for k := i + 1; k < min(len(p.Tokens), i+12); k++ {
		t := p.Tokens[k]
		switch {
		case p.chunkOf[k] >= 0 && (subject == p.chunkOf[k] || subject < 0 && p.inverted(i)):
			subject = p.chunkOf[k]
		case adverb(t.POS):
		case p.chunkOf[k] < 0 && verb(t.POS) && helps(p.Tokens[i], t):
			return k, subject
		default:
			return -1, -1
		}
	}
	return -1, -1
}

// helps reports whether an auxiliary goes with a form of a verb.
func helps(helper, t annotate.Token) bool {
	switch {
	case helper.POS == "MD" || helper.Lemma == "do":
		return t.POS == "VB" || t.POS == "VBP" || t.Lemma == "be" || t.Lemma == "have"
	case helper.Lemma == "be":
		return t.POS == "VBG" || t.POS == "VBN" || t.POS == "VBD"
	}
	return t.POS == "VBN" || t.POS == "VBD"
}

// inverted reports whether an auxiliary stands before its subject: nothing but
// question words and marks is before it in its clause.
func (p *parser) inverted(i int) bool {
	if i == 0 || p.chunkOf[i-1] < 0 {
		return i == 0 || !verb(p.pos(i-1))
	}
	start := p.chunks[p.chunkOf[i-1]].start // "what time did he leave"
	return strings.HasPrefix(p.pos(start), "W") || strings.HasPrefix(p.pos(start-1), "W")
}

// owned reports whether a chunk owns the next one.
func (p *parser) owned(k int) bool { return k+1 < len(p.chunks) && p.chunks[k+1].ownerOf == k }

// objective are pronouns that are no subjects.
var objective = map[string]bool{"me": true, "him": true, "us": true, "them": true}

// before finds the subject of a clause and the word that joins it.
func (p *parser) before(c *clause, from int) {
	for i := c.start - 1; i >= from && c.link < 0; i-- {
		t := p.Tokens[i]
		if k := p.chunkOf[i]; k >= 0 {
			ch := p.chunks[k]
			i = ch.start
			prep := ch.start > from && (p.pos(ch.start-1) == "IN" && !subordinates(p.low[ch.start-1]) || p.pos(ch.start-1) == "TO")
			if c.subject < 0 && !prep && !p.owned(k) && p.pos(c.start) != "VBG" && !objective[p.low[ch.head]] && p.heads[ch.head] == unset {
				for k > 0 && ch.start-p.chunks[k-1].end == 1 && p.low[ch.start-1] == "and" && p.chunks[k-1].start >= from { // the first of several
					k--
					ch = p.chunks[k]
				}
				c.subject = ch.head
			}
			continue
		}
		switch {
		case t.POS == "EX":
			p.attach(i, c.predicate, "expl")
		case adverb(t.POS):
			p.adverb(i, c.predicate)
		case t.POS == "TO" && i == c.start-1, t.POS == "IN" && subordinates(p.low[i]):
			p.attach(i, c.predicate, "mark")
			c.link = i
		case t.POS == "WDT" || t.POS == "WP":
			if c.subject < 0 {
				c.subject = i
			} else {
				p.attach(i, c.predicate, "obj")
			}
			c.link = i
		case t.POS == "WRB":
			p.attach(i, c.predicate, "advmod")
			c.link = i
		case t.POS == "CC":
			c.link = i
		case t.POS == ".", t.POS == ":":
			return
		}
	}
}

// subordinates reports whether a preposition may open a clause.
func subordinates(w string) bool {
	switch w {
	case "because", "if", "that", "since", "while", "although", "though", "unless", "until", "after", "before", "as", "so", "whether", "once", "when", "whereas", "till":
		return true
	}
	return false
}

// after attaches what stands between the verbs of a clause and the next clause.
func (p *parser) after(c *clause, to int) {
	for i := c.start + 1; i < c.predicate; i++ {
		p.adverb(i, c.predicate)
	}
	i, main, there := c.end, p.lemma(c.predicate), p.word(c.start-1) == "there"
	if main == "be" && !c.passive && !there {
		i = p.copula(c, to)
	}
	object, last := -1, c.predicate
	for ; i < to; i++ {
		t := p.Tokens[i]
		if k := p.chunkOf[i]; k >= 0 {
			ch := p.chunks[k]
			i = ch.end - 1
			relative := c.link > 0 && c.subject == c.link && object < 0
			switch {
			case ch.head == c.subject || p.owned(k) || !relative && p.nextSubject(ch, to):
				continue
			case c.subject < 0 && main == "be" && there:
				p.attach(ch.head, c.predicate, "nsubj")
			case p.timely(ch.head):
				p.attach(ch.head, c.predicate, "obl:tmod")
			case object < 0 && p.attach(ch.head, c.predicate, "obj"):
				object = ch.head
			case object >= 0 && p.pos(object) == "PRP" && p.attach(ch.head, c.predicate, "obj"):
				p.labels[object] = "iobj"
			}
			last = ch.head
			continue
		}
		switch next := i + 1; {
		case (t.POS == "IN" || t.POS == "TO") && next < to && p.chunkOf[next] >= 0:
			k := p.chunkOf[next]
			for p.owned(k) { // "of Anna's hotel"
				k++
			}
			ch := p.chunks[k]
			if ch.head != c.subject && !(subordinates(p.low[i]) && p.nextSubject(ch, to)) {
				p.attach(i, ch.head, "case")
				if last != c.predicate && (t.Lemma == "of" || t.Lemma == "with" && p.low[last] != "it") {
					p.attach(ch.head, last, "nmod")
				}
				p.attach(ch.head, c.predicate, "obl")
				last = ch.head
			}
			i = ch.end - 1
		case t.POS == "RP", (t.POS == "IN" || t.POS == "TO") && last == c.predicate:
			p.attach(i, c.predicate, "compound:prt")
		case adjective(t.POS):
			p.attach(i, c.predicate, "xcomp")
		default:
			p.adverb(i, c.predicate)
		}
	}
}

// adverb attaches a token that is an adverb.
func (p *parser) adverb(i, head int) {
	label := "advmod"
	if p.is(i, "n't", "not", "never") {
		label = "neg"
	}
	if adverb(p.pos(i)) {
		p.attach(i, head, label)
	}
}

// nextSubject reports whether a noun phrase is the subject of the clause that
// comes next rather than an object of this one: a verb follows it.
func (p *parser) nextSubject(c chunk, to int) bool {
	i := c.end
	for adverb(p.pos(i)) {
		i++
	}
	return i == to && to < len(p.Tokens) && !objective[p.low[c.head]] && p.pos(to) != "VBG" && p.pos(to) != "VBN"
}

// copula makes what is said by a form of "be" the head of its clause and returns
// where to go on.
func (p *parser) copula(c *clause, to int) int {
	be := c.predicate
	for i := c.end; i < to; i++ {
		head, next := i, i+1
		if k := p.chunkOf[i]; k >= 0 {
			head, next = p.chunks[k].head, p.chunks[k].end
			if c.subject < 0 && p.inverted(be) { // "is the hotel cheap"
				c.subject = head
			}
			if head == c.subject || p.owned(k) {
				i = next - 1
				continue
			}
		} else if adverb(p.pos(i)) || p.pos(i) == "DT" {
			continue
		} else if !adjective(p.pos(i)) {
			return i
		}
		if p.heads[head] != unset {
			return next
		}
		for k := range p.heads {
			if p.heads[k] == be {
				p.heads[k] = head
			}
		}
		c.predicate = head
		p.attach(be, head, "cop")
		for k := c.end; k < next; k++ {
			p.adverb(k, head)
		}
		return next
	}
	return to
}

// join hangs each clause on one before it.
func (p *parser) join() {
	for k := 1; k < len(p.clauses); k++ {
		c, main, label := p.clauses[k], p.clauses[k-1].predicate, "advcl"
		switch link := p.pos(c.link); {
		case link == "TO":
			label = "xcomp"
		case link == "CC":
			label = "conj"
			p.attach(c.link, c.predicate, "cc")
		case (link == "WDT" || link == "WP") && c.link > 0 && p.chunkOf[c.link-1] >= 0:
			label, main = "acl:relcl", p.chunks[p.chunkOf[c.link-1]].head
		case link == "", strings.HasPrefix(link, "W"), p.is(c.link, "that", "whether"):
			label = "ccomp"
		}
		p.attach(c.predicate, main, label)
	}
}

// finish names the root, the first predicate or else the first noun phrase, and
// hangs on it what is left.
func (p *parser) finish() {
	root := 0
	if len(p.clauses) > 0 {
		root = p.clauses[0].predicate
	} else if len(p.chunks) > 0 {
		root = p.chunks[0].head
	}
	for p.heads[root] >= 0 { // what something else took
		root = p.heads[root]
	}
	p.heads[root], p.labels[root] = -1, "root"
	for i, t := range p.Tokens {
		label := "dep"
		if english.Mark(t.Text) {
			label = "punct"
		}
		p.attach(i, root, label)
	}
}
