package themes

import (
	"errors"
	"slices"

	"recallbench/internal/door/fault"
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
