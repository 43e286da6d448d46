// Package multiwoz reads dialogues in the file layout of MultiWOZ 2.2: a user
// and an assistant talk about hotels, restaurants, trains and the like, with
// the state of the user's wishes after each turn and the acts of each turn.
//
// [Load] reads splits of a folder into a [Corpus]. The builder of MultiWOZ-Long
// uses it; MultiWOZ itself is not a dataset of runs.
//
// The layout is that of data/MultiWOZ_2.2 of the official repository: a folder for
// each split with dialogues_NNN.json, and dialog_acts.json next to them, each plain
// or gzipped (.gz). Offsets in the files count characters; here they count bytes.
// Known flaws of the release are corrected and counted in the corpus's warnings.
// Anything that does not fit the layout is a fault; all faults of all files are
// reported together.
//
// Zang et al., "MultiWOZ 2.2: A Dialogue Dataset with Additional Annotation
// Corrections and State Tracking Baselines", 2020. The data is under the MIT
// licence and not part of this project.
package multiwoz

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

// A Corpus is the content of a folder.
type Corpus struct {
	Dir string // folder of the dialogues
	// Caveat is a note that must accompany each result on the data, such as that
	// its labels are those of 2.1; empty for the whole of 2.2.
	Caveat   string
	Splits   []Split // in the order asked for
	Warnings []datasets.Warning
}

// A Split is a part of the release, "train", "dev" or "test".
type Split struct {
	Name      string
	Dialogues []Dialogue // in the order of the files
}

// A Dialogue is a conversation between a user and an assistant.
type Dialogue struct {
	ID       string   // such as "PMUL0698.json"
	Services []string // that it is about, such as "hotel"
	Turns    []Turn
}

// A Turn is an utterance with its annotation.
type Turn struct {
	ID   string
	User bool // else the assistant's
	Text string
	// States are the user's wishes for each service after the turn; empty for
	// the assistant's turns.
	States []State
	Acts   []Act
}

// A State is the user's wishes for a service so far.
type State struct {
	Service string
	Intent  string // such as "find_hotel"; "NONE"
	Values  []Value
}

// A Value is the user's wish for a slot, such as "hotel-bookday".
type Value struct {
	Slot     string
	Variants []string // ways to write it, one or more; none of them comes first
}

// An Act says what a turn does with a slot.
type Act struct {
	Service string // in lowercase, such as "hotel", "booking" and "general"
	Does    string // in lowercase, such as "inform" and "request"
	Slot    string // without the service, such as "ref"; "none" for a bare act
	Value   string // "?" for a request, "none" for a bare act
	// Start and End are the byte range of the value in the utterance, End
	// excluded; both 0 if the data does not say.
	Start, End int
}

// State returns the state of a service after a user's turn; nil for none.
func (t *Turn) State(service string) *State {
	i := slices.IndexFunc(t.States, func(s State) bool { return s.Service == service })
	if i < 0 {
		return nil
	}
	return &t.States[i]
}

// Value returns the variants of a slot's value; empty if it is not set.
func (s *State) Value(slot string) []string {
	if s == nil {
		return nil
	}
	for _, v := range s.Values {
		if v.Slot == slot {
			return v.Variants
		}
	}
	return nil
}

// maxSize is the size in bytes of a file, unpacked, above which it is refused, 384 MiB:
// more than the whole release has.
const maxSize = 384 << 20

// folders are where in a folder the layout may be, in order of preference: the
// folder itself, a clone of its repository, and the project's own folder of
// datasets.
var folders = []string{".", "MultiWOZ_2.2", "data/MultiWOZ_2.2", "v2.2-genuine", "v2.2-layout-derived-from-2.1"}

// derived are the SHA-256 of files with labels of 2.1 that are known, dev and test.
var derived = []string{
	"57acc4345bea46930e57b3f723ffd65fffa56e0ac9399ecd8bb87ca4444357f2",
	"8fe0442b8a84f26c67810b5ba5e2c3ca00c2abcd8e6c5c0fd1099d00675f21d9",
}

// official are the numbers of dialogues of the splits of 2.2.
var official = map[string]int{"train": 8437, "dev": 1000, "test": 1000}

// find returns the folder within dir, or dir itself, that has the layout. If there
// is none, the error wraps fs.ErrNotExist.
func find(dir string) (string, error) {
	for _, f := range folders {
		at := filepath.Join(dir, filepath.FromSlash(f))
		for split := range official {
			if len(dialogueFiles(filepath.Join(at, split))) > 0 {
				return at, nil
			}
		}
	}
	return "", fmt.Errorf("%s: has no MultiWOZ 2.2: %w; want a folder with test/dialogues_001.json in it, as data/MultiWOZ_2.2 of github.com/budzianowski/multiwoz", dir, fs.ErrNotExist)
}

// dialogueFiles returns the names of the files of dialogues of a split, in
// order. A plain file goes before one of the same name with gzip.
func dialogueFiles(dir string) []string {
	names, _ := fs.Glob(os.DirFS(dir), "dialogues_*.json*") // the pattern is sound
	return slices.DeleteFunc(names, func(name string) bool {
		plain, packed := strings.CutSuffix(name, ".gz")
		return packed && slices.Contains(names, plain) || !strings.HasSuffix(plain, ".json")
	})
}

// A loader reads the files of a corpus.
type loader struct {
	corpus   *Corpus
	faults   datafile.Faults
	warnings datasets.Set // only to count them
	ids      map[string]bool
}

// Load reads splits of the folder dir, or of one of its subfolders that may have the
// layout.
func Load(ctx context.Context, dir string, splits ...string) (*Corpus, error) {
	at, err := find(dir)
	if err != nil {
		return nil, err
	}
	l := loader{corpus: &Corpus{Dir: at}, ids: make(map[string]bool)}
	for _, name := range splits {
		if err := l.split(ctx, name); err != nil {
			return nil, err
		}
	}
	if err := l.acts(ctx); err != nil {
		return nil, err
	}
	l.corpus.Warnings = l.warnings.Warnings
	return l.corpus, l.faults.Err()
}

// elements goes through the elements of the array or object of a file, and records which
// release the file belongs to.
func (l *loader) elements(ctx context.Context, path string, kind jsontree.Kind, name func(int, jsontree.Element) string, each func(jsontree.Element, *jsontree.Cursor)) error {
	data, sum, err := datafile.ReadPacked(ctx, path, maxSize)
	if err != nil {
		return err
	}
	if slices.Contains(derived, sum) {
		l.corpus.Caveat = "built from MultiWOZ 2.1 labels in the 2.2 layout, not MultiWOZ 2.2"
	}
	l.faults.File = path
	return l.faults.Each(ctx, bytes.NewReader(data), kind, name, each)
}

// split reads the files of a split.
func (l *loader) split(ctx context.Context, name string) error {
	dir := filepath.Join(l.corpus.Dir, name)
	files := dialogueFiles(dir)
	if len(files) == 0 {
		return fmt.Errorf("split %s: %s: has no dialogues: %w", name, dir, fs.ErrNotExist)
	}
	s := Split{Name: name}
	place := func(n int, _ jsontree.Element) string { return fmt.Sprintf("[%d]", n-1) }
	for _, file := range files {
		err := l.elements(ctx, filepath.Join(dir, file), jsontree.Array, place, func(_ jsontree.Element, c *jsontree.Cursor) {
			if d := l.dialogue(c); len(d.Turns) > 0 {
				s.Dialogues = append(s.Dialogues, d)
			}
		})
		if err != nil {
			return err
		}
	}
	if n := len(s.Dialogues); n != official[name] && l.corpus.Caveat == "" {
		l.corpus.Caveat = fmt.Sprintf("built from a part of MultiWOZ 2.2: %s has %d dialogues of %d", name, n, official[name])
	}
	l.corpus.Splits = append(l.corpus.Splits, s)
	return nil
}

// A turnInput is a turn of a dialogue as files have it. The acts repeat the spans of its
// slots.
type turnInput struct {
	At      *jsontree.Cursor `json:"-"`
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

// dialogue reads a dialogue, which has no turns after a fault.
func (l *loader) dialogue(c *jsontree.Cursor) (d Dialogue) {
	var head struct {
		ID string `json:"dialogue_id" want:"filled"`
	}
	if !c.Decode(&head) {
		return d
	}
	if l.ids[head.ID] {
		c.Faultf("dialogue_id %q is already that of another dialogue", head.ID)
	}
	l.ids[head.ID] = true
	var of struct {
		Services []string    `json:"services" want:"required"`
		Turns    []turnInput `json:"turns" want:"required"`
	}
	c = c.Named(head.ID)
	if !c.Decode(&of) {
		return d
	}
	if len(of.Turns) == 0 {
		c.Faultf("turns is empty, want one turn or more")
	}
	d = Dialogue{ID: head.ID, Services: of.Services}
	seen := make(map[jsontree.Text]bool)
	for _, t := range of.Turns {
		if seen[t.ID] {
			t.At.Faultf("turn_id %q is already that of another turn", t.ID)
		}
		seen[t.ID] = true
		if strings.TrimSpace(t.Text) == "" {
			l.warnings.Warn("turn says nothing; left out", d.ID+": "+string(t.ID))
			continue
		}
		d.Turns = append(d.Turns, t.turn())
	}
	return d
}

func (t turnInput) turn() Turn {
	if t.Speaker != "USER" && t.Speaker != "SYSTEM" {
		t.At.Faultf("speaker is %q, want USER or SYSTEM", t.Speaker)
	}
	of := Turn{ID: string(t.ID), User: t.Speaker == "USER", Text: t.Text}
	for _, f := range t.Frames {
		if of.State(f.Service) != nil {
			t.At.Faultf("service %q has two frames in one turn", f.Service)
		}
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
