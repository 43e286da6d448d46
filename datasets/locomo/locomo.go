// Package locomo loads LoCoMo, ten long conversations between two people over
// months, with 1,986 questions about them, and any other file in its format.
//
// The file is an array of conversations. Known, harmless flaws of the release are
// corrected and counted in the warnings of the set. Anything else that does not fit
// the format is a fault, and all faults of a file are reported together.
//
// Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM
// Agents", ACL 2024. The data is CC BY-NC 4.0 and not part of this project.
package locomo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
)

// MaxSize is the size in bytes above which a file is refused unread, 64 MiB:
// 23 times the released one.
const MaxSize = 64 << 20

const (
	commit  = "3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376"
	source  = "https://raw.githubusercontent.com/snap-research/locomo/" + commit
	dataset = "locomo10.json"
	digest  = "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4"
)

// Spec describes LoCoMo as released in August 2024.
var Spec = &datasets.Spec{
	Name:       "locomo",
	Doc:        "10 conversations over months, 1,986 questions in five categories",
	Source:     "Maharana et al., Evaluating Very Long-Term Conversational Memory of LLM Agents, ACL 2024; github.com/snap-research/locomo",
	License:    "CC-BY-NC-4.0",
	Options:    Options{Categories: []int{1, 2, 3, 4}, Category5: Drop},
	All:        Options{Categories: []int{1, 2, 3, 4, adversarial}, Category5: Abstain},
	Categories: Categories(),
	Metrics:    []string{"f1@span", "f1@mem0", "f1@locomo", "words", "evidence-recall", "tokens"},
	Files: []datasets.File{
		{Name: dataset, URL: source + "/data/" + dataset, Size: 2805274, SHA256: digest},
		{
			Name: "LICENSE.txt", URL: source + "/LICENSE.txt", Size: 19347,
			SHA256: "41003d4a74749c0220e33dd415042164b5a1093ed401f36277234f772d22d3d0", License: true,
		},
	},
	Open: datasets.Opener("locomo", open),
}

// Categories returns the categories of LoCoMo's questions by id. The release
// has only the ids: the names follow the counts in the paper's table 5 and the
// official scorer. Others use other names; the alias "mem0" is the map that
// Mem0's evaluation prints.
func Categories() []datasets.Category {
	mem0 := func(name string) map[string]string { return map[string]string{"mem0": name} }
	return []datasets.Category{ // as package category has them
		{ID: "1", Name: "multi-hop", Aliases: mem0("single-hop")},
		{ID: "2", Name: "temporal", Aliases: mem0("temporal")},
		{ID: "3", Name: "open-domain", Aliases: mem0("multi-hop")},
		{ID: "4", Name: "single-hop", Aliases: mem0("open-domain")},
		{ID: "5", Name: "adversarial"},
	}
}

// A Policy says how to treat the questions of category 5, which ask for
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
	// Path names another file in LoCoMo's format, relative to the run file's folder; by
	// default locomo/locomo10.json in the data folder.
	Path string `yaml:"path,omitempty"`
	// Categories are the ids of the questions to ask, 1 to 5: multi-hop,
	// temporal, open-domain, single-hop, adversarial.
	Categories []int `yaml:"categories"`
	// Category5 says how to treat adversarial questions: drop leaves them out,
	// abstain asks them and expects an abstention.
	Category5 Policy `yaml:"category5"`
	// Conversations are the sample ids to keep, such as conv-26; all by
	// default.
	Conversations []string `yaml:"conversations,omitempty"`
}

// Validate returns all faults of the options.
func (o Options) Validate() error {
	errs := []error{
		datasets.CheckList("categories", o.Categories, []int{1, 2, 3, 4, adversarial}), datasets.CheckList("conversations", o.Conversations, nil),
	}
	if len(o.Categories) == 0 {
		errs = append(errs, errors.New("categories is empty, want some of 1, 2, 3, 4, 5"))
	}
	// Either alone would contradict the other.
	switch asked := slices.Contains(o.Categories, adversarial); {
	case asked && o.Category5 == Drop:
		errs = append(errs, errors.New("categories has 5 but category5 is drop; leave 5 out, or set category5 to abstain"))
	case !asked && o.Category5 == Abstain:
		errs = append(errs, errors.New("category5 is abstain but categories has no 5; add 5, or set category5 to drop"))
	}
	return errors.Join(errs...)
}

func open(ctx context.Context, env datasets.Env, o Options) (*datasets.Set, error) {
	path, err := env.Find(o.Path, datasets.Fetch("locomo"), "locomo/"+dataset)
	if err != nil {
		return nil, err
	}
	data, err := datafile.Read(ctx, path, MaxSize)
	if err != nil {
		return nil, err
	}
	return Parse(path, data, o)
}

// Parse reads a file in LoCoMo's format. Messages use the name. The path in the
// options is ignored.
func Parse(name string, data []byte, o Options) (*datasets.Set, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("locomo: %w", err)
	}
	asked := lists.Map(o.Categories, strconv.Itoa)
	categories := lists.Filter(Categories(), func(c datasets.Category) bool { return slices.Contains(asked, c.ID) })
	settings := map[string]string{
		"categories": strings.Join(lists.Map(categories, func(c datasets.Category) string { return c.ID }), ","),
		"category5":  string(o.Category5),
	}
	if len(o.Conversations) > 0 {
		settings["conversations"] = strings.Join(slices.Sorted(slices.Values(o.Conversations)), ",")
	}
	l := loader{
		options: o,
		faults:  datafile.Faults{File: name},
		set:     &datasets.Set{Name: "locomo", Settings: settings, Categories: categories},
	}
	l.set.Sign(datafile.Sum(data))
	if l.set.SHA256 == digest {
		l.set.Version = commit[:7]
	}
	if root := l.faults.Root(data, ""); root != nil && root.Is(jsontree.Array) {
		l.samples(root)
	}
	if err := l.faults.Err(); err != nil {
		return nil, err
	}
	if len(l.set.Entries) == 0 {
		return nil, fmt.Errorf("%s: no question is left: no conversation has one of categories %s", name, settings["categories"])
	}
	return l.set, nil
}
