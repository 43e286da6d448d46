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
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/episodes"
	"recallbench/methods/internal/reader"
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

// The calls in addition to those of [episodes.Builder]. The probe is a call of its own
// kind.
var (
	summary = building.Call{Role: "summary", MaxTokens: 256, Empty: summaryData{}}
	probe   = building.Call{Role: "probe", Empty: probeData{Episode: building.Mark}}
)

// kept says what episodes, semantics and summaries depend on: not how facts are put
// into themes, because a summary is kept with its facts.
func kept(_ methods.Env, options any) *methods.Kept {
	type depends struct {
		Construction episodes.Options `yaml:"construction"`
	}
	return building.Kept(depends{options.(Options).Construction}, append(episodes.Calls(), summary)...)
}

type method struct {
	Options
	building.Method
}

func newMethod(env methods.Env, options any) (methods.Method, error) {
	o := options.(Options)
	common, err := building.New("xmemory", env, o.Reader, o.Construction.MaxTokens, append(episodes.Calls(), summary, probe)...)
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
	read, err := episodes.New(ctx, m.Method, building.Messages(s, images), embedded)
	if err != nil {
		return nil, err
	}
	if err := read.Read(ctx); err != nil {
		return nil, err
	}
	return m.finish(ctx, read)
}

// embedded returns the texts by which an episode is looked up: its account with
// stage II, its title and account without.
func embedded(e episodes.Episode) []string { return []string{e.Content, e.Index()} }
