package reader

import (
	"os"
	"strings"
	"testing"

	"recallbench/datasets"
	"recallbench/datasets/multiwozlong"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/text/pytext"
)

// TestShapesKnowNoPlaces looks in the lists of the rules for values for what could
// only come from MultiWOZ: names of places, kinds of food and makes of cars.
func TestShapesKnowNoPlaces(t *testing.T) {
	longtest.Skip(t)
	var lists strings.Builder
	for _, name := range []string{"words.txt", "asks.txt", "shapes.txt"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lists.WriteString(" " + strings.Join(strings.Fields(strings.ToLower(string(text))), " ") + " ")
	}
	looked := make(map[string]bool)
	for _, split := range []string{"dev", "test"} {
		for _, e := range golds(t, split) {
			switch value := strings.ToLower(e.Answer); e.Labels["slot"] {
			case "type":
				if e.Labels["service"] != "taxi" {
					continue // a museum is one everywhere
				}
				_, value, _ = strings.Cut(value, " ") // the make, not the colour
				looked[value] = true
			case "name", "food", "destination":
				looked[value] = true
			}
		}
	}
	if len(looked) < 100 {
		t.Fatalf("only %d values", len(looked))
	}
	for value := range looked {
		// A name that is a word of its own, as that of the restaurant Ask, is no
		// knowledge of a place.
		if value != "" && !pytext.IsCommon(value) && strings.Contains(lists.String(), " "+value+" ") {
			t.Errorf("the lists have %q", value)
		}
	}
}

// golds returns the gold answers of a split.
func golds(tb testing.TB, split string) []datasets.Gold {
	tb.Helper()
	options := multiwozlong.Spec.Options.(multiwozlong.Options)
	options.Split = multiwozlong.Part(split)
	set, err := multiwozlong.Spec.Open(tb.Context(), datasets.Env{Dir: realdata.Datasets(tb)}, options)
	if err != nil {
		tb.Fatal(err)
	}
	var all []datasets.Gold
	for _, e := range set.Entries {
		for _, r := range e.Requests {
			gold, _ := set.Gold(e.ID, r.ID)
			all = append(all, gold)
		}
	}
	return all
}
