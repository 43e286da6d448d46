// Package lightmem implements the memory of LightMem: messages are shortened,
// gathered into topics, and turned into single facts, which are revised at the
// end of the conversation.
//
// A sensory buffer takes shortened messages until it is full; it is then cut where
// neighbouring messages differ. Topics go to a short-term memory, and when that is
// full one call finds the facts of all of them. Facts enter the memory as they are
// (soft update). At the end each fact is compared with later ones that are close to
// it, and is updated, deleted or left alone (offline update). A search returns the
// facts nearest to the question.
//
// docs/methods.md lists the differences from the authors' code, and the reasons.
package lightmem

import (
	"context"
	"embed"
	"fmt"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/compress"
	embeds "recallbench/internal/door/embed"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/prompt"
	"recallbench/internal/door/token"
	"recallbench/internal/engine/index"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/pruning"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

//go:embed prompts
var files embed.FS

// Schemas of replies. That of facts ends a list in which a model repeats itself.
var (
	//go:embed prompts/facts.json
	factsSchema string
	//go:embed prompts/revise.json
	reviseSchema string
)

// Spec describes the method.
var Spec = &methods.Spec{
	Name:     "lightmem",
	Doc:      "shorten messages, group them by topic, and remember facts that are revised at the end",
	Source:   "LightMem, the baseline of the xMemory paper, section 5; zjunlp/LightMem at 8fc9a91",
	Options:  Defaults(),
	Prompts:  prompt.Join(prompt.Embedded(files), reader.Prompts()),
	Kept:     kept,
	Switches: func(options any) string { return "prune " + string(options.(Options).Prune.Use) },
	New:      newMethod,
}

// The calls, at the temperature of the authors'.
var (
	extract = building.Call{Role: "facts", Temperature: 0.1, Schema: factsSchema, Empty: factsData{[]topicData{{Lines: []lineData{{}}}}}}
	revise  = building.Call{Role: "revise", Temperature: 0.1, Schema: reviseSchema, Empty: reviseData{}}
)

// The data of the templates.
type (
	factsData struct{ Topics []topicData }
	topicData struct {
		Number int
		Lines  []lineData
	}
	// lineData is a message: in Text with time and speaker, and in parts for the
	// authors' prompt.
	lineData struct {
		Number        int
		Text          string
		Stamp         string // empty for no time
		Speaker, Said string
	}
	reviseData struct {
		Fact  string
		Later []string
	}
)

// Options are the method's options. Defaults are those with which the authors ran
// LoCoMo, with idf-prune in place of LLMLingua-2.
type Options struct {
	// Prune says how each message is shortened before anything else.
	Prune pruning.Options `yaml:"prune"`
	// MaxTokens is the largest number of tokens of a reply.
	MaxTokens int `yaml:"max_tokens"`
	// Reader has the reader's options.
	Reader reader.Options `yaml:"reader"`
}

// Parameters of the authors' LoCoMo run.
const (
	images = transcript.Captions
	// The cosine of neighbouring messages below which a topic ends, how far it
	// rises if none is below, and by how much at a time.
	leastCosine, mostCosine, cosineStep = 0.2, 0.5, 0.05
	// A later fact as close as sayScore takes part in the revision of at most
	// mostSays of the nearFacts nearest to it, itself among them.
	sayScore, nearFacts, mostSays = 0.9, 20, 10
	mostFacts                     = 60 // that the reader gets
)

// sizes are the room of the buffers, in tokens.
type sizes struct {
	buffer    int // messages held until they are cut
	shortTerm int // topics that one call finds the facts of; a longer topic has a call of its own
}

// Defaults are those of the authors' LoCoMo run.
func Defaults() Options {
	return Options{Prune: pruning.Options{Use: pruning.IDF, Rate: 0.6}, MaxTokens: 8192, Reader: reader.InSlots()}
}

// Validate reports values out of range.
func (o Options) Validate() error { return building.Replies{MaxTokens: o.MaxTokens}.Validate() }

// kept says what facts and their revisions depend on.
func kept(_ methods.Env, options any) *methods.Kept {
	o := options.(Options)
	o.Reader = reader.Options{}
	return building.Kept(o, extract, revise)
}

type method struct {
	building.Method
	sizes

	prune      pruning.Options
	classifier compress.Classifier // of tokens; nil if none is needed
	tokens     token.Counter
	// bounds is [builder.boundaries]; tests also use the authors' version.
	bounds func(b *builder, ctx context.Context, messages []message) ([]int, error)
}

func newMethod(env methods.Env, options any) (methods.Method, error) {
	o := options.(Options)
	if err := o.Prune.Needs(env); err != nil {
		return nil, err
	}
	common, err := building.New("lightmem", env, o.Reader, building.Replies{MaxTokens: o.MaxTokens}, extract, revise)
	return &method{common, sizes{512, 512}, o.Prune, env.Prune, env.Tokens, (*builder).boundaries}, err
}

// Build makes the memory of a conversation.
func (m *method) Build(ctx context.Context, s datasets.Sample) (methods.Memory, error) {
	b, err := m.newBuilder(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := b.read(ctx); err != nil {
		return nil, err
	}
	if err := b.revise(ctx); err != nil {
		return nil, err
	}
	return b.finish()
}

// finish indexes the facts.
func (b *builder) finish() (*memory, error) {
	vectors := lists.Map(b.facts, func(f fact) []float32 { return f.vector })
	var err error
	b.index, err = index.NewDense(vectors)
	done := b.memory
	return &done, err
}

// A memory is a list of facts.
type memory struct {
	*method
	counts
	space    embeds.Embedder
	messages []message
	facts    []fact
	index    *index.Dense
}

// Items implements [methods.Storing]: the facts.
func (m *memory) Items() (items []string, known bool) {
	return lists.Map(m.facts, func(f fact) string { return f.text }), true
}

// Structure implements [methods.Structured]: the number of messages, topics,
// calls for facts and facts, the outcomes of revisions, and repairs on the way.
func (m *memory) Structure() map[string]float64 {
	share := 1.0
	if m.tokensSaid > 0 {
		share = float64(m.tokensLeft) / float64(m.tokensSaid)
	}
	return map[string]float64{
		"messages": float64(len(m.messages)), "silent-turns": float64(m.turns - len(m.messages)), "tokens-share": share,
		"segments": float64(m.segments), "batches": float64(m.batches), "facts": float64(len(m.facts)),
		"updated": float64(m.updated), "deleted": float64(m.deleted), "ignored": float64(m.ignored),
		"misplaced": float64(m.misplaced), "unread": float64(m.unread),
	}
}

// Answer finds the facts nearest to the question, and asks the reader.
//
// The source of a fact is its message. Facts of one message are blocks of their
// own with the same source: a message counts as found if any of its facts is
// shown.
func (m *memory) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	hits, err := m.nearest(ctx, r.Text)
	if err != nil {
		return methods.Response{}, err
	}
	told := make(map[string][]string) // by speaker
	var speakers []string             // in the order of their first fact
	var evidence []methods.Evidence
	for _, h := range hits {
		f := m.facts[h.Index]
		from := m.messages[f.message]
		line := transcript.Line{Time: f.time, Text: f.text}
		e := methods.Evidence{ID: fmt.Sprintf("fact %d", h.Index), Sources: []string{from.ID}, Score: h.Score, Text: "- " + transcript.Text(line)}
		evidence = append(evidence, e)
		speakers = lists.AddNew(speakers, from.Line.Speaker)
		told[from.Line.Speaker] = append(told[from.Line.Speaker], e.Text)
	}
	blocks := make([]string, len(speakers))
	for i, s := range speakers {
		if blocks[i] = strings.Join(told[s], "\n"); s != "" {
			blocks[i] = "From what " + s + " said:\n" + blocks[i]
		}
	}
	// What replaces the models of the authors' code.
	short := "messages as they were said"
	if m.prune.Use != pruning.None {
		short = "messages shortened by " + m.prune.Name()
	}
	note := fmt.Sprintf("%d of %d; %s, topics cut by similarity without attention", len(hits), len(m.facts), short)
	trace := methods.Step{Name: "facts", Note: note}
	return m.Reader.Answer(ctx, r, reader.Context{Semantic: strings.Join(blocks, "\n\n")}, evidence, trace)
}

// nearest returns the facts nearest to a question.
func (m *memory) nearest(ctx context.Context, question string) ([]index.Hit, error) {
	if len(m.facts) == 0 {
		return nil, ctx.Err()
	}
	v, err := building.Query(ctx, m.space, question)
	if err != nil {
		return nil, err
	}
	defer meter.Stage(ctx, "retrieve")()
	return m.index.Search(v, mostFacts)
}
