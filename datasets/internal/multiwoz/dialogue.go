package multiwoz

import (
	"strings"

	"recallbench/internal/files/jsontree"
)

// dialogue reads a dialogue and tells whether it is one, with an id of its own
// and turns.
func (l *loader) dialogue(c *jsontree.Cursor) (Dialogue, bool) {
	if !c.Is(jsontree.Object) {
		return Dialogue{}, false
	}
	id, ok := c.Text("dialogue_id")
	switch {
	case !ok:
		return Dialogue{}, false
	case strings.TrimSpace(id) == "" || len(id) > maxPath:
		c.Faultf("dialogue_id is %q, want 1 to %d bytes", id, maxPath)
		return Dialogue{}, false
	case l.ids[id]:
		c.Faultf("dialogue_id %q is already that of another dialogue", id)
		return Dialogue{}, false
	}
	l.ids[id] = true
	c = c.Named(id)
	d := Dialogue{ID: id, Services: texts(c.Field("services", jsontree.Array))}
	turns := c.Field("turns", jsontree.Array)
	if turns == nil {
		return Dialogue{}, false
	}
	if len(turns.Value.Items) == 0 {
		turns.Faultf("is empty, want one turn or more")
	}
	seen := make(map[string]bool)
	for _, item := range turns.Items() {
		if !item.Is(jsontree.Object) {
			continue
		}
		t := l.turn(item)
		if seen[t.ID] {
			item.Faultf("turn_id %q is already that of another turn", t.ID)
		}
		seen[t.ID] = true
		if strings.TrimSpace(t.Text) == "" {
			l.warnings.Warn("turn says nothing; left out", id+": "+short(t.ID))
			continue
		}
		d.Turns = append(d.Turns, t)
	}
	return d, len(d.Turns) > 0
}

// texts reads an array of strings.
func texts(c *jsontree.Cursor) []string {
	if c == nil {
		return nil
	}
	var all []string
	for _, item := range c.Items() {
		if item.Is(jsontree.String) {
			all = append(all, item.Value.Text)
		}
	}
	return all
}

// turn reads a turn of a dialogue.
func (l *loader) turn(c *jsontree.Cursor) Turn {
	var t Turn
	if t.ID = c.OptionalScalar("turn_id"); t.ID == "" {
		c.Faultf("%q is missing, want the number of the turn", "turn_id")
	}
	speaker, ok := c.Text("speaker")
	if ok && speaker != "USER" && speaker != "SYSTEM" {
		c.Faultf("speaker is %q, want USER or SYSTEM", speaker)
	}
	t.User = speaker == "USER"
	t.Text, _ = c.Text("utterance")
	frames := c.Field("frames", jsontree.Array)
	if frames == nil {
		return t
	}
	seen := make(map[string]bool)
	for _, f := range frames.Items() {
		if !f.Is(jsontree.Object) {
			continue
		}
		service, ok := f.Text("service")
		if ok && seen[service] {
			f.Faultf("service %q has two frames in one turn", service)
		}
		seen[service] = true
		if s := f.Optional("state"); s != nil && s.Is(jsontree.Object) {
			t.States = append(t.States, state(s, service))
		}
		if s := f.Optional("slots"); s != nil && s.Is(jsontree.Array) && len(s.Value.Items) > 0 {
			offsets := byteOffsets(t.Text)
			for _, item := range s.Items() {
				if span, ok := l.span(item, offsets); ok {
					t.Spans = append(t.Spans, span)
				}
			}
		}
	}
	return t
}

// state reads what the user wants of a service.
func state(c *jsontree.Cursor, service string) State {
	s := State{Service: service, Intent: c.OptionalText("active_intent")}
	if f := c.Optional("requested_slots"); f != nil && f.Is(jsontree.Array) {
		s.Requested = texts(f)
	}
	values := c.Optional("slot_values")
	if values == nil || !values.Is(jsontree.Object) {
		return s
	}
	for i := range values.Value.Fields {
		f := values.At(i)
		if v := variants(f); len(v) > 0 {
			s.Values = append(s.Values, Value{Slot: f.Name(), Variants: v})
		}
	}
	return s
}

// variants reads a value: a string, or an array of strings.
func variants(c *jsontree.Cursor) []string {
	switch c.Value.Kind {
	case jsontree.String:
		return []string{c.Value.Text}
	case jsontree.Array:
		return texts(c)
	default:
		c.Faultf("want a string or an array of strings, have %s", c.Value.Kind)
		return nil
	}
}

// span reads a place of an utterance. One that is copied from another slot has
// no place; it says nothing that the state does not.
func (l *loader) span(c *jsontree.Cursor, offsets []int) (Span, bool) {
	if !c.Is(jsontree.Object) {
		return Span{}, false
	}
	slot, _ := c.Text("slot")
	value := c.Optional("value")
	if value == nil {
		c.Faultf("%q is missing, want a string or an array of strings", "value")
		return Span{}, false
	}
	if c.Optional("copy_from") != nil {
		_, _ = c.Text("copy_from")
		variants(value)
		return Span{}, false
	}
	start, ok := c.Int("start")
	end, ok2 := c.Int("exclusive_end")
	all := variants(value)
	if !ok || !ok2 || len(all) == 0 {
		return Span{}, false
	}
	start, end, ok = place(start, end, offsets)
	if !ok {
		l.warnings.Warn("span lies outside of its utterance; left out", short(c.Path()))
		return Span{}, false
	}
	return Span{Slot: slot, Value: all[0], Start: start, End: end}, true
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

// place turns offsets of characters into those of bytes, and tells whether they
// are a place in the text.
func place(start, end int, offsets []int) (int, int, bool) {
	if start < 0 || end <= start || end >= len(offsets) {
		return 0, 0, false
	}
	return offsets[start], offsets[end], true
}
