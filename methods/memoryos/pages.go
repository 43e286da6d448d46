package memoryos

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gonum.org/v1/gonum/blas/blas32"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/embed"
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

// A builder reads a conversation page by page.
type builder struct {
	*method
	model    building.Model
	space    embed.Embedder
	messages int
	pages    []*page
	now      time.Time // of the newest page

	user, agent string // who they are
	short       []*page
	last        *page // that left short-term memory
	mid         *midTerm
	long        longTerm
	links       int
}

// add puts a page into short-term memory. If that is full, its oldest page moves to
// mid-term memory.
func (b *builder) add(ctx context.Context, p *page) error {
	b.now = p.time()
	b.short = append(b.short, p)
	if len(b.short) > b.parameters.short {
		oldest := b.short[0]
		b.short = slices.Clone(b.short[1:])
		if err := b.file(ctx, oldest); err != nil {
			return err
		}
	}
	return b.analyse(ctx)
}

// file moves a page to mid-term memory.
func (b *builder) file(ctx context.Context, p *page) error {
	if err := b.link(ctx, p); err != nil {
		return err
	}
	b.last = p
	text := transcript.Texts(p.lines())
	reply, ok, err := building.JSON[themesReply](ctx, b.model, themes, themesData{text, p.sides()})
	if err != nil {
		return err
	}
	found := reply.themes()
	if !ok {
		found = []Theme{{Content: building.Clean(text, building.MaxContent)}}
	}
	for _, t := range found {
		if err := b.place(ctx, p, t); err != nil {
			return err
		}
	}
	return nil
}

// link asks whether a page continues the one before it, links them if so, and asks
// for an overview, which the pages of the chain share.
func (b *builder) link(ctx context.Context, p *page) error {
	data := linkData{Page: transcript.Texts(p.lines()), Second: p.sides()}
	if b.last != nil {
		both := data
		both.Before, both.First = transcript.Texts(b.last.lines()), b.last.sides()
		reply, ok, err := building.JSON[building.Boundary](ctx, b.model, continues, both)
		if err != nil {
			return err
		}
		if ok && !reply.NewEpisode {
			b.links++
			p.prev = b.last
			data.Before = b.last.overview
		}
	}
	text, err := b.model.Text(ctx, overview, data, building.MaxFact)
	if err != nil {
		return err
	}
	p.overview = cmp.Or(text, data.Before)
	if p.prev != nil {
		p.prev.spread(p.overview)
	}
	return nil
}

// A Theme is a theme of a page.
type Theme struct {
	Theme    string   `json:"theme"` // its name
	Keywords []string `json:"keywords"`
	Content  string   `json:"content"` // a summary
}

type themesReply struct {
	Themes []Theme `json:"themes"`
}

// Usable reports whether a theme has a summary.
func (r themesReply) Usable() bool { return len(r.themes()) > 0 }

func (r themesReply) themes() (found []Theme) {
	for _, t := range r.Themes[:min(maxThemes, len(r.Themes))] {
		if t.Content = building.Clean(t.Content, building.MaxContent); t.Content != "" {
			t.Keywords = building.Distinct(t.Keywords, building.MaxTitle, maxKeywords)
			found = append(found, t)
		}
	}
	return found
}

// Limits on a reply; anything beyond does not answer the prompt.
const (
	maxThemes   = 10
	maxKeywords = 50
	maxFacts    = 200
)

// place puts a page with a theme into the segment that it belongs to, or into a new
// one.
func (b *builder) place(ctx context.Context, p *page, t Theme) error {
	vectors, err := building.Vectors(ctx, b.space, t.Content)
	if err != nil {
		return err
	}
	vector := unit(vectors[0])
	if best, similar := b.mid.nearest(vector, t.Keywords); best != nil && similar >= b.joins {
		best.hold(p)
		best.fresh++
		best.changed = b.now
		return nil
	}
	s := &segment{summary: t.Content, keywords: t.Keywords, vector: vector, fresh: 1, changed: b.now}
	s.hold(p)
	b.mid.segments = append(b.mid.segments, s)
	b.mid.evict(b.now)
	return nil
}

// keywords asks for the keywords of a text; none if the reply is unusable.
func (m *method) keywords(ctx context.Context, text string) ([]string, error) {
	reply, _, err := building.JSON[building.Keywords](ctx, m.Model, keywords, keywordsData{text})
	return building.Distinct(strings.Split(reply.Keywords, ","), building.MaxTitle, maxKeywords), err
}

// longTerm is long-term memory: the knowledge about the speakers.
type longTerm struct {
	profile     string // of the user
	user, agent []string
	analyses    int
}

// A Portrait is what pages say about the user.
type Portrait struct {
	// Profile describes the speaker: character, preferences, manner, values. It
	// includes what was known before.
	Profile string   `json:"profile"`
	Facts   []string `json:"facts"` // that the lines state about the speaker
}

// leastProfile is the length, in characters, from which the authors' package accepts a
// new profile.
const leastProfile = 30

// analyse learns from the hottest segment, if it is hot enough and has pages
// that were not yet analysed. Its heat then restarts.
func (b *builder) analyse(ctx context.Context) error {
	s := b.mid.hottest(b.now)
	if s == nil || s.heat(b.now) < hot {
		return nil
	}
	pages := lists.Filter(s.pages, func(p *page) bool { return !p.analysed })
	if len(pages) == 0 {
		return nil
	}
	if err := b.learn(ctx, pages); err != nil {
		return err
	}
	for _, p := range s.pages {
		p.analysed = true
	}
	s.fresh = 0
	s.changed = b.now
	return nil
}

// learn asks what pages say about the speakers, given the profile so far.
func (b *builder) learn(ctx context.Context, pages []*page) error {
	b.long.analyses++
	var lines []transcript.Line
	data := portraitData{Name: b.user, Other: b.agent, Known: b.long.profile}
	for _, p := range pages {
		lines = append(lines, p.lines()...)
		data.Pages = append(data.Pages, p.sides())
	}
	data.Messages = transcript.Texts(lines)
	found, ok, err := building.JSON[Portrait](ctx, b.model, portrait, data)
	if err != nil {
		return err
	}
	data.Name, data.Other = data.Other, data.Name
	told, _, err := building.JSON[building.Statements](ctx, b.model, facts, data)
	if err != nil {
		return err
	}
	if ok {
		if profile := building.Clean(found.Profile, building.MaxContent); utf8.RuneCountInString(profile) >= leastProfile {
			b.long.profile = profile
		}
		b.long.user = latest(append(b.long.user, known(found.Facts)...))
	}
	b.long.agent = latest(append(b.long.agent, known(told.Statements)...))
	return nil
}

// known cleans facts, and drops those that only say that there is none.
func known(list []string) []string {
	var kept []string
	for _, f := range list[:min(maxFacts, len(list))] {
		f = building.Clean(f, building.MaxFact)
		if strings.Trim(strings.ToLower(f), "- .") == "none" || f == "" {
			continue
		}
		kept = append(kept, f)
	}
	return kept
}

// latest returns as much as long-term memory has room for.
func latest(list []string) []string { return list[max(0, len(list)-mostKnown):] }
