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
	data := try.Get(os.ReadFile(filepath.Join(realdata.Datasets(t), "locomo", "expected_stats.json")))(t)
	type conversation struct {
		Sample     string         `json:"sample_id"`
		A          string         `json:"speaker_a"`
		B          string         `json:"speaker_b"`
		Sessions   int            `json:"sessions"`
		Dates      int            `json:"session_date_time_keys"`
		Turns      int            `json:"turns"`
		Images     int            `json:"image_turns"`
		Questions  int            `json:"questions"`
		ByCategory map[string]int `json:"by_category"`
	}
	var want struct {
		SHA256        string
		Conversations int
		Sessions      int
		Turns         int
		Captions      int `json:"image_turns_with_caption"`
		URLs          int `json:"image_turns_with_url"`
		Questions     int
		ByCategory    map[string]struct {
			Name  string
			Count int
		} `json:"by_category"`
		IntAnswers    int            `json:"answer_int_count"`
		Answered5     int            `json:"category5_with_answer"`
		NoEvidence    int            `json:"questions_with_no_resolvable_evidence"`
		References    int            `json:"evidence_refs_after_normalisation_unique_per_question"`
		Dangling      [][]any        `json:"evidence_dangling_after_normalisation"`
		PerSample     []conversation `json:"conversations_detail"`
		OfficialTable map[string]any `json:"official_table"`
	}
	try.Do(t, json.Unmarshal(data, &want))

	var got []conversation
	var sessions, turns, captions, urls, questions, references int
	categories := make(map[string]int)
	for _, s := range try.All(t, set.All(t.Context())) {
		c := conversation{
			Sample: s.ID, A: s.Speakers[0], B: s.Speakers[1],
			Sessions: len(s.Sessions), Dates: len(s.Sessions),
			Questions: len(s.Requests), ByCategory: map[string]int{},
		}
		for _, session := range s.Sessions {
			c.Turns += len(session.Turns)
			for _, turn := range session.Turns {
				if turn.Image == nil {
					continue
				}
				c.Images++
				if turn.Image.Caption != "" {
					captions++
				}
				if turn.Image.URL != "" {
					urls++
				}
			}
		}
		for _, r := range s.Requests {
			g, _ := set.Gold(s.ID, r.ID)
			c.ByCategory[g.Category]++
			categories[g.Category]++
			references += len(g.Evidence)
		}
		sessions += c.Sessions
		turns += c.Turns
		questions += c.Questions
		got = append(got, c)
	}
	// The release has dates of sessions that it does not hold.
	for i, c := range got {
		got[i].Dates += count(set, "date of a session", c.Sample)
	}
	try.Equal(t, "conversations differ", want.PerSample, got)
	for id, c := range want.ByCategory {
		if categories[id] != c.Count || set.CategoryName(id) != c.Name {
			t.Errorf("category %s: %d questions named %q, want %d named %q",
				id, categories[id], set.CategoryName(id), c.Count, c.Name)
		}
	}
	for _, n := range []struct {
		what      string
		got, want int
	}{
		{"conversations", len(try.All(t, set.All(t.Context()))), want.Conversations},
		{"sessions", sessions, want.Sessions},
		{"turns", turns, want.Turns},
		{"captions", captions, want.Captions},
		{"image addresses", urls, want.URLs},
		{"questions", questions, want.Questions},
		{"number answers", count(set, "answer is a number", ""), want.IntAnswers},
		{"answered adversarial", count(set, "adversarial question has an answer", ""), want.Answered5},
		{"no evidence", count(set, "question has no evidence", ""), want.NoEvidence},
		{"dangling", count(set, "evidence names no turn", ""), len(want.Dangling)},
		{"references", references + len(want.Dangling), want.References},
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
