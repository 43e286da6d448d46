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
	"math"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
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
