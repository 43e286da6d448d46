package locomo

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
)

// A Policy says what becomes of the questions of category 5, which ask for
// something that the conversation does not say.
type Policy string

const (
	// Drop leaves them out, as the tables of most papers do.
	Drop Policy = "drop"
	// Abstain asks them, and the right answer is that the conversation does
	// not say. The tempting wrong answer in the data is never used.
	Abstain Policy = "abstain"
)

// Values returns the policies, for messages and editors.
func (Policy) Values() []string { return []string{string(Drop), string(Abstain)} }

const adversarial = 5

// Options select what is loaded.
type Options struct {
	// Path names another file in LoCoMo's format, relative to the config's
	// folder; by default locomo/locomo10.json in the data folder.
	Path string `yaml:"path,omitempty"`
	// Categories are the ids of the questions to ask, 1 to 5: multi-hop,
	// temporal, open-domain, single-hop, adversarial.
	Categories []int `yaml:"categories"`
	// Category5 says what becomes of adversarial questions: drop leaves them
	// out, abstain asks them and wants an abstention.
	Category5 Policy `yaml:"category5"`
	// Conversations are the sample ids to keep, such as conv-26; all by
	// default.
	Conversations []string `yaml:"conversations,omitempty"`
}

// Validate returns all faults of the options.
func (o Options) Validate() error {
	var errs []error
	if len(o.Categories) == 0 {
		errs = append(errs, errors.New("categories is empty, want some of 1, 2, 3, 4, 5"))
	}
	for i, c := range o.Categories {
		switch {
		case c < 1 || c > adversarial:
			errs = append(errs, fmt.Errorf("categories has %d, want some of 1, 2, 3, 4, 5", c))
		case slices.Contains(o.Categories[:i], c):
			errs = append(errs, fmt.Errorf("categories has %d twice", c))
		}
	}
	// Either alone would ask, or leave out, what the other says.
	asked := slices.Contains(o.Categories, adversarial)
	switch o.Category5 {
	case Drop:
		if asked {
			errs = append(errs, errors.New("categories has 5 but category5 is drop; leave 5 out, or set category5 to abstain"))
		}
	case Abstain:
		if !asked {
			errs = append(errs, errors.New("category5 is abstain but categories has no 5; add 5, or set category5 to drop"))
		}
	default:
		errs = append(errs, fmt.Errorf("category5 is %q, want drop or abstain", string(o.Category5)))
	}
	for i, id := range o.Conversations {
		if slices.Contains(o.Conversations[:i], id) {
			errs = append(errs, fmt.Errorf("conversations has %q twice", id))
		}
	}
	return errors.Join(errs...)
}

// settings are what a result depends on beside the data.
func (o Options) settings() map[string]string {
	var ids []string
	for _, c := range slices.Sorted(slices.Values(o.Categories)) {
		ids = append(ids, strconv.Itoa(c))
	}
	settings := map[string]string{
		"categories": strings.Join(ids, ","),
		"category5":  string(o.Category5),
	}
	if len(o.Conversations) > 0 {
		settings["conversations"] = strings.Join(slices.Sorted(slices.Values(o.Conversations)), ",")
	}
	return settings
}

// categories are those that are asked, in the order of tables.
func (o Options) categories() []datasets.Category {
	return slices.DeleteFunc(Categories(), func(c datasets.Category) bool { return !o.asks(c.ID) })
}

// asks tells whether questions of a category are asked.
func (o Options) asks(category string) bool {
	return slices.ContainsFunc(o.Categories, func(c int) bool { return strconv.Itoa(c) == category })
}

// keeps tells whether a conversation is loaded.
func (o Options) keeps(sample string) bool {
	return len(o.Conversations) == 0 || slices.Contains(o.Conversations, sample)
}
