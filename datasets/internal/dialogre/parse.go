package dialogre

import (
	"slices"
	"strings"

	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
)

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
