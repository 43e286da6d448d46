package locomo_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/datasets"
	"recallbench/datasets/locomo"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

var all = locomo.Options{Categories: []int{1, 2, 3, 4, 5}, Category5: locomo.Abstain}

// TestRelease compares the loaded release with counts that were made by a scan
// of the file with another program.
func TestRelease(t *testing.T) {
	set := try.Get(locomo.Spec.Open(t.Context(), datasets.Env{Dir: realdata.Datasets(t)}, all))(t)
	got := try.Get(datasets.Count(t.Context(), set))(t)
	var want struct {
		datasets.Counts
		IntAnswers int     `json:"answer_int_count"`
		Answered5  int     `json:"category5_with_answer"`
		NoEvidence int     `json:"questions_with_no_resolvable_evidence"`
		References int     `json:"evidence_refs_after_normalisation_unique_per_question"`
		Dangling   [][]any `json:"evidence_dangling_after_normalisation"`
		PerSample  []struct {
			datasets.ConversationCounts
			A     string `json:"speaker_a"`
			B     string `json:"speaker_b"`
			Dates int    `json:"session_date_time_keys"`
		} `json:"conversations_detail"`
	}
	try.Do(t, json.Unmarshal(try.Get(os.ReadFile(filepath.Join(realdata.Datasets(t), "locomo", "expected_stats.json")))(t), &want))
	for i, w := range want.PerSample {
		// The release has dates of sessions that it does not hold.
		if dates := got.Detail[i].Sessions + count(set, "date of a session", w.Sample); dates != w.Dates {
			t.Errorf("%s: %d dates, want %d", w.Sample, dates, w.Dates)
		}
		w.Speakers = []string{w.A, w.B}
		try.Equal(t, "conversation", w.ConversationCounts, got.Detail[i])
	}
	try.Equal(t, "categories", want.Categories, got.Categories)
	type sums struct{ conversations, sessions, turns, captions, urls, questions int }
	of := func(c datasets.Counts) sums {
		return sums{c.Conversations, c.Sessions, c.Turns, c.Captions, c.URLs, c.Questions}
	}
	if of(got) != of(want.Counts) {
		t.Errorf("%+v, want %+v", of(got), of(want.Counts))
	}
	for _, n := range []struct {
		what      string
		got, want int
	}{
		{"number answers", count(set, "answer is a number", ""), want.IntAnswers},
		{"answered adversarial", count(set, "adversarial question has an answer", ""), want.Answered5},
		{"no evidence", count(set, "question has no evidence", ""), want.NoEvidence},
		{"dangling", count(set, "evidence names no turn", ""), len(want.Dangling)},
		{"references", got.References + len(want.Dangling), want.References},
	} {
		if n.got != n.want {
			t.Errorf("%s: %d, want %d", n.what, n.got, n.want)
		}
	}
	if set.SHA256 != want.SHA256 || set.Version != "3eb6f2c" {
		t.Errorf("version %s of %s, want 3eb6f2c of %s", set.Version, set.SHA256, want.SHA256)
	}
}

// count returns how often the set warns of something, at places that begin
// with prefix.
func count(set *datasets.Set, what, prefix string) int {
	for _, w := range set.Warnings {
		if strings.HasPrefix(w.What, what) && strings.HasPrefix(w.Where[0], prefix) {
			return w.Count
		}
	}
	return 0
}
