package multiwoz

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"recallbench/internal/files/jsontree"
)

// acts reads the file of acts, if there is one, and hands them to the turns.
// Booking references, phone numbers, addresses and the like are only there.
func (l *loader) acts(ctx context.Context, files *reader, dir string) error {
	path := filepath.Join(dir, "dialog_acts.json")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		path += ".gz"
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		l.warnings.Warn("dialog_acts.json is not there: no references, phone numbers, addresses or trains", short(dir))
		return nil
	}
	data, err := files.read(ctx, path)
	if err != nil {
		return err
	}
	l.corpus.Acts = true
	dialogues := make(map[string]*Dialogue)
	for i := range l.corpus.Splits {
		s := &l.corpus.Splits[i]
		for j := range s.Dialogues {
			dialogues[s.Dialogues[j].ID] = &s.Dialogues[j]
		}
	}
	l.fields(path, data, func(c *jsontree.Cursor) {
		// Those of splits that were not asked for are checked no further.
		if d := dialogues[c.Path()]; d != nil && c.Is(jsontree.Object) {
			l.dialogueActs(c.Named(d.ID), d)
			delete(dialogues, d.ID)
		}
	})
	for _, s := range l.corpus.Splits {
		for _, d := range s.Dialogues {
			if dialogues[d.ID] != nil {
				l.warnings.Warn("dialogue has no acts", d.ID)
			}
		}
	}
	return ctx.Err()
}

// dialogueActs reads the acts of a dialogue.
func (l *loader) dialogueActs(c *jsontree.Cursor, d *Dialogue) {
	turns := make(map[string]*Turn, len(d.Turns))
	for i := range d.Turns {
		turns[d.Turns[i].ID] = &d.Turns[i]
	}
	for i := range c.Value.Fields {
		f := c.At(i)
		t := turns[f.Name()]
		if t == nil {
			l.warnings.Warn("acts are of no turn; left out", short(f.Path()))
			continue
		}
		if f.Is(jsontree.Object) {
			l.turnActs(f, t)
		}
		delete(turns, f.Name())
	}
	for i := range d.Turns {
		if turns[d.Turns[i].ID] != nil {
			l.warnings.Warn("turn has no acts", d.ID+": "+short(d.Turns[i].ID))
		}
	}
}

// turnActs reads the acts of a turn and their places.
func (l *loader) turnActs(c *jsontree.Cursor, t *Turn) {
	acts := c.Optional("dialog_act")
	if acts == nil {
		acts = c.Optional("dialogue_acts") // as the release's manual calls it
	}
	if acts != nil && acts.Is(jsontree.Object) {
		for i := range acts.Value.Fields {
			act := acts.At(i)
			if !act.Is(jsontree.Array) {
				continue
			}
			for _, pair := range act.Items() {
				if part, ok := row(pair, 2); ok {
					t.Acts = append(t.Acts, Act{Name: act.Name(), Slot: part[0], Value: part[1]})
				}
			}
		}
	}
	spans := c.Optional("span_info")
	if spans == nil || !spans.Is(jsontree.Array) {
		return
	}
	offsets := byteOffsets(t.Text)
	for _, item := range spans.Items() {
		part, ok := row(item, 5)
		if !ok {
			continue
		}
		first, err := strconv.Atoi(part[3])
		last, err2 := strconv.Atoi(part[4])
		if err != nil || err2 != nil {
			item.Faultf("offsets are %s and %s, want integers", part[3], part[4])
			continue
		}
		start, end, ok := place(first, last, offsets)
		if !ok {
			l.warnings.Warn("span of an act lies outside of its utterance; left out", short(item.Path()))
			continue
		}
		l.locate(item, t, Act{Name: part[0], Slot: part[1], Value: part[2], Start: start, End: end})
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

// row reads an array of n strings or numbers.
func row(c *jsontree.Cursor, n int) ([]string, bool) {
	if !c.Is(jsontree.Array) {
		return nil, false
	}
	if have := len(c.Value.Items); have != n {
		c.Faultf("has %d items, want %d", have, n)
		return nil, false
	}
	all := make([]string, 0, n)
	for _, item := range c.Items() {
		if item.Value.Kind != jsontree.Number && !item.Is(jsontree.String) {
			return nil, false
		}
		all = append(all, item.Value.Text)
	}
	return all, true
}
