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

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/compress"
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
func (o Options) Validate() error {
	if o.MaxTokens < 1 {
		return fmt.Errorf("max_tokens is %d, want at least 1", o.MaxTokens)
	}
	return nil
}

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
	common, err := building.New("lightmem", env, o.Reader, o.MaxTokens, extract, revise)
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
