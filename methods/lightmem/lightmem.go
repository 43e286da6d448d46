// Package lightmem implements the memory of LightMem: messages lose words, are
// gathered into topics, and become single facts, which are revised when the
// conversation is over.
//
// A sensory buffer takes shortened messages until they are too many tokens; it is
// then cut where neighbouring messages are unlike. Topics go to a short-term memory,
// and when that is full one call finds the facts of all of them. Facts enter the
// memory as they are (soft update). At its end each fact is compared with later ones
// that are close to it, and is brought up to date, dropped or stays (offline update).
// A search takes the facts nearest to the question.
//
// docs/methods.md says what differs from the authors' code, and why.
package lightmem

import (
	"context"
	"embed"

	"recallbench/datasets"
	"recallbench/internal/door/compress"
	"recallbench/internal/door/prompt"
	"recallbench/internal/door/token"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/reader"
)

//go:embed prompts
var files embed.FS

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

// The roles of the calls, which have the names of their templates.
const (
	extract = "facts"
	revise  = "revise"
)

// kept says what facts and their revisions depend on.
func kept(_ methods.Env, options any) *methods.Kept {
	o := options.(Options)
	o.Reader = reader.Options{}
	return &methods.Kept{Options: o, Prompts: []string{extract, revise}, Roles: []string{extract, revise}}
}

func newMethod(env methods.Env, options any) (methods.Method, error) {
	o := options.(Options)
	if err := o.Prune.Needs(env); err != nil {
		return nil, err
	}
	common, err := building.New("lightmem", env, o.Reader)
	if err != nil {
		return nil, err
	}
	m := &method{
		Options: o, Method: common, sizes: sizes{512, 512}, classifier: env.Prune, tokens: env.Tokens,
		bounds: (*builder).boundaries,
	}
	return m, m.Check(map[string]any{extract: factsData{[]topicData{{Lines: []lineData{{}}}}}, revise: reviseData{}})
}

type method struct {
	Options
	building.Method
	sizes

	classifier compress.Classifier // of tokens; nil where none is needed
	tokens     token.Counter
	// bounds is [builder.boundaries], beside which tests know the authors' way.
	bounds func(b *builder, ctx context.Context, messages []message) ([]int, error)
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
