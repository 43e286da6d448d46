package longmemeval

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/text/suggest"
)

// A Variant is a file of the release, or a folder of cases.
type Variant string

// The variants differ in the sessions that stand beside those with the answer.
const (
	Oracle Variant = "oracle" // none
	Small  Variant = "s"      // about 48 in all
	Medium Variant = "m"      // about 500 in all
	Cases  Variant = "s53"    // 53 questions of s, as cases
)

// Values returns the variants, for messages and editors.
func (Variant) Values() []string {
	return []string{string(Oracle), string(Small), string(Medium), string(Cases)}
}

// A Policy says what becomes of the questions that the history does not answer.
type Policy string

// The policies.
const (
	Ask  Policy = "ask"  // they are asked among the others
	Drop Policy = "drop" // they are left out
	Only Policy = "only" // the others are left out
)

// Values returns the policies, for messages and editors.
func (Policy) Values() []string { return []string{string(Ask), string(Drop), string(Only)} }

// Turns say whose turns a history has.
type Turns string

// Whose turns there are.
const (
	Both Turns = "all"
	User Turns = "user" // without the assistant's, as the authors' retrieval reads a history
)

// Values returns the choices, for messages and editors.
func (Turns) Values() []string { return []string{string(Both), string(User)} }

// Options select what is loaded.
type Options struct {
	// Variant is the file of the release: oracle, s or m; or s53, a folder of cases with
	// 53 questions of s.
	Variant Variant `yaml:"variant,omitempty"`
	// Path names another file in the layout instead, or a folder of cases, relative to the
	// config's folder.
	Path string `yaml:"path,omitempty"`
	// Turns says whose turns a history has: all, or user, which the authors' retrieval
	// reads. Evidence that the assistant said is then left out, too.
	Turns Turns `yaml:"turns"`
	// Types are the types of questions to ask, such as multi-session; all by default.
	Types []string `yaml:"types,omitempty"`
	// Abstention says what becomes of questions that the history does not answer:
	// ask, drop or only.
	Abstention Policy `yaml:"abstention"`
	// MaxQuestions is how many questions of each type are asked, the first of the
	// file; 0 for all.
	MaxQuestions int `yaml:"max_questions,omitempty"`
}

// Validate returns all faults of the options.
func (o Options) Validate() error {
	var errs []error
	if o.Path == "" && !slices.Contains(o.Variant.Values(), string(o.Variant)) {
		errs = append(errs, errors.New(suggest.Unknown("variant", string(o.Variant), o.Variant.Values())))
	}
	if !slices.Contains(o.Abstention.Values(), string(o.Abstention)) {
		errs = append(errs, fmt.Errorf("abstention is %q, want one of %s", o.Abstention, strings.Join(o.Abstention.Values(), ", ")))
	}
	if !slices.Contains(o.Turns.Values(), string(o.Turns)) {
		errs = append(errs, errors.New(suggest.Unknown("turns", string(o.Turns), o.Turns.Values())))
	}
	for i, t := range o.Types {
		if !slices.Contains(types, t) {
			errs = append(errs, errors.New(suggest.Unknown("type", t, types)))
		}
		if slices.Contains(o.Types[:i], t) {
			errs = append(errs, fmt.Errorf("types has %s twice", t))
		}
	}
	if o.MaxQuestions < 0 {
		errs = append(errs, fmt.Errorf("max_questions is %d, want 0 for all or more", o.MaxQuestions))
	}
	return errors.Join(errs...)
}

// settings are what of the options results depend on.
func (o Options) settings() map[string]string {
	variant := string(o.Variant)
	if o.Path != "" {
		variant = "file"
	}
	kept := "all"
	if len(o.Types) > 0 {
		kept = strings.Join(o.Types, ", ")
	}
	settings := map[string]string{"variant": variant, "types": kept, "abstention": string(o.Abstention)}
	if o.Turns != Both {
		settings["turns"] = string(o.Turns)
	}
	return settings
}

// keeps reports whether a question is asked, but for the most of its type.
func (o Options) keeps(q *question) bool {
	return (len(o.Types) == 0 || slices.Contains(o.Types, q.gold.Category)) &&
		(o.Abstention == Ask || (o.Abstention == Only) == q.gold.Abstain)
}
