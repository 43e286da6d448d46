// Package dialogre reads DialogRE, version 2, in English: 1,788 dialogues of a
// television series with the relations between the speakers and the things they
// mention. It has no questions; the dataset dialogre-l is made from it.
//
// A file is an array of dialogues. A dialogue is an array of two: its turns, each
// "Speaker 1: text", and pairs of arguments, each an object with the relations
// between them. Speakers are numbered anew in each dialogue. Anything else is a
// fault, and all faults of a file are reported together.
//
// Yu et al., "Dialogue-Based Relation Extraction", ACL 2020. The data is for
// non-commercial research and not part of this project.
package dialogre

import (
	"context"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
)

// License is that of the data, without an SPDX id: it is "intended for
// non-commercial research purpose only".
const License = "non-commercial"

// MaxSize is the size in bytes above which a file is refused unread, 64 MiB:
// 28 times the largest of the release.
const MaxSize = 64 << 20

const source = "https://raw.githubusercontent.com/nlpdata/dialogre/b23e6cd7d811a68cf0aafa40e299143b857964e2/"

// Folder is the folder of the files in the data folder.
const Folder = "dialogre"

// Files returns the files of the release in the order train, dev, test, and then
// its licence.
func Files() []datasets.File {
	file := func(name string, size int64, sha256 string) datasets.File {
		return datasets.File{Name: name, URL: source + "data_v2/en/data/" + name, Size: size, SHA256: sha256}
	}
	return []datasets.File{
		file("train.json", 2338606, "94b5799642107f9afecc5c46655d6d9612f41969893deff291b15a66298c08a0"),
		file("dev.json", 751932, "3e0036a1853f33dd8fab1f008ff3c3b351f0b53e9084a6f6bce7b4c95d0f0472"),
		file("test.json", 725696, "180e766323d2b5ae4763c77b2db280eeb49c909ab48c7393fbc309b7890061af"),
		{
			Name: "LICENSE.txt", URL: source + "license.txt", Size: 70,
			SHA256: "5c2d47eccee3faff4bd2c291ce3e40a24d741b775910e2fa65fee989c858d299", License: true,
		},
	}
}

// A Dialogue is a conversation with the relations between its arguments.
type Dialogue struct {
	Turns []Turn
	Pairs []Pair
}

// A Turn is an utterance.
type Turn struct {
	// Speakers say the turn, usually one, such as "Speaker 1", in the order of
	// the file.
	Speakers []string
	Text     string // empty if the speaker says nothing
}

// A Pair is two arguments and the relations from the first to the second: Y is
// X's boss, X's place of residence and so on.
type Pair struct {
	X, Y         string // as mentioned in the text, or a speaker
	XType, YType Type
	Relations    []Relation // at least one
}

// A Relation is a relation with the words that state it.
type Relation struct {
	Name    string // such as "per:boss"; Unanswerable if there is none
	Trigger string // empty for none
}

// A Type is what an argument is.
type Type string

// The types of arguments.
const (
	Person       Type = "PER"
	Place        Type = "GPE"
	Organisation Type = "ORG"
	Text         Type = "STRING"
	Value        Type = "VALUE"
)

// Unanswerable is the name of the relation of a pair that has none. It is alone
// in its pair.
const Unanswerable = "unanswerable"

// Relations returns the names of the relations in the order of their numbers in the
// file, from 1.
func Relations() []string {
	return []string{
		"per:positive_impression", "per:negative_impression", "per:acquaintance", "per:alumni", "per:boss", "per:subordinate",
		"per:client", "per:dates", "per:friends", "per:girl/boyfriend", "per:neighbor", "per:roommate", "per:children",
		"per:other_family", "per:parents", "per:siblings", "per:spouse", "per:place_of_residence", "per:place_of_birth",
		"per:visited_place", "per:origin", "per:employee_or_member_of", "per:schools_attended", "per:works", "per:age",
		"per:date_of_birth", "per:major", "per:place_of_work", "per:title", "per:alternate_names", "per:pet",
		"gpe:residents_of_place", "gpe:births_in_place", "gpe:visitors_of_place", "org:employees_or_members", "org:students",
		Unanswerable,
	}
}

// Read reads the dialogues of a file.
func Read(ctx context.Context, path string) ([]Dialogue, error) {
	data, err := datafile.Read(ctx, path, MaxSize)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// A pair is one as files have it, with its relations in three lists.
type pair struct {
	At       *jsontree.Cursor `json:"-"`
	X        string           `json:"x" want:"filled"`
	Y        string           `json:"y" want:"filled"`
	XType    string           `json:"x_type" want:"required"`
	YType    string           `json:"y_type" want:"required"`
	Names    []string         `json:"r" want:"required"`
	Numbers  []int            `json:"rid" want:"required"`
	Triggers []string         `json:"t" want:"required"`
}

// Parse reads the dialogues of a file of that name.
func Parse(name string, data []byte) ([]Dialogue, error) {
	faults := datafile.Faults{File: name}
	var all [][]*jsontree.Cursor
	root := faults.Root(data, "")
	if root != nil && root.Decode(&all) && len(all) == 0 {
		root.Faultf("it has no dialogue")
	}
	dialogues := make([]Dialogue, len(all))
	for i, parts := range all {
		c := root.Items()[i]
		switch {
		case c.Value.Kind != jsontree.Array: // a fault by now
		case len(parts) != 2:
			c.Faultf("has %d elements, want two: turns and pairs of arguments", len(parts))
		default:
			dialogues[i] = dialogue(parts[0], parts[1])
		}
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return dialogues, nil
}

func dialogue(said, held *jsontree.Cursor) (d Dialogue) {
	var turns []string
	shaped := said.Decode(&turns)
	if shaped && len(turns) == 0 {
		said.Faultf("it has no turn")
	}
	for i, text := range turns {
		t, ok := turn(text)
		if !ok && (shaped || text != "") {
			said.Items()[i].Faultf("begins with %q, want \"Speaker 1:\" or several with commas between", strings.Split(text, ":")[0])
		}
		d.Turns = append(d.Turns, t)
	}
	var pairs []pair
	if held.Strict().Decode(&pairs) {
		for _, p := range pairs {
			d.Pairs = append(d.Pairs, p.read())
		}
	}
	return d
}

// turn reads "Speaker 1: text". There may be several speakers, a second colon
// and no space.
func turn(text string) (t Turn, ok bool) {
	who, said, ok := strings.Cut(text, ":")
	for speaker := range strings.SplitSeq(who, ", ") {
		ok = ok && IsSpeaker(speaker)
		if !slices.Contains(t.Speakers, speaker) {
			t.Speakers = append(t.Speakers, speaker)
		}
	}
	t.Text = strings.TrimSpace(strings.TrimPrefix(said, ":"))
	return t, ok
}

// IsSpeaker reports whether an argument is a speaker of the dialogue, such as
// "Speaker 1".
func IsSpeaker(s string) bool {
	number, ok := strings.CutPrefix(s, "Speaker ")
	return ok && number != "" && len(number) <= 4 && strings.Trim(number, "0123456789") == ""
}

var types = []Type{Person, Place, Organisation, Text, Value}

// read checks a pair.
func (p pair) read() Pair {
	of := Pair{X: strings.TrimSpace(p.X), Y: strings.TrimSpace(p.Y), XType: Type(p.XType), YType: Type(p.YType)}
	for _, t := range []Type{of.XType, of.YType} {
		if !slices.Contains(types, t) {
			p.At.Faultf("a type is %q, want one of %q", t, types)
		}
	}
	if n := len(p.Names); n == 0 || len(p.Numbers) != n || len(p.Triggers) != n {
		p.At.Faultf("r, rid and t have %d, %d and %d elements, want as many of each, at least one", n, len(p.Numbers), len(p.Triggers))
		return of
	}
	for i, name := range p.Names {
		switch number := slices.Index(Relations(), name) + 1; {
		case number == 0:
			p.At.Faultf("%q is not a relation of DialogRE", name)
		case p.Numbers[i] != number:
			p.At.Faultf("rid is %d, want %d, the number of %s", p.Numbers[i], number, name)
		case name == Unanswerable && len(p.Names) > 1:
			p.At.Faultf("%s is listed with relations, want it alone", Unanswerable)
		}
		of.Relations = append(of.Relations, Relation{Name: name, Trigger: strings.TrimSpace(p.Triggers[i])})
	}
	return of
}
