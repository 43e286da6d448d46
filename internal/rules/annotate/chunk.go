package annotate

import "strings"

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
	s.chunks = s.chunks[:0]
	owned := -1
	for i := 0; i < len(s.Tokens); {
		c, ok := s.chunkAt(i)
		if !ok {
			if s.Tokens[i].POS != "POS" {
				owned = -1
			}
			i++
			continue
		}
		c.ownerOf, owned = owned, -1
		s.chunks = append(s.chunks, c)
		i = c.end
		if s.pos(i) == "POS" || s.word(i) == "'s" && noun(s.pos(i-1)) && (noun(s.pos(i+1)) || strings.HasPrefix(s.pos(i+1), "JJ") && noun(s.pos(i+2))) {
			s.Tokens[i].POS = "POS"
			owned = len(s.chunks) - 1
			i++
		}
	}
}

// chunkAt reads a noun phrase that starts at a token.
func (s *sentence) chunkAt(i int) (chunk, bool) {
	c := chunk{start: i, head: -1, owner: -1, ownerOf: -1}
	switch s.Tokens[i].POS {
	case "PRP":
		c.end, c.head = i+1, i
		return c, true
	case "PRP$":
		c.owner = i
		i++
	case "DT", "PDT", "WDT":
		i++
		if s.pos(i) == "DT" {
			i++
		} else if s.pos(i) == "PRP$" { // "all my friends"
			c.owner = i
			i++
		}
	}
	for i < len(s.Tokens) {
		p := s.Tokens[i].POS
		switch {
		case noun(p):
			if c.head >= 0 && s.edge(i) {
				c.end = c.head + 1
				return c, true
			}
			c.head = i
		case p == "CD":
			if c.head >= 0 && s.edge(i) || c.head >= 0 && s.Tokens[c.head].POS == "NN" && noun(s.pos(i+1)) {
				c.end = c.head + 1
				return c, true
			}
			c.head = i
		case strings.HasPrefix(p, "JJ"), p == "RB" && strings.HasPrefix(s.pos(i+1), "JJ") && noun(s.pos(i+2)), (p == "VBG" || p == "VBN") && noun(s.pos(i+1)) && (i > c.start || s.pos(i-1) == "DT"):
			if c.head >= 0 {
				c.end = c.head + 1
				return c, true
			}
		default:
			c.end = c.head + 1
			return c, c.head >= 0
		}
		i++
	}
	c.end = c.head + 1
	return c, c.head >= 0
}

// edge reports whether a value, such as a day, begins at a token: it stands
// beside a noun phrase, not in it.
func (s *sentence) edge(i int) bool {
	for _, e := range s.Entities {
		if e.Start == i && (e.Type == "DATE" || e.Type == "TIME") {
			return true
		}
	}
	return false
}
