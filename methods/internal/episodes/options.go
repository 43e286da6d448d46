package episodes

import (
	"errors"
	"fmt"
)

// Options hold what a method chooses of construction. Memories that agree in them
// share their episodes and statements, whatever else differs.
type Options struct {
	// Semantics says how facts are found: predict (what the messages tell and a
	// prediction of them does not) or direct (what an episode tells).
	Semantics Extraction `yaml:"semantics"`
	// MaxMessages ends an episode that has so many messages; 0 leaves that to
	// the model, as the released code does.
	MaxMessages int `yaml:"max_messages"`
	// HideLast is the number of messages from which the last one of an episode
	// is not shown to the model that looks for its end; 0 shows all.
	HideLast int `yaml:"hide_last"`
	// Known is how many of the closest statements a prediction is made from.
	Known int `yaml:"known"`
	// Closest is the cosine from which a statement counts as close.
	Closest float64 `yaml:"closest"`
	// MaxTokens is the largest number of tokens of a reply.
	MaxTokens int `yaml:"max_tokens"`
}

// Extraction says how facts are found.
type Extraction string

// The ways to find facts.
const (
	Predict Extraction = "predict"
	Direct  Extraction = "direct"
)

// Values lists the ways to find facts.
func (Extraction) Values() []string { return []string{string(Predict), string(Direct)} }

// Defaults are those of the released code of both methods.
func Defaults() Options {
	return Options{Semantics: Predict, HideLast: 11, Known: 10, Closest: 0.85, MaxTokens: 8192}
}

// Validate reports values out of range.
func (o Options) Validate() error {
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	fault(o.MaxMessages < 0, "max_messages is %d, want at least 0", o.MaxMessages)
	fault(o.HideLast < 0 || o.HideLast == 1, "hide_last is %d, want 0, or at least 2", o.HideLast)
	fault(o.Known < 0, "known is %d, want at least 0", o.Known)
	fault(!(o.Closest >= -1 && o.Closest <= 1), "closest is %v, want -1 to 1", o.Closest)
	fault(o.MaxTokens < 1, "max_tokens is %d, want at least 1", o.MaxTokens)
	return errors.Join(faults...)
}
