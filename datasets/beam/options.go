package beam

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/text/suggest"
)

var sizes = []string{"100K", "500K", "1M", "10M"}

// Options select what is loaded.
type Options struct {
	// Sizes are the sizes of the conversations: 100K, 500K, 1M, 10M.
	Sizes []string `yaml:"sizes"`
	// Conversations are the numbers of those to keep; all by default.
	Conversations []int `yaml:"conversations,omitempty"`
	// Abilities are the abilities to ask about, such as event_ordering; all by
	// default.
	Abilities []string `yaml:"abilities,omitempty"`
	// Path names the folder of the sizes, or of one, relative to the config's folder;
	// by default beam/chats in the data folder.
	Path string `yaml:"path,omitempty"`
}

// Validate returns all faults of the options.
func (o Options) Validate() error {
	var errs []error
	if len(o.Sizes) == 0 {
		errs = append(errs, fmt.Errorf("sizes is empty, want some of %s", strings.Join(sizes, ", ")))
	}
	ids := lists.Map(abilities, func(a ability) string { return a.id })
	for _, list := range []struct {
		name         string
		values, have []string
	}{{"size", o.Sizes, sizes}, {"ability", o.Abilities, ids}} {
		for i, v := range list.values {
			if !slices.Contains(list.have, v) {
				errs = append(errs, errors.New(suggest.Unknown(list.name, v, list.have)))
			}
			if slices.Contains(list.values[:i], v) {
				errs = append(errs, fmt.Errorf("%s %s is there twice", list.name, v))
			}
		}
	}
	for i, n := range o.Conversations {
		if n < 1 || slices.Contains(o.Conversations[:i], n) {
			errs = append(errs, fmt.Errorf("conversations has %d, which is no number from 1 or there twice", n))
		}
	}
	return errors.Join(errs...)
}

// settings are what of the options results depend on.
func (o Options) settings() map[string]string {
	kept, numbers := "all", "all"
	if len(o.Abilities) > 0 {
		kept = strings.Join(o.Abilities, ", ")
	}
	if len(o.Conversations) > 0 {
		numbers = strings.Join(lists.Map(o.Conversations, strconv.Itoa), ", ")
	}
	return map[string]string{
		"sizes": strings.Join(o.Sizes, ", "), "conversations": numbers, "abilities": kept,
	}
}
