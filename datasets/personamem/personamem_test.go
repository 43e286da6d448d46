package personamem

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/datasets"
	"recallbench/datasets/datasettest"
	"recallbench/internal/testkit/try"
)

// Files in the release's layout, made up for this test.
const (
	questions = `persona_id,question_id,question_type,topic,user_question_or_message,correct_answer,all_options,shared_context_id,end_index_in_shared_context
0,7d1e,recall_user_shared_facts,tea,"What should I brew, then?",(b),"['(a) Coffee', '(b) Oolong, as you said', ""(c) It's up to you"", '(d) Water']",c1,4
0,7d1f,track_full_preference_evolution,tea,And now?,(a),"['(a) Mint', '(b) Oolong']",c1,6
0,7d20,recall_user_shared_facts,music,Which song?,(b),"['(a) A waltz', '(b) A march']",c2,2
0,7d21,recall_user_shared_facts,,Which tea?,(a),"['(a) Oolong', '(b) Mint']",c1,4
`
	contexts = `{"c2": [{"role": "user", "content": "I like marches."}, {"role": "assistant", "content": "Noted."}]}

{"c1": [{"role": "system", "content": "The user likes tea."}, {"role": "user", "content": "Oolong is best."}, {"role": "assistant", "content": "Is it?"}, {"role": "system", "content": "Later."}, {"role": "user", "content": "I prefer mint now."}, {"role": "assistant", "content": "Mint it is."}]}
`
)

func put(t *testing.T, asked, told string) datasets.Env {
	t.Helper()
	dir := t.TempDir()
	try.Do(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	for file, text := range map[string]string{"questions_32k.csv": asked, "shared_contexts_32k.jsonl": told} {
		try.Do(t, os.WriteFile(filepath.Join(dir, name, file), []byte(text), 0o644))
	}
	return datasets.Env{Dir: dir, Base: dir}
}

func TestPrefixes(t *testing.T) {
	env := put(t, questions, contexts)
	o := Spec.Options.(Options)
	datasettest.Run(t, Spec, env, o)
	set := try.Get(Spec.Open(t.Context(), env, o))(t)
	defer set.Close()
	var got []string
	for _, s := range datasettest.Samples(t, set) {
		for _, session := range s.Sessions {
			for _, turn := range session.Turns {
				got = append(got, turn.ID+" "+turn.Speaker+": "+turn.Text)
			}
		}
		for _, r := range s.Requests {
			g, _ := set.Gold(s.ID, r.ID)
			got = append(got, r.ID+" "+r.Text+" "+g.Name+" "+g.Category+" "+g.Correct+" of "+r.Options[len(r.Options)-1].Key)
		}
	}
	want := []string{
		"s1:1 system: The user likes tea.", "s1:2 user: Oolong is best.", "s1:3 assistant: Is it?", "s2:1 system: Later.",
		"q1 What should I brew, then? 7d1e recall_user_shared_facts b of d", "q2 Which tea? 7d21 recall_user_shared_facts a of b",
		"s1:1 system: The user likes tea.", "s1:2 user: Oolong is best.", "s1:3 assistant: Is it?",
		"s2:1 system: Later.", "s2:2 user: I prefer mint now.", "s2:3 assistant: Mint it is.",
		"q1 And now? 7d1f track_full_preference_evolution a of b",
		"s1:1 user: I like marches.", "s1:2 assistant: Noted.", "q1 Which song? 7d20 recall_user_shared_facts b of b",
	}
	try.Equal(t, "samples", want, got)
	if text := set.Entries[0].Requests[0].Options[1].Text; text != "Oolong, as you said" {
		t.Errorf("the option reads %q", text)
	}
	o.Persona = Drop
	dropped := try.Get(Spec.Open(t.Context(), env, o))(t)
	defer dropped.Close()
	if s := datasettest.Samples(t, dropped)[1]; len(s.Sessions) != 2 || s.Sessions[1].Turns[0].Text != "I prefer mint now." {
		t.Errorf("without system messages: %+v", s)
	}
}

// TestChanged changes one context: only its samples are refused.
func TestChanged(t *testing.T) {
	env := put(t, questions, contexts)
	set := try.Get(Spec.Open(t.Context(), env, Spec.Options))(t)
	defer set.Close()
	path := filepath.Join(env.Dir, name, "shared_contexts_32k.jsonl")
	try.Do(t, os.WriteFile(path, []byte(strings.Replace(contexts, "best", "good", 1)), 0o644))
	for i := range set.Entries {
		if _, err := set.Load(t.Context(), i); errors.Is(err, datasets.ErrChanged) != (i < 2) {
			t.Errorf("sample %d: %v", i, err)
		}
	}
}

func TestMissing(t *testing.T) {
	if _, err := Spec.Open(t.Context(), datasets.Env{Dir: t.TempDir()}, Spec.Options); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "questions_32k.csv") {
		t.Errorf("error %v", err)
	}
}

// TestBareQuote reads a row that is no CSV.
func TestBareQuote(t *testing.T) {
	env := put(t, strings.Replace(questions, "recall_user", `re"call_user`, 1), contexts)
	if _, err := Spec.Open(t.Context(), env, Spec.Options); err == nil || !strings.Contains(err.Error(), `questions_32k.csv:2: column 10: bare " in non-quoted-field`) {
		t.Errorf("error %v", err)
	}
}
