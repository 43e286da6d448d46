package annotator

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
	for _, e := range s.Entities {
		if e.Start <= i && i < e.End && (e.Type == "DATE" || e.Type == "TIME") {
			return true
		}
	}
	return false
}
