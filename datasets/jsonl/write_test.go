package jsonl

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"recallbench/datasets"
	"recallbench/datasets/changes"
	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/try"
)

// rich is a question that has all fields.
const rich = `{"type":"question","sample":"s","id":"q","time":"2024-03-04T10:00:01.5Z","question":"Who is <A>?","answer":"A","answers":["a",7],` +
	`"category":"who","evidence":["t1"],"labels":{"n":1,"m":"x"},` +
	`"entities":[{"id":"E1","names":["A"],"mentions":[{"turn":"t1","start":0,"end":2},{"start":8,"end":9}]},{"id":"E2","names":["B"]}]}` + "\n"

func TestRichQuestion(t *testing.T) {
	set := try.Get(parse(t, rich+aTurn))(t)
	want := datasets.Gold{
		Category: "who", Answer: "A", Variants: []string{"a", "7"}, Evidence: []string{"t1"},
		Labels: map[string]string{"n": "1", "m": "x"},
		Entities: []datasets.Entity{
			{ID: "E1", Names: []string{"A"}, Mentions: []datasets.Mention{{Turn: "t1", End: 2}, {Start: 8, End: 9}}},
			{ID: "E2", Names: []string{"B"}},
		},
		History: []datasets.Turn{{ID: "t1", Speaker: "A", Text: "Hi"}},
	}
	if got, _ := set.Gold("s", "q"); !cmp.Equal(got, want) {
		t.Errorf("gold differs (-want +got):\n%s", cmp.Diff(want, got))
	}
	again(t, set)
	set = try.Get(parse(t, aTurn+strings.Replace(rich, `["a",7]`, `["A","a","a"]`, 1)))(t)
	warnings := []datasets.Warning{{What: "answer is listed twice; counted once", Count: 2, Where: []string{"1.jsonl:2: A", "1.jsonl:2: a"}}}
	try.Equal(t, "warnings differ", warnings, set.Warnings)
}

// again writes a set and reads it back.
func again(t *testing.T, set *datasets.Set) {
	t.Helper()
	var b bytes.Buffer
	if err := Write(t.Context(), &b, set); err != nil {
		if strings.Contains(err.Error(), "the line is longer than 1 MiB") {
			return // escapes can make it longer than it was read
		}
		t.Fatal(err)
	}
	got, err := load(t.Context(), nil, filepath.Join(try.Files(t, map[string]string{"again.jsonl": b.String()}), "again.jsonl"))
	if err != nil {
		t.Fatalf("what was written does not load: %v", err)
	}
	// Turns and questions stand apart in what is written, so categories keep
	// their order and samples theirs.
	if diff := cmp.Diff(try.All(t, set.All(t.Context())), try.All(t, got.All(t.Context()))); diff != "" {
		t.Errorf("samples differ (-written +read):\n%s", diff)
	}
	byID := cmpopts.SortSlices(func(a, b datasets.Category) bool { return a.ID < b.ID })
	if diff := cmp.Diff(set.Categories, got.Categories, byID); diff != "" {
		t.Errorf("categories differ (-written +read):\n%s", diff)
	}
	for _, s := range set.Entries {
		for _, r := range s.Requests {
			want, _ := set.Gold(s.ID, r.ID)
			if g, _ := got.Gold(s.ID, r.ID); !cmp.Equal(want, g) {
				t.Errorf("gold of %s, %s differs (-written +read):\n%s", s.ID, r.ID, cmp.Diff(want, g))
			}
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	at := time.Date(2024, 3, 4, 0, 0, 0, 0, time.UTC)
	check := func(want string, change func(*datasets.Set)) {
		t.Helper()
		set := try.Get(parse(t, aTurn+aQuestion))(t)
		change(set)
		if err := Write(t.Context(), &bytes.Buffer{}, set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	sample := func(want string, change func(*datasets.Sample)) {
		t.Helper()
		check(want, func(set *datasets.Set) {
			samples := try.All(t, set.All(t.Context()))
			change(&samples[0])
			set.Stream(nil, nil)
			set.Fill(samples...)
		})
	}
	sample(`conversation "s": has a tree or is a dialogue`, func(s *datasets.Sample) { s.Tree = &tree.Tree{} })
	sample(`conversation "s": has a tree or is a dialogue`, func(s *datasets.Sample) { s.Dialogue = true })
	sample(`session "1": turn "t1" is at`, func(s *datasets.Sample) { s.Sessions[0].Time = at })
	sample(`question "x" has no gold`, func(s *datasets.Sample) { s.Requests[0].ID = "x" })
	sample("the line is longer than 1 MiB", func(s *datasets.Sample) { s.Requests[0].Text = strings.Repeat("x", MaxLine) })
	check("has a rubric, options or a release name", func(s *datasets.Set) { s.SetGold("s", "q1", datasets.Gold{Answer: "A", Name: "n"}) })
}

// TestWriteValues takes a generated set through the format: values and wishes come back.
func TestWriteValues(t *testing.T) {
	options := changes.Spec.Options.(changes.Options)
	options.Tokens, options.Histories = 10_000, 1
	set := try.Get(changes.Spec.Open(t.Context(), datasets.Env{}, options))(t)
	var b bytes.Buffer
	try.Do(t, Write(t.Context(), &b, set))
	read := try.Get(parse(t, b.String()))(t)
	wishes := 0
	for i, e := range set.Entries {
		for _, r := range e.Requests {
			want, _ := set.Gold(e.ID, r.ID)
			got, ok := read.Gold(e.ID, r.ID)
			if !ok || !cmp.Equal(want.Values, got.Values) {
				t.Fatalf("%s %s: the values are %+v, want %+v", e.ID, r.ID, got.Values, want.Values)
			}
		}
		want, got := try.Get(set.Load(t.Context(), i))(t), try.Get(read.Load(t.Context(), i))(t)
		try.Equal(t, e.ID, want.Sessions, got.Sessions, cmpopts.EquateEmpty())
		for _, session := range want.Sessions {
			for _, turn := range session.Turns {
				wishes += len(turn.Forgets)
			}
		}
	}
	if wishes == 0 {
		t.Error("nobody wants anything forgotten")
	}
}
