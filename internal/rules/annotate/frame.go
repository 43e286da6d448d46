package annotate

import (
	"strings"
)

// frame attaches what belongs to a clause.
func (p *parser) frame(k int) {
	s, c := p.s, &p.clauses[k]
	from := 0
	if k > 0 {
		from = p.clauses[k-1].end
	}
	p.before(c, from)
	if k > 0 && c.subject < 0 && c.link < 0 { // what a relative clause was about: "the man who called left"
		if r := p.clauses[k-1]; r.link > 0 && r.subject == r.link && r.start == r.link+1 && p.chunkOf[r.link-1] >= 0 && (k < 2 || p.clauses[k-2].end <= s.chunks[p.chunkOf[r.link-1]].start) {
			if head := s.chunks[p.chunkOf[r.link-1]].head; p.heads[head] == unset {
				c.subject = head
			}
		}
	}
	to := len(s.Tokens)
	if k+1 < len(p.clauses) {
		to = p.clauses[k+1].start
	}
	p.after(c, to)
	if c.subject >= 0 {
		label := "nsubj"
		if c.passive {
			label = "nsubj:pass"
		}
		p.attach(c.subject, c.predicate, label)
	}
}

// before finds the subject of a clause and the word that joins it.
func (p *parser) before(c *clause, from int) {
	s := p.s
	for i := c.start - 1; i >= from; i-- {
		t := s.Tokens[i]
		if k := p.chunkOf[i]; k >= 0 {
			ch := s.chunks[k]
			prep := ch.start > from && (s.pos(ch.start-1) == "IN" && !subordinates(s.low[ch.start-1]) || s.pos(ch.start-1) == "TO")
			owned := k+1 < len(s.chunks) && s.chunks[k+1].ownerOf == k
			if c.subject < 0 && !prep && !owned && s.Tokens[c.start].POS != "VBG" && nominative[s.low[ch.head]] == "" && p.heads[ch.head] == unset {
				c.subject = p.firstOf(k, from)
			}
			i = ch.start
			continue
		}
		switch {
		case t.POS == "EX":
			p.attach(i, c.predicate, "expl")
		case strings.HasPrefix(t.POS, "RB"):
			p.adverb(i, c.predicate)
		case t.POS == "TO" && i == c.start-1:
			p.attach(i, c.predicate, "mark")
			c.link = i
			return
		case t.POS == "IN" && subordinates(s.low[i]):
			p.attach(i, c.predicate, "mark")
			c.link = i
			return
		case t.POS == "WDT" || t.POS == "WP":
			if c.subject < 0 {
				c.subject = i
			} else {
				p.attach(i, c.predicate, "obj")
			}
			c.link = i
			return
		case t.POS == "WRB":
			p.attach(i, c.predicate, "advmod")
			c.link = i
			return
		case t.POS == "CC":
			c.link = i
			return
		case t.POS == ".", t.POS == ":":
			return
		}
	}
}

// firstOf returns the head of the first of the phrases that "and" joins to a
// subject.
func (p *parser) firstOf(k, from int) int {
	s := p.s
	for from == 0 && k > 0 && s.chunks[k].start-s.chunks[k-1].end == 1 && s.low[s.chunks[k-1].end] == "and" {
		k--
	}
	return s.chunks[k].head
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
	s := p.s
	main := c.predicate
	for i := c.start + 1; i < c.predicate; i++ {
		p.adverb(i, main)
	}
	i := c.end
	if s.Tokens[main].Lemma == "be" && !c.passive {
		i = p.copula(c, to)
	}
	object, last := -1, c.predicate
	for ; i < to; i++ {
		t := s.Tokens[i]
		k := p.chunkOf[i]
		switch {
		case k >= 0:
			ch := s.chunks[k]
			i = ch.end - 1
			if ch.head == c.subject || k+1 < len(s.chunks) && s.chunks[k+1].ownerOf == k {
				continue
			}
			relative := c.link > 0 && c.subject == c.link && object < 0 && last == c.predicate
			if !relative && nominative[s.low[ch.head]] == "" && p.nextSubject(ch, to) {
				continue
			}
			switch {
			case c.subject < 0 && s.Tokens[main].Lemma == "be" && s.word(c.start-1) == "there":
				p.attach(ch.head, c.predicate, "nsubj")
			case s.timely(ch.head):
				p.attach(ch.head, c.predicate, "obl:tmod")
			case object < 0:
				if p.attach(ch.head, c.predicate, "obj") {
					object = ch.head
				}
			case p.labels[object] == "obj" && s.pos(object) == "PRP":
				if p.attach(ch.head, c.predicate, "obj") {
					p.labels[object] = "iobj"
				}
			}
			last = ch.head
		case t.POS == "IN" || t.POS == "TO":
			if next := i + 1; next < to && p.chunkOf[next] >= 0 {
				ch := s.chunks[p.chunkOf[next]]
				head, label := c.predicate, "obl"
				if t.Lemma == "of" || last != c.predicate && s.low[last] != "it" && t.Lemma == "with" {
					head, label = last, "nmod"
					if last == c.predicate {
						label = "obl"
					}
				}
				if ch.head != c.subject && !(subordinates(s.low[i]) && p.nextSubject(ch, to)) {
					target := ch.head
					p.attach(i, target, "case")
					p.attach(target, head, label)
					last = target
				}
				i = ch.end - 1
				for i+1 < to && s.pos(i+1) == "POS" && i+2 < to && p.chunkOf[i+2] >= 0 { // "of Anna's hotel"
					ch = s.chunks[p.chunkOf[i+2]]
					p.attach(ch.head, head, label)
					i, last = ch.end-1, ch.head
				}
			} else if last == c.predicate {
				p.attach(i, c.predicate, "compound:prt")
			}
		case t.POS == "RP":
			p.attach(i, c.predicate, "compound:prt")
		case strings.HasPrefix(t.POS, "JJ"):
			p.attach(i, c.predicate, "xcomp")
		default:
			p.adverb(i, c.predicate)
		}
	}
}

// adverb attaches a token that is an adverb.
func (p *parser) adverb(i, head int) {
	if s := p.s; strings.HasPrefix(s.Tokens[i].POS, "RB") {
		label := "advmod"
		if s.low[i] == "n't" || s.low[i] == "not" || s.low[i] == "never" {
			label = "neg"
		}
		p.attach(i, head, label)
	}
}

// nextSubject reports whether a noun phrase is the subject of the clause that
// comes next rather than an object of this one: a verb follows it.
func (p *parser) nextSubject(c chunk, to int) bool {
	s := p.s
	if c.end >= len(s.Tokens) || to >= len(s.Tokens) {
		return false
	}
	i := c.end
	for i < len(s.Tokens) && strings.HasPrefix(s.pos(i), "RB") {
		i++
	}
	return i == to && s.pos(to) != "VBG" && s.pos(to) != "VBN"
}

// timely reports whether a noun phrase says when.
func (s *sentence) timely(head int) bool {
	for _, e := range s.Entities {
		if e.Start <= head && head < e.End && (e.Type == "DATE" || e.Type == "TIME") {
			return true
		}
	}
	return false
}

// copula makes what is said by a form of "be" the head of its clause and returns
// where to go on.
func (p *parser) copula(c *clause, to int) int {
	s, be := p.s, c.predicate
	for i := c.end; i < to; i++ {
		t := s.Tokens[i]
		k := p.chunkOf[i]
		switch {
		case k >= 0 && c.subject < 0 && p.inverted(be) && s.chunks[k].start == i: // "is the hotel cheap"
			if s.pos(i-1) != "IN" {
				c.subject = s.chunks[k].head
				i = s.chunks[k].end - 1
				continue
			}
			return i
		case k >= 0:
			head := s.chunks[k].head
			owned := k+1 < len(s.chunks) && s.chunks[k+1].ownerOf == k
			if head == c.subject || owned {
				i = s.chunks[k].end - 1
				continue
			}
			if s.pos(i-1) == "IN" || s.word(c.start-1) == "there" {
				return i
			}
			return p.predicate(c, head, s.chunks[k].end)
		case strings.HasPrefix(t.POS, "JJ"):
			return p.predicate(c, i, i+1)
		case strings.HasPrefix(t.POS, "RB"), t.POS == "DT":
			continue
		default:
			return i
		}
	}
	if s.word(c.start-1) == "there" {
		return c.end
	}
	return to
}

// predicate makes a token the head of a clause with a copula.
func (p *parser) predicate(c *clause, head, next int) int {
	if p.heads[head] != unset {
		return next
	}
	be := c.predicate
	for i := range p.heads {
		if p.heads[i] == be {
			p.heads[i] = head
		}
	}
	c.predicate = head
	p.attach(be, head, "cop")
	for i := c.end; i < next; i++ {
		p.adverb(i, head)
	}
	return next
}
