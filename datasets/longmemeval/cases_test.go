package longmemeval

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/datasets"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// kite is the first question of three as a case, with another answer and without
// evidence, beside those of the release.
const kite = `{"case_id": "a0000001", "queries": [{"query_id": "a0000001", "question": "What did I fly on the beach?", "golden_answer": "a drone",
  "metadata": {"question_type": "single-session-user", "question_date": "2023/05/30 (Tue) 23:17",
   "original_answer": "a kite", "answer_session_ids": [], "original_answer_session_ids": ["answer_11111111"]}}],
 "sessions": [
  {"session_id": "answer_11111111", "metadata": {"date": "2023/05/21 (Sun) 10:00"}, "messages": [
   {"role": "user", "content": "I flew a kite on the beach.", "has_answer": true}, {"role": "assistant", "content": "Was it windy?", "has_answer": false},
   {"role": "user", "content": "Very.", "has_answer": false}, {"role": "assistant", "content": "Hold on tight.", "has_answer": false}]},
  {"session_id": "sharegpt_x_0", "metadata": {"date": "2023/05/20 (Sat) 09:00"}, "messages": [
   {"role": "user", "content": "Name a river."}, {"role": "assistant", "content": "The Severn. <|endoftext|>"}]}]}
`

// putCases writes a folder of cases.
func putCases(t *testing.T, cases ...string) (dir string, o Options) {
	t.Helper()
	files := make(map[string]string)
	for i, text := range cases {
		files[string(rune('a'+i))+".json"] = text
	}
	dir = try.Files(t, files)
	return dir, Options{Path: dir, Abstention: Ask, Turns: Both}
}

// TestCases reads the same from a case as from the release.
func TestCases(t *testing.T) {
	dir, o := putCases(t, kite, strings.Replace(kite, `"a0000001", "question"`, `"b0000001_abs", "question"`, 1))
	set := try.Get(Spec.Open(t.Context(), datasets.Env{}, o))(t)
	env, file := put(t, three)
	release := try.Get(Spec.Open(t.Context(), env, file))(t)
	try.Equal(t, "the sample", try.All(t, release.All(t.Context()))[0], try.All(t, set.All(t.Context()))[0])
	id := set.Entries[0].ID
	want, _ := release.Gold(id, "q1")
	got, _ := set.Gold(id, "q1")
	try.Equal(t, "gold", want, got)
	warnings := []datasets.Warning{
		{What: "golden_answer is not the release's; original_answer is used", Count: 2, Where: []string{"a0000001", "b0000001_abs"}},
		{What: "sessions are not in order of date; sorted", Count: 2, Where: []string{"a0000001", "b0000001_abs"}},
	}
	try.Equal(t, "warnings", warnings, set.Warnings)
	try.Do(t, os.WriteFile(filepath.Join(dir, "a.json"), []byte(strings.Replace(kite, "windy", "windi", 1)), 0o644))
	for i := range set.Entries {
		if _, err := set.Load(t.Context(), i); errors.Is(err, datasets.ErrChanged) != (i == 0) {
			t.Errorf("sample %d: %v", i, err)
		}
	}
}

// TestUnlabelled reads a case whose turns say nothing of the answer: sessions have it.
func TestUnlabelled(t *testing.T) {
	bare := strings.NewReplacer(`, "has_answer": true`, "", `, "has_answer": false`, "", `"original_answer": "a kite", `, "", `"answer_session_ids": [], "original_`, `"`)
	_, o := putCases(t, bare.Replace(kite))
	set := try.Get(Spec.Open(t.Context(), datasets.Env{}, o))(t)
	g, _ := set.Gold(set.Entries[0].ID, "q1")
	if g.Answer != "a drone" || len(g.Evidence) > 0 || strings.Join(g.Sessions, " ") != "s2" {
		t.Errorf("gold %+v", g)
	}
}

func TestCaseFaults(t *testing.T) {
	check := func(want, old, changed string) {
		t.Helper()
		dir, o := putCases(t, strings.Replace(kite, old, changed, 1))
		if _, err := Spec.Open(t.Context(), datasets.Env{}, o); err == nil || !strings.HasPrefix(err.Error(), filepath.Join(dir, "a.json")+":"+want) {
			t.Errorf("%q for %q: error %v, want %q", changed, old, err, want)
		}
	}
	check(`1: has 0 queries, want one`, kite, `{"queries": [], "sessions": []}`)
	check(`1: queries[0]: want an object`, kite, `{"queries": [1], "sessions": []}`)
	check(`1: "sessions" is missing`, kite, `{"queries": []}`)
	check(`1: queries[0]: "metadata" is missing`, `"metadata"`, `"about"`)
	check(`1: queries[0]: unknown question_type "two"`, `"single-session-user"`, `"two"`)
	check(`1: queries[0]: the date of session "answer_11111111" is "May"`, `"2023/05/21 (Sun) 10:00"`, `"May"`)
	check(`6: sessions[0].messages[1]: role is "tool"`, `"role": "assistant"`, `"role": "tool"`)
	check(`8: sessions[1]: "session_id" is missing`, `"session_id": "sharegpt_x_0", `, "")
	check(`1: want an object, have an array`, kite, "[]")
	dir, o := putCases(t, kite, kite)
	if _, err := Spec.Open(t.Context(), datasets.Env{}, o); err == nil || err.Error() != filepath.Join(dir, "b.json")+":1: a0000001: question_id is already used by the question in a.json" {
		t.Errorf("a question twice: %v", err)
	}
	o.Path = t.TempDir()
	if _, err := Spec.Open(t.Context(), datasets.Env{}, o); err == nil || !strings.HasSuffix(err.Error(), "want a folder with a case in each .json file") {
		t.Errorf("an empty folder: %v", err)
	}
}

// TestReal reads histories of the release: 53 as cases, and one in its own layout.
func TestReal(t *testing.T) {
	root := realdata.Datasets(t)
	o := Spec.Options.(Options)
	o.Variant = Cases
	set := try.Get(Spec.Open(t.Context(), datasets.Env{Dir: root}, o))(t)
	type released struct {
		ID       string   `json:"question_id"`
		Type     string   `json:"question_type"`
		Text     string   `json:"question"`
		Answer   any      `json:"answer"`
		Labelled []string `json:"labelled_session_ids"`
	}
	all := make(map[string]released)
	for line := range strings.Lines(string(try.Get(os.ReadFile(filepath.Join(root, name, "questions.jsonl")))(t))) {
		var q released
		try.Do(t, json.Unmarshal([]byte(line), &q))
		all[q.ID] = q
	}
	sessions, turns, text := 0, 0, int64(0)
	for _, e := range set.Entries {
		sessions, turns, text = sessions+e.Sessions, turns+e.Turns, text+e.Text
		g, _ := set.Gold(e.ID, "q1")
		q := all[g.Name]
		labelled := make(map[string]bool)
		for _, id := range g.Evidence {
			s, _, _ := strings.Cut(id, ":")
			labelled[s] = true
		}
		answer, ok := q.Answer.(string)
		if ok && g.Answer+g.Explanation != answer || g.Category != q.Type || e.Requests[0].Text != q.Text || len(labelled) != len(q.Labelled) {
			t.Errorf("%s: %+v and %+v, want %+v", g.Name, g, e.Requests, q)
		}
	}
	if len(set.Entries) != 53 || sessions != 2516 || turns != 26132 {
		t.Errorf("%d questions, %d sessions, %d turns of %d bytes", len(set.Entries), sessions, turns, text)
	}
	o.Path = filepath.Join(root, name, "s53", "longmemeval_single.original-layout.json")
	one := try.Get(Spec.Open(t.Context(), datasets.Env{}, o))(t)
	g, _ := one.Gold(one.Entries[0].ID, "q1")
	if e := one.Entries[0]; e.Sessions != 53 || e.Turns != 550 || g.Answer != "Business Administration" || len(g.Evidence) != 2 || len(g.Sessions) != 1 {
		t.Errorf("%+v, gold %+v", e, g)
	}
	if len(one.Warnings) > 0 {
		t.Errorf("warnings %v", one.Warnings)
	}
}
