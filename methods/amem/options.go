package amem

import (
	"errors"
	"fmt"
	"slices"

	"recallbench/internal/text/suggest"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

// Options are the method's options. The defaults are those of the authors' code
// at commit d81fb22, but for the reader, which is that of all methods.
type Options struct {
	// Construction says how turns become notes.
	Construction Construction `yaml:"construction"`
	// Search says which notes reach the reader.
	Search Search `yaml:"search"`
	// Images says what of a shared image becomes text.
	Images transcript.Images `yaml:"images"`
	// Reader says how the model is asked.
	Reader reader.Options `yaml:"reader"`
}

// Construction holds the options that notes depend on. Memories that agree in them
// share their notes, whatever else differs.
type Construction struct {
	// Analysis says where keywords, context and tags of a note come from: model, or
	// lost, as in the code from commit ab06c22 on, where an error throws each
	// analysis away. Lost asks for none.
	Analysis Analysis `yaml:"analysis"`
	// Layer says which of the authors' two layers asks models: json, or robust, for
	// models that write no JSON objects of many fields.
	Layer Layer `yaml:"layer"`
	// Neighbours is how many of the most similar notes a new one is shown with.
	Neighbours int `yaml:"neighbours"`
	// Reembed says when a note is embedded again that a later one changed: stale,
	// with all others after every Every evolutions, or fresh, at once.
	Reembed Reembed `yaml:"reembed"`
	// Every is the number of notes with an evolution after which all are embedded
	// again, for stale.
	Every int `yaml:"every"`
	// OfflineLink is the cosine from which on the rules of the offline backend link
	// notes, in the scale of text-embedding-3-small. Models do not see it.
	OfflineLink float64 `yaml:"offline_link"`
	// MaxTokens is the largest number of tokens of a reply.
	MaxTokens int `yaml:"max_tokens"`
}

// Analysis says where keywords, context and tags come from.
type Analysis string

// The ways to describe a note.
const (
	FromModel Analysis = "model"
	Lost      Analysis = "lost"
)

// Values lists the ways to describe a note.
func (Analysis) Values() []string { return []string{string(FromModel), string(Lost)} }

// Layer says how models are asked.
type Layer string

// The layers.
const (
	JSONLayer Layer = "json" // one call for an evolution, with six fields
	// Robust asks for an evolution in up to three calls. Where a note has no
	// description to be had, its first words are one.
	Robust Layer = "robust"
)

// Values lists the layers.
func (Layer) Values() []string { return []string{string(JSONLayer), string(Robust)} }

// Reembed says when changed notes are embedded again.
type Reembed string

// The times to embed again.
const (
	Stale Reembed = "stale"
	Fresh Reembed = "fresh"
)

// Values lists the times to embed again.
func (Reembed) Values() []string { return []string{string(Stale), string(Fresh)} }

// Search holds the options of retrieval.
type Search struct {
	// K is how many notes are found. Notes linked with them come on top.
	K int `yaml:"k"`
	// Links says how many linked notes are shown: shared, one count of K for all
	// notes found, as in commit d81fb22, or per_hit, up to K+1 for each, as in
	// commit 0c8039f.
	Links Links `yaml:"links"`
	// Repeats shows a note as often as it is found or linked, as the authors' code
	// does. Without it each note is shown once.
	Repeats bool `yaml:"repeats"`
}

// Links says how many linked notes are shown.
type Links string

// The caps on linked notes.
const (
	Shared Links = "shared"
	PerHit Links = "per_hit"
)

// Values lists the caps on linked notes.
func (Links) Values() []string { return []string{string(Shared), string(PerHit)} }

// Defaults are those of the authors' code at commit d81fb22.
func Defaults() Options {
	r := reader.Defaults()
	r.Slots = true
	return Options{
		Construction: Construction{Analysis: FromModel, Layer: JSONLayer, Neighbours: 5, Reembed: Stale, Every: 100, OfflineLink: 0.6, MaxTokens: 1000},
		Search:       Search{K: 10, Links: Shared, Repeats: true},
		Images:       transcript.Captions,
		Reader:       r,
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
	word := func(what, value string, values []string) {
		if !slices.Contains(values, value) {
			faults = append(faults, errors.New(suggest.Unknown(what, value, values)))
		}
	}
	c, s := o.Construction, o.Search
	word("construction.analysis", string(c.Analysis), c.Analysis.Values())
	word("construction.layer", string(c.Layer), c.Layer.Values())
	fault(c.Neighbours < 0, "construction.neighbours is %d, want at least 0", c.Neighbours)
	word("construction.reembed", string(c.Reembed), c.Reembed.Values())
	fault(c.Every < 1, "construction.every is %d, want at least 1", c.Every)
	fault(!(c.OfflineLink >= -1 && c.OfflineLink <= 1), "construction.offline_link is %v, want -1 to 1", c.OfflineLink)
	fault(c.MaxTokens < 1, "construction.max_tokens is %d, want at least 1", c.MaxTokens)
	fault(s.K < 1, "search.k is %d, want at least 1", s.K)
	word("search.links", string(s.Links), s.Links.Values())
	return errors.Join(faults...)
}
