package dialogrel

import (
	"context"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
)

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
