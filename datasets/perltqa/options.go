package perltqa

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
)

// A Section is a part of a memory, and of the questions about it.
type Section string

// The sections, named as the files name them.
const (
	Profile       Section = "profile"
	Relationships Section = "social_relationship"
	Events        Section = "events"
	Dialogues     Section = "dialogues"
)

// sections are all of them, in the order of tables and of memories.
func sections() []Section { return []Section{Profile, Relationships, Events, Dialogues} }

// Values returns the sections, for messages and editors.
func (Section) Values() []string { return texts(sections()) }

func texts(sections []Section) []string {
	var out []string
	for _, s := range sections {
		out = append(out, string(s))
	}
	return out
}

// A Policy says what becomes of the questions that name a memory which their
// character does not have.
type Policy string

const (
	// Ask asks them all the same, and counts them.
	Ask Policy = "ask"
	// Drop leaves them out, which leaves 8,305 of the release.
	Drop Policy = "drop"
)

// Values returns the policies, for messages and editors.
func (Policy) Values() []string { return []string{string(Ask), string(Drop)} }

// Options select what is loaded.
type Options struct {
	// MemoryPath names the file of the memories, relative to the config's
	// folder; by default perltqa/perltmem_en_v2.json in the data folder.
	MemoryPath string `yaml:"memory_path,omitempty"`
	// QuestionsPath names the file of the questions, relative to the config's
	// folder; by default perltqa/perltqa_en_v2.json in the data folder.
	QuestionsPath string `yaml:"questions_path,omitempty"`
	// Sections are those whose questions are asked.
	Sections []Section `yaml:"sections"`
	// MaxQuestions is the largest number of questions about one character.
	// They are taken at even distances over all of the chosen sections, which
	// keep their shares, and are the same in each run. 0 is no bound.
	MaxQuestions int `yaml:"max_questions"`
	// Unresolved says what becomes of questions that name a memory which is
	// not there: ask asks and counts them, drop leaves them out.
	Unresolved Policy `yaml:"unresolved"`
}

// Validate returns all faults of the options.
func (o Options) Validate() error {
	var errs []error
	add := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	have := strings.Join(texts(sections()), ", ")
	if len(o.Sections) == 0 {
		add("sections is empty, want some of %s", have)
	}
	for i, s := range o.Sections {
		switch {
		case !slices.Contains(sections(), s):
			add("sections has %s, want some of %s", quote(string(s)), have)
		case slices.Contains(o.Sections[:i], s):
			add("sections has %q twice", string(s))
		}
	}
	if o.MaxQuestions < 0 {
		add("max_questions is %d, want 0 for all or more", o.MaxQuestions)
	}
	if o.Unresolved != Ask && o.Unresolved != Drop {
		add("unresolved is %s, want ask or drop", quote(string(o.Unresolved)))
	}
	return errors.Join(errs...)
}

// settings are what a result depends on beside the data.
func (o Options) settings() map[string]string {
	settings := map[string]string{
		"sections":   strings.Join(texts(ordered(o.Sections)), ","),
		"unresolved": string(o.Unresolved),
	}
	if o.MaxQuestions > 0 {
		settings["max_questions"] = strconv.Itoa(o.MaxQuestions)
	}
	return settings
}

// ordered returns the sections in the order of tables.
func ordered(chosen []Section) []Section {
	return slices.DeleteFunc(sections(), func(s Section) bool { return !slices.Contains(chosen, s) })
}

// categories are those that are asked, in the order of tables.
func (o Options) categories() []datasets.Category {
	return slices.DeleteFunc(Categories(), func(c datasets.Category) bool { return !slices.Contains(o.Sections, Section(c.ID)) })
}
