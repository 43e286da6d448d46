package dialogre

import (
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
)

// Parse reads the dialogues of a file of that name.
func Parse(name string, data []byte) ([]Dialogue, error) {
	faults := datafile.Faults{File: name}
	var dialogues []Dialogue
	if root := faults.Root(data, ""); root != nil && root.Is(jsontree.Array) {
		if len(root.Value.Items) == 0 {
			root.Faultf("there is no dialogue in it")
		}
		for _, c := range root.Items() {
			dialogues = append(dialogues, dialogue(c))
		}
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return dialogues, nil
}

func dialogue(c *jsontree.Cursor) (d Dialogue) {
	if !c.Is(jsontree.Array) {
		return d
	}
	parts := c.Items()
	if len(parts) != 2 {
		c.Faultf("has %d elements, want two: turns and pairs of arguments", len(parts))
		return d
	}
	if parts[0].Is(jsontree.Array) {
		for _, t := range parts[0].Items() {
			d.Turns = append(d.Turns, turn(t))
		}
		if len(d.Turns) == 0 {
			parts[0].Faultf("there is no turn in it")
		}
	}
	if parts[1].Is(jsontree.Array) {
		for _, p := range parts[1].Items() {
			d.Pairs = append(d.Pairs, pair(p))
		}
	}
	return d
}

// turn reads "Speaker 1: text". There may be several speakers, a second colon
// and no space.
func turn(c *jsontree.Cursor) (t Turn) {
	if !c.Is(jsontree.String) {
		return t
	}
	who, said, ok := strings.Cut(c.Value.Text, ":")
	for speaker := range strings.SplitSeq(who, ", ") {
		ok = ok && IsSpeaker(speaker)
		if !slices.Contains(t.Speakers, speaker) {
			t.Speakers = append(t.Speakers, speaker)
		}
	}
	if !ok {
		c.Faultf("begins with %q, want \"Speaker 1:\" or several with commas between", who)
	}
	t.Text = strings.TrimSpace(strings.TrimPrefix(said, ":"))
	return t
}

// IsSpeaker tells whether an argument is one who speaks in the dialogue, such as
// "Speaker 1".
func IsSpeaker(s string) bool {
	number, ok := strings.CutPrefix(s, "Speaker ")
	return ok && number != "" && len(number) <= 4 && strings.Trim(number, "0123456789") == ""
}

var keys = []string{"x", "y", "x_type", "y_type", "r", "rid", "t"}

func pair(c *jsontree.Cursor) (p Pair) {
	if !c.Is(jsontree.Object) {
		return p
	}
	for i := range c.Value.Fields {
		if f := c.At(i); !slices.Contains(keys, f.Name()) {
			c.Faultf("has the field %q, want %s alone", f.Name(), strings.Join(keys, ", "))
		}
	}
	p.X, p.Y = argument(c, "x"), argument(c, "y")
	p.XType, p.YType = argumentType(c, "x_type"), argumentType(c, "y_type")
	r, rid, t := c.Field("r", jsontree.Array), c.Field("rid", jsontree.Array), c.Field("t", jsontree.Array)
	if r == nil || rid == nil || t == nil {
		return p
	}
	names, ids, triggers := r.Items(), rid.Items(), t.Items()
	if len(names) == 0 || len(ids) != len(names) || len(triggers) != len(names) {
		c.Faultf("r, rid and t have %d, %d and %d elements, want as many of each, at least one", len(names), len(ids), len(triggers))
		return p
	}
	for i, name := range names {
		if !name.Is(jsontree.String) || !ids[i].Is(jsontree.Number) || !triggers[i].Is(jsontree.String) {
			continue
		}
		switch k := slices.Index(Relations(), name.Value.Text) + 1; {
		case k == 0:
			name.Faultf("%q is no relation of DialogRE", name.Value.Text)
		case ids[i].Value.Text != strconv.Itoa(k):
			ids[i].Faultf("is %s, want %d, the number of %s", ids[i].Value.Text, k, name.Value.Text)
		case name.Value.Text == Unanswerable && len(names) > 1:
			name.Faultf("%s stands beside relations, want it alone", Unanswerable)
		}
		p.Relations = append(p.Relations, Relation{Name: name.Value.Text, Trigger: strings.TrimSpace(triggers[i].Value.Text)})
	}
	return p
}

func argument(c *jsontree.Cursor, name string) string {
	text, ok := c.Text(name)
	text = strings.TrimSpace(text)
	if ok && text == "" {
		c.Faultf("%s is empty", name)
	}
	return text
}

func argumentType(c *jsontree.Cursor, name string) Type {
	types := []string{string(Person), string(Place), string(Organisation), string(Text), string(Value)}
	text, ok := c.Text(name)
	if ok && !slices.Contains(types, text) {
		c.Faultf("%s is %q, want one of %s", name, text, strings.Join(types, ", "))
	}
	return Type(text)
}
