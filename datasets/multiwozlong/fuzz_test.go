package multiwozlong

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/datasets/internal/multiwoz"
	"recallbench/datasets/jsonl"
	"recallbench/internal/testkit/try"
)

// FuzzBuild puts any text into utterances and any value into states and acts: what
// is built of it can be written and read again, and keeps the contract.
func FuzzBuild(f *testing.F) {
	f.Add("Blue Heron is at 7.30 p.m., for £5", "19:30", "Blue Heron")
	f.Add("the\x00 hotel there it [is] {}", "cb1 2zz", "é")
	f.Add("24:60 1 am 0", "0", "&")
	corpus, err := multiwoz.Load(f.Context(), filepath.Join("testdata", "multiwoz"), "test")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, said, value, name string) {
		said, value, name = strings.ToValidUTF8(said, "?"), strings.ToValidUTF8(value, "?"), strings.ToValidUTF8(name, "?")
		dialogues := make([]multiwoz.Dialogue, len(corpus.Splits[0].Dialogues))
		for i, d := range corpus.Splits[0].Dialogues {
			turns := make([]multiwoz.Turn, len(d.Turns))
			for j, turn := range d.Turns {
				turns[j] = strange(turn, j%2 == i%2, said, value, name)
			}
			d.Turns = turns
			dialogues[i] = d
		}
		o := Options{Split: "test", Seed: 1, Sessions: 2, Questions: 50}
		set, _, err := build(t.Context(), corpus, read(dialogues), o)
		if err != nil {
			return // nothing can be asked
		}
		for _, s := range try.All(t, set.All(t.Context())) {
			v := viewOf(s)
			for _, r := range s.Requests {
				g, _ := set.Gold(s.ID, r.ID)
				for _, e := range g.Entities {
					for _, m := range e.Mentions {
						if m.Turn != "" {
							_ = v.text[m.Turn][m.Start:m.End]
						} else {
							_ = r.Text[m.Start:m.End]
						}
					}
				}
			}
		}
		var b bytes.Buffer
		try.Do(t, jsonl.Write(t.Context(), &b, set))
		path := filepath.Join(t.TempDir(), "test.jsonl")
		try.Do(t, os.WriteFile(path, b.Bytes(), 0o644))
		if _, err := jsonl.Load(t.Context(), path); err != nil {
			t.Fatalf("what was built does not load: %v", err)
		}
	})
}

// strange returns a turn with something else in it. Acts keep their places, which
// the loader would have checked, where the text is as it was.
func strange(turn multiwoz.Turn, replaced bool, said, value, name string) multiwoz.Turn {
	acts := append([]multiwoz.Act(nil), turn.Acts...)
	if replaced && strings.TrimSpace(said) != "" {
		turn.Text = said + " " + turn.Text
		for i := range acts {
			acts[i].Start, acts[i].End = 0, min(len(said), acts[i].End)
			if strings.ToValidUTF8(said[:acts[i].End], "") != said[:acts[i].End] {
				acts[i].End = 0
			}
			if acts[i].Slot == "name" {
				acts[i].Value = name
			} else {
				acts[i].Value = value
			}
		}
	}
	turn.Acts = acts
	states := append([]multiwoz.State(nil), turn.States...)
	for i := range states {
		values := append([]multiwoz.Value(nil), states[i].Values...)
		for j := range values {
			if replaced {
				values[j].Variants = []string{value, name}
			}
		}
		states[i].Values = values
	}
	turn.States = states
	return turn
}
