package multiwozlong

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
)

// A source is a split of MultiWOZ 2.2: a user and an assistant talk about hotels,
// restaurants, trains and the like, with the state of the user's wishes after each turn
// and the acts of each turn.
//
// The layout is that of data/MultiWOZ_2.2 of the official repository: a folder for each
// split with dialogues_NNN.json, and dialog_acts.json next to them, each plain or gzipped
// (.gz). Known flaws are corrected and counted; all other faults are reported together.
//
// Zang et al., "MultiWOZ 2.2: A Dialogue Dataset with Additional Annotation Corrections
// and State Tracking Baselines", 2020. The data is under the MIT licence and not part of
// this project.
type source struct {
	dir       string     // of the layout
	caveat    string     // a note that must accompany each result; empty for the whole of 2.2
	dialogues []dialogue // in the order of the files
	warnings  datasets.Set
	faults    datafile.Faults
}

// A dialogue is a conversation between a user and an assistant.
type dialogue struct {
	id       string   // such as "PMUL0698.json"
	services []string // that it is about, such as "hotel"
	turns    []utterance
}

// An utterance is a turn with its annotation.
type utterance struct {
	id     string
	user   bool // else the assistant's
	text   string
	states []state // empty for the assistant's turns
	acts   []act
}

// A state is the user's wishes for a service so far.
type state struct {
	service string
	intent  string // such as "find_hotel"; "NONE"
	values  []value
}

// A value is the user's wish for a slot.
type value struct {
	slot     string   // without the service, such as "bookday"
	variants []string // ways to write it, one or more; none of them comes first
}

// An act says what a turn does with a slot.
type act struct {
	service string // in lowercase, such as "hotel", "booking" and "general"
	does    string // in lowercase, such as "inform" and "request"
	slot    string // such as "ref"; "none" for a bare act
	value   string // "?" for a request, "none" for a bare act
	span           // of the value in the utterance; empty if the data does not say
}

// turn returns the turn with an id; nil for none.
func (d *dialogue) turn(id string) *utterance {
	return first(d.turns, func(t utterance) bool { return t.id == id })
}

// state returns the state of a service after a user's turn; nil for none.
func (t *utterance) state(service string) *state {
	return first(t.states, func(s state) bool { return s.service == service })
}

// first returns the first item for which a function holds; nil for none.
func first[T any](list []T, holds func(T) bool) *T {
	if i := slices.IndexFunc(list, holds); i >= 0 {
		return &list[i]
	}
	return nil
}

// about reports whether an act is one of a service.
func (t *utterance) about(service string) bool {
	return slices.ContainsFunc(t.acts, func(a act) bool { return a.service == service })
}

// value returns the variants of a slot's value; empty if it is not set.
func (s *state) value(slot string) []string {
	if s == nil {
		return nil
	}
	if v := first(s.values, func(v value) bool { return v.slot == slot }); v != nil {
		return v.variants
	}
	return nil
}

// maxSize is the size in bytes of a file, unpacked, above which it is refused, 384 MiB:
// more than the whole release has.
const maxSize = 384 << 20

// folders are where in a folder the layout may be, in order of preference: the folder
// itself, a clone of its repository, and the project's own folder of datasets.
var folders = []string{".", "MultiWOZ_2.2", "data/MultiWOZ_2.2", "v2.2-genuine", "v2.2-layout-derived-from-2.1"}

// derived are the SHA-256 of files with labels of 2.1 that are known, dev and test.
var derived = []string{
	"57acc4345bea46930e57b3f723ffd65fffa56e0ac9399ecd8bb87ca4444357f2",
	"8fe0442b8a84f26c67810b5ba5e2c3ca00c2abcd8e6c5c0fd1099d00675f21d9",
}

// official is the number of dialogues of each split that is built.
const official = 1000

// readSource reads a split in the folder dir, or in one of its subfolders that may have
// the layout.
func readSource(ctx context.Context, dir, split string) (*source, error) {
	s := new(source)
	files, err := s.find(dir, split)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if err := s.elements(ctx, file, jsontree.Array, func(_ string, c *jsontree.Cursor) { s.dialogue(c) }); err != nil {
			return nil, err
		}
	}
	if n := len(s.dialogues); n != official && s.caveat == "" {
		s.caveat = fmt.Sprintf("built from a part of MultiWOZ 2.2: %s has %d dialogues of %d", split, n, official)
	}
	if err := s.acts(ctx); err != nil {
		return nil, err
	}
	return s, s.faults.Err()
}

// find finds the folder that has the layout, and returns the files of dialogues of a
// split in order. A plain file goes before one of the same name with gzip.
func (s *source) find(dir, split string) (files []string, err error) {
	for _, folder := range folders {
		s.dir = filepath.Join(dir, filepath.FromSlash(folder))
		names, _ := fs.Glob(os.DirFS(s.dir), split+"/dialogues_*.json*") // the pattern is sound
		for _, name := range names {
			plain, packed := strings.CutSuffix(name, ".gz")
			if strings.HasSuffix(plain, ".json") && !(packed && slices.Contains(names, plain)) {
				files = append(files, filepath.Join(s.dir, filepath.FromSlash(name)))
			}
		}
		if len(files) > 0 {
			return files, nil
		}
	}
	return nil, fmt.Errorf("%s: has no MultiWOZ 2.2: %w; want a folder with %s/dialogues_001.json in it, as data/MultiWOZ_2.2 of github.com/budzianowski/multiwoz", dir, fs.ErrNotExist, split)
}

// elements goes through the elements of the array or the fields of the object of a file,
// and records which release the file belongs to.
func (s *source) elements(ctx context.Context, path string, kind jsontree.Kind, each func(name string, c *jsontree.Cursor)) error {
	data, sum, err := datafile.ReadPacked(ctx, path, maxSize)
	if err != nil {
		return err
	}
	if slices.Contains(derived, sum) {
		s.caveat = "built from MultiWOZ 2.1 labels in the 2.2 layout, not MultiWOZ 2.2"
	}
	s.faults.File = path
	place := func(n int, e jsontree.Element) string {
		if e.Name != "" {
			return e.Name + ": "
		}
		return fmt.Sprintf("[%d]", n-1)
	}
	return s.faults.Each(ctx, bytes.NewReader(data), kind, place, func(e jsontree.Element, c *jsontree.Cursor) { each(e.Name, c) })
}

// dialogue reads a dialogue.
func (s *source) dialogue(c *jsontree.Cursor) {
	var of struct {
		ID       string   `json:"dialogue_id" want:"filled"`
		Services []string `json:"services" want:"required"`
		Turns    []struct {
			At      *jsontree.Cursor `json:"-"`
			ID      jsontree.Text    `json:"turn_id" want:"filled"`
			Speaker string           `json:"speaker" want:"required"`
			Text    string           `json:"utterance" want:"required"`
			Frames  []frame          `json:"frames" want:"required"`
		} `json:"turns" want:"required"`
	}
	if !c.Decode(&of) {
		return
	}
	switch {
	case slices.ContainsFunc(s.dialogues, func(d dialogue) bool { return d.id == of.ID }):
		c.Faultf("dialogue_id %q is already that of another dialogue", of.ID)
	case len(of.Turns) == 0:
		c.Faultf("turns is empty, want one turn or more")
	}
	d := dialogue{id: of.ID, services: of.Services}
	for _, t := range of.Turns {
		switch {
		case d.turn(string(t.ID)) != nil:
			t.At.Faultf("turn_id %q is already that of another turn", t.ID)
		case t.Speaker != "USER" && t.Speaker != "SYSTEM":
			t.At.Faultf("speaker is %q, want USER or SYSTEM", t.Speaker)
		case strings.TrimSpace(t.Text) == "":
			s.warnings.Warn("turn says nothing; left out", d.id+": "+string(t.ID))
		default:
			d.turns = append(d.turns, utterance{id: string(t.ID), user: t.Speaker == "USER", text: t.Text, states: states(t.Frames)})
		}
	}
	if len(d.turns) > 0 {
		s.dialogues = append(s.dialogues, d)
	}
}

// A frame is a state of a service as files have it. The acts repeat the spans of its slots.
type frame struct {
	Service string `json:"service" want:"required"`
	State   *struct {
		Intent string           `json:"active_intent"`
		Values *jsontree.Cursor `json:"slot_values"`
	} `json:"state"`
}

func states(frames []frame) (all []state) {
	for _, f := range frames {
		if f.State == nil {
			continue
		}
		s := state{service: f.Service, intent: f.State.Intent}
		if values := f.State.Values; values != nil && values.Is(jsontree.Object) {
			for _, v := range values.Fields() {
				var variants []string
				if v.Decode(&variants) && len(variants) > 0 {
					s.values = append(s.values, value{strings.TrimPrefix(v.Name(), f.Service+"-"), variants})
				}
			}
		}
		all = append(all, s)
	}
	return all
}

// acts reads the file of acts and hands them to the turns. Only there are booking
// references, phone numbers, addresses and the like.
func (s *source) acts(ctx context.Context) error {
	path := filepath.Join(s.dir, "dialog_acts.json")
	if _, err := os.Stat(path); err != nil {
		path += ".gz"
	}
	dialogues := make(map[string]*dialogue)
	for i := range s.dialogues {
		dialogues[s.dialogues[i].id] = &s.dialogues[i]
	}
	return s.elements(ctx, path, jsontree.Object, func(name string, c *jsontree.Cursor) {
		d := dialogues[name]
		if d == nil || !c.Is(jsontree.Object) { // those of other splits are checked no further
			return
		}
		for _, f := range c.Fields() {
			if t := d.turn(f.Name()); t != nil {
				s.turnActs(f, t)
			} else {
				s.warnings.Warn("acts are of no turn; left out", f.Path())
			}
		}
	})
}

// turnActs reads the acts of a turn, lists of slot and value by name, and their places:
// name, slot, value, and the range of the value in characters.
func (s *source) turnActs(c *jsontree.Cursor, t *utterance) {
	var of struct {
		Acts  *jsontree.Cursor  `json:"dialog_act"`
		Spans [][]jsontree.Text `json:"span_info"`
	}
	if !c.Decode(&of) {
		return
	}
	if of.Acts != nil && of.Acts.Is(jsontree.Object) {
		for _, list := range of.Acts.Fields() {
			var pairs [][]jsontree.Text
			list.Decode(&pairs)
			for _, p := range pairs {
				if len(p) == 2 {
					t.acts = append(t.acts, newAct(list.Name(), p[0], p[1]))
				} else {
					list.Faultf("has %d items, want 2", len(p))
				}
			}
		}
	}
	for _, p := range of.Spans {
		if len(p) != 5 {
			c.Faultf("a span has %d items, want 5", len(p))
			continue
		}
		first, err := strconv.Atoi(string(p[3]))
		last, err2 := strconv.Atoi(string(p[4]))
		if err != nil || err2 != nil {
			c.Faultf("offsets are %s and %s, want integers", p[3], p[4])
			continue
		}
		s.locate(c, t, newAct(string(p[0]), p[1], p[2]), first, last)
	}
}

func newAct(name string, slot, value jsontree.Text) act {
	service, does, _ := strings.Cut(strings.ToLower(name), "-")
	return act{service: service, does: does, slot: string(slot), value: string(value)}
}

// locate gives an act its range in the utterance. A range without an act becomes an act
// of its own.
func (s *source) locate(c *jsontree.Cursor, t *utterance, a act, first, last int) {
	text := []rune(t.text)
	if first < 0 || last <= first || last > len(text) {
		s.warnings.Warn("span of an act is outside its utterance; left out", c.Path())
		return
	}
	i := slices.Index(t.acts, a)
	if i < 0 {
		s.warnings.Warn("span belongs to no act of the turn; counted as one", c.Path())
		i, t.acts = len(t.acts), append(t.acts, a)
	}
	start := len(string(text[:first]))
	t.acts[i].span = span{start, start + len(string(text[first:last]))}
}
