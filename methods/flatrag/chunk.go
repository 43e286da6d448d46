package flatrag

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/transcript"
)

// A chunk is a stretch of the conversation.
type chunk struct {
	id      string
	text    string
	sources []string
	said    []span // of text: the words said, without times and names of speakers
}

// A span is a part of a text, by offsets.
type span struct{ from, to int }

// lines returns the words said.
func (c chunk) lines() []string {
	return lists.Map(c.said, func(s span) string { return c.text[s.from:s.to] })
}

// chunks cuts a conversation into chunks, in order.
func (m *method) chunks(s datasets.Sample) (chunks []chunk) {
	all := building.Messages(s, m.Images)
	if m.Chunk.Unit == Tokens {
		chunks = m.tokenWindows(all)
	} else {
		for turns := range slices.Chunk(all, m.Chunk.Size) {
			chunks = append(chunks, join(turns))
		}
	}
	for i := range chunks {
		chunks[i].id = "chunk " + strconv.Itoa(i+1)
	}
	return chunks
}

// join makes whole turns a chunk.
func join(turns []building.Message) chunk {
	var c chunk
	var b strings.Builder
	for i, turn := range turns {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(transcript.Text(turn.Line))
		c.said = append(c.said, span{b.Len() - len(turn.Line.Text), b.Len()})
		c.sources = append(c.sources, turn.ID)
	}
	c.text = b.String()
	return c
}

// tokenWindows cuts the transcript of turns into windows of Chunk.Size tokens, as
// mem0's evaluation does. A window may begin and end inside a turn. The turn then
// counts as a source only of the window that has most of its tokens, the first of
// equals, so that recall does not count halves.
func (m *method) tokenWindows(turns []building.Message) []chunk {
	var pieces []piece // from the first of the window on
	turnTokens := make([]int, len(turns))
	next := 0 // the turn to split next: a long conversation is never held as tokens
	more := func(n int) bool {
		for ; len(pieces) < n && next < len(turns); next++ {
			tokens := m.tokens.Split(transcript.Text(turns[next].Line) + "\n")
			turnTokens[next] = len(tokens)
			for _, t := range tokens {
				pieces = append(pieces, piece{next, t})
			}
		}
		return len(pieces) >= n
	}
	type share struct{ window, tokens int }
	best := make([]share, len(turns)) // the window that has most of each turn
	var chunks []chunk
	for more(1) {
		more(m.Chunk.Size)
		end := min(m.Chunk.Size, len(pieces))
		text := joined(pieces[:end])
		// A character may be more than one token: finish it.
		for ; !wholeEnd(text) && more(end+1); end++ {
			text += pieces[end].text
		}
		var c chunk
		var b strings.Builder
		for i := 0; i < end; {
			turn, from := pieces[i].turn, i
			for i < end && pieces[i].turn == turn {
				i++
			}
			part, held := joined(pieces[from:i]), i-from
			shown := strings.ToValidUTF8(part, "")
			if said := saidIn(part, turns[turn].Line); said != "" {
				at := b.Len() + strings.LastIndex(shown, said)
				c.said = append(c.said, span{at, at + len(said)})
			}
			b.WriteString(shown)
			switch {
			case held == turnTokens[turn]:
				c.sources = append(c.sources, turns[turn].ID)
				best[turn] = share{-1, held}
			case held > best[turn].tokens:
				best[turn] = share{len(chunks), held}
			}
		}
		c.text = strings.TrimLeft(b.String(), "\n")
		cut := b.Len() - len(c.text)
		for i, s := range c.said {
			c.said[i] = span{s.from - cut, s.to - cut}
		}
		c.text = strings.TrimRight(c.text, "\n")
		chunks = append(chunks, c)
		if !more(end + 1) {
			break
		}
		pieces = append(pieces[:0], pieces[end:]...)
	}
	for turn, b := range best {
		if b.tokens > 0 && b.window >= 0 {
			c := &chunks[b.window]
			c.sources = append(c.sources, turns[turn].ID)
		}
	}
	return chunks
}

// A piece is a token of a turn.
type piece struct {
	turn int
	text string
}

// joined returns the text of pieces, without using more memory than needed.
func joined(pieces []piece) string {
	n := 0
	for _, p := range pieces {
		n += len(p.text)
	}
	var b strings.Builder
	b.Grow(n)
	for _, p := range pieces {
		b.WriteString(p.text)
	}
	return b.String()
}

// saidIn returns the words said in the part of a line that fell into a window. The
// part begins with the head of the line, starts after it, or is cut inside it.
func saidIn(part string, line transcript.Line) string {
	part = strings.TrimSuffix(part, "\n")
	whole := transcript.Text(line)
	said, behind := strings.CutPrefix(part, strings.TrimSuffix(whole, line.Text))
	switch {
	case behind:
	case strings.HasPrefix(whole, part):
		said = ""
	case strings.HasSuffix(whole, part) && len(part) > len(line.Text):
		said = line.Text
	}
	return strings.TrimSpace(strings.ToValidUTF8(said, ""))
}

// wholeEnd reports whether s does not end inside a character.
func wholeEnd(s string) bool {
	r, size := utf8.DecodeLastRuneInString(s)
	if r != utf8.RuneError || size != 1 {
		return true
	}
	// The last byte alone is invalid: it may be the start or the middle of a
	// character that goes on.
	tail := s[max(0, len(s)-utf8.UTFMax+1):]
	for i := range len(tail) {
		if utf8.RuneStart(tail[i]) && !utf8.FullRuneInString(tail[i:]) {
			return false
		}
	}
	return true
}
