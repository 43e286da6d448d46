package perltqa_test

import (
	"path/filepath"
	"testing"

	"recallbench/datasets"
	"recallbench/datasets/perltqa"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// TestSample compares the genuine sample with the counts that its description
// gives.
func TestSample(t *testing.T) {
	dir := filepath.Join(realdata.Datasets(t), "perltqa")
	set := try.Get(perltqa.Spec.Open(t.Context(), datasets.Env{}, options(func(o *perltqa.Options) { // wherever the release itself may lie
		o.MemoryPath, o.QuestionsPath = filepath.Join(dir, "perltmem_en_v2.sample.json"), filepath.Join(dir, "perltqa_en_v2.sample.json")
	})))(t)
	all := try.All(t, set.All(t.Context()))
	if len(all) != 1 || all[0].ID != "Zhang Xiaohong" {
		t.Fatalf("%d samples", len(all))
	}
	type counts struct{ Profile, Relationships, Events, Dialogues, Lines int }
	var got counts
	for _, session := range all[0].Sessions {
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
	c := try.Get(datasets.Count(t.Context(), set))(t)
	asked := make(map[perltqa.Section]int)
	for id, category := range c.Categories {
		asked[perltqa.Section(id)] = category.Count
	}
	want := map[perltqa.Section]int{perltqa.Profile: 13, perltqa.Relationships: 17, perltqa.Events: 24, perltqa.Dialogues: 13}
	try.Equal(t, "questions", want, asked)
	if n := c.Labels["reference"]["missing"]; n > 0 {
		t.Errorf("%d questions name a memory that is not there", n)
	}
	try.Equal(t, "speakers differ", []string{"Zhang Xiaohong", "Zhang Xiaoming", "Wang Li", "Li Yang"}, all[0].Speakers)
	warned := make(map[string]int)
	for _, w := range set.Warnings {
		warned[w.What] = w.Count
	}
	try.Equal(t, "warnings", map[string]int{
		"file is a sample of the release; not comparable with published scores": 2,
		"time of an event has no day; kept in its text and for sorting":         2, // 2018 and 1961
	}, warned)
}

func options(change func(*perltqa.Options)) perltqa.Options {
	o := perltqa.Spec.Options.(perltqa.Options)
	if change != nil {
		change(&o)
	}
	return o
}
