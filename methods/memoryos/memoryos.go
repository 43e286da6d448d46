// Package memoryos implements MemoryOS: short-term memory holds the last pages of a
// conversation, mid-term memory segments of pages about one theme, and long-term
// memory a profile and facts of the speakers.
//
// A page is what the user said and what the assistant replied; in a conversation of
// people the first speaker is the user. A page that leaves short-term memory is
// linked with the page before it where the talk goes on, and gets an overview of its
// chain. It joins the segments that its themes are most similar to, or makes new
// ones. A segment whose heat passes a threshold is analysed for long-term memory. A
// search takes the pages most similar to the question out of the most similar
// segments, beside facts and profile.
//
// Model calls that build a memory are kept page by page: a building that goes on
// repeats the steps of the pages before with the replies that were kept.
//
// Parameters and rules are the paper's and, where it is silent, those of the authors'
// package. docs/methods.md lists them.
package memoryos

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
	Name:    "memoryos",
	Doc:     "build short-, mid- and long-term memory as MemoryOS does, by heat",
	Source:  "MemoryOS paper (Kang et al. 2025); released code BAI-LAB/MemoryOS at 1d71706",
	Options: Defaults(),
	Prompts: prompt.Join(prompt.Embedded(files), reader.Prompts()),
	Kept:    kept,
	New:     newMethod,
}

// The roles of the calls.
const (
	roleContinues = "boundary"
	roleOverview  = "summary"
	roleThemes    = "themes"
	roleKeywords  = "keywords"
	roleProfile   = "profile"
	roleFacts     = "statements"
)

// The templates of the calls.
const (
	continues = "continues"
	overview  = "overview"
	themes    = "themes"
	keywords  = "keywords"
	portrait  = "portrait"
	facts     = "facts"
)

// kept says what the replies of a building depend on.
func kept(_ methods.Env, options any) *methods.Kept {
	o := options.(Options)
	o.Reader = reader.Options{}
	return &methods.Kept{
		Options: o,
		Prompts: []string{continues, overview, themes, portrait, facts},
		Roles:   []string{roleContinues, roleOverview, roleThemes, roleProfile, roleFacts},
	}
}

func newMethod(env methods.Env, options any) (methods.Method, error) {
	o := options.(Options)
	common, err := building.New("memoryos", env, o.Reader)
	if err != nil {
		return nil, err
	}
	m := &method{
		Options: o, Method: common,
		parameters: parameters{short: 7, segments: 200, joins: 0.6},
	}
	return m, m.Check(map[string]any{
		continues: linkData{}, overview: linkData{}, themes: themesData{}, keywords: keywordsData{}, portrait: portraitData{}, facts: portraitData{},
	})
}

type method struct {
	Options
	building.Method
	parameters
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
	return b.finish(ctx)
}
