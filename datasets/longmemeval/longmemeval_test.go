package longmemeval

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recallbench/datasets"
	"recallbench/internal/testkit/try"
)

// three has a question of each kind, made up for this test.
const three = `[
  {"question_id": "a0000001", "question_type": "single-session-user", "question": "What did I fly on the beach?", "answer": "a kite",
   "question_date": "2023/05/30 (Tue) 23:17", "haystack_dates": ["2023/05/21 (Sun) 10:00", "2023/05/20 (Sat) 09:00"],
   "haystack_session_ids": ["answer_11111111", "sharegpt_x_0"],
   "haystack_sessions": [
     [{"role": "user", "content": "I flew a kite on the beach.", "has_answer": true}, {"role": "assistant", "content": "Was it windy?", "has_answer": false},
      {"role": "user", "content": "Very.", "has_answer": false}, {"role": "assistant", "content": "Hold on tight.", "has_answer": false}],
     [{"role": "user", "content": "Name a river."}, {"role": "assistant", "content": "The Severn. <|endoftext|>"}]],
   "answer_session_ids": ["answer_11111111"]},
  {"question_id": "gpt4_a0000002", "question_type": "multi-session", "question": "How many lamps did I buy?", "answer": 3,
   "question_date": "2023/05/30 (Tue) 23:17",
   "haystack_dates": ["2023/05/20 (Sat) 09:00", "2023/05/21 (Sun) 09:00", "2023/05/22 (Mon) 09:00", "2023/05/23 (Tue) 09:00"],
   "haystack_session_ids": ["answer_22222222_1", "ultrachat_7", "answer_22222222_2", "ultrachat_7"],
   "haystack_sessions": [
     [{"role": "user", "content": "I bought two lamps.", "has_answer": true}, {"role": "assistant", "content": "Bright.", "has_answer": false}],
     [{"role": "user", "content": "Tell me of owls."}, {"role": "assistant", "content": "They hunt at night."}],
     [{"role": "assistant", "content": "Hello.", "has_answer": false}, {"role": "user", "content": "One more lamp today.", "has_answer": true}],
     [{"role": "user", "content": "Tell me of owls."}, {"role": "assistant", "content": "They hunt at night."}]],
   "answer_session_ids": ["answer_22222222_2", "answer_22222222_1"]},
  {"question_id": "a0000001_abs", "question_type": "single-session-user", "question": "What did I fly in the park?", "answer": "You spoke of the beach, not of a park.",
   "question_date": "2023/05/30 (Tue) 23:17", "haystack_dates": ["2023/05/21 (Sun) 10:00"],
   "haystack_session_ids": ["answer_11111111_abs"],
   "haystack_sessions": [[{"role": "user", "content": "I flew a kite on the beach.", "has_answer": false}]],
   "answer_session_ids": ["answer_11111111_abs"]}
]
`

func put(t *testing.T, text string) (env datasets.Env, o Options) {
	t.Helper()
	dir := try.Files(t, map[string]string{"f.json": text})
	return datasets.Env{Base: dir}, Options{Path: "f.json", Abstention: Ask, Turns: Both}
}

func TestThree(t *testing.T) {
	env, o := put(t, three)
	env.Dir = env.Base
	set := try.Get(Spec.Open(t.Context(), env, o))(t)
	// Ids are hashes of the release's: no command is needed to check them but
	// sha256sum.
	var ids []string
	for _, e := range set.Entries {
		ids = append(ids, e.ID)
	}
	try.Equal(t, "sample ids", []string{"fdfca3ab", "4a8656cb", "508f3c09"}, ids)
	samples := try.All(t, set.All(t.Context()))
	day := time.Date(2023, 5, 21, 10, 0, 0, 0, time.UTC)
	second := datasets.Session{ID: "s2", Time: day, Turns: []datasets.Turn{
		{ID: "s2:1u", Speaker: "user", Text: "I flew a kite on the beach.", Time: day},
		{ID: "s2:2a", Speaker: "assistant", Text: "Was it windy?", Time: day},
		{ID: "s2:3u", Speaker: "user", Text: "Very.", Time: day},
		{ID: "s2:4a", Speaker: "assistant", Text: "Hold on tight.", Time: day},
	}}
	try.Equal(t, "the second session", second, samples[0].Sessions[1])
	if n := len(samples[1].Sessions); n != 4 {
		t.Errorf("the second sample has %d sessions, want 4", n)
	}
	var golds []datasets.Gold
	for _, e := range set.Entries {
		g, _ := set.Gold(e.ID, "q1")
		golds = append(golds, g)
	}
	labels := func(abstention, role string) map[string]string {
		return map[string]string{"abstention": abstention, "evidence_role": role}
	}
	want := []datasets.Gold{
		{Name: "a0000001", Category: "single-session-user", Answer: "a kite", Evidence: []string{"s2:1u"}, Sessions: []string{"s2"}, Labels: labels("no", "user")},
		{Name: "gpt4_a0000002", Category: "multi-session", Answer: "3", Evidence: []string{"s1:1u", "s3:2u"}, Sessions: []string{"s1", "s3"}, Labels: labels("no", "user")},
		{
			Name: "a0000001_abs", Category: "single-session-user", Abstain: true, Explanation: "You spoke of the beach, not of a park.",
			Sessions: []string{"s1"}, Labels: labels("yes", "none"),
		},
	}
	try.Equal(t, "gold", want, golds)
	warnings := []datasets.Warning{
		{What: "sessions are not in order of date; sorted", Count: 1, Where: []string{"a0000001"}},
		{What: "answer is an integer; its digits are used", Count: 1, Where: []string{"gpt4_a0000002"}},
		{What: "session occurs twice in the conversation; kept as two", Count: 1, Where: []string{"gpt4_a0000002"}},
		{What: "evidence session has no labelled turn; kept", Count: 1, Where: []string{"a0000001_abs"}},
	}
	try.Equal(t, "warnings", warnings, set.Warnings)
}

func TestSelects(t *testing.T) {
	env, all := put(t, three)
	check := func(want string, change func(*Options)) {
		t.Helper()
		o := all
		change(&o)
		set := try.Get(Spec.Open(t.Context(), env, o))(t)
		var got []string
		for i, e := range set.Entries {
			g, _ := set.Gold(e.ID, "q1")
			got = append(got, g.Name)
			if s, err := set.Load(t.Context(), i); err != nil || s.ID != e.ID {
				t.Errorf("entry %s loads sample %s, error %v", e.ID, s.ID, err)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("questions %v, want %s", got, want)
		}
	}
	check("a0000001 gpt4_a0000002 a0000001_abs", func(*Options) {})
	check("a0000001 a0000001_abs", func(o *Options) { o.Types = []string{"single-session-user"} })
	check("a0000001 gpt4_a0000002", func(o *Options) { o.Abstention = Drop })
	check("a0000001_abs", func(o *Options) { o.Abstention = Only })
	check("a0000001 gpt4_a0000002", func(o *Options) { o.MaxQuestions = 1 })
}

// TestUser leaves out what the assistant said.
func TestUser(t *testing.T) {
	env, o := put(t, strings.Replace(three, `"content": "Was it windy?", "has_answer": false`, `"content": "Was it windy?", "has_answer": true`, 1))
	env.Dir = env.Base
	o.Turns = User
	set := try.Get(Spec.Open(t.Context(), env, o))(t)
	s := try.All(t, set.All(t.Context()))[0]
	g, _ := set.Gold(s.ID, "q1")
	if turns := s.Sessions[1].Turns; len(turns) != 2 || turns[1].ID != "s2:3u" || strings.Join(g.Evidence, " ") != "s2:1u" || len(s.Speakers) != 1 {
		t.Errorf("%+v, gold %+v", s, g)
	}
	// One session in which the user says nothing, and a history of no other.
	said := `{"role": "user", "content": "Name a river."}, `
	quiet := strings.Replace(three, said, "", 1)
	env, _ = put(t, quiet)
	set = try.Get(Spec.Open(t.Context(), env, o))(t)
	if all := try.All(t, set.All(t.Context()))[0].Sessions; len(all) != 1 || all[0].ID != "s2" {
		t.Errorf("sessions %+v", all)
	}
	env, _ = put(t, strings.Replace(three, `{"role": "user", "content": "I flew a kite on the beach.", "has_answer": false}`, `{"role": "assistant", "content": "Hello."}`, 1))
	if _, err := Spec.Open(t.Context(), env, o); err == nil || !strings.HasSuffix(err.Error(), "a0000001_abs: the user says nothing in its conversation; set turns to all") {
		t.Errorf("error %v", err)
	}
}

func TestFaults(t *testing.T) {
	check := func(want, old, changed string) {
		t.Helper()
		if !strings.Contains(three, old) {
			t.Fatalf("the file has no %q", old)
		}
		env, o := put(t, strings.Replace(three, old, changed, 1))
		if _, err := Spec.Open(t.Context(), env, o); err == nil || !strings.HasPrefix(err.Error(), filepath.Join(env.Base, "f.json")+":"+want) {
			t.Errorf("%q for %q: error %v, want %q", changed, old, err, want)
		}
	}
	check(`2: a0000001: "answer" is missing`, `"a kite"`, "null")
	check(`10: gpt4_a0000002: answer: want a string with an answer or an integer, have a number 3.5`, `"answer": 3`, `"answer": 3.5`)
	check(`2: a0000001: haystack_dates has 1 items, haystack_session_ids 2 and haystack_sessions 2, want as many of each`, `, "2023/05/20 (Sat) 09:00"]`, "]")
	check(`2: a0000001: the date of session "answer_11111111" is "2023-05-20", want one like "2023/05/30 (Tue) 23:17"`, `"2023/05/21 (Sun) 10:00"`, `"2023-05-20"`)
	check(`6: a0000001: haystack_sessions[0][1]: role is "system", want user or assistant`, `"role": "assistant"`, `"role": "system"`)
	check(`6: a0000001: haystack_sessions[0][0].has_answer: want a boolean, have a string`, `"has_answer": true`, `"has_answer": "true"`)
	check(`10: a0000001: question_id is already used by the question in line 2`, "gpt4_a0000002", "a0000001")
	check(`10: gpt4_a0000002: unknown question_type "multi-hop"`, `"multi-session"`, `"multi-hop"`)
	check("2: a0000001: \"question\" is missing", `"question": "What did I fly on the beach?", `, "")
	check("6: byte 0xff at offset", "Was it", "Was \xff it")
	env, o := put(t, three[:len(three)-600])
	if _, err := Spec.Open(t.Context(), env, o); err == nil || !strings.HasSuffix(err.Error(), "unexpected end of JSON input; the file is cut off") {
		t.Errorf("a cut file: %v", err)
	}
	env, o = put(t, `{"question_id": "x"}`)
	if _, err := Spec.Open(t.Context(), env, o); err == nil || !strings.HasSuffix(err.Error(), "f.json:1: offset 0: want an array, have an object") {
		t.Errorf("an object: %v", err)
	}
}

func TestFiles(t *testing.T) {
	dir := try.Files(t, map[string]string{name + "/longmemeval_m.json": three})
	env := datasets.Env{Dir: dir}
	o := Spec.Options.(Options)
	for _, v := range []Variant{Oracle, Small} {
		o.Variant = v
		if _, err := Spec.Open(t.Context(), env, o); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", v, err)
		}
	}
	o.Variant = Medium
	set := try.Get(Spec.Open(t.Context(), env, o))(t)
	if !strings.HasPrefix(set.Version, "sha256:") || !strings.HasPrefix(set.Caveat, "not the cleaned release") {
		t.Errorf("version %s, caveat %q", set.Version, set.Caveat)
	}
	// One byte of a history changes: its sample alone is refused.
	try.Do(t, os.WriteFile(filepath.Join(dir, name, "longmemeval_m.json"), []byte(strings.Replace(three, "owls", "owlz", 1)), 0o644))
	for i := range set.Entries {
		if _, err := set.Load(t.Context(), i); errors.Is(err, datasets.ErrChanged) != (i == 1) {
			t.Errorf("sample %d: %v", i, err)
		}
	}
}
