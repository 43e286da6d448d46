package flatrag

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"recallbench/datasets"
	"recallbench/methods/internal/transcript"
)

// A chunk is a stretch of the history.
type chunk struct {
	id      string
	text    string
	lines   []transcript.Line
	sources []string
	// around is what the text has before the text of each line, and behind the
	// last: one more than lines.
	around []string
}

// An entry is one turn as a line of the transcript.
type entry struct {
	id   string
	line transcript.Line
	text string // of the line, without a line feed
}

// chunks cuts the history of a sample, in order.
func (m *method) chunks(s datasets.Sample) (chunks []chunk) {
	var all []entry
	for _, session := range s.Sessions {
		for _, turn := range session.Turns {
			line := m.Images.Line(turn)
			all = append(all, entry{turn.ID, line, transcript.Text(line)})
		}
	}
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
func join(entries []entry) chunk {
	var c chunk
	texts := make([]string, len(entries))
	for i, e := range entries {
		texts[i] = e.text
		c.lines = append(c.lines, e.line)
		c.sources = append(c.sources, e.id)
		head := strings.TrimSuffix(e.text, e.line.Text)
		if i > 0 {
			head = "\n" + head
		}
		c.around = append(c.around, head)
	}
	c.around = append(c.around, "")
	c.text = strings.Join(texts, "\n")
	return c
}

// tokenWindows cuts the transcript of entries into windows of Chunk.Size tokens, as
// mem0's evaluation does. A window may begin and end inside a turn. The turn then
// counts as a source of that window only which holds most of its tokens, the first of
// equals, so that recall does not count halves.
func (m *method) tokenWindows(entries []entry) []chunk {
	var pieces []piece // from the first of the window on
	turnTokens := make([]int, len(entries))
	next := 0 // the turn to split next: a long history is never held in tokens
	more := func(n int) bool {
		for ; len(pieces) < n && next < len(entries); next++ {
			tokens := m.tokens.Split(entries[next].text + "\n")
			turnTokens[next] = len(tokens)
			for _, t := range tokens {
				pieces = append(pieces, piece{next, t})
			}
		}
		return len(pieces) >= n
	}
	type share struct{ window, tokens int }
	best := make([]share, len(entries)) // the window that holds most of each turn
	var chunks []chunk
	for more(1) {
		more(m.Chunk.Size)
		end := min(m.Chunk.Size, len(pieces))
		text := joined(pieces[:end])
		// A character may be more than one token: finish it.
		for ; !wholeEnd(text) && more(end+1); end++ {
			text += pieces[end].text
		}
		c := chunk{text: strings.Trim(strings.ToValidUTF8(text, ""), "\n")}
		between := "" // the text of the last line and this one's
		for i := 0; i < end; {
			turn := pieces[i].turn
			from := i
			for i < end && pieces[i].turn == turn {
				i++
			}
			part := joined(pieces[from:i])
			held := i - from
			shown := strings.ToValidUTF8(part, "")
			if line := partLine(entries[turn], part); line.Text != "" {
				at := strings.LastIndex(shown, line.Text)
				c.lines, c.around = append(c.lines, line), append(c.around, between+shown[:at])
				shown, between = shown[at+len(line.Text):], ""
			}
			between += shown
			switch {
			case held == turnTokens[turn]:
				c.sources = append(c.sources, entries[turn].id)
				best[turn] = share{-1, held}
			case held > best[turn].tokens:
				best[turn] = share{len(chunks), held}
			}
		}
		c.around = append(c.around, strings.TrimRight(between, "\n"))
		c.around[0] = strings.TrimLeft(c.around[0], "\n")
		chunks = append(chunks, c)
		if !more(end + 1) {
			break
		}
		pieces = append(pieces[:0], pieces[end:]...)
	}
	for turn, b := range best {
		if b.tokens > 0 && b.window >= 0 {
			c := &chunks[b.window]
			c.sources = append(c.sources, entries[turn].id)
		}
	}
	return chunks
}

// A piece is a token of a turn.
type piece struct {
	turn int
	text string
}

// joined returns the text of pieces, which takes no more memory than it needs.
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

// partLine returns the line of the part of a turn that fell into a window.
func partLine(e entry, part string) transcript.Line {
	line := e.line
	part = strings.TrimSuffix(part, "\n")
	if part == e.text {
		line.Text = strings.ToValidUTF8(line.Text, "")
		return line
	}
	// The part begins with the head of the line, lies behind it, or is cut
	// inside it.
	head := strings.TrimSuffix(e.text, line.Text)
	switch {
	case strings.HasPrefix(part, head):
		line.Text = strings.TrimPrefix(part, head)
	case strings.HasPrefix(e.text, part):
		line.Text = ""
	case strings.HasSuffix(e.text, part) && len(part) > len(line.Text):
	default:
		line.Text = part
	}
	line.Text = strings.TrimSpace(strings.ToValidUTF8(line.Text, ""))
	return line
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
