package perltqa_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/datasets/perltqa"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// samples returns the paths of the genuine sample.
func samples(tb testing.TB) (memory, questions string) {
	tb.Helper()
	dir := filepath.Join(realdata.Datasets(tb), "perltqa")
	return filepath.Join(dir, "perltmem_en_v2.sample.json"), filepath.Join(dir, "perltqa_en_v2.sample.json")
}

// chosen names the sample, wherever the release itself may lie.
func chosen(tb testing.TB) perltqa.Options {
	tb.Helper()
	memory, questions := samples(tb)
	return options(func(o *perltqa.Options) { o.MemoryPath, o.QuestionsPath = memory, questions })
}

// TestSample compares the genuine sample with the counts that its description
// gives.
func TestSample(t *testing.T) {
	set := try.Get(perltqa.Spec.Open(t.Context(), datasets.Env{}, chosen(t)))(t)
	if len(try.All(t, set.All(t.Context()))) != 1 || try.All(t, set.All(t.Context()))[0].ID != "Zhang Xiaohong" {
		t.Fatalf("%d samples", len(try.All(t, set.All(t.Context()))))
	}
	type counts struct{ Profile, Relationships, Events, Dialogues, Lines int }
	var got counts
	for _, session := range try.All(t, set.All(t.Context()))[0].Sessions {
		n := len(session.Turns)
		switch {
		case session.ID == "profile":
			got.Profile = n - 1 // without the description
		case session.ID == "social_relationship":
			got.Relationships = n
		case session.Turns[0].ID == session.ID:
			got.Events++
		default:
			got.Dialogues++
			got.Lines += n
		}
	}
	if want := (counts{14, 9, 9, 5, 83}); got != want {
		t.Errorf("memories %+v, want %+v", got, want)
	}
	want := map[perltqa.Section]int{perltqa.Profile: 13, perltqa.Relationships: 17, perltqa.Events: 24, perltqa.Dialogues: 13}
	if diff := cmp.Diff(want, asked(set, "found")); diff != "" || len(asked(set, "missing")) > 0 {
		t.Errorf("%v questions name a memory that is not there; the others (-want +got):\n%s", asked(set, "missing"), diff)
	}
	try.Equal(t, "speakers differ", []string{"Zhang Xiaohong", "Zhang Xiaoming", "Wang Li", "Li Yang"}, try.All(t, set.All(t.Context()))[0].Speakers)
	if n := warned(set, "file is a sample of the release"); n != 2 {
		t.Errorf("%d files are called samples, want 2", n)
	}
	if n := warned(set, "time of an event has no day"); n != 2 { // 2018 and 1961
		t.Errorf("%d events have no day, want 2", n)
	}
	if len(set.Warnings) != 2 {
		t.Errorf("warnings %v", set.Warnings)
	}
}

func options(change func(*perltqa.Options)) perltqa.Options {
	o := perltqa.Spec.Options.(perltqa.Options)
	if change != nil {
		change(&o)
	}
	return o
}

// warned returns how often the set warns of what begins so.
func warned(set *datasets.Set, what string) int {
	n := 0
	for _, w := range set.Warnings {
		if strings.HasPrefix(w.What, what) {
			n += w.Count
		}
	}
	return n
}

// asked counts the requests by section, those whose label has a value.
func asked(set *datasets.Set, reference string) map[perltqa.Section]int {
	n := make(map[perltqa.Section]int)
	for _, s := range set.Entries {
		for _, r := range s.Requests {
			g, _ := set.Gold(s.ID, r.ID)
			if g.Labels["reference"] == reference {
				n[perltqa.Section(g.Category)]++
			}
		}
	}
	return n
}
