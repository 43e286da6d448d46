// Package xmemory implements the memory of the xMemory paper: messages become
// episodes, episodes semantics, and semantics themes; retrieval chooses from
// the top down.
//
// Ingest goes through the messages once. A model decides where episodes end, retells
// each, and finds the facts that a prediction of it lacks. Package themes gathers
// facts into themes, each of which the model summarizes. A search takes two stages.
// Stage I chooses themes and facts that are relevant and cover their neighbours.
// Stage II tries episodes one by one and includes those that do not make the reader
// less sure, or in the profile paper those that make it surer. It shows the messages
// of those that help most.
//
// Where the paper and the released code differ, the profile says whose rules to
// follow; docs/methods.md lists them.
package xmemory

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	embeds "recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/prompt"
	"recallbench/internal/engine/index"
	"recallbench/internal/engine/structure"
	"recallbench/internal/engine/themes"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/episodes"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

//go:embed prompts
var files embed.FS

// Spec describes the method.
var Spec = &methods.Spec{
	Name:    "xmemory",
	Doc:     "build episodes, facts and themes from messages, and search them from the top down",
	Source:  "xMemory paper, section 3 and appendices B and C; released code at 375ae14",
	Options: Defaults(),
	Prompts: prompt.Join(prompt.Embedded(files), episodes.Prompts(), reader.Prompts()),
	Kept:    kept,
	New:     newMethod,
}

// The calls in addition to those of [episodes.Read]. The probe is a call of its own
// kind.
var (
	summary = building.Call{Role: "summary", MaxTokens: 256, Empty: summaryData{}}
	probe   = building.Call{Role: "probe", Empty: probeData{Episode: building.Mark}}
)

// kept says what episodes, semantics and summaries depend on: not how facts are put
// into themes, because a summary is kept with its facts.
func kept(_ methods.Env, options any) *methods.Kept {
	return building.KeptOf(options.(Options).Construction, append(episodes.Calls(), summary)...)
}

type method struct {
	Options
	building.Method
}

func newMethod(env methods.Env, options any) (methods.Method, error) {
	o := options.(Options)
	common, err := building.New("xmemory", env, o.Reader, o.Construction, append(episodes.Calls(), summary, probe)...)
	if err != nil {
		return nil, err
	}
	shown, err := env.Prompts.Render(probe.Role, probe.Empty)
	if !slices.ContainsFunc(shown, func(m llm.Message) bool { return strings.Contains(m.Content, building.Mark) }) {
		err = errors.Join(err, fmt.Errorf("prompt %s does not show {{.Episode}}", probe.Role))
	}
	return &method{o, common}, err
}

// Build makes the memory of a conversation.
func (m *method) Build(ctx context.Context, s datasets.Sample) (methods.Memory, error) {
	read, err := episodes.Read(ctx, m.Method, building.Messages(s, images), embedded)
	if err != nil {
		return nil, err
	}
	return m.finish(ctx, read)
}

// embedded returns the texts by which an episode is looked up: its account with
// stage II, its title and account without.
func embedded(e episodes.Episode) []string { return []string{e.Content, e.Index()} }

// Options are the method's options. Defaults are those of the released code if
// it has them: docs/methods.md says where each value comes from.
type Options struct {
	// Profile says whose rules to follow if the paper and the released code
	// differ.
	Profile Profile `yaml:"profile"`
	// Construction says how messages become episodes and semantics.
	Construction building.Replies `yaml:"construction"`
	// Themes says how semantics become themes.
	Themes themes.Options `yaml:"themes"`
	// Search says which parts of the memory reach the reader.
	Search Search `yaml:"search"`
	// Reader has the reader's options.
	Reader reader.Options `yaml:"reader"`
}

// Profile says whose rules to follow.
type Profile string

// The profiles.
const (
	Released Profile = "released" // the authors' code, behind the published numbers
	Paper    Profile = "paper"    // the paper's text
)

// Values lists the profiles.
func (Profile) Values() []string { return []string{string(Released), string(Paper)} }

// Search holds the options of retrieval.
type Search struct {
	// Representatives is stage I: themes and semantics are chosen for relevance
	// and coverage. Without it the most similar semantics are used, and no
	// themes.
	Representatives bool `yaml:"representatives"`
	// Uncertainty is stage II: episodes are included if they make the reader
	// surer, and their messages if they do so even more. Without it the first
	// episodes of the ranking are included, with their messages.
	Uncertainty bool `yaml:"uncertainty"`
	// Semantics is the largest number of semantics chosen.
	Semantics int `yaml:"semantics"`
	// Episodes is the largest number of episodes included.
	Episodes int `yaml:"episodes"`
	// Probed is the largest number of episodes tried.
	Probed int `yaml:"probed"`
	// Include is the gain, in nats, above which an episode is included. The
	// defaults are the authors' for Llama; those for other models are not
	// published. The profile paper includes only episodes that make the reader
	// surer: there a negative number counts as 0.
	Include float64 `yaml:"include"`
	// Expand is the gain, in nats, above which an episode is shown with its messages.
	Expand float64 `yaml:"expand"`
}

// Parameters of the released code.
const (
	images         = transcript.CaptionsAndQuery
	pool           = 40  // most similar semantics among which stage I chooses
	mostThemes     = 5   // that are chosen
	alpha          = 0.7 // weight of coverage against relevance in stage I
	similar        = 10  // episodes considered for their own similarity
	supportWeight  = 0.5 // of the semantics of an episode in its rank
	early          = 3   // among the first episodes one without gain ends the search; after those, two do
	probeTokens    = 20  // of an answer that uncertainty is measured on
	unknownEntropy = 5.0 // nats of a reply without tokens
)

// Defaults are those of the released code, both stages on.
func Defaults() Options {
	return Options{
		Profile:      Released,
		Construction: episodes.Defaults(),
		Themes:       themes.Defaults(),
		Search:       Search{Representatives: true, Uncertainty: true, Semantics: 20, Episodes: 10, Probed: 10, Include: -0.4, Expand: 0.25},
		Reader:       reader.Defaults(),
	}
}

// Validate reports values out of range.
func (o Options) Validate() error {
	var faults fault.List
	s := o.Search
	faults.Want(slices.Contains(o.Profile.Values(), string(o.Profile)), "unknown profile %q; have %s", o.Profile, strings.Join(o.Profile.Values(), ", "))
	faults.Want(s.Semantics >= 1, "search.semantics is %d, want at least 1", s.Semantics)
	faults.Want(s.Episodes >= 1, "search.episodes is %d, want at least 1", s.Episodes)
	faults.Want(s.Probed >= 1, "search.probed is %d, want at least 1", s.Probed)
	faults.Want(!math.IsNaN(s.Include) && !math.IsInf(s.Include, 0), "search.include is %v, want a number", s.Include)
	faults.Want(!math.IsNaN(s.Expand) && !math.IsInf(s.Expand, 0), "search.expand is %v, want a number", s.Expand)
	return errors.Join(faults...)
}

// include is the gain, in nats, that an episode needs.
func (o Options) include() float64 {
	if o.Profile == Paper {
		return max(0, o.Search.Include)
	}
	return o.Search.Include
}

// A memory is a hierarchy: messages, episodes, semantics, themes.
type memory struct {
	*method
	space     embeds.Embedder
	messages  []building.Message
	episodes  []episodes.Episode
	semantics []episodes.Statement
	hierarchy *themes.Hierarchy
	summaries []string // of themes

	bySemantic, byTheme, byContent, byIndex *index.Dense
}

// Items implements [methods.Storing]: the episodes and the statements about them.
func (m *memory) Items() (items []string, known bool) {
	return episodes.Texts(m.episodes, m.semantics), true
}

// Structure implements [methods.Structured]: the number of messages, episodes,
// semantics and themes, the size of the largest theme, and the number of semantics
// that have left their first theme.
func (m *memory) Structure() map[string]float64 {
	largest := 0
	for _, t := range m.hierarchy.Themes {
		largest = max(largest, len(t.Members))
	}
	return map[string]float64{
		"messages": float64(len(m.messages)), "episodes": float64(len(m.episodes)),
		"semantics": float64(len(m.semantics)), "themes": float64(len(m.hierarchy.Themes)),
		"theme-max": float64(largest), "reassigned": float64(m.hierarchy.Reassigned),
	}
}

// Show implements [methods.Shown]: themes, facts, episodes and turns, each above its
// sources.
func (m *memory) Show() structure.Structure {
	s := structure.Structure{Kind: structure.Hierarchy}
	add := func(kind, text string, n int) string {
		id := fmt.Sprintf("%s %d", kind, n)
		s.Nodes = append(s.Nodes, structure.Node{ID: id, Type: kind, Label: id, Text: text})
		return id
	}
	for i, t := range m.hierarchy.Themes {
		id := add("theme", m.summaries[i], i)
		for _, f := range t.Members {
			s.Links = append(s.Links, structure.Link{From: id, To: fmt.Sprintf("fact %d", f)})
		}
	}
	for i, f := range m.semantics {
		s.Links = append(s.Links, structure.Link{From: add("fact", f.Text, i), To: fmt.Sprintf("episode %d", f.Episode)})
	}
	for i, e := range m.episodes {
		id := add("episode", e.Content, i)
		for _, turn := range m.messages[e.First:e.End] {
			s.Links = append(s.Links, structure.Link{From: id, To: "turn " + turn.ID})
		}
	}
	for _, turn := range m.messages {
		s.Nodes = append(s.Nodes, structure.Node{ID: "turn " + turn.ID, Type: "turn", Label: turn.ID})
	}
	return s
}

// Answer chooses what the reader gets, and asks it.
func (m *memory) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	s := &search{memory: m, question: r.Text}
	if err := s.run(ctx); err != nil {
		return methods.Response{Trace: s.trace}, err
	}
	shown := s.shown()
	return m.Method.Reader.Answer(ctx, r, shown.Context(), shown.Evidence, s.trace...)
}

// shown lays out what was chosen: themes, if the profile shows them, facts, and
// episodes. A theme has no turns as sources, nor has a fact.
func (s *search) shown() *reader.Shown {
	c := new(reader.Shown)
	if s.Profile == Paper && len(s.themes) > 0 {
		c.Semantic = append(c.Semantic, "Themes:")
		for _, t := range s.themes {
			c.Add(&c.Semantic, methods.Evidence{ID: fmt.Sprintf("theme %d", t.Index), Score: t.Score, Text: "- " + s.summaries[t.Index]})
		}
		c.Semantic = append(c.Semantic, "")
	}
	if len(s.facts) > 0 {
		c.Semantic = append(c.Semantic, "Facts:")
	}
	for _, f := range s.facts {
		c.Add(&c.Semantic, episodes.FactBlock(fmt.Sprintf("fact %d", f.Index), f.Score, s.semantics[f.Index], s.episodes))
	}
	if len(s.included) > 0 {
		c.Episodic = append(c.Episodic, "Episodes:")
	}
	for _, e := range s.included {
		c.Add(&c.Episodic, s.block(e))
	}
	return c
}

// block is an episode as the reader sees it: its account and, if it is
// expanded, its messages.
func (s *search) block(e inclusion) methods.Evidence {
	ep := s.episodes[e.Index]
	return episodes.Block(fmt.Sprintf("episode %d", e.Index), e.Score, ep, ep.Content, s.messages, e.expanded)
}

type summaryData struct{ Facts []string }

// finish puts the semantics into themes, summarizes these, and makes the memory
// ready to be searched.
//
// The released code summarizes a theme whenever it changes. Only the last
// summary is ever read, so only that one is made here.
func (m *method) finish(ctx context.Context, b *episodes.Builder) (*memory, error) {
	built := &memory{method: m, space: b.Space, messages: b.Messages, episodes: b.Episodes, semantics: b.Statements}
	known := lists.Map(built.semantics, func(s episodes.Statement) []float32 { return s.Vector })
	batches := make([]int, len(built.episodes)) // how many semantics each episode gave
	for _, s := range built.semantics {
		batches[s.Episode]++
	}
	of := func(text int) [][]float32 { // the vectors of a text of each episode, see embedded
		return lists.Map(b.Vectors, func(v [][]float32) []float32 { return v[text] })
	}
	end := meter.Stage(ctx, "themes")
	o := m.Themes
	o.Profile = themes.Profile(m.Profile)
	var err error
	built.hierarchy, err = themes.Build(known, batches, o)
	end()
	if err != nil {
		return nil, fmt.Errorf("themes: %w", err)
	}
	if err := built.summarise(ctx, b.Model); err != nil {
		return nil, err
	}
	if built.bySemantic, err = index.NewDense(known); err != nil {
		return nil, err
	}
	ofThemes, err := building.Indexes(ctx, b.Space, built.summaries)
	if err != nil {
		return nil, err
	}
	built.byTheme = ofThemes[0]
	if built.byContent, err = index.NewDense(of(0)); err != nil {
		return nil, err
	}
	built.byIndex, err = index.NewDense(of(1))
	return built, err
}

// summarise asks for a summary of each theme. Without a usable reply, the facts
// themselves are used, as far as there is room.
func (m *memory) summarise(ctx context.Context, model building.Model) (err error) {
	data := lists.Map(m.hierarchy.Themes, func(t themes.Theme) any { return summaryData{m.facts(t)} })
	if m.summaries, err = model.Texts(ctx, summary, data, building.MaxContent); err != nil {
		return err
	}
	for i, text := range m.summaries {
		m.summaries[i] = cmp.Or(text, building.Clean(strings.Join(m.facts(m.hierarchy.Themes[i]), " "), building.MaxFact))
	}
	return nil
}

// facts returns the texts of a theme's semantics.
func (m *memory) facts(t themes.Theme) []string {
	return lists.Map(t.Members, func(s int) string { return m.semantics[s].Text })
}
