package external

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/token"
	"recallbench/internal/external/wire"
	"recallbench/methods"
	"recallbench/methods/internal/transcript"
)

// A conversation is the form that crosses the wire: ids are derived from content,
// so that nothing reveals the dataset or a question's position.
type conversation struct {
	name     string
	speakers []string
	sessions []wire.Session
	turns    map[string]string      // id on the wire to id of the dataset
	wishes   map[string][]wire.Wish // of a session, by its id
	sources  *wire.Sources
	requests map[string]wire.Request // by the dataset's id
	order    []int                   // of the requests
}

func newConversation(s datasets.Sample) *conversation {
	c := &conversation{turns: make(map[string]string), wishes: make(map[string][]wire.Wish), speakers: []string{}}
	var all []wire.Turn
	crossed := make(map[string]string) // id of the dataset to id on the wire
	for _, session := range s.Sessions {
		out := wire.Session{Time: wire.Time{Time: session.Time}, Turns: []wire.Turn{}}
		out.ID = strconv.Itoa(len(c.sessions) + 1)
		for _, t := range session.Turns {
			turn := wire.Turn{
				ID: out.ID + ":" + strconv.Itoa(len(out.Turns)+1), Speaker: t.Speaker,
				Text: strings.ToValidUTF8(t.Text, "\uFFFD"), Time: wire.Time{Time: t.Time},
			}
			if t.Image != nil {
				turn.Image = &wire.Image{Caption: t.Image.Caption, Query: t.Image.Query}
			}
			c.turns[turn.ID], crossed[t.ID] = t.ID, turn.ID
			if len(t.Forgets) > 0 {
				wish := wire.Wish{Text: turn.Text, Speaker: t.Speaker}
				for _, id := range t.Forgets {
					wish.Turns = append(wish.Turns, crossed[id])
				}
				c.wishes[out.ID] = append(c.wishes[out.ID], wish)
			}
			out.Turns = append(out.Turns, turn)
			if t.Speaker != "" {
				c.speakers = lists.AddNew(c.speakers, t.Speaker)
			}
		}
		all = append(all, out.Turns...)
		c.sessions = append(c.sessions, out)
	}
	c.name = wire.MemoryName(c.sessions)
	c.sources = wire.NewSources(all)
	return c
}

// announce maps questions to the wire and orders them by their ids there.
func (c *conversation) announce(requests []datasets.Request) {
	out := make([]wire.Request, len(requests))
	c.order = make([]int, len(out))
	for i, r := range requests {
		out[i], c.order[i] = requestOf(r.Text, r.Time), i
	}
	ids := wire.RequestIDs(out)
	c.requests = make(map[string]wire.Request, len(out))
	for i := range out {
		out[i].ID = ids[i]
		c.requests[requests[i].ID] = out[i]
	}
	slices.SortFunc(c.order, func(a, b int) int { return strings.Compare(ids[a], ids[b]) })
}

// requestOf returns a question as it crosses the wire, the only one of its kind.
func requestOf(text string, at time.Time) wire.Request {
	r := wire.Request{Text: strings.ToValidUTF8(text, "\uFFFD"), Time: wire.Time{Time: at}}
	r.ID = wire.RequestIDs([]wire.Request{r})[0]
	return r
}

// request returns a question as it crosses the wire, even one that was not announced.
func (c *conversation) request(r datasets.Request) wire.Request {
	if out, ok := c.requests[r.ID]; ok {
		return out
	}
	return requestOf(r.Text, r.Time)
}

// canaries returns at most n turns: the longest of the last, the middle and the
// first session with at least six words.
func (c *conversation) canaries(n int) []wire.Turn {
	var found []wire.Turn
	last := len(c.sessions) - 1
	for _, at := range slices.Compact([]int{last, last / 2, 0}) {
		if at < 0 || len(found) == n {
			break
		}
		var best wire.Turn
		for _, t := range c.sessions[at].Turns {
			if len(strings.Fields(t.Text)) >= 6 && len(t.Text) > len(best.Text) {
				best = t
			}
		}
		if best.Text != "" {
			found = append(found, best)
		}
	}
	return found
}

// texts returns the texts of the turns, for an embedder that learns its space.
func (c *conversation) texts() []string {
	var texts []string
	for _, s := range c.sessions {
		texts = append(texts, lists.Map(s.Turns, func(t wire.Turn) string { return t.Text })...)
	}
	return texts
}

// evidence cuts a result to the run's k and token budget, and makes evidence of the
// rest.
func (m *memory) evidence(r result) (all []methods.Evidence, _ methods.Step) {
	blocks := r.Blocks
	texts := make([]string, len(blocks))
	sizes := make([]int, len(blocks))
	for i, b := range blocks {
		texts[i] = transcript.Text(line(b))
		sizes[i] = m.env.Tokens.Count(texts[i])
	}
	kept, cutTo := wire.Cut(sizes, m.o.K, m.o.Tokens)
	if cutTo > 0 {
		texts[0] = m.cut(texts[0], cutTo)
		sizes[0] = m.env.Tokens.Count(texts[0])
	}
	tokens, unknown := 0, 0
	ids := wire.BlockIDs(blocks)
	for i, b := range blocks[:kept] {
		e := methods.Evidence{ID: ids[i], Score: b.Score, Text: texts[i]}
		for _, source := range b.Sources {
			if turn, ok := m.turns[source]; ok {
				e.Sources = append(e.Sources, turn)
			} else {
				unknown++
			}
		}
		if len(b.Sources) == 0 {
			for _, source := range m.sources.Of(b.Text) {
				e.Sources = append(e.Sources, m.turns[source])
			}
			e.Estimated = true
		}
		tokens += sizes[i]
		all = append(all, e)
	}
	data := map[string]any{"returned": len(blocks), "kept": kept, "tokens": tokens, "asked_k": m.o.K}
	if cutTo > 0 {
		data["cut_to"] = m.o.Tokens
	}
	if unknown > 0 {
		data["unknown_sources"] = unknown
	}
	return all, methods.Step{Name: "search", Note: strings.Join(r.Notes, "; "), Data: data}
}

// line writes a block as the line that the reader sees: with its time in front,
// unless its text already names the day.
func line(b wire.Block) transcript.Line {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(b.Text, "\uFFFD")), " ")
	if b.Time.IsZero() || slices.ContainsFunc(dayForms(b.Time.Time), func(day string) bool { return strings.Contains(text, day) }) {
		return transcript.Line{Text: text}
	}
	return transcript.Line{Time: b.Time.Time, Text: text}
}

// cut cuts a text to a number of tokens, at a token and between characters.
func (m *memory) cut(text string, tokens int) string {
	if codec, ok := m.env.Tokens.(token.Codec); ok {
		parts := codec.Split(text)
		text = strings.Join(parts[:min(tokens, len(parts))], "")
	} else {
		for m.env.Tokens.Count(text) > tokens {
			text = text[:len(text)*3/4]
		}
	}
	return strings.ToValidUTF8(text, "") // which was whole
}

// dayForms returns the ways in which texts write a day.
func dayForms(t time.Time) []string {
	return lists.Map([]string{"2 January 2006", time.DateOnly, "January 2, 2006", "2006/01/02"}, t.Format)
}
