// Package dialogrel builds DialogRE-L, long conversations of several sessions
// with questions about the relations of DialogRE, as appendix A.3 of the Semantic
// Anchoring paper describes it. The paper's own was never released.
//
// A conversation is a chain of dialogues of one split, in an order chosen by the
// seed, with at least eleven sessions. Speakers are numbered anew in each source
// dialogue; here they get numbers that are unique in the conversation (scene.go).
// A dialogue is cut every 6 to 10 turns, preferably between turns that state
// relations (scene.go). In later sessions of its dialogue, a proper name that an
// earlier one had becomes a pronoun or a phrase if the sentence allows it
// (replace.go). All questions are asked after the last session: for the
// second argument of a relation, given the first (build.go).
//
// Names that recur in other dialogues of a chain are the same persons in the
// source, a television series. A relation that several dialogues state about one
// name is one question, and all of its second arguments are right.
package dialogrel

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"

	"recallbench/datasets"
	"recallbench/datasets/internal/wording"
	"recallbench/datasets/jsonl"
)

// dataset is the name of the dataset.
const dataset = "dialogre-l"

// Spec describes DialogRE-L.
var Spec = &datasets.Spec{
	Name:       dataset,
	Doc:        "conversations of 11 or more sessions built from DialogRE, with questions about relations",
	Source:     "built by appendix A.3 of Chatterjee and Agarwal, Semantic Anchoring in Agentic Memory; from Yu et al., Dialogue-Based Relation Extraction, ACL 2020; github.com/nlpdata/dialogre",
	License:    "non-commercial", // without an SPDX id
	Options:    Options{Split: Test, Seed: 1},
	Categories: Categories(),
	Metrics:    []string{"f1@span", "words", "fr", "dc@b3", "evidence-recall", "tokens"},
	Files:      sourceFiles,
	Folder:     sourceFolder,
	Open:       datasets.Opener(dataset, open),
}

// A Split is one of DialogRE's.
type Split string

// The splits: dev is for tuning, test for scores.
const (
	Dev  Split = "dev"
	Test Split = "test"
)

// Values returns the splits, for messages and editors.
func (Split) Values() []string { return []string{string(Dev), string(Test)} }

// Options select what is loaded.
type Options struct {
	// Split is test or dev.
	Split Split `yaml:"split"`
	// Seed chooses the order of dialogues, sessions and wordings.
	Seed uint64 `yaml:"seed"`
}

func open(ctx context.Context, env datasets.Env, o Options) (*datasets.Set, error) {
	path, err := env.Find("", datasets.Fetch(dataset), sourceFolder+"/"+string(o.Split)+".json")
	if err != nil {
		return nil, err
	}
	dialogues, err := readSource(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("dialogre-l: %w", err)
	}
	set, _ := build(dialogues, string(o.Split), o.Seed)
	if len(set.Entries) == 0 {
		return nil, fmt.Errorf("dialogre-l: %s: it yields no question that needs an earlier session", path)
	}
	set.Settings = map[string]string{"split": string(o.Split), "seed": strconv.FormatUint(o.Seed, 10)}
	return set, jsonl.Fingerprint(ctx, set)
}

const alternateNames = "per:alternate_names"

// Categories are the groups of relations, by what they connect.
func Categories() []datasets.Category {
	return []datasets.Category{
		{ID: "person-name", Name: "another name of a person"},
		{ID: "person-person", Name: "person and person"},
		{ID: "person-place", Name: "person and place"},
		{ID: "person-organisation", Name: "person and organisation"},
		{ID: "person-attribute", Name: "person and attribute"},
		{ID: "place-person", Name: "place and person"},
		{ID: "organisation-person", Name: "organisation and person"},
	}
}

//go:embed wording.txt
var wordingText string

// tables are those of wording.txt, which says what they are for.
var tables = wording.Parse(wordingText)

// A question is how to ask for the second argument of a relation, with * for the
// first.
type question struct {
	category string
	wordings []string
}

// questions are those of the relations.
var questions = func() map[string]question {
	all := make(map[string]question)
	for _, c := range Categories() {
		for relation, wordings := range tables[c.ID] {
			all[relation] = question{c.ID, wordings}
		}
	}
	return all
}()

// words are sets of words by the names of their lists.
var words = func() map[string]map[string]bool {
	all := make(map[string]map[string]bool)
	for name := range tables["words"] {
		all[name] = tables.Words(name)
	}
	return all
}()
