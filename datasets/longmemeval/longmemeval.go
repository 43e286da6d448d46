// Package longmemeval loads LongMemEval, 500 questions that each have a
// conversation of their own, and any other file in its layout.
//
// A file is an array of questions; question.go reads one, load.go the file. Some publish
// the same as cases, a file for each question; load.go also reads a folder of them. A
// conversation is as large as a small book and a file may be larger than memory: opening
// checks everything and keeps questions and gold answers; conversations are read again
// when needed.
//
// The ids of the release reveal which sessions contain the answer and which
// questions have none. Methods see ids, so conversations, sessions and turns have
// different ones here.
//
// Wu et al., "LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive
// Memory", ICLR 2025, arXiv:2410.10813. The data is under the MIT licence and not
// part of this project. The layout follows the README of xiaowu0162/LongMemEval at
// 9e0b455.
package longmemeval

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"recallbench/datasets"
)

const (
	name     = "longmemeval"
	revision = "98d7416c24c778c2fee6e6f3006e7a073259d48f"
	home     = "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned/resolve/" + revision + "/"

	oracleSum = "821a2034d219ab45846873dd14c14f12cfe7776e73527a483f9dac095d38620c"
	smallSum  = "d6f21ea9d60a0d56f34a05b609c79c88a451d2ae03597821ea3d5a9678c3a442"
)

// Spec describes the cleaned release of September 2025.
var Spec = &datasets.Spec{
	Name:       name,
	Doc:        "500 questions in six categories, each about a conversation of its own of up to 500 sessions",
	Source:     "Wu et al., LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory, ICLR 2025; huggingface.co/datasets/xiaowu0162/longmemeval-cleaned",
	License:    "MIT",
	Options:    Options{Variant: Small, Abstention: Ask, Turns: Both},
	Categories: Categories(),
	Metrics:    []string{"f1@span", "words", "evidence-recall", "session-recall@longmemeval@5", "tokens"},
	Files: []datasets.File{
		{Name: "longmemeval_oracle.json", URL: home + "longmemeval_oracle.json", Size: 15388478, SHA256: oracleSum},
		{Name: "longmemeval_s_cleaned.json", URL: home + "longmemeval_s_cleaned.json", Size: 277383467, SHA256: smallSum},
	},
	Open: datasets.Opener(name, open),
}

// Categories returns the types of questions in the order of the paper. A question
// whose conversation does not contain the answer keeps the type of the question it
// was made from.
func Categories() []datasets.Category {
	var all []datasets.Category
	for _, t := range types {
		all = append(all, datasets.Category{ID: t, Name: t})
	}
	return all
}

// types are the official names.
var types = []string{
	"single-session-user", "single-session-assistant", "single-session-preference",
	"multi-session", "temporal-reasoning", "knowledge-update",
}

// A Variant is a file of the release, or a folder of cases.
type Variant string

// The variants differ in the sessions that accompany those with the answer.
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

// A Policy says how to treat questions that the conversation does not answer.
type Policy string

// The policies.
const (
	Ask  Policy = "ask"  // ask them among the others
	Drop Policy = "drop" // leave them out
	Only Policy = "only" // leave the others out
)

// Values returns the policies, for messages and editors.
func (Policy) Values() []string { return []string{string(Ask), string(Drop), string(Only)} }

// Turns says whose turns a conversation has.
type Turns string

// The choices of speakers.
const (
	Both Turns = "all"
	User Turns = "user" // without the assistant's, as in the authors' retrieval
)

// Values returns the choices, for messages and editors.
func (Turns) Values() []string { return []string{string(Both), string(User)} }

// Options select what is loaded.
type Options struct {
	// Variant is the file of the release: oracle, s or m; or s53, a folder of cases with
	// 53 questions of s.
	Variant Variant `yaml:"variant,omitempty"`
	// Path names another file in the layout instead, or a folder of cases, relative to
	// the run file's folder.
	Path string `yaml:"path,omitempty"`
	// Turns says whose turns a conversation has: all, or user, as in the authors'
	// retrieval. Evidence said by the assistant is then left out, too.
	Turns Turns `yaml:"turns"`
	// Types are the types of questions to ask, such as multi-session; all by default.
	Types []string `yaml:"types,omitempty"`
	// Abstention says how to treat questions that the conversation does not
	// answer: ask, drop or only.
	Abstention Policy `yaml:"abstention"`
	// MaxQuestions is the largest number of questions of each type, the first of
	// the file; 0 for all.
	MaxQuestions int `yaml:"max_questions,omitempty"`
}

// Validate returns all faults of the options.
func (o Options) Validate() error {
	errs := []error{
		datasets.CheckChoice("abstention", o.Abstention), datasets.CheckChoice("turns", o.Turns), datasets.CheckList("types", o.Types, types),
	}
	if o.Path == "" {
		errs = append(errs, datasets.CheckChoice("variant", o.Variant))
	}
	if o.MaxQuestions < 0 {
		errs = append(errs, fmt.Errorf("max_questions is %d, want 0 for all or more", o.MaxQuestions))
	}
	return errors.Join(errs...)
}

// settings are the options that results depend on.
func (o Options) settings() map[string]string {
	settings := map[string]string{"variant": string(o.Variant), "types": "all", "abstention": string(o.Abstention)}
	if o.Path != "" {
		settings["variant"] = "file"
	}
	if len(o.Types) > 0 {
		settings["types"] = strings.Join(o.Types, ", ")
	}
	if o.Turns != Both {
		settings["turns"] = string(o.Turns)
	}
	return settings
}

// keeps reports whether a question is asked, apart from the limit for its type.
func (o Options) keeps(q *question) bool {
	return (len(o.Types) == 0 || slices.Contains(o.Types, q.gold.Category)) &&
		(o.Abstention == Ask || (o.Abstention == Only) == q.gold.Abstain)
}

// paths are those of a variant in the data folder, the cleaned release's first.
var paths = map[Variant][]string{
	Oracle: {"longmemeval/longmemeval_oracle.json"},
	Small:  {"longmemeval/longmemeval_s_cleaned.json", "longmemeval/longmemeval_s.json"},
	Medium: {"longmemeval/longmemeval_m_cleaned.json", "longmemeval/longmemeval_m.json"},
	Cases:  {"longmemeval/s53/cases"},
}

func open(ctx context.Context, env datasets.Env, o Options) (*datasets.Set, error) {
	remedy := datasets.Fetch(name)
	if o.Variant == Medium || o.Variant == Cases {
		remedy = "put the published files there, or set path"
	}
	path, err := env.Find(o.Path, remedy, paths[o.Variant]...)
	if err != nil {
		return nil, err
	}
	set, err := load(ctx, path, o)
	is := func(p string) bool { return strings.HasSuffix(filepath.ToSlash(path), p) }
	if err == nil && o.Path == "" && slices.IndexFunc(paths[o.Variant], is) > 0 {
		set.Caveat = "not the cleaned release: their scores are not comparable"
	}
	return set, err
}
