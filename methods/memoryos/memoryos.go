// Package memoryos implements MemoryOS: short-term memory holds the last pages of a
// conversation, mid-term memory holds segments of pages about one theme, and
// long-term memory holds a profile and facts of the speakers.
//
// A page is what the user said and what the assistant replied; in a conversation
// between people the first speaker is the user. A page that leaves short-term memory
// is linked with the page before it if the conversation continues, and gets an
// overview of its chain. It joins the segments most similar to its themes, or makes
// new ones. A segment whose heat passes a threshold is analysed for long-term
// memory. A search returns the most similar pages of the most similar segments,
// together with facts and profile.
//
// Parameters and rules are the paper's and, where it is silent, those of the authors'
// package. docs/methods.md lists them.
package memoryos

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/prompt"
	"recallbench/internal/engine/index"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

//go:embed prompts
var files embed.FS

// Schemas of replies.
var (
	//go:embed prompts/themes.json
	themesSchema string
	//go:embed prompts/portrait.json
	portraitSchema string
	//go:embed prompts/facts.json
	factsSchema string
)

// Spec describes the method.
var Spec = &methods.Spec{
	Name:    "memoryos",
	Doc:     "build short-, mid- and long-term memory as MemoryOS does, by heat",
	Source:  "MemoryOS paper (Kang et al. 2025); released code BAI-LAB/MemoryOS at 1d71706",
	Options: Defaults(),
	Prompts: prompt.Join(prompt.Embedded(files), reader.Prompts()),
	Kept:    kept,
	New:     newMethod,
}

// The calls, with the temperatures and limits of the released code.
var (
	continues = building.Call{Role: "boundary", Template: "continues", Schema: building.BoundarySchema, Empty: linkData{}}
	overview  = building.Call{Role: "summary", Template: "overview", Temperature: 0.3, MaxTokens: 100, Empty: linkData{}}
	themes    = building.Call{Role: "themes", Temperature: 0.7, Schema: themesSchema, Empty: themesData{}}
	portrait  = building.Call{Role: "profile", Template: "portrait", Temperature: 0.7, Schema: portraitSchema, Empty: portraitData{}}
	facts     = building.Call{Role: "statements", Template: "facts", Temperature: 0.7, Schema: factsSchema, Empty: portraitData{}}
	keywords  = building.Call{Role: "keywords", Temperature: 0.7, Schema: building.KeywordsSchema, Empty: keywordsData{}}
)

// The data of the templates.
type (
	// linkData is of a page and the one before it: the authors' prompts show the sides of
	// both.
	linkData struct {
		Before        string // the page before, or the overview so far
		Page          string
		First, Second sides
	}
	themesData struct {
		Messages string
		Page     sides
	}
	portraitData struct {
		Name, Other, Known, Messages string
		Pages                        []sides
	}
	keywordsData struct{ Text string }
)

// Options are the method's options.
type Options struct {
	// MaxTokens is the largest number of tokens of a reply during ingest.
	MaxTokens int `yaml:"max_tokens"`
	// Reader has the reader's options.
	Reader reader.Options `yaml:"reader"`
}

// parameters are those of the paper that tests change.
type parameters struct {
	short    int     // pages of short-term memory
	segments int     // of mid-term memory
	joins    float64 // similarity of a theme and a segment from which a page joins it
}

// Other parameters of the paper.
const (
	images        = transcript.CaptionsAndQuery
	hot           = 5   // heat from which a segment is analysed
	cools         = 1e7 // seconds in which recency falls to 1/e
	mostKnown     = 100 // facts of each speaker
	foundSegments = 5
	foundPages    = 10
	foundFacts    = 10 // of each speaker
)

// Defaults are those of the paper.
func Defaults() Options { return Options{MaxTokens: 2000, Reader: reader.InSlots()} }

// Validate reports values out of range.
func (o Options) Validate() error { return building.Replies{MaxTokens: o.MaxTokens}.Validate() }

// kept says what the replies of a building depend on.
func kept(_ methods.Env, options any) *methods.Kept {
	o := options.(Options)
	o.Reader = reader.Options{}
	return building.Kept(o, continues, overview, themes, portrait, facts)
}

type method struct {
	building.Method
	parameters
}

func newMethod(env methods.Env, options any) (methods.Method, error) {
	o := options.(Options)
	common, err := building.New("memoryos", env, o.Reader, building.Replies{MaxTokens: o.MaxTokens}, continues, overview, themes, portrait, facts, keywords)
	return &method{common, parameters{short: 7, segments: 200, joins: 0.6}}, err
}

// Build makes the memory of a conversation.
func (m *method) Build(ctx context.Context, s datasets.Sample) (methods.Memory, error) {
	messages := building.Messages(s, images)
	b := &builder{method: m, mid: &midTerm{capacity: m.segments}, messages: len(messages)}
	b.user, b.agent = names(s, messages)
	b.pages = paired(b.user, messages)
	var err error
	if b.model, b.space, err = m.Begin(ctx, messages); err != nil {
		return nil, err
	}
	for _, p := range b.pages {
		if err := b.add(ctx, p); err != nil {
			return nil, err
		}
	}
	return b.finish(ctx)
}

// A memory is what a builder made, ready to be searched.
type memory struct {
	*builder
	bySegment, byPage, byUser, byAgent *index.Dense
}

// finish makes the memory ready to be searched.
func (b *builder) finish(ctx context.Context) (*memory, error) {
	m := &memory{builder: b}
	var pages []string
	rows := make(map[*page]bool)
	for _, s := range b.mid.segments {
		for _, p := range s.pages {
			if !rows[p] {
				rows[p], p.row = true, len(pages)
				pages = append(pages, p.text())
			}
		}
	}
	var err error
	if m.bySegment, err = index.NewDense(lists.Map(b.mid.segments, func(s *segment) []float32 { return s.vector })); err != nil {
		return nil, err
	}
	made, err := building.Indexes(ctx, b.space, pages, b.long.user, b.long.agent)
	if err != nil {
		return nil, err
	}
	m.byPage, m.byUser, m.byAgent = made[0], made[1], made[2]
	return m, nil
}

// Items implements [methods.Storing]: the pages of all memories and the facts of both
// speakers.
func (m *memory) Items() (items []string, known bool) {
	return slices.Concat(lists.Map(m.pages, (*page).text), m.long.user, m.long.agent), true
}

// Structure implements [methods.Structured]: the number of messages and pages, of pages
// in short-term memory, of pages that continue the one before, of segments and their
// pages, of facts of each speaker, and of analyses of segments.
func (m *memory) Structure() map[string]float64 {
	held := 0
	for _, s := range m.mid.segments {
		held += len(s.pages)
	}
	return map[string]float64{
		"messages": float64(m.messages), "pages": float64(len(m.pages)),
		"stm": float64(len(m.short)), "links": float64(m.links),
		"segments": float64(len(m.mid.segments)), "segment-pages": float64(held),
		"knowledge": float64(len(m.long.user)), "assistant": float64(len(m.long.agent)), "analyses": float64(m.long.analyses),
	}
}

// Answer finds what the reader gets, and asks it. It does not count visits to
// segments, which affect no ranking.
func (m *memory) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	found, err := m.search(ctx, r.Text)
	if err != nil {
		return methods.Response{Trace: found.trace()}, err
	}
	shown := m.shown(found)
	return m.Reader.Answer(ctx, r, shown.Context(), shown.Evidence, found.trace()...)
}

// shown lays out what was found: profile and facts, then the pages of short-term
// memory and those found, each kind below a heading. A fact has no turns as sources.
func (m *memory) shown(found *search) *reader.Shown {
	c := new(reader.Shown)
	if m.long.profile != "" {
		heading(&c.Semantic, "Profile of "+cmp.Or(m.user, "the user")+":")
		c.Add(&c.Semantic, methods.Evidence{ID: "profile", Text: m.long.profile})
	}
	facts := func(name, id string, texts []string, found []index.Hit) {
		for i, f := range found {
			if i == 0 {
				heading(&c.Semantic, "Facts about "+cmp.Or(name, "the other speaker")+":")
			}
			text := "- " + strings.TrimPrefix(texts[f.Index], "- ")
			c.Add(&c.Semantic, methods.Evidence{ID: fmt.Sprintf("%s %d", id, f.Index), Score: f.Score, Text: text})
		}
	}
	facts(m.user, "fact of user", m.long.user, found.userFacts)
	facts(m.agent, "fact of assistant", m.long.agent, found.agentFacts)
	pages := func(name string, pages []pageHit) {
		for i, p := range pages {
			if i == 0 {
				heading(&c.Episodic, name)
			}
			c.Add(&c.Episodic, p.block())
		}
	}
	pages("Earlier conversation:", found.pages)
	pages("Latest conversation:", lists.Map(m.short, func(p *page) pageHit { return pageHit{p, 0} }))
	return c
}

// heading begins blocks of another kind.
func heading(kind *[]string, name string) {
	if len(*kind) > 0 {
		name = "\n" + name
	}
	*kind = append(*kind, name)
}

// block returns a page with its turns as sources, and the overview of its chain.
func (h pageHit) block() methods.Evidence {
	p := h.page
	sources := lists.Map(p.messages(), func(m building.Message) string { return m.ID })
	e := methods.Evidence{ID: fmt.Sprintf("page %d", p.id), Sources: sources, Score: h.score, Text: transcript.Texts(p.lines())}
	if p.overview != "" {
		e.Text += "\n(overview: " + p.overview + ")"
	}
	return e
}

// A search is what was found for a question.
type search struct {
	keywords              []string
	segments              []index.Hit
	pages                 []pageHit
	userFacts, agentFacts []index.Hit
}

type pageHit struct {
	page  *page
	score float64
}

// search finds pages in the segments nearest to a question, and facts.
func (m *memory) search(ctx context.Context, question string) (*search, error) {
	found := new(search)
	if len(m.mid.segments) == 0 {
		return found, nil
	}
	vector, err := building.Query(ctx, m.space, question)
	if err != nil {
		return found, err
	}
	if found.keywords, err = m.keywords(ctx, question); err != nil {
		return found, err
	}
	defer meter.Stage(ctx, "retrieve")()
	if err := m.findPages(found, vector); err != nil {
		return found, err
	}
	if found.userFacts, err = m.byUser.Search(vector, foundFacts); err != nil {
		return found, err
	}
	found.agentFacts, err = m.byAgent.Search(vector, foundFacts)
	return found, err
}

// findPages takes the segments that are most similar to a question, by cosine and
// keywords, and of their pages the most similar, each once.
func (m *memory) findPages(found *search, question []float32) error {
	near, err := m.bySegment.Search(question, len(m.mid.segments))
	if err != nil {
		return err
	}
	for i, h := range near {
		near[i].Score += building.Jaccard(found.keywords, m.mid.segments[h.Index].keywords)
	}
	slices.SortStableFunc(near, func(a, b index.Hit) int { return cmp.Compare(b.Score, a.Score) })
	cosines, err := m.byPage.Cosines(question)
	if err != nil {
		return err
	}
	seen := make(map[*page]bool)
	found.segments = near[:min(len(near), foundSegments)]
	for _, h := range found.segments {
		for _, p := range m.mid.segments[h.Index].pages {
			if !seen[p] {
				seen[p] = true
				found.pages = append(found.pages, pageHit{p, cosines[p.row]})
			}
		}
	}
	slices.SortStableFunc(found.pages, func(a, b pageHit) int { return cmp.Compare(b.score, a.score) })
	found.pages = found.pages[:min(len(found.pages), foundPages)]
	return nil
}

// trace records what was found.
func (s *search) trace() []methods.Step {
	ids := append([]int{}, lists.Map(s.pages, func(p pageHit) int { return p.page.id })...)
	return []methods.Step{
		{Name: "segments", Note: fmt.Sprintf("%d, by %d keywords", len(s.segments), len(s.keywords)), Data: map[string]any{"segments": building.Places(s.segments), "keywords": s.keywords}},
		{Name: "pages", Note: fmt.Sprintf("%d, and %d facts", len(ids), len(s.userFacts)+len(s.agentFacts)), Data: map[string]any{"pages": ids}},
	}
}
