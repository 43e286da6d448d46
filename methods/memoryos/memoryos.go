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
	"context"
	"embed"

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
