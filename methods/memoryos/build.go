package memoryos

import (
	"context"
	"slices"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/checkpoint"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/transcript"
)

// A builder reads a conversation page by page.
type builder struct {
	*method
	space    embed.Embedder
	replies  replies
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

func (m *method) newBuilder(ctx context.Context, s datasets.Sample) (*builder, error) {
	messages := building.Messages(s, images)
	b := &builder{method: m, mid: newMidTerm(m.segments), messages: len(messages)}
	b.user, b.agent = names(s, messages)
	b.pages = paired(b.user, messages)
	var err error
	b.space, err = building.Fit(ctx, m.Embed, messages)
	return b, err
}

// read takes all pages in. Kept replies of an earlier building take the place
// of calls for their pages.
func (b *builder) read(ctx context.Context) error {
	keeper := checkpoint.From(ctx)
	kept, use := make(map[int][]reply), make(map[int]func())
	err := building.Kept(keeper, func(p part, used func()) error {
		kept[p.Page], use[p.Page] = p.Replies, used
		return nil
	})
	if err != nil {
		return err
	}
	for _, p := range b.pages {
		b.replies = replies{kept: kept[p.id]}
		if err := b.add(ctx, p); err != nil {
			return err
		}
		if f := use[p.id]; f != nil {
			f()
		}
		if b.replies.own || len(b.replies.kept) > 0 {
			if err := keeper.Add(part{p.id, b.replies.made}); err != nil {
				return err
			}
		}
	}
	return nil
}

// add puts a page into short-term memory. Where that is full, its oldest page goes on
// to mid-term memory.
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
	found, err := b.themes(ctx, p)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		found = []Theme{{Content: building.Clean(transcript.Texts(p.lines()), building.MaxContent)}}
	}
	for _, t := range found {
		if err := b.place(ctx, p, t); err != nil {
			return err
		}
	}
	return nil
}

const continuesSchema = `{
	"type": "object",
	"properties": {"why": {"type": "string"}, "new_episode": {"type": "boolean"}, "confidence": {"type": "number"}},
	"required": ["why", "new_episode", "confidence"],
	"additionalProperties": false
}`

// linkData is of the calls about a page and the one before it: the authors'
// prompts show the sides of both.
type linkData struct {
	Before        string // the page before, or the overview so far
	Page          string
	First, Second sides
}

// Of the calls about a page, in the released code.
const (
	linkTemperature     = 0
	overviewTemperature = 0.3
	overviewTokens      = 100
	otherTemperature    = 0.7
)

// link asks whether a page goes on with the one before it, links them if so, and asks
// for an overview, which the pages of the chain share.
func (b *builder) link(ctx context.Context, p *page) error {
	lines := p.lines()
	goesOn, before := false, ""
	if b.last != nil {
		var err error
		goesOn, err = asked(&b.replies, continues, func() (bool, error) {
			reply, ok, err := building.JSON[building.Boundary](ctx, b.Model, building.Call{
				Role:     roleContinues,
				Template: continues, Data: linkData{transcript.Texts(b.last.lines()), transcript.Texts(lines), b.last.sides(), p.sides()},
				Params: building.Params(linkTemperature, b.MaxTokens),
				Schema: continuesSchema,
			})
			return ok && !reply.NewEpisode, err
		})
		if err != nil {
			return err
		}
	}
	if goesOn {
		b.links++
		before = b.last.overview
		p.prev = b.last.id
	}
	text, err := asked(&b.replies, overview, func() (string, error) {
		text, _, err := b.Text(ctx, building.Call{
			Role:     roleOverview,
			Template: overview, Data: linkData{Before: before, Page: transcript.Texts(lines), Second: p.sides()},
			Params: building.Params(overviewTemperature, overviewTokens),
		}, building.MaxFact)
		return text, err
	})
	if err != nil {
		return err
	}
	if text == "" {
		text = before
	}
	p.overview = text
	if goesOn {
		b.mid.spread(p.prev, text)
	}
	return nil
}

const themesSchema = `{
	"type": "object",
	"properties": {"themes": {"type": "array", "items": {
		"type": "object",
		"properties": {"theme": {"type": "string"}, "keywords": {"type": "array", "items": {"type": "string"}}, "content": {"type": "string"}},
		"required": ["theme", "keywords", "content"],
		"additionalProperties": false
	}}},
	"required": ["themes"],
	"additionalProperties": false
}`

// A Theme is one that a page is about.
type Theme struct {
	Theme    string   `json:"theme"` // its name
	Keywords []string `json:"keywords"`
	Content  string   `json:"content"` // a summary
}

type themesReply struct {
	Themes []Theme `json:"themes"`
}

type themesData struct {
	Messages string
	Page     sides
}

// What is kept of a reply: more is no answer to what was asked.
const (
	maxThemes   = 10
	maxKeywords = 50
	maxFacts    = 200
)

// themes asks what a page is about. There is none where the reply cannot be used.
func (b *builder) themes(ctx context.Context, p *page) ([]Theme, error) {
	lines := p.lines()
	return asked(&b.replies, themes, func() ([]Theme, error) {
		reply, ok, err := building.JSON[themesReply](ctx, b.Model, building.Call{
			Role:     roleThemes,
			Template: themes, Data: themesData{transcript.Texts(lines), p.sides()},
			Params: building.Params(otherTemperature, b.MaxTokens),
			Schema: themesSchema,
		})
		var found []Theme
		for _, t := range reply.Themes[:min(maxThemes, len(reply.Themes))] {
			if t.Content = building.Clean(t.Content, building.MaxContent); t.Content != "" {
				t.Keywords = building.Distinct(t.Keywords, building.MaxTitle, maxKeywords)
				found = append(found, t)
			}
		}
		if ok && len(found) == 0 {
			meter.Degrade(ctx, roleThemes)
		}
		return found, err
	})
}

// place puts a page with a theme into the segment that it belongs to, or into a new
// one.
func (b *builder) place(ctx context.Context, p *page, t Theme) error {
	vectors, err := building.Vectors(ctx, b.space, embed.Document, t.Content)
	if err != nil {
		return err
	}
	vector := unit(vectors[0])
	if best, similar := b.mid.nearest(vector, t.Keywords); best != nil && similar >= b.joins {
		b.mid.hold(best, p)
		best.fresh++
		best.changed = b.now
		return nil
	}
	s := &segment{summary: t.Content, keywords: t.Keywords, vector: vector, fresh: 1, changed: b.now}
	b.mid.hold(s, p)
	b.mid.segments = append(b.mid.segments, s)
	b.mid.evict(b.now)
	return nil
}

type keywordsData struct{ Text string }

const keywordsSchema = `{
	"type": "object",
	"properties": {"keywords": {"type": "string"}},
	"required": ["keywords"],
	"additionalProperties": false
}`

// keywords asks for those of a text; none where the reply cannot be used.
func (m *method) keywords(ctx context.Context, text string) ([]string, error) {
	reply, _, err := building.JSON[building.Keywords](ctx, m.Model, building.Call{
		Role:     roleKeywords,
		Template: keywords, Data: keywordsData{text},
		Params: building.Params(otherTemperature, m.MaxTokens),
		Schema: keywordsSchema,
	})
	return building.Distinct(strings.Split(reply.Keywords, ","), building.MaxTitle, maxKeywords), err
}
