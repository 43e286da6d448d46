package memoryos

import (
	"slices"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/llm"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/transcript"
)

// A page is what the user said and what was replied.
type page struct {
	id          int // from 1
	user, agent []building.Message

	overview   string // of the chain that it is in
	keywords   []string
	prev, next int // pages of its chain; 0 for none
	analysed   bool
	row        int // of its vector
}

// messages are those of both sides, in the order in which they were said.
func (p *page) messages() []building.Message { return slices.Concat(p.user, p.agent) }

func (p *page) lines() []llm.Line { return building.Lines(p.messages()) }

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
	var texts []string
	for _, l := range building.Lines(messages) {
		texts = append(texts, l.Text)
	}
	return strings.TrimSpace(strings.Join(texts, " "))
}

// text is what a page is found by: in the authors' evaluation all of it run
// together, with its time.
func (p *page) text(profile Profile) string {
	s := p.sides()
	if profile == Eval {
		return s.User + s.Time + s.Agent
	}
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

// paired makes pages of messages. It returns how many messages are lost.
func paired(how Pairing, user string, messages []building.Message) (pages []*page, lost int) {
	for i, m := range messages {
		byUser := m.Line.Speaker == user
		var last *page
		if len(pages) > 0 {
			last = pages[len(pages)-1]
		}
		switch {
		case how == Lossy && !byUser && last != nil:
			lost += len(last.agent)
			last.agent = []building.Message{m}
			continue
		case how == Lossless && last != nil && m.Session == messages[i-1].Session && (!byUser || len(last.agent) == 0):
		default:
			last = &page{id: len(pages) + 1}
			pages = append(pages, last)
		}
		if byUser {
			last.user = append(last.user, m)
		} else {
			last.agent = append(last.agent, m)
		}
	}
	return pages, lost
}

// half reports whether a side of the page says nothing.
func (p *page) half() bool { return said(p.user) == "" || said(p.agent) == "" }
