package themes

import (
	"errors"
	"fmt"
	"slices"

	"recallbench/internal/text/suggest"
)

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
	// AttachFloor is the similarity from which it still joins a theme that is
	// not full. Only the released profile has such a band.
	AttachFloor float64 `yaml:"-"`
	// SplitEdge is the similarity from which two semantics of a theme stay connected when
	// it is divided into components. Released profile only.
	SplitEdge float64 `yaml:"-"`
	// SplitMin is the number of semantics up to which a theme is not divided
	// into components. Released profile only.
	SplitMin int `yaml:"-"`
	// Heterogeneity is the mean similarity of its semantics below which a full
	// theme is reviewed. Released profile only.
	Heterogeneity float64 `yaml:"-"`
	// MergeAt is the similarity of centroids from which two themes may be
	// joined. Released profile only.
	MergeAt float64 `yaml:"-"`
	// MergePasses is the largest number of pairs of themes that are joined. Released
	// profile only.
	MergePasses int `yaml:"-"`
	// CoalesceAt is the similarity from which a theme of one semantic may be
	// joined to another theme. Released profile only.
	CoalesceAt float64 `yaml:"-"`
	// Context is the number of nearest themes that the objective considers in
	// the released profile, and that a small theme may join in the paper's.
	Context int `yaml:"-"`
	// Neighbours is the number of edges of a node in the graphs of themes and of
	// semantics.
	Neighbours int `yaml:"-"`
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
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	if profiles := o.Profile.Values(); !slices.Contains(profiles, string(o.Profile)) {
		faults = append(faults, errors.New(suggest.Unknown("profile", string(o.Profile), profiles)))
	}
	fault(o.Cap < 1, "cap is %d, want at least 1", o.Cap)
	return errors.Join(faults...)
}
