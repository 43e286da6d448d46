package beam

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

const anchored = `"time_anchor": %q, `

// message is a message of a chat; one without an anchor has an empty one.
func message(id int, role, anchor, content string) string {
	if anchor != "" {
		anchor = fmt.Sprintf(anchored, anchor)
	}
	return fmt.Sprintf(`{"role": %q, "id": %d, %s"content": %q}`, role, id, anchor, content)
}

// batch is a batch of two messages.
func batch(id int, anchor, said string) string {
	return fmt.Sprintf(`{"batch_number": 1, "turns": [[%s, %s]], "time_anchor": null}`,
		message(id, "user", anchor, said+" ->-> 1,1"), message(id+1, "assistant", "", "I see."))
}

// asks has a question for each ability, with ids that evidence names.
func asks(evidence string) string {
	var all []string
	for _, a := range abilities {
		all = append(all, fmt.Sprintf(`%q: [{"question": "What of %s?", %q: "It is so.", "difficulty": "easy", "source_chat_ids": %s, "rubric": ["says so"]}]`,
			a.id, a.name, a.answer, evidence))
	}
	return "{" + strings.Join(all, ",\n") + "}"
}

// put writes files of a conversation below a new folder, which it returns.
func put(t *testing.T, conversation string, files map[string]string) string {
	t.Helper()
	all := make(map[string]string)
	for name, text := range files {
		all[conversation+"/"+name] = text
	}
	return try.Files(t, all)
}

func options(change func(*Options)) Options {
	o := Spec.Options.(Options)
	if change != nil {
		change(&o)
	}
	return o
}

const (
	questionsFile = "probing_questions/probing_questions.json"
	topic         = `{"id": 1, "category": "Coding"}`
)

func TestChat(t *testing.T) {
	dates := []string{"March-02-2024", "", "March-01-2024", "March-03-2024"}
	var batches []string
	for i, date := range dates {
		batches = append(batches, batch(2*i, date, "Hello."))
	}
	batches = append(batches, batch(6, "March-03-2024", "Again."))
	root := put(t, "100K/7", map[string]string{
		"chat.json": "[" + batch(0, "", "whole") + "]", "chat_trunecated.json": "[" + strings.Join(batches, ",\n") + "]",
		questionsFile: asks(`{"first": [6, [0, 6]], "second": [99, "--"]}`), "topic.json": topic,
	})
	env := datasets.Env{Base: root}
	o := options(func(o *Options) { o.Path = "." })
	set := try.Get(Spec.Open(t.Context(), env, o))(t)
	sample := try.All(t, set.All(t.Context()))[0]
	var got []string
	for _, s := range sample.Sessions {
		date := "none"
		if !s.Time.IsZero() {
			date = s.Time.Format(time.DateOnly)
		}
		got = append(got, fmt.Sprintf("%s %s %s %q", s.ID, date, s.Turns[0].ID, s.Turns[0].Text))
	}
	want := []string{
		`b1 2024-03-02 m0 "Hello. ->-> 1,1"`, `b2 none m2 "Hello. ->-> 1,1"`, `b3 none m4 "Hello. ->-> 1,1"`, `b4 2024-03-03 m6 "Hello. ->-> 1,1"`, `b5 2024-03-03 m6.2 "Again. ->-> 1,1"`,
	}
	try.Equal(t, "sessions", want, got)
	first := set.Entries[0].Requests[0]
	g, _ := set.Gold("100K-7", first.ID)
	gold := datasets.Gold{
		Name: "100K/7/abstention/0", Category: "abstention", Abstain: true, Explanation: "It is so.", Rubric: []string{"says so"},
		Evidence: []string{"m6", "m0"}, Labels: map[string]string{"difficulty": "easy", "domain": "Coding", "size": "100K"},
	}
	try.Equal(t, "gold", gold, g)
	if g, _ := set.Gold("100K-7", set.Entries[0].Requests[2].ID); !g.Ordered || g.Answer != "It is so." {
		t.Errorf("gold of event ordering is %+v", g)
	}
	one := try.Get(Spec.Open(t.Context(), env, options(func(o *Options) { o.Path = "100K"; o.Abilities = []string{"summarization"} })))(t)
	if s := try.All(t, one.All(t.Context()))[0]; len(s.Requests) != 1 {
		t.Errorf("%d requests of one ability", len(s.Requests))
	}
	try.Do(t, os.WriteFile(filepath.Join(root, "100K", "7", "chat.json"), []byte("[]"), 0o644))
	if _, err := set.Load(t.Context(), 0); err != nil {
		t.Errorf("another file has changed: %v", err)
	}
	try.Do(t, os.WriteFile(filepath.Join(root, "100K", "7", "chat_trunecated.json"), []byte("[]"), 0o644))
	if _, err := set.Load(t.Context(), 0); !errors.Is(err, datasets.ErrChanged) {
		t.Errorf("a chat that has changed: %v", err)
	}
}

// TestPlans puts the parts of a conversation together, and reads the same from the
// file that has them all.
func TestPlans(t *testing.T) {
	parts := put(t, "10M/3", map[string]string{
		"plan-0/chat.json": "[" + batch(0, "March-02-2024", "one") + "," + batch(2, "", "two") + "]",
		"plan-1/chat.json": "[" + batch(0, "March-05-2024", "three") + "]",
		questionsFile:      asks("[4]"), "topic.json": topic,
	})
	ten := options(func(o *Options) { o.Path = "."; o.Sizes = []string{"10M"} })
	a := try.Get(Spec.Open(t.Context(), datasets.Env{Base: parts}, ten))(t)
	if a.Caveat != "10M-3 is without the last 8 of 10 plans" {
		t.Errorf("caveat %q", a.Caveat)
	}
	whole := put(t, "10M/3", map[string]string{
		"chat.json": `[{"plan-1": [` + batch(0, "March-02-2024", "one") + "," + batch(2, "", "two") + `]},
			{"plan-1": null, "plan-2": [` + batch(4, "March-05-2024", "three") + "]}]",
		questionsFile: asks("[4]"), "topic.json": topic,
	})
	b := try.Get(Spec.Open(t.Context(), datasets.Env{Base: whole}, ten))(t)
	samples := try.All(t, a.All(t.Context()))
	if diff := cmp.Diff(samples, try.All(t, b.All(t.Context()))); diff != "" {
		t.Errorf("parts and whole differ (-parts +whole):\n%s", diff)
	}
	if s := samples[0].Sessions[2]; s.ID != "p2b1" || s.Turns[0].ID != "m4" {
		t.Errorf("the first session of the second plan is %+v", s)
	}
	try.Do(t, os.Rename(filepath.Join(parts, "10M", "3", "plan-0"), filepath.Join(parts, "10M", "3", "plan-2")))
	if _, err := Spec.Open(t.Context(), datasets.Env{Base: parts}, ten); err == nil || !strings.Contains(err.Error(), "plan-0/chat.json: is missing although later plans exist") {
		t.Errorf("a gap between plans: %v", err)
	}
}

func TestFaults(t *testing.T) {
	good := map[string]string{"chat.json": "[\n" + batch(0, "March-02-2024", "one") + "]", questionsFile: asks("[0]"), "topic.json": topic}
	check := func(want, file, old, changed string) {
		t.Helper()
		if !strings.Contains(good[file], old) {
			t.Fatalf("%s has no %q", file, old)
		}
		files := map[string]string{"chat.json": good["chat.json"], questionsFile: good[questionsFile], "topic.json": topic}
		files[file] = strings.Replace(files[file], old, changed, 1)
		_, err := Spec.Open(t.Context(), datasets.Env{Base: put(t, "100K/7", files)}, options(func(o *Options) { o.Path = "." }))
		if err == nil || !strings.Contains(filepath.ToSlash(err.Error()), "100K/7/"+file+":"+want) {
			t.Errorf("%q for %q: error %v, want %q", changed, old, err, want)
		}
	}
	check("2: 100K-7: batch 1: turns[0][1]: role is \"tool\", want assistant", "chat.json", `"assistant"`, `"tool"`)
	check("2: 100K-7: batch 1: turns[0][0].id: want", "chat.json", `"id": 0`, `"id": "x"`)
	check("2: 100K-7: batch 1: turns[0][0]: time_anchor is \"2024\", want one like \"March-15-2024\"", "chat.json", "March-02-2024", "2024")
	check("2: 100K-7: batch 1: the batch has no turns", "chat.json", good["chat.json"], "[\n{\"turns\": []}]")
	check("1: offset 0: want an array, have an object", "chat.json", good["chat.json"], "{}")
	check("2: offset", "chat.json", "}]", "}")
	check("1: 100K-7: unknown ability \"abstain\"", questionsFile, `"abstention"`, `"abstain"`)
	check("1: 100K-7: \"abstention\" is missing", questionsFile, `"abstention"`, `"x"`)
	check("1: 100K-7: abstention[0]: rubric is empty", questionsFile, `["says so"]`, "[]")
	check("1: 100K-7: abstention[0].rubric[0]: want a string", questionsFile, `"says so"`, "7")
	check("1: 100K-7: \"category\" is missing", "topic.json", `"category"`, `"other"`)
}

// TestRelease counts what the authors' files hold, by an independent count.
func TestRelease(t *testing.T) {
	root := filepath.Join(realdata.Datasets(t), "beam")
	text, err := os.ReadFile(filepath.Join(root, "expected_stats.json"))
	if err != nil {
		t.Skip(err)
	}
	type counts struct {
		Sessions, Turns, Questions, Nuggets int
		Repeated                            int `json:"ids_repeated"`
		Distinct                            int `json:"evidence_distinct_by_question"`
		Gone                                int `json:"evidence_not_in_chat"`
		Unproven                            int `json:"questions_without_evidence"`
		InOrder                             int `json:"sessions_with_time_in_order"`
	}
	var want struct {
		Conversations map[string]counts
		Sizes         map[string]struct {
			Nuggets   int
			ByAbility map[string]int `json:"by_ability"`
		}
	}
	try.Do(t, json.Unmarshal(text, &want))
	expected := make(map[string]counts)
	for id, c := range want.Conversations {
		expected[strings.ReplaceAll(id, "/", "-")] = c
	}
	for _, size := range sizes {
		t.Run(size, func(t *testing.T) {
			if size != "100K" {
				longtest.Skip(t)
			}
			env := datasets.Env{Dir: realdata.Datasets(t)}
			o := options(func(o *Options) { o.Sizes = []string{size} })
			set := try.Get(Spec.Open(t.Context(), env, o))(t)
			warned := func(what string) (n int) {
				for _, w := range set.Warnings {
					if strings.Contains(w.What, what) {
						n += w.Count
					}
				}
				return n
			}
			nuggets, byAbility := 0, make(map[string]int)
			for s := range try.Each(t, set.All(t.Context())) {
				w, ok := expected[s.ID]
				if !ok {
					t.Errorf("%s is not counted", s.ID)
				}
				got := counts{Sessions: len(s.Sessions), Questions: len(s.Requests), Repeated: w.Repeated, Gone: w.Gone}
				for _, session := range s.Sessions {
					got.Turns += len(session.Turns)
					if !session.Time.IsZero() {
						got.InOrder++
					}
				}
				bare := 0
				for _, r := range s.Requests {
					g, _ := set.Gold(s.ID, r.ID)
					got.Nuggets += len(g.Rubric)
					got.Distinct += len(g.Evidence)
					byAbility[g.Category]++
					if len(g.Evidence) == 0 {
						bare++
					}
				}
				nuggets += got.Nuggets
				// Of a question whose evidence is not there nothing is left.
				if got.Unproven = bare; w.Gone > 0 {
					got.Unproven = min(bare, w.Unproven)
				}
				w.Distinct -= w.Gone
				if got != w {
					t.Errorf("%s: %+v, want %+v", s.ID, got, w)
				}
			}
			if size == "100K" {
				if w := want.Sizes[size]; nuggets != w.Nuggets || !cmp.Equal(byAbility, w.ByAbility) {
					t.Errorf("%d nuggets and %v, want %d and %v", nuggets, byAbility, w.Nuggets, w.ByAbility)
				}
			}
			repeated, undated := map[string]int{"1M": 150}, map[string]int{"10M": 4}
			if got := warned("has the id of another"); got != repeated[size] {
				t.Errorf("%s: %d ids repeated, want %d", size, got, repeated[size])
			}
			if got := warned("its time is not used"); got != undated[size] {
				t.Errorf("%s: %d sessions out of order, want %d", size, got, undated[size])
			}
			if (size == "10M") != (set.Caveat != "") {
				t.Errorf("%s: caveat %q", size, set.Caveat)
			}
		})
	}
}

// TestIDs holds an id against one that was worked out by hand.
func TestIDs(t *testing.T) {
	root := put(t, "100K/1", map[string]string{"chat.json": "[" + batch(0, "", "x") + "]", questionsFile: asks("null"), "topic.json": topic})
	set := try.Get(Spec.Open(t.Context(), datasets.Env{Base: root}, options(func(o *Options) { o.Path = "." })))(t)
	if got := set.Entries[0].Requests[0].ID; got != "0b762fcd" { // sha256sum of beam:100K/1/abstention/0
		t.Errorf("id %s", got)
	}
	if slices.ContainsFunc(set.Warnings, func(w datasets.Warning) bool { return strings.Contains(w.What, "evidence") }) {
		t.Errorf("warnings %v", set.Warnings)
	}
}
