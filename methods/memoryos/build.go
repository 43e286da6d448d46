package memoryos

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/embed"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/transcript"
)

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
