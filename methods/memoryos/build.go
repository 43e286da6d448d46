package memoryos

import (
	"cmp"
	"context"
	"encoding/json"
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
	b := &builder{method: m, mid: &midTerm{capacity: m.segments}, messages: len(messages)}
	b.user, b.agent = names(s, messages)
	b.pages = paired(b.user, messages)
	var err error
	b.space, err = building.Fit(ctx, m.Embed, messages)
	return b, err
}

// A part is a kept piece of a building: the replies to the calls for one page,
// in order.
type part struct {
	Page    int     `json:"page"`
	Replies []reply `json:"replies"`
}

// A reply is the usable result of a call.
type reply struct {
	Template string          `json:"template"`
	Value    json.RawMessage `json:"value"`
}

// replies are those to the calls of one page.
type replies struct {
	kept []reply // that are left of an earlier building
	made []reply // the page's, kept ones included
	own  bool    // some are not kept yet
}

// asked returns the next kept reply, or calls the model. Kept replies stop
// applying if a page takes other calls than before, as may happen if its vectors
// differ slightly.
func asked[T any](r *replies, of building.Call, call func() (T, error)) (value T, err error) {
	template := cmp.Or(of.Template, of.Role)
	if len(r.kept) > 0 {
		next := r.kept[0]
		if next.Template == template && json.Unmarshal(next.Value, &value) == nil {
			r.kept, r.made = r.kept[1:], append(r.made, next)
			return value, nil
		}
		r.kept, r.own = nil, true
	}
	if value, err = call(); err != nil {
		return value, err
	}
	data, err := json.Marshal(value)
	r.made, r.own = append(r.made, reply{template, data}), true
	return value, err
}

// read takes in all pages. Kept replies of an earlier building replace the
// calls for their pages.
func (b *builder) read(ctx context.Context) error {
	keeper := checkpoint.From(ctx)
	kept, use := make(map[int][]reply), make(map[int]func())
	err := building.Parts(keeper, func(p part, used func()) error {
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

// link asks whether a page continues the one before it, links them if so, and asks
// for an overview, which the pages of the chain share.
func (b *builder) link(ctx context.Context, p *page) error {
	lines := p.lines()
	goesOn, before := false, ""
	if b.last != nil {
		var err error
		goesOn, err = asked(&b.replies, continues, func() (bool, error) {
			data := linkData{transcript.Texts(b.last.lines()), transcript.Texts(lines), b.last.sides(), p.sides()}
			reply, ok, err := building.JSON[building.Boundary](ctx, b.Model, continues, data)
			return ok && !reply.NewEpisode, err
		})
		if err != nil {
			return err
		}
	}
	if goesOn {
		b.links++
		before = b.last.overview
		p.prev = b.last
	}
	text, err := asked(&b.replies, overview, func() (string, error) {
		data := linkData{Before: before, Page: transcript.Texts(lines), Second: p.sides()}
		text, _, err := b.Text(ctx, overview, data, building.MaxFact)
		return text, err
	})
	if err != nil {
		return err
	}
	text = cmp.Or(text, before)
	p.overview = text
	if goesOn {
		p.prev.spread(text)
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

// Limits on a reply; anything beyond does not answer the prompt.
const (
	maxThemes   = 10
	maxKeywords = 50
	maxFacts    = 200
)

// themes asks for the themes of a page. There are none if the reply is unusable.
func (b *builder) themes(ctx context.Context, p *page) ([]Theme, error) {
	return asked(&b.replies, themes, func() ([]Theme, error) {
		reply, ok, err := building.JSON[themesReply](ctx, b.Model, themes, themesData{transcript.Texts(p.lines()), p.sides()})
		var found []Theme
		for _, t := range reply.Themes[:min(maxThemes, len(reply.Themes))] {
			if t.Content = building.Clean(t.Content, building.MaxContent); t.Content != "" {
				t.Keywords = building.Distinct(t.Keywords, building.MaxTitle, maxKeywords)
				found = append(found, t)
			}
		}
		if ok && len(found) == 0 {
			meter.Degrade(ctx, themes.Role)
		}
		return found, err
	})
}

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
