package memoryos

import (
	"slices"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/transcript"
)

// A page is what the user said and the reply.
type page struct {
	id          int // from 1
	user, agent []building.Message

	overview string // of the chain that it is in
	prev     *page  // of its chain; nil for none
	held     int    // number of mid-term segments that hold it
	analysed bool
	row      int // of its vector
}

// messages are those of both sides, in the order in which they were said.
func (p *page) messages() []building.Message { return slices.Concat(p.user, p.agent) }

func (p *page) lines() []transcript.Line { return building.Lines(p.messages()) }

// time is when the page began.
func (p *page) time() time.Time { return p.lines()[0].Time }

// The sides of a page, as the authors' prompts show them.
type sides struct{ User, Agent, Time string }

func (p *page) sides() sides {
	s := sides{User: said(p.user), Agent: said(p.agent)}
	if t := p.time(); !t.IsZero() {
		s.Time = transcript.Time(t)
	}
	return s
}

// said joins the texts of one side.
func said(messages []building.Message) string {
	texts := lists.Map(building.Lines(messages), func(l transcript.Line) string { return l.Text })
	return strings.TrimSpace(strings.Join(texts, " "))
}

// text is the text by which a page is found.
func (p *page) text() string {
	s := p.sides()
	return "User: " + s.User + " Assistant: " + s.Agent
}

// names returns who the user is, the first of the speakers, and who the assistant.
func names(s datasets.Sample, messages []building.Message) (user, agent string) {
	speakers := slices.Clone(s.Speakers)
	for _, m := range messages {
		speakers = append(speakers, m.Line.Speaker)
	}
	for _, name := range speakers {
		switch {
		case user == "":
			user = name
		case agent == "" && name != user:
			agent = name
		}
	}
	return user, agent
}

// paired makes pages of messages: a page has all turns up to the user's next, or to
// the end of a session.
func paired(user string, messages []building.Message) (pages []*page) {
	var last *page
	for i, m := range messages {
		byUser := m.Line.Speaker == user
		if last == nil || m.Session != messages[i-1].Session || byUser && len(last.agent) > 0 {
			last = &page{id: len(pages) + 1}
			pages = append(pages, last)
		}
		if byUser {
			last.user = append(last.user, m)
		} else {
			last.agent = append(last.agent, m)
		}
	}
	return pages
}
