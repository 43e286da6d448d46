package memoryos

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

// Options are the method's options. An option at its default has the value of the
// profile; docs/methods.md lists these values.
type Options struct {
	// Profile says whose parameters and rules are followed.
	Profile Profile `yaml:"profile"`
	// Pairing says how turns become pages.
	Pairing Pairing `yaml:"pairing"`
	// STM is how many pages short-term memory holds; 0 is the profile's number.
	STM int `yaml:"stm"`
	// Segments is how many segments mid-term memory holds; 0 is the profile's
	// number.
	Segments int `yaml:"segments"`
	// Eviction says which segment goes where there are more.
	Eviction Eviction `yaml:"eviction"`
	// Merge is the similarity of a theme and a segment, cosine and keywords
	// together, from which a page joins the segment; 0 is the profile's.
	Merge float64 `yaml:"merge,omitempty"`
	// Keywords says how sets of keywords are compared.
	Keywords Similarity `yaml:"keywords"`
	// Heat says when a segment is analysed.
	Heat Heat `yaml:"heat"`
	// Knowledge is how many facts of each speaker long-term memory holds, the
	// latest; 0 is the profile's number, -1 no bound.
	Knowledge int `yaml:"knowledge"`
	// Search says what of the memory reaches the reader.
	Search Search `yaml:"search"`
	// MaxTokens is the largest number of tokens of a reply while building.
	MaxTokens int `yaml:"max_tokens"`
	// Images says what of a shared image becomes text.
	Images transcript.Images `yaml:"images"`
	// Reader says how the model is asked.
	Reader reader.Options `yaml:"reader"`
}

// Heat says when a segment is analysed. Its heat is
//
//	pages · (pages since it was analysed) + recency · exp(−(time since it changed) / tau)
//
// The third term of the paper counts how often a segment was retrieved, which is
// never while a memory is built.
type Heat struct {
	// Pages is the weight of a page, the paper's β; 0 is the profile's.
	Pages float64 `yaml:"pages,omitempty"`
	// Recency is the weight of recency, the paper's γ; 0 is the profile's.
	Recency float64 `yaml:"recency,omitempty"`
	// Tau is the time, in seconds, in which recency falls to 1/e; 0 is the
	// profile's. The profile eval leaves recency at 1.
	Tau float64 `yaml:"tau"`
	// Threshold is the heat from which a segment is analysed;
	// 0 is the profile's.
	Threshold float64 `yaml:"threshold,omitempty"`
}

// Search holds the options of retrieval. A bound of -1 lets everything pass.
type Search struct {
	// Segments is how many segments are looked into; 0 is the profile's number.
	Segments int `yaml:"segments"`
	// Pages is how many pages reach the reader; 0 is the profile's number.
	Pages int `yaml:"pages"`
	// SegmentLeast is the least similarity of a segment and the question;
	// 0 is the profile's.
	SegmentLeast float64 `yaml:"segment_least,omitempty"`
	// PageLeast is the least cosine of a page and the question;
	// 0 is the profile's.
	PageLeast float64 `yaml:"page_least,omitempty"`
	// KnowledgeLeast is the least cosine of a fact and the question;
	// 0 is the profile's.
	KnowledgeLeast float64 `yaml:"knowledge_least,omitempty"`
	// User is how many facts of the user reach the reader; 0 is the profile's
	// number, -1 all.
	User int `yaml:"user"`
	// Assistant is how many facts of the assistant reach the reader; 0 is the
	// profile's number, -1 all.
	Assistant int `yaml:"assistant"`
}

// Profile says whose parameters and rules are followed.
type Profile string

// The profiles.
const (
	Paper Profile = "paper" // the parameters of the paper
	Eval  Profile = "eval"  // the authors' code for LoCoMo, folder eval
	PyPI  Profile = "pypi"  // the authors' package, folder memoryos-pypi
)

// Values lists the profiles.
func (Profile) Values() []string { return []string{string(Paper), string(Eval), string(PyPI)} }

// OfProfile leaves a choice to the profile.
const OfProfile = "profile"

// Pairing says how turns become pages.
type Pairing string

// The ways to pair turns.
const (
	Lossless Pairing = "lossless" // a page has all turns up to the user's next, or to the end of a session
	Lossy    Pairing = "lossy"    // as the authors' loader: one turn of each side, others are lost
)

// Values lists the ways to pair turns.
func (Pairing) Values() []string { return []string{OfProfile, string(Lossless), string(Lossy)} }

// Eviction says which segment leaves a full mid-term memory.
type Eviction string

// The ways to evict.
const (
	LowestHeat Eviction = "heat"
	// LFU evicts the segment that was retrieved least often; while a memory is
	// built none is, and the oldest goes.
	LFU Eviction = "lfu"
)

// Values lists the ways to evict.
func (Eviction) Values() []string { return []string{OfProfile, string(LowestHeat), string(LFU)} }

// Similarity says how sets of keywords are compared.
type Similarity string

// The similarities.
const (
	Jaccard     Similarity = "jaccard"     // what both have, of what either has
	Containment Similarity = "containment" // the mean of the shares that each has in common
	NoKeywords  Similarity = "none"
)

// Values lists the similarities.
func (Similarity) Values() []string {
	return []string{OfProfile, string(Jaccard), string(Containment), string(NoKeywords)}
}

// Defaults are those of the paper.
func Defaults() Options {
	r := reader.Defaults()
	r.Slots = true
	return Options{
		Profile: Paper, Pairing: OfProfile, Eviction: OfProfile, Keywords: OfProfile,
		MaxTokens: 2000, Images: transcript.CaptionsAndQuery, Reader: r,
	}
}

// of returns the values of a profile.
func of(p Profile) Options {
	switch p {
	case Eval:
		return Options{
			Pairing: Lossy, STM: 1, Segments: 2000, Eviction: LFU, Merge: 0.6, Keywords: Containment,
			Heat: Heat{Pages: 0.8, Recency: 0.0001, Tau: 3600, Threshold: 5}, Knowledge: -1,
			Search: Search{5, 10, 0.1, 0.1, 0.1, 10, -1},
		}
	case PyPI:
		return Options{
			Pairing: Lossless, STM: 10, Segments: 2000, Eviction: LFU, Merge: 0.6, Keywords: Jaccard,
			Heat: Heat{Pages: 1, Recency: 1, Tau: 86400, Threshold: 5}, Knowledge: 100,
			Search: Search{5, 7, 0.1, 0.1, 0.01, 20, 20},
		}
	default:
		return Options{
			Pairing: Lossless, STM: 7, Segments: 200, Eviction: LowestHeat, Merge: 0.6, Keywords: Jaccard,
			Heat: Heat{Pages: 1, Recency: 1, Tau: 1e7, Threshold: 5}, Knowledge: 100,
			Search: Search{5, 10, -1, -1, -1, 10, 10},
		}
	}
}

// resolved returns the options with the profile's values where they leave one to
// it.
func (o Options) resolved() Options {
	p := of(o.Profile)
	take(&o.Pairing, p.Pairing, OfProfile)
	take(&o.Eviction, p.Eviction, OfProfile)
	take(&o.Keywords, p.Keywords, OfProfile)
	take(&o.STM, p.STM, 0)
	take(&o.Segments, p.Segments, 0)
	take(&o.Merge, p.Merge, 0)
	take(&o.Knowledge, p.Knowledge, 0)
	h, s := &o.Heat, &o.Search
	take(&h.Pages, p.Heat.Pages, 0)
	take(&h.Recency, p.Heat.Recency, 0)
	take(&h.Tau, p.Heat.Tau, 0)
	take(&h.Threshold, p.Heat.Threshold, 0)
	take(&s.Segments, p.Search.Segments, 0)
	take(&s.Pages, p.Search.Pages, 0)
	take(&s.SegmentLeast, p.Search.SegmentLeast, 0)
	take(&s.PageLeast, p.Search.PageLeast, 0)
	take(&s.KnowledgeLeast, p.Search.KnowledgeLeast, 0)
	take(&s.User, p.Search.User, 0)
	take(&s.Assistant, p.Search.Assistant, 0)
	return o
}

func take[T comparable](value *T, ofProfile, unset T) {
	if *value == unset {
		*value = ofProfile
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
	choice := func(name, value string, values []string) {
		fault(!slices.Contains(values, value), "unknown %s %q; have %s", name, value, strings.Join(values, ", "))
	}
	number := func(name string, value, least float64) {
		fault(!(value >= least && value <= 1e9), "%s is %v, want %v to 1e9", name, value, least)
	}
	choice("profile", string(o.Profile), o.Profile.Values())
	choice("pairing", string(o.Pairing), o.Pairing.Values())
	choice("eviction", string(o.Eviction), o.Eviction.Values())
	choice("keywords", string(o.Keywords), o.Keywords.Values())
	fault(o.STM < 0, "stm is %d, want at least 0", o.STM)
	fault(o.Segments < 0, "segments is %d, want at least 0", o.Segments)
	fault(o.Knowledge < -1, "knowledge is %d, want at least -1", o.Knowledge)
	number("merge", o.Merge, -1)
	number("heat.pages", o.Heat.Pages, 0)
	number("heat.recency", o.Heat.Recency, 0)
	number("heat.threshold", o.Heat.Threshold, 0)
	fault(!(o.Heat.Tau >= 0 && o.Heat.Tau <= 1e12), "heat.tau is %v, want 0 to 1e12", o.Heat.Tau)
	fault(o.Search.Segments < 0, "search.segments is %d, want at least 0", o.Search.Segments)
	fault(o.Search.Pages < 0, "search.pages is %d, want at least 0", o.Search.Pages)
	fault(o.Search.User < -1, "search.user is %d, want at least -1", o.Search.User)
	fault(o.Search.Assistant < -1, "search.assistant is %d, want at least -1", o.Search.Assistant)
	number("search.segment_least", o.Search.SegmentLeast, -1)
	number("search.page_least", o.Search.PageLeast, -1)
	number("search.knowledge_least", o.Search.KnowledgeLeast, -1)
	fault(o.MaxTokens < 1, "max_tokens is %d, want at least 1", o.MaxTokens)
	return errors.Join(faults...)
}
