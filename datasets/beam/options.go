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

// A Chat says which of two versions of a conversation is read.
type Chat string

// The versions differ where the authors shortened what they evaluated with.
const (
	Evaluated Chat = "evaluated" // the shortened one, where there is one
	Full      Chat = "full"
)

// Values returns the versions, for messages and editors.
func (Chat) Values() []string { return []string{string(Evaluated), string(Full)} }

// Markers says what becomes of the marks behind messages of the user.
type Markers string

// A mark such as " ->-> 3,12" says which item of the plan a message is from.
const (
	Keep  Markers = "keep" // as the authors feed them to methods
	Strip Markers = "strip"
)

// Values returns the choices, for messages and editors.
func (Markers) Values() []string { return []string{string(Keep), string(Strip)} }

// Options select what is loaded.
type Options struct {
	// Sizes are the sizes of the conversations: 100K, 500K, 1M, 10M.
	Sizes []string `yaml:"sizes"`
	// Conversations are the numbers of those to keep; all by default.
	Conversations []int `yaml:"conversations,omitempty"`
	// Abilities are the abilities to ask about, such as event_ordering; all by
	// default.
	Abilities []string `yaml:"abilities,omitempty"`
	// Chat is the version of a conversation: evaluated is the shortened one that the
	// authors evaluated with, full the whole.
	Chat Chat `yaml:"chat"`
	// Markers keeps or strips the mark behind messages of the user, such as
	// " ->-> 3,12".
	Markers Markers `yaml:"markers"`
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
	}{{"size", o.Sizes, sizes}, {"ability", o.Abilities, ids}, {"chat", []string{string(o.Chat)}, Full.Values()}, {"markers", []string{string(o.Markers)}, Keep.Values()}} {
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
		"chat": string(o.Chat), "markers": string(o.Markers),
	}
}
