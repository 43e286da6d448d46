package tasks

import (
	"strings"
	"testing"

	"recallbench/datasets"
	"recallbench/internal/testkit/try"
)

// TestCounts holds the suites to the numbers of the paper, and to what makes
// them hard: requests without a word of the schema, and ones that need an
// earlier version. Every request that edits is judged.
func TestCounts(t *testing.T) {
	singles := map[string]int{"itinerary": 20, "todo": 25, "mealkit": 20}
	for _, domain := range embedded {
		set := load(t, Options{Turns: Single, Domains: []string{domain}})
		c := try.Get(datasets.Count(t.Context(), set))(t)
		all, free, held := c.Questions, c.Labels["wording"]["free"], c.Labels["split"]["heldout"]
		if want := singles[domain]; all != want {
			t.Errorf("%s: %d single requests, want %d", domain, all, want)
		}
		if 3*free < all {
			t.Errorf("%s: %d of %d single requests have no word of the schema, want a third", domain, free, all)
		}
		if held < all/3 || held > all/2 {
			t.Errorf("%s: %d of %d single requests are held out, want a third", domain, held, all)
		}

		set = load(t, Options{Turns: Multi, Domains: []string{domain}})
		if n := len(try.All(t, set.All(t.Context()))); n != 5 {
			t.Errorf("%s: %d conversations, want 5", domain, n)
		}
		judged, earlier, freeJudged := 0, 0, 0
		for _, s := range set.Entries {
			if n := len(s.Requests); n < 6 || n > 12 {
				t.Errorf("%s: %d turns, want 6 to 12", s.ID, n)
			}
			for _, r := range s.Requests {
				g, _ := set.Gold(s.ID, r.ID)
				if g.Expect == nil {
					if g.Labels["operation"] != "read" {
						t.Errorf("%s %s edits and is not judged", s.ID, r.ID)
					}
					continue
				}
				judged++
				if g.Labels["needs"] == "earlier-version" {
					earlier++
				}
				if g.Labels["wording"] == "free" {
					freeJudged++
				}
			}
		}
		if judged < 20 || 3*earlier < judged || 3*freeJudged < judged {
			t.Errorf("%s: %d judged turns, %d of them need an earlier version, %d have no word of the schema", domain, judged, earlier, freeJudged)
		}
	}
}

func load(t *testing.T, o Options) *datasets.Set {
	t.Helper()
	if o.Split == "" {
		o.Split = All
	}
	set := try.Get(Spec.Open(t.Context(), datasets.Env{}, o))(t)
	return set
}

// TestWording proves the label: a request that is labelled free has no type and
// no field of the tree in it, singular or plural.
func TestWording(t *testing.T) {
	for _, turns := range []Turns{Single, Multi} {
		set := load(t, Options{Turns: turns})
		for _, s := range try.All(t, set.All(t.Context())) {
			names := make(map[string]bool)
			for _, typ := range s.Tree.Schema().Types {
				names[strings.ToLower(typ.Name)] = true
				for _, f := range typ.Fields {
					names[strings.ToLower(f.Name)] = true
				}
			}
			for _, r := range s.Requests {
				g, _ := set.Gold(s.ID, r.ID)
				if g.Labels["wording"] != "free" {
					continue
				}
				for _, word := range strings.FieldsFunc(strings.ToLower(r.Text), func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
					if names[word] || names[strings.TrimSuffix(word, "s")] || names[strings.TrimSuffix(word, "es")] || names[strings.TrimSuffix(word, "ies")+"y"] {
						t.Errorf("%s %s: %q is a word of the schema", s.ID, r.ID, word)
					}
				}
			}
		}
	}
}
