package multiwoz

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"recallbench/internal/files/jsontree"
)

// acts reads the file of acts and hands them to the turns. Only there are booking
// references, phone numbers, addresses and the like.
func (l *loader) acts(ctx context.Context) error {
	path := filepath.Join(l.corpus.Dir, "dialog_acts.json")
	if _, err := os.Stat(path); err != nil {
		path += ".gz"
	}
	turns := make(map[string]map[string]*Turn) // by the ids of dialogues and turns
	for _, s := range l.corpus.Splits {
		for _, d := range s.Dialogues {
			turns[d.ID] = make(map[string]*Turn)
			for i := range d.Turns {
				turns[d.ID][d.Turns[i].ID] = &d.Turns[i]
			}
		}
	}
	name := func(_ int, e jsontree.Element) string { return e.Name + ": " }
	return l.elements(ctx, path, jsontree.Object, name, func(e jsontree.Element, c *jsontree.Cursor) {
		// Those of splits that were not asked for are checked no further.
		if turns[e.Name] == nil || !c.Is(jsontree.Object) {
			return
		}
		for _, f := range c.Fields() {
			if t := turns[e.Name][f.Name()]; t != nil {
				l.turnActs(f, t)
			} else {
				l.warnings.Warn("acts are of no turn; left out", f.Path())
			}
		}
	})
}

// turnActs reads the acts of a turn, lists of slot and value by name, and their places:
// name, slot, value, and the character range of the value.
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
				t.Acts = append(t.Acts, newAct(act.Name(), p[0], p[1]))
			}
		}
	}
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
		l.locate(c, t, newAct(string(s[0]), s[1], s[2]), first, last)
	}
}

func newAct(name string, slot, value jsontree.Text) Act {
	service, does, _ := strings.Cut(strings.ToLower(name), "-")
	return Act{Service: service, Does: does, Slot: string(slot), Value: string(value)}
}

// locate gives an act its character range in the utterance. A range without an act
// becomes an act of its own.
func (l *loader) locate(c *jsontree.Cursor, t *Turn, a Act, first, last int) {
	text := []rune(t.Text)
	if first < 0 || last <= first || last > len(text) {
		l.warnings.Warn("span of an act is outside its utterance; left out", c.Path())
		return
	}
	start := len(string(text[:first]))
	end := start + len(string(text[first:last]))
	for i, b := range t.Acts {
		if b == a {
			t.Acts[i].Start, t.Acts[i].End = start, end
			return
		}
	}
	l.warnings.Warn("span belongs to no act of the turn; counted as one", c.Path())
	a.Start, a.End = start, end
	t.Acts = append(t.Acts, a)
}
