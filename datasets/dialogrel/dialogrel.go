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
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/datasets/internal/wording"
	"recallbench/datasets/jsonl"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
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

// The source is DialogRE, version 2, in English: dialogues of a television series with
// the relations between the speakers and the things they mention.
//
// Yu et al., "Dialogue-Based Relation Extraction", ACL 2020. It is "intended for
// non-commercial research purpose only", and not part of this project.
const (
	sourceFolder = "dialogre" // in the data folder
	sourceURL    = "https://raw.githubusercontent.com/nlpdata/dialogre/b23e6cd7d811a68cf0aafa40e299143b857964e2/"
)

// sourceFiles are the splits that are built, and the licence.
var sourceFiles = []datasets.File{
	{Name: "dev.json", URL: sourceURL + "data_v2/en/data/dev.json", Size: 751932, SHA256: "3e0036a1853f33dd8fab1f008ff3c3b351f0b53e9084a6f6bce7b4c95d0f0472"},
	{Name: "test.json", URL: sourceURL + "data_v2/en/data/test.json", Size: 725696, SHA256: "180e766323d2b5ae4763c77b2db280eeb49c909ab48c7393fbc309b7890061af"},
	{Name: "LICENSE.txt", URL: sourceURL + "license.txt", Size: 70, SHA256: "5c2d47eccee3faff4bd2c291ce3e40a24d741b775910e2fa65fee989c858d299", License: true},
}

// maxSource is the size in bytes above which a file is refused unread, 64 MiB: 85 times
// the largest of the release.
const maxSource = 64 << 20

// A dialogue is one of the source. Its speakers are numbered anew in each dialogue.
type dialogue struct {
	turns []turn
	pairs []pair
}

// A pair is two arguments and the relations from the first to the second: Y is X's boss,
// X's place of residence and so on. Triggers has for each relation the words that state
// it; empty for none.
type pair struct {
	At        *jsontree.Cursor `json:"-"`
	X         string           `json:"x" want:"filled"` // as mentioned in the text, or a speaker
	Y         string           `json:"y" want:"filled"`
	XKind     kind             `json:"x_type" want:"required"`
	YKind     kind             `json:"y_type" want:"required"`
	Relations []string         `json:"r" want:"required"`
	Triggers  []string         `json:"t" want:"required"`
}

// A kind is what an argument is.
type kind string

// The kinds of arguments.
const (
	kindPerson       kind = "PER"
	kindPlace        kind = "GPE"
	kindOrganisation kind = "ORG"
	kindText         kind = "STRING"
	kindValue        kind = "VALUE"
)

var kinds = []kind{kindPerson, kindPlace, kindOrganisation, kindText, kindValue}

// unanswerable is the relation of a pair that has none.
const unanswerable = "unanswerable"

// readSource reads a file of the source.
func readSource(ctx context.Context, path string) ([]dialogue, error) {
	data, err := datafile.Read(ctx, path, maxSource)
	if err != nil {
		return nil, err
	}
	return parseSource(path, data)
}

// parseSource reads an array of dialogues. Each is an array of two: its turns, and the
// pairs of arguments. All faults are reported together.
func parseSource(name string, data []byte) ([]dialogue, error) {
	faults := datafile.Faults{File: name}
	var all [][]*jsontree.Cursor
	root := faults.Root(data, "")
	if root != nil && root.Decode(&all) && len(all) == 0 {
		root.Faultf("it has no dialogue")
	}
	dialogues := make([]dialogue, len(all))
	for i, parts := range all {
		switch c := root.Items()[i]; {
		case c.Value.Kind != jsontree.Array: // a fault by now
		case len(parts) != 2:
			c.Faultf("has %d elements, want two: turns and pairs of arguments", len(parts))
		default:
			dialogues[i] = readDialogue(parts[0], parts[1])
		}
	}
	return dialogues, faults.Err()
}

func readDialogue(said, held *jsontree.Cursor) (d dialogue) {
	if said.Is(jsontree.Array) && len(said.Value.Items) == 0 {
		said.Faultf("it has no turn")
	}
	for _, c := range said.Items() {
		d.turns = append(d.turns, readTurn(c))
	}
	if held.Decode(&d.pairs) {
		for _, p := range d.pairs {
			p.check()
		}
	}
	return d
}

// readTurn reads "Speaker 1: text". There may be several speakers, a second colon and no
// space; the text is empty if the speaker says nothing.
func readTurn(c *jsontree.Cursor) (t turn) {
	if !c.Is(jsontree.String) {
		return t
	}
	who, said, ok := strings.Cut(c.Value.Text, ":")
	for speaker := range strings.SplitSeq(who, ", ") {
		ok = ok && isSpeaker(speaker)
		if !slices.Contains(t.speakers, speaker) {
			t.speakers = append(t.speakers, speaker)
		}
	}
	if !ok {
		c.Faultf("begins with %q, want \"Speaker 1:\" or several with commas between", who)
	}
	t.text = strings.TrimSpace(strings.TrimPrefix(said, ":"))
	return t
}

// isSpeaker reports whether an argument is a speaker of the dialogue, such as
// "Speaker 1".
func isSpeaker(s string) bool {
	number, ok := strings.CutPrefix(s, "Speaker ")
	return ok && number != "" && len(number) <= 4 && strings.Trim(number, "0123456789") == ""
}

// check reports the faults of a pair.
func (p pair) check() {
	for _, k := range []kind{p.XKind, p.YKind} {
		if !slices.Contains(kinds, k) {
			p.At.Faultf("a type is %q, want one of %q", k, kinds)
		}
	}
	if n := len(p.Relations); n == 0 || len(p.Triggers) != n {
		p.At.Faultf("r and t have %d and %d elements, want as many of each, at least one", n, len(p.Triggers))
	}
	for _, name := range p.Relations {
		if _, ok := questions[name]; !ok && name != unanswerable {
			p.At.Faultf("%q is not a relation of DialogRE", name)
		}
	}
}
