package multiwoz

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"recallbench/internal/files/jsontree"
)

// A turnInput is a turn of a dialogue as files have it. What the spans of its slots say,
// the acts say, too.
type turnInput struct {
	At      *jsontree.Cursor `json:"."`
	ID      jsontree.Text    `json:"turn_id" want:"filled"`
	Speaker string           `json:"speaker" want:"required"`
	Text    string           `json:"utterance" want:"required"`
	Frames  []struct {
		Service string `json:"service" want:"required"`
		State   *struct {
			Intent string           `json:"active_intent"`
			Values *jsontree.Cursor `json:"slot_values"`
		} `json:"state"`
	} `json:"frames" want:"required"`
}

// dialogue reads a dialogue and tells whether it is one, with an id of its own
// and turns.
func (l *loader) dialogue(c *jsontree.Cursor) (Dialogue, bool) {
	var head struct {
		ID string `json:"dialogue_id" want:"filled"`
	}
	if !c.Decode(&head) {
		return Dialogue{}, false
	}
	switch {
	case len(head.ID) > maxPath:
		c.Faultf("dialogue_id is %q, want 1 to %d bytes", head.ID, maxPath)
	case l.ids[head.ID]:
		c.Faultf("dialogue_id %q is already that of another dialogue", head.ID)
	}
	l.ids[head.ID] = true
	var of struct {
		Services []string    `json:"services" want:"required"`
		Turns    []turnInput `json:"turns" want:"required"`
	}
	c = c.Named(head.ID)
	if !c.Decode(&of) {
		return Dialogue{}, false
	}
	if len(of.Turns) == 0 {
		c.Faultf("turns is empty, want one turn or more")
	}
	d := Dialogue{ID: head.ID, Services: of.Services}
	seen := make(map[jsontree.Text]bool)
	for _, t := range of.Turns {
		if seen[t.ID] {
			t.At.Faultf("turn_id %q is already that of another turn", t.ID)
		}
		seen[t.ID] = true
		if strings.TrimSpace(t.Text) == "" {
			l.warnings.Warn("turn says nothing; left out", d.ID+": "+short(string(t.ID)))
			continue
		}
		d.Turns = append(d.Turns, t.turn())
	}
	return d, len(d.Turns) > 0
}

func (t turnInput) turn() Turn {
	if t.Speaker != "USER" && t.Speaker != "SYSTEM" {
		t.At.Faultf("speaker is %q, want USER or SYSTEM", t.Speaker)
	}
	of := Turn{ID: string(t.ID), User: t.Speaker == "USER", Text: t.Text}
	seen := make(map[string]bool)
	for _, f := range t.Frames {
		if seen[f.Service] {
			t.At.Faultf("service %q has two frames in one turn", f.Service)
		}
		seen[f.Service] = true
		if f.State == nil {
			continue
		}
		s := State{Service: f.Service, Intent: f.State.Intent}
		if values := f.State.Values; values != nil && values.Is(jsontree.Object) {
			for _, v := range values.Fields() {
				if variants := variants(v); len(variants) > 0 {
					s.Values = append(s.Values, Value{Slot: v.Name(), Variants: variants})
				}
			}
		}
		of.States = append(of.States, s)
	}
	return of
}

// variants reads a value: a string, or an array of strings.
func variants(c *jsontree.Cursor) (all []string) {
	if c.Value.Kind == jsontree.String {
		return []string{c.Value.Text}
	}
	c.Decode(&all)
	return all
}

// acts reads the file of acts and hands them to the turns. Booking references, phone
// numbers, addresses and the like are only there.
func (l *loader) acts(ctx context.Context, files *reader, path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		path += ".gz"
	}
	data, err := files.read(ctx, path)
	if err != nil {
		return err
	}
	dialogues := make(map[string]*Dialogue)
	for i := range l.corpus.Splits {
		s := &l.corpus.Splits[i]
		for j := range s.Dialogues {
			dialogues[s.Dialogues[j].ID] = &s.Dialogues[j]
		}
	}
	l.faults.File = path
	name := func(_ int, e jsontree.Element) string { return e.Name + ": " }
	return l.faults.Each(ctx, bytes.NewReader(data), jsontree.Object, name, func(e jsontree.Element, c *jsontree.Cursor) {
		// Those of splits that were not asked for are checked no further.
		d := dialogues[e.Name]
		if d == nil || !c.Is(jsontree.Object) {
			return
		}
		turns := make(map[string]*Turn, len(d.Turns))
		for i := range d.Turns {
			turns[d.Turns[i].ID] = &d.Turns[i]
		}
		for _, f := range c.Fields() {
			if t := turns[f.Name()]; t != nil {
				l.turnActs(f, t)
			} else {
				l.warnings.Warn("acts are of no turn; left out", short(f.Path()))
			}
		}
	})
}

// turnActs reads the acts of a turn, lists of slot and value by name, and their places:
// name, slot, value, and the characters where the value stands.
func (l *loader) turnActs(c *jsontree.Cursor, t *Turn) {
	var of struct {
		Acts  *jsontree.Cursor  `json:"dialog_act"`
		Spans [][]jsontree.Text `json:"span_info"`
	}
	if !c.Decode(&of) {
		return
	}
	if of.Acts != nil && of.Acts.Is(jsontree.Object) {
		for _, act := range of.Acts.Fields() {
			var pairs [][]jsontree.Text
			act.Decode(&pairs)
			for _, p := range pairs {
				if len(p) != 2 {
					act.Faultf("has %d items, want 2", len(p))
					continue
				}
				t.Acts = append(t.Acts, Act{Name: act.Name(), Slot: string(p[0]), Value: string(p[1])})
			}
		}
	}
	offsets := byteOffsets(t.Text)
	for _, s := range of.Spans {
		if len(s) != 5 {
			c.Faultf("a span has %d items, want 5", len(s))
			continue
		}
		first, err := strconv.Atoi(string(s[3]))
		last, err2 := strconv.Atoi(string(s[4]))
		if err != nil || err2 != nil {
			c.Faultf("offsets are %s and %s, want integers", s[3], s[4])
			continue
		}
		if first < 0 || last <= first || last >= len(offsets) {
			l.warnings.Warn("span of an act lies outside of its utterance; left out", short(c.Path()))
			continue
		}
		l.locate(c, t, Act{Name: string(s[0]), Slot: string(s[1]), Value: string(s[2]), Start: offsets[first], End: offsets[last]})
	}
}

// locate gives an act its place. A place of no act is an act of its own.
func (l *loader) locate(c *jsontree.Cursor, t *Turn, a Act) {
	for i := range t.Acts {
		b := &t.Acts[i]
		if b.Name == a.Name && b.Slot == a.Slot && b.Value == a.Value && b.End == 0 {
			b.Start, b.End = a.Start, a.End
			return
		}
	}
	l.warnings.Warn("span of an act is of no act of the turn; taken as one", short(c.Path()))
	t.Acts = append(t.Acts, a)
}

// byteOffsets returns the offset in bytes of each character of a text and of
// its end.
func byteOffsets(s string) []int {
	offsets := make([]int, 0, len(s)+1)
	for i := range s {
		offsets = append(offsets, i)
	}
	return append(offsets, len(s))
}
