package external

import (
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/outside/wire"
)

// A crossing is a sample as it crosses the wire: ids are functions of content,
// so that nothing tells the dataset, and nothing of a request its place.
type crossing struct {
	name     string
	speakers []string
	sessions []wire.Session
	turns    map[string]string // id on the wire to id of the dataset
	sources  *wire.Sources
	requests map[string]wire.Request // by the dataset's id
	order    []int                   // of the requests
}

func newCrossing(s datasets.Sample) *crossing {
	c := &crossing{turns: make(map[string]string), speakers: []string{}}
	var all []wire.Turn
	for _, session := range s.Sessions {
		out := wire.Session{Time: wire.Time{Time: session.Time}, Turns: []wire.Turn{}}
		out.ID = number(len(c.sessions) + 1)
		for _, t := range session.Turns {
			turn := wire.Turn{
				ID: out.ID + ":" + number(len(out.Turns)+1), Speaker: t.Speaker,
				Text: strings.ToValidUTF8(t.Text, "\uFFFD"), Time: wire.Time{Time: t.Time},
			}
			if t.Image != nil {
				turn.Image = &wire.Image{Caption: t.Image.Caption, Query: t.Image.Query}
			}
			c.turns[turn.ID] = t.ID
			out.Turns = append(out.Turns, turn)
			if t.Speaker != "" && !slices.Contains(c.speakers, t.Speaker) {
				c.speakers = append(c.speakers, t.Speaker)
			}
		}
		all = append(all, out.Turns...)
		c.sessions = append(c.sessions, out)
	}
	c.name = wire.MemoryName(c.sessions)
	c.sources = wire.NewSources(all)
	return c
}

// announce maps requests to the wire and orders them by what they are there.
func (c *crossing) announce(requests []datasets.Request) {
	var out []wire.Request
	for _, r := range requests {
		out = append(out, wire.Request{Text: strings.ToValidUTF8(r.Text, "\uFFFD"), Time: wire.Time{Time: r.Time}})
	}
	ids := wire.RequestIDs(out)
	c.requests = make(map[string]wire.Request, len(out))
	c.order = make([]int, len(out))
	for i := range out {
		out[i].ID = ids[i]
		c.requests[requests[i].ID] = out[i]
		c.order[i] = i
	}
	slices.SortFunc(c.order, func(a, b int) int { return strings.Compare(ids[a], ids[b]) })
}

// request returns a request as it crosses. One that was not announced is the
// only one of its kind.
func (c *crossing) request(r datasets.Request) wire.Request {
	if out, ok := c.requests[r.ID]; ok {
		return out
	}
	out := wire.Request{Text: strings.ToValidUTF8(r.Text, "\uFFFD"), Time: wire.Time{Time: r.Time}}
	out.ID = wire.RequestIDs([]wire.Request{out})[0]
	return out
}

// canaries returns the longest turns with six words and more of the last, the
// middle and the first session, at most n.
func (c *crossing) canaries(n int) []wire.Turn {
	var found []wire.Turn
	last := len(c.sessions) - 1
	for _, at := range []int{last, last / 2, 0} {
		if at < 0 || len(found) == n {
			break
		}
		best := -1
		for i, t := range c.sessions[at].Turns {
			if len(strings.Fields(t.Text)) >= 6 && (best < 0 || len(t.Text) > len(c.sessions[at].Turns[best].Text)) {
				best = i
			}
		}
		if best >= 0 && !slices.ContainsFunc(found, func(t wire.Turn) bool { return t.ID == c.sessions[at].Turns[best].ID }) {
			found = append(found, c.sessions[at].Turns[best])
		}
	}
	return found
}

// texts returns what the turns say, for an embedder that learns its space.
func (c *crossing) texts() []string {
	var texts []string
	for _, s := range c.sessions {
		for _, t := range s.Turns {
			texts = append(texts, t.Text)
		}
	}
	return texts
}

func number(n int) string { return strconv.Itoa(n) }
