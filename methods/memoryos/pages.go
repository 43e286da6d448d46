package memoryos

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/blas/blas32"

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
	said := lists.Map(messages, func(m building.Message) string { return m.Line.Speaker })
	for _, name := range slices.Concat(s.Speakers, said) {
		if user == "" || name == user {
			user = name
		} else if agent == "" {
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

// A segment holds pages about one theme.
type segment struct {
	summary  string
	keywords []string
	vector   []float32 // of the summary, of length 1 or 0
	pages    []*page
	fresh    int       // pages since it was analysed, the paper's L
	changed  time.Time // when a page came in, or it was analysed
}

// heat is
//
//	(pages since it was analysed) + exp(-(time since it changed) / cools)
//
// The third term of the paper counts how often a segment was retrieved, which never
// happens while a memory is built.
func (s *segment) heat(now time.Time) float64 {
	recency := 1.0
	if !s.changed.IsZero() && !now.IsZero() {
		recency = math.Exp(-max(0, now.Sub(s.changed).Seconds()) / cools)
	}
	return float64(s.fresh) + recency
}

// midTerm is mid-term memory: segments in the order in which they were made.
type midTerm struct {
	capacity int // for segments
	segments []*segment
}

// unit scales a vector to length 1.
func unit(v []float32) []float32 {
	x := blas32.Vector{N: len(v), Inc: 1, Data: slices.Clone(v)}
	if norm := blas32.Nrm2(x); norm > 0 {
		blas32.Scal(1/norm, x)
	}
	return x.Data
}

// nearest returns the segment to which a theme belongs, and their similarity:
// cosine and keywords together. It is nil if no similarity is above -1. The
// vector has length 1.
func (m *midTerm) nearest(vector []float32, keywords []string) (best *segment, highest float64) {
	highest = -1
	for _, s := range m.segments {
		cosine := float64(blas32.Dot(blas32.Vector{N: len(vector), Inc: 1, Data: s.vector}, blas32.Vector{N: len(vector), Inc: 1, Data: vector}))
		if both := cosine + building.Jaccard(s.keywords, keywords); both > highest {
			best, highest = s, both
		}
	}
	return best, highest
}

// hold puts a page into the segment.
func (s *segment) hold(p *page) {
	s.pages = append(s.pages, p)
	p.held++
}

// hottest returns the segment with the highest heat, the oldest of equal ones; nil
// for none.
func (m *midTerm) hottest(now time.Time) *segment {
	if len(m.segments) == 0 {
		return nil
	}
	return slices.MaxFunc(m.segments, byHeat(now))
}

// evict removes the coldest segment if there are too many.
func (m *midTerm) evict(now time.Time) {
	if len(m.segments) <= m.capacity {
		return
	}
	coldest := slices.MinFunc(m.segments, byHeat(now))
	for _, p := range coldest.pages {
		p.held--
	}
	m.segments = slices.DeleteFunc(m.segments, func(s *segment) bool { return s == coldest })
}

// byHeat orders segments by their heat.
func byHeat(now time.Time) func(a, b *segment) int {
	return func(a, b *segment) int { return cmp.Compare(a.heat(now), b.heat(now)) }
}

// spread gives an overview to the pages of the chain that ends with a page, if they
// are still in segments.
func (p *page) spread(text string) {
	for ; p != nil && p.held > 0; p = p.prev {
		p.overview = text
	}
}
