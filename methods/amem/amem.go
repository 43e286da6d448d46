// Package amem implements A-Mem: every turn becomes a note with keywords, a sentence
// of context and tags. A new note is shown to the model with the notes most like it,
// is linked with some of them, and may change how they are described. A question is
// turned into keywords, the nearest notes are found, and the notes linked with these
// follow them.
//
// The authors' code is followed at commit d81fb22, including what is odd in it:
// notes that are described anew are found by their old description until all are
// embedded again, and links are numbers that nothing checks. docs/methods.md lists
// what differs.
package amem

import (
	"context"
	"embed"

	"recallbench/datasets"
	"recallbench/internal/door/prompt"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/reader"
)

//go:embed prompts
var files embed.FS

// Spec describes the method.
var Spec = &methods.Spec{
	Name:    "a-mem",
	Doc:     "make a note of each turn, link it with those like it, and follow links from what is found",
	Source:  "A-Mem, the baseline of the xMemory paper; code at WujiangXu/A-mem d81fb22",
	Options: Defaults(),
	Prompts: prompt.Join(prompt.Embedded(files), reader.Prompts()),
	Kept:    kept,
	New:     newMethod,
}

// The roles of the calls, which have the names of their templates.
const (
	describe = "note"
	evolve   = "evolve"
	keywords = "keywords"
)

// kept says what notes depend on.
func kept(_ methods.Env, options any) *methods.Kept {
	type depends struct {
		Construction Construction `yaml:"construction"`
	}
	return &methods.Kept{
		Options: depends{options.(Options).Construction},
		Prompts: []string{describe, evolve},
		Roles:   []string{describe, evolve},
	}
}

type method struct {
	Options
	building.Method

	every int // evolutions after which all notes are embedded again
}

func newMethod(env methods.Env, options any) (methods.Method, error) {
	o := options.(Options)
	common, err := building.New("a-mem", env, o.Reader)
	if err != nil {
		return nil, err
	}
	m := &method{Options: o, Method: common, every: evolutions}
	return m, m.Check(map[string]any{
		describe: describeData{}, evolve: evolveData{Neighbours: []neighbourData{{}}}, keywords: keywordsData{},
	})
}

// Build makes the memory of a conversation.
func (m *method) Build(ctx context.Context, s datasets.Sample) (methods.Memory, error) {
	b, err := m.newBuilder(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := b.takeUp(ctx); err != nil {
		return nil, err
	}
	for len(b.notes) < len(b.messages) {
		p, err := b.read(ctx, len(b.notes))
		if err != nil {
			return nil, err
		}
		if err := b.keeper.Add(p); err != nil {
			return nil, err
		}
		if err := b.add(ctx, p); err != nil {
			return nil, err
		}
	}
	return &memory{method: m, space: b.space, notes: b.notes, index: &b.index, evolved: b.evolved, rewritten: b.rewritten}, nil
}
