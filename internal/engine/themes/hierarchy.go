package themes

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"recallbench/internal/door/fault"
	"recallbench/internal/text/suggest"
)

// A Neighbour is an edge of a graph, or of what [Representatives] chooses from.
type Neighbour struct {
	Index      int     // of the node that the edge leads to
	Similarity float64 // cosine
}

// A Theme is a set of semantics that belong together.
type Theme struct {
	// ID distinguishes the theme from all others there ever were; ids grow in
	// order of creation.
	ID int
	// Members are the semantics by their index in the input, in the order in
	// which they joined the theme.
	Members []int
	// Centroid is the mean of the members' vectors; it is not scaled.
	Centroid []float64
	// Neighbours are the nearest other themes, nearest first, by their index in
	// [Hierarchy.Themes]; similarities are above 0.
	Neighbours []Neighbour
}

// A Hierarchy has the themes of a memory and the graphs over its themes and
// semantics.
type Hierarchy struct {
	// Themes are in the order of their ids. Each semantic is in exactly one.
	Themes []Theme
	// ThemeOf has for each semantic the index of its theme in Themes.
	ThemeOf []int
	// Neighbours has for each semantic the nearest ones among all that were
	// known when its batch had arrived, nearest first. Later ones are not
	// considered, so the graph is directed from new to old.
	Neighbours [][]Neighbour
	// Reassigned is the number of semantics that are no longer in their first
	// theme: the numerator of the dynamic reassignment ratio, whose denominator
	// is the number of semantics. A theme keeps its identity while it keeps its
	// id.
	Reassigned int
	// Stats counts the steps of the construction.
	Stats Stats
}

// Stats counts the steps of a construction.
type Stats struct {
	// Singletons is the number of semantics without a near theme.
	Singletons int
	// Splits is the number of divided themes, and Reissued that of themes that
	// were reviewed, left whole and given a new id.
	Splits, Reissued int
	// Merges is the number of joined pairs of themes, and Coalesced of small
	// themes that joined another.
	Merges, Coalesced int
}

// Build arranges the semantics whose vectors are given in the order of their
// arrival. Batches holds how many of them arrived together, as those of an
// episode do; the counts add up to the number of vectors. With no batches, all
// arrived together.
//
// It fails for options out of range, and for vectors of unequal length or with elements
// that are not finite.
func Build(vectors [][]float32, batches []int, o Options) (*Hierarchy, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("themes: %w", err)
	}
	if batches == nil {
		batches = []int{len(vectors)}
	}
	space, err := newSpace(vectors)
	if err != nil {
		return nil, fmt.Errorf("themes: %w", err)
	}
	b := &builder{set: newSet(space), o: o, first: make([]int, len(vectors))}
	switch o.Profile {
	case Released:
		b.released()
	case Paper:
		b.paper(batches)
	}
	h := b.hierarchy()
	h.Neighbours = space.graph(batches, o.Neighbours)
	return h, nil
}

// A builder is a construction under way.
type builder struct {
	*set
	o     Options
	first []int // for each semantic, the id of its first theme
	stats Stats
}

// hierarchy returns what was built.
func (b *builder) hierarchy() *Hierarchy {
	h := &Hierarchy{ThemeOf: make([]int, len(b.first)), Stats: b.stats}
	place := make(map[*theme]int)
	for i, t := range b.themes {
		place[t] = i
		for _, semantic := range t.members {
			h.ThemeOf[semantic] = i
			if b.first[semantic] != t.id {
				h.Reassigned++
			}
		}
		h.Themes = append(h.Themes, Theme{ID: t.id, Members: t.members, Centroid: t.centroid})
	}
	for i, t := range b.themes {
		for _, e := range b.nearest(t, b.o.Neighbours, math.SmallestNonzeroFloat64) {
			h.Themes[i].Neighbours = append(h.Themes[i].Neighbours, Neighbour{place[e.to], e.similarity})
		}
	}
	return h
}

// Profile says whose account of the construction to follow.
type Profile string

// The profiles.
const (
	// Released is what the authors' code does: all semantics are attached once,
	// and themes that are too full, mixed, near or alone are corrected
	// afterwards.
	Released Profile = "released"
	// Paper is what the paper's section 3.2 says: themes are kept in order as
	// semantics arrive, and the objective over the whole partition decides.
	Paper Profile = "paper"
)

// Values lists the profiles.
func (Profile) Values() []string { return []string{string(Released), string(Paper)} }

// Options are the parameters of a construction. The similarities are cosines.
type Options struct {
	// Profile says whose account to follow. The method with these options sets
	// it.
	Profile Profile `yaml:"-"`
	// Cap is the largest number of semantics of a theme. The paper derives 12
	// from Fano's inequality in its appendix B.
	Cap int `yaml:"cap"`
	// Split lets themes be divided. Without it a theme may outgrow the cap.
	Split bool `yaml:"split"`
	// Merge lets themes be joined.
	Merge bool `yaml:"merge"`

	// What follows is as in the released code.

	// AttachAt is the similarity to a theme's centroid from which a semantic
	// joins the theme.
	AttachAt float64 `yaml:"-"`
	// Context is the number of nearest themes that the objective considers in
	// the released profile, and that a small theme may join in the paper's.
	Context int `yaml:"-"`
	// Neighbours is the number of edges of a node in the graphs of themes and of
	// semantics.
	Neighbours int `yaml:"-"`

	// Only the released profile has these: the similarity from which a semantic joins a
	// theme that is not full; that from which two semantics stay connected when their
	// theme is divided, and the number up to which it is not; the mean similarity below
	// which a full theme is reviewed; the similarity of centroids from which two themes
	// may be joined, and how many pairs at most; that from which a theme of one semantic
	// may join another.
	AttachFloor   float64 `yaml:"-"`
	SplitEdge     float64 `yaml:"-"`
	SplitMin      int     `yaml:"-"`
	Heterogeneity float64 `yaml:"-"`
	MergeAt       float64 `yaml:"-"`
	MergePasses   int     `yaml:"-"`
	CoalesceAt    float64 `yaml:"-"`
}

// Defaults are the values of the released code.
func Defaults() Options {
	return Options{
		Profile: Released, Cap: 12, Split: true, Merge: true,
		AttachAt: 0.62, AttachFloor: 0.52,
		SplitEdge: 0.66, SplitMin: 8, Heterogeneity: 0.72,
		MergeAt: 0.78, MergePasses: 2, CoalesceAt: 0.50,
		Context: 10, Neighbours: 10,
	}
}

// Validate reports all values out of range.
func (o Options) Validate() error {
	var faults fault.List
	profiles := o.Profile.Values()
	faults.Want(slices.Contains(profiles, string(o.Profile)), "%s", suggest.Unknown("profile", string(o.Profile), profiles))
	faults.Want(o.Cap >= 1, "cap is %d, want at least 1", o.Cap)
	return errors.Join(faults...)
}
