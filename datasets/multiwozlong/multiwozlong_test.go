package multiwozlong

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/datasets"
	"recallbench/datasets/jsonl"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// small are options for the few dialogues of testdata: four of each split, made up
// for these tests.
func small() Options {
	return Options{Split: "test", Seed: 1, Sessions: 4, Questions: 12}
}

var here = datasets.Env{Dir: "testdata"}

// TestSmall has all that is built of the four dialogues: one conversation.
func TestSmall(t *testing.T) {
	set, err := Spec.Open(t.Context(), here, small())
	try.Do(t, err)
	var b strings.Builder
	try.Do(t, jsonl.Write(t.Context(), &b, set))
	golden.Check(t, "small.jsonl", b.String())
	if want := "built from a part of MultiWOZ 2.2: test has 4 dialogues of 1000"; set.Caveat != want {
		t.Errorf("caveat %q, want %q", set.Caveat, want)
	}
}

// TestNoActs refuses dialogues without acts, which alone tell what is booked.
func TestNoActs(t *testing.T) {
	dir := t.TempDir()
	try.Do(t, os.CopyFS(filepath.Join(dir, "multiwoz", "test"), os.DirFS(filepath.Join("testdata", "multiwoz", "test"))))
	if _, err := Spec.Open(t.Context(), datasets.Env{Dir: dir}, small()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// TestReferenceFirst has a reference in the first turn of each dialogue, where
// nothing before it says what it is for: nothing more is asked by it.
func TestReferenceFirst(t *testing.T) {
	written := func(acts ...act) string {
		src := try.Get(readSource(t.Context(), filepath.Join("testdata", "multiwoz"), "test"))(t)
		for i := range src.dialogues {
			first := &src.dialogues[i].turns[0]
			first.acts = append(first.acts, acts...)
		}
		set, _, err := build(t.Context(), src, small())
		try.Do(t, err)
		var b strings.Builder
		try.Do(t, jsonl.Write(t.Context(), &b, set))
		return b.String()
	}
	try.Equal(t, "with a reference for nothing", written(), written(act{service: "booking", does: "book", slot: "ref", value: "A1B2C3D4"}))
}

// TestAliases takes the variants that a state lists for names of one venue.
func TestAliases(t *testing.T) {
	named := func(names ...string) utterance {
		return utterance{user: true, states: []state{{service: "hotel", values: []value{{"name", names}, {"type", []string{"guesthouse"}}}}}}
	}
	g := newGazetteer([]dialogue{{turns: []utterance{
		named("rosas bed and breakfast", "rosa's"), named("the rosa's", "rosas b & b"), named("rosa's"), named("mill lodge"), named("the hotel"), named("dontcare"),
	}}})
	for name, want := range map[string]string{
		"Rosa's": "hotel:rosas", "rosas bed and breakfast": "hotel:rosas", "Rosas B&B": "hotel:rosas",
		"the Mill Lodge": "hotel:mill lodge", "a guest house": "", "dontcare": "",
	} {
		if got := g.key("hotel", name); got != want {
			t.Errorf("the key of %q is %q, want %q", name, got, want)
		}
	}
	var found []string
	for _, m := range g.find(words("Is Rosa’s near Mill Lodge, or Rosas Bed and Breakfast?")) {
		found = append(found, m.key)
	}
	if got := strings.Join(found, ", "); got != "hotel:rosas, hotel:mill lodge, hotel:rosas" {
		t.Errorf("found %s", got)
	}
}

func TestOptions(t *testing.T) {
	check := func(o Options, want string) {
		t.Helper()
		if _, err := Spec.Open(t.Context(), here, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", o, err, want)
		}
	}
	check(Options{Split: "test", Sessions: 1, Questions: 12}, "sessions is 1, want 2 to 100")
	check(Options{Split: "test", Sessions: 11}, "questions is 0, want 1 to 1000")
	long := small()
	long.Sessions = 50
	check(long, "split test has 4 dialogues, which yield no conversation of 50 sessions")
	if _, err := Spec.Open(t.Context(), datasets.Env{}, defaults); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no data folder: %v", err)
	}
	if _, err := Spec.Open(t.Context(), datasets.Env{Dir: t.TempDir()}, defaults); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty data folder: %v", err)
	}
}

// TestTemplates checks the sentences: five or more for each slot, each with one
// place for the entity, none twice.
func TestTemplates(t *testing.T) {
	for name, table := range map[string]map[string][]string{"settled": settled, "pronouns": pronouns, "omitted": omitted, "updated": {"updated": updated}} {
		for slot, list := range table {
			if len(list) < 5 {
				t.Errorf("%s: %s has %d sentences, want 5", name, slot, len(list))
			}
			seen := make(map[string]bool)
			for _, s := range list {
				if seen[s] {
					t.Errorf("%s: %s has %q twice", name, slot, s)
				}
				seen[s] = true
				blanks, brackets := strings.Count(s, "{}"), strings.Count(s, "[")
				if bracketed := name == "pronouns" || name == "omitted"; bracketed && (brackets == 0 || blanks > 0) || !bracketed && blanks != 1 {
					t.Errorf("%s: %s: %q has %d {} and %d [", name, slot, s, blanks, brackets)
				}
			}
		}
	}
}

func TestFill(t *testing.T) {
	check := func(sentence string, c candidate, want, mention string) {
		t.Helper()
		text, at := c.fill(sentence)
		if text != want || at.of(text) != mention {
			t.Errorf("%q is filled as %q with %q, want %q with %q", sentence, text, at.of(text), want, mention)
		}
	}
	check("Where is {}?", candidate{how: byName, phrase: "Jo's", names: []string{"Jo's"}}, "Where is Jo's?", "Jo's")
	check("What is {} now?", candidate{how: byName, phrase: "the day at Jo's", names: []string{"Jo's"}}, "What is the day at Jo's now?", "Jo's")
	check("Where is {}?", candidate{how: byNominal, phrase: "that hotel"}, "Where is that hotel?", "that hotel")
	check("Who books {}?", candidate{how: byNominal, fact: fact{slot: "name"}, phrase: "Monday at 12:00"}, "Who books Monday at 12:00?", "")
	check("Is [it] what [they] say?", candidate{how: byPronoun}, "Is it what they say?", "it")
}
