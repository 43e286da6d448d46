// Package amem implements A-Mem: every turn becomes a note with keywords, a sentence
// of context and tags. A new note is shown to the model together with the most
// similar notes; the model links it with some of them and may change their
// descriptions. For a question, the model gives keywords, the nearest notes are
// found, and the notes linked with these follow them.
//
// It follows the authors' code at commit d81fb22, including its oddities: notes
// with a new description are found by the old one until all are embedded again,
// and links are numbers that nothing checks. docs/methods.md lists the
// differences.
package amem

import (
	"context"
	"embed"
	"fmt"

	"recallbench/datasets"
	"recallbench/internal/door/prompt"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

//go:embed prompts
var files embed.FS

// Schemas of replies.
var (
	//go:embed prompts/note.json
	noteSchema string
	//go:embed prompts/evolve.json
	evolveSchema string
)

// Spec describes the method.
var Spec = &methods.Spec{
	Name:    "a-mem",
	Doc:     "write a note for each turn, link similar notes, and follow links from the notes found",
	Source:  "A-Mem, the baseline of the xMemory paper; code at WujiangXu/A-mem d81fb22",
	Options: Defaults(),
	Prompts: prompt.Join(prompt.Embedded(files), reader.Prompts()),
	Kept:    kept,
	New:     newMethod,
}

// The calls, at the temperature of the authors' code.
var (
	describe = building.Call{Role: "note", Temperature: 0.7, Schema: noteSchema, Empty: describeData{}}
	evolve   = building.Call{Role: "evolve", Temperature: 0.7, Schema: evolveSchema, Empty: evolveData{Neighbours: []neighbourData{{}}}}
	keywords = building.Call{Role: "keywords", Temperature: 0.7, Schema: building.KeywordsSchema, Empty: keywordsData{}}
)

// The data of the templates.
type (
	describeData struct{ Content string }
	evolveData   struct {
		Content, Context string
		Keywords         words
		Neighbours       []neighbourData
	}
	neighbourData struct {
		Index                  int
		Time, Content, Context string
		Keywords, Tags         words
	}
	keywordsData struct{ Question string }
)

// Options are the method's options. The defaults are those of the authors' code
// at commit d81fb22, except for the reader, which all methods share.
type Options struct {
	// Construction says how turns become notes.
	Construction Construction `yaml:"construction"`
	// Reader has the reader's options.
	Reader reader.Options `yaml:"reader"`
}

// Construction holds the options that notes depend on. Memories with the same
// values share their notes, whatever else differs.
type Construction struct {
	// MaxTokens is the largest number of tokens of a reply.
	MaxTokens int `yaml:"max_tokens"`
}

// Parameters of the authors' code.
const (
	images     = transcript.Captions
	neighbours = 5   // most similar notes shown with a new one
	evolutions = 100 // until all notes are embedded again
	most       = 10  // notes that are found, not counting linked ones
)

// Defaults are those of the authors' code at commit d81fb22.
func Defaults() Options {
	return Options{Construction: Construction{MaxTokens: 1000}, Reader: reader.InSlots()}
}

// Validate reports values out of range.
func (o Options) Validate() error {
	if n := o.Construction.MaxTokens; n < 1 {
		return fmt.Errorf("construction.max_tokens is %d, want at least 1", n)
	}
	return nil
}

// kept says what notes depend on.
func kept(_ methods.Env, options any) *methods.Kept {
	type depends struct {
		Construction Construction `yaml:"construction"`
	}
	return building.Kept(depends{options.(Options).Construction}, describe, evolve)
}

type method struct {
	building.Method

	every int // evolutions after which all notes are embedded again
}

func newMethod(env methods.Env, options any) (methods.Method, error) {
	o := options.(Options)
	common, err := building.New("a-mem", env, o.Reader, o.Construction.MaxTokens, describe, evolve, keywords)
	return &method{common, evolutions}, err
}

// Build makes the memory of a conversation.
func (m *method) Build(ctx context.Context, s datasets.Sample) (methods.Memory, error) {
	b, err := m.newBuilder(ctx, s)
	if err != nil {
		return nil, err
	}
	for i := range b.messages {
		r, err := b.read(ctx, i)
		if err != nil {
			return nil, err
		}
		if err := b.add(ctx, i, r); err != nil {
			return nil, err
		}
	}
	return &b.memory, nil
}
