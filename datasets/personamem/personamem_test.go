package personamem

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/datasets"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// Files in the layout, made up for this test.
const (
	documents = `[{"id": "u_0", "content": "[SYSTEM] The user likes tea.\n\n[USER] User: Oolong\n\nis best.\n\n[ASSISTANT] Assistant: Is it?", "user_id": "u", "timestamp": null},
{"id": "u_1", "content": "[USER] User: I prefer mint now.", "user_id": "u", "timestamp": null}]`
	queries = `[{"id": "7d1e", "query": "User: And now?\n\n(a) Mint\n(b) Oolong, (c) you said\nor so", "gold_answers": ["(a) Mint", "a"], "gold_ids": ["u_0", "u_1"],
 "meta": {"question_type": "track", "topic": "tea", "retrieval_query": "User: And now?"}},
{"id": "7d1f", "query": "Which tea?\n\n(a) Mint\n(b) Oolong", "gold_answers": ["(b) Oolong", "b"], "gold_ids": ["u_0"], "meta": {"question_type": "recall", "retrieval_query": "Which tea?"}},
{"id": "7d20", "query": "Which herb?\n\n(a) Mint\n(b) Sage", "gold_answers": ["(a) Mint", "a"], "gold_ids": ["u_0", "u_1"], "meta": {"question_type": "recall", "retrieval_query": "Which herb?"}}]`
)

func pack(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	try.Get(io.WriteString(z, text))(t)
	try.Do(t, z.Close())
	return b.Bytes()
}

func put(t *testing.T, told, asked string) datasets.Env {
	t.Helper()
	dir := t.TempDir()
	try.Do(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	for file, text := range map[string]string{documentsFile: told, queriesFile: asked} {
		try.Do(t, os.WriteFile(filepath.Join(dir, name, file), pack(t, text), 0o644))
	}
	return datasets.Env{Dir: dir, Base: dir}
}

func TestLoad(t *testing.T) {
	env := put(t, documents, queries)
	set := try.Get(Spec.Open(t.Context(), env, Spec.Options))(t)
	var got []string
	for _, s := range try.All(t, set.All(t.Context())) {
		for _, session := range s.Sessions {
			for _, turn := range session.Turns {
				got = append(got, turn.ID+" "+turn.Speaker+": "+turn.Text)
			}
		}
		for _, r := range s.Requests {
			g, _ := set.Gold(s.ID, r.ID)
			last := r.Options[len(r.Options)-1]
			got = append(got, strings.Join([]string{r.ID, r.Text, g.Name, g.Category, g.Correct, last.Key, last.Text}, "|"))
		}
	}
	want := []string{
		"s1:1 system: The user likes tea.", "s1:2 user: User: Oolong\n\nis best.", "s1:3 assistant: Assistant: Is it?", "s2:1 user: User: I prefer mint now.",
		"q1|User: And now?|7d1e|track|a|b|Oolong, (c) you said\nor so", "q2|Which herb?|7d20|recall|a|b|Sage",
		"s1:1 system: The user likes tea.", "s1:2 user: User: Oolong\n\nis best.", "s1:3 assistant: Assistant: Is it?",
		"q1|Which tea?|7d1f|recall|b|b|Oolong",
	}
	try.Equal(t, "samples", want, got)
}

func TestMissing(t *testing.T) {
	if _, err := Spec.Open(t.Context(), datasets.Env{Dir: t.TempDir()}, Spec.Options); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "run 'bench data fetch personamem'") {
		t.Errorf("error %v", err)
	}
	env := put(t, documents, "[]")
	if _, err := Spec.Open(t.Context(), env, Spec.Options); err == nil || !strings.HasSuffix(err.Error(), "queries.json.gz: has no question") {
		t.Errorf("error %v", err)
	}
	try.Do(t, os.WriteFile(filepath.Join(env.Dir, name, documentsFile), []byte(documents), 0o644))
	if _, err := Spec.Open(t.Context(), env, Spec.Options); err == nil || !strings.Contains(err.Error(), "documents.json.gz: is not a gzip file, or is damaged") {
		t.Errorf("error %v", err)
	}
}

// TestReal counts the real files as their makers do.
func TestReal(t *testing.T) {
	dir := filepath.Join(realdata.Datasets(t), name)
	read := func(file string, into any) {
		t.Helper()
		z := try.Get(gzip.NewReader(bytes.NewReader(try.Get(os.ReadFile(filepath.Join(dir, file)))(t))))(t)
		try.Do(t, json.NewDecoder(z).Decode(into))
	}
	var want struct {
		Queries, Docs int
		Categories    map[string]struct{ Queries int }
	}
	read("stats.json.gz", &want)
	var categories map[string][]string
	read("categories.json.gz", &categories)
	set := try.Get(Spec.Open(t.Context(), datasets.Env{}, Options{Path: dir}))(t)
	sessions, turns, byCategory := 0, 0, make(map[string]int)
	for _, e := range set.Entries {
		sessions, turns = sessions+e.Sessions, turns+e.Turns
		for _, r := range e.Requests {
			g, _ := set.Gold(e.ID, r.ID)
			byCategory[g.Category]++
			if len(r.Options) != 4 {
				t.Errorf("%s has %d options", g.Name, len(r.Options))
			}
		}
	}
	asked := 0
	for c, n := range byCategory {
		if asked += n; n != want.Categories[c].Queries || n != len(categories[c]) {
			t.Errorf("%d questions of %s, want %d", n, c, want.Categories[c].Queries)
		}
	}
	if len(set.Entries) != 37 || sessions != want.Docs || sessions != 195 || asked != want.Queries || asked != 589 || turns != 3363+2904+195 {
		t.Errorf("%d users, %d sessions, %d turns, %d questions", len(set.Entries), sessions, turns, asked)
	}
}
