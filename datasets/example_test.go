package datasets_test

import (
	"fmt"

	"recallbench/datasets"
)

// What is asked and the gold answer have types of their own, so that a method
// never sees the second.
func ExampleSet() {
	set := &datasets.Set{Name: "trips", Categories: []datasets.Category{{ID: "1", Name: "multi-hop"}}}
	set.Fill(datasets.Sample{
		ID:       "mia",
		Sessions: []datasets.Session{{ID: "1", Turns: []datasets.Turn{{ID: "D1:1", Speaker: "Mia", Text: "I am back from Lisbon."}}}},
		Requests: []datasets.Request{{ID: "q1", Text: "Where did Mia go?"}},
	})
	set.SetGold("mia", "q1", datasets.Gold{Category: "1", Answer: "Lisbon", Evidence: []string{"D1:1"}})

	for _, s := range set.Entries {
		for _, r := range s.Requests {
			gold, _ := set.Gold(s.ID, r.ID)
			fmt.Println(set.CategoryName(gold.Category), r.Text, gold.Answer)
		}
	}
	// Output: multi-hop Where did Mia go? Lisbon
}
