package xmemory

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"recallbench/internal/engine/themes"
	"recallbench/methods/internal/episodes"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

// Options are the method's options. Defaults are those of the released code,
// where it has them: docs/methods.md says which value comes from where.
type Options struct {
	// Profile says whose rules are followed where the paper and the released
	// code differ.
	Profile Profile `yaml:"profile"`
	// Construction says how messages become episodes and semantics.
	Construction episodes.Options `yaml:"construction"`
	// Themes says how semantics become themes.
	Themes themes.Options `yaml:"themes"`
	// Search says what of the memory reaches the reader.
	Search Search `yaml:"search"`
	// Images says what of a shared image becomes text.
	Images transcript.Images `yaml:"images"`
	// Reader says how the model is asked.
	Reader reader.Options `yaml:"reader"`
}

// Profile says whose rules are followed.
type Profile string

// The profiles.
const (
	Released Profile = "released" // the authors' code, which made the published numbers
	Paper    Profile = "paper"    // the paper's text
)

// Values lists the profiles.
func (Profile) Values() []string { return []string{string(Released), string(Paper)} }

// Search holds the options of retrieval.
type Search struct {
	// Representatives is stage I: themes and semantics are chosen for relevance
	// and coverage. Without it the most similar semantics are taken, and no
	// themes.
	Representatives bool `yaml:"representatives"`
	// Uncertainty is stage II: episodes are taken where they make the reader
	// surer, and their messages where they do so more. Without it the first
	// episodes of the ranking are taken, with their messages.
	Uncertainty bool `yaml:"uncertainty"`
	// Pool is the number of most similar semantics that stage I chooses from.
	Pool int `yaml:"pool"`
	// Themes is how many themes are chosen at most.
	Themes int `yaml:"themes"`
	// Semantics is how many semantics are chosen at most.
	Semantics int `yaml:"semantics"`
	// Alpha is the weight of coverage against relevance in stage I, from 0 to 1.
	Alpha float64 `yaml:"alpha"`
	// Similar is how many episodes come in by their own similarity.
	Similar int `yaml:"similar"`
	// Support is the weight of the semantics of an episode in its rank.
	Support float64 `yaml:"support"`
	// Episodes is how many are taken at most.
	Episodes int `yaml:"episodes"`
	// Probed is how many are tried at most.
	Probed int `yaml:"probed"`
	// Include is the gain, in nats, above which an episode is taken. The defaults
	// are the authors' for Llama; those for other models are not published. The
	// profile paper takes only episodes that make the reader surer: a negative
	// number is 0 there.
	Include float64 `yaml:"include"`
	// Expand is the gain, in nats, above which it is shown with its messages.
	Expand float64 `yaml:"expand"`
	// Early is the number of first episodes among which one without gain ends
	// the search; after those two do.
	Early int `yaml:"early"`
	// ProbeTokens is how many tokens of an answer uncertainty is measured on.
	ProbeTokens int `yaml:"probe_tokens"`
	// Unknown is the uncertainty, in nats, of a reply without tokens.
	Unknown float64 `yaml:"unknown"`
}

// Defaults are those of the released code, both stages on.
func Defaults() Options {
	return Options{
		Profile:      Released,
		Construction: episodes.Defaults(),
		Themes:       themes.Defaults(),
		Search: Search{
			Representatives: true, Uncertainty: true,
			Pool: 40, Themes: 5, Semantics: 20, Alpha: 0.7,
			Similar: 10, Support: 0.5, Episodes: 10, Probed: 10,
			Include: -0.4, Expand: 0.25, Early: 3, ProbeTokens: 20, Unknown: 5,
		},
		Images: transcript.CaptionsAndQuery,
		Reader: reader.Defaults(),
	}
}

// Validate reports values out of range.
func (o Options) Validate() error {
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	if !slices.Contains(o.Profile.Values(), string(o.Profile)) {
		fault(true, "unknown profile %q; have %s", o.Profile, strings.Join(o.Profile.Values(), ", "))
	}
	s := o.Search
	fault(s.Pool < 1, "search.pool is %d, want at least 1", s.Pool)
	fault(s.Themes < 1, "search.themes is %d, want at least 1", s.Themes)
	fault(s.Semantics < 1, "search.semantics is %d, want at least 1", s.Semantics)
	fault(!(s.Alpha >= 0 && s.Alpha <= 1), "search.alpha is %v, want 0 to 1", s.Alpha)
	fault(s.Similar < 0, "search.similar is %d, want at least 0", s.Similar)
	fault(!(s.Support >= 0), "search.support is %v, want at least 0", s.Support)
	fault(s.Episodes < 1, "search.episodes is %d, want at least 1", s.Episodes)
	fault(s.Probed < 1, "search.probed is %d, want at least 1", s.Probed)
	fault(math.IsNaN(s.Include) || math.IsInf(s.Include, 0), "search.include is %v, want a number", s.Include)
	fault(math.IsNaN(s.Expand) || math.IsInf(s.Expand, 0), "search.expand is %v, want a number", s.Expand)
	fault(s.Early < 0, "search.early is %d, want at least 0", s.Early)
	fault(s.ProbeTokens < 1, "search.probe_tokens is %d, want at least 1", s.ProbeTokens)
	fault(!(s.Unknown >= 0), "search.unknown is %v, want at least 0", s.Unknown)
	return errors.Join(faults...)
}

// include is the gain, in nats, that an episode needs.
func (o Options) include() float64 {
	if o.Profile == Paper {
		return max(0, o.Search.Include)
	}
	return o.Search.Include
}
