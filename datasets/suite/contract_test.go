package suite_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"recallbench/datasets"
	"recallbench/datasets/beam"
	"recallbench/datasets/dialogrel"
	"recallbench/datasets/jsonl"
	"recallbench/datasets/locomo"
	"recallbench/datasets/longmemeval"
	"recallbench/datasets/multiwozlong"
	"recallbench/datasets/perltqa"
	"recallbench/datasets/personamem"
	"recallbench/datasets/suite"
	"recallbench/datasets/tasks"
	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// A subject is a dataset with what it is opened with.
type subject struct {
	spec    *datasets.Spec
	env     datasets.Env
	options any
}

// subjects lists the datasets with options; those without an entry are opened with their
// defaults, from the files of testdata.
func subjects(t *testing.T) map[string]subject {
	t.Helper()
	own := datasets.Env{Dir: "testdata", Base: "testdata"}
	adversarial := locomo.Spec.All.(locomo.Options)
	cases := beam.Spec.Options.(beam.Options)
	cases.Path = "beam"
	three := longmemeval.Options{Path: filepath.Join("longmemeval", "three.json"), Abstention: longmemeval.Ask, Turns: longmemeval.Both}
	user := three
	user.Turns = longmemeval.User
	files := make(map[string]string)
	for _, name := range []string{"personamem/documents.json", "personamem/queries.json"} {
		files[name+".gz"] = packed(string(try.Get(os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name))))(t)))
	}
	packs := try.Files(t, files)
	all := map[string]subject{
		"locomo, adversarial":  {locomo.Spec, own, adversarial},
		"tasks":                {tasks.Spec, datasets.Env{}, tasks.Options{Turns: tasks.Single, Split: tasks.All}},
		"tasks, dialogues":     {tasks.Spec, datasets.Env{}, tasks.Options{Turns: tasks.Multi, Split: tasks.All}},
		"multiwoz-long":        {multiwozlong.Spec, datasets.Env{Dir: filepath.Join("..", "multiwozlong", "testdata")}, multiwozlong.Options{Split: "test", Seed: 1, Sessions: 4, Questions: 12}},
		"longmemeval":          {longmemeval.Spec, own, three},
		"longmemeval, of user": {longmemeval.Spec, own, user},
		"beam":                 {beam.Spec, own, cases},
		"personamem":           {personamem.Spec, datasets.Env{Dir: packs, Base: packs}, personamem.Spec.Options},
		"jsonl":                {jsonl.Spec, datasets.Env{Base: filepath.Join("..", "jsonl", "testdata")}, jsonl.Options{Files: []string{"support.jsonl"}}},
	}
	for _, s := range suite.All() {
		if _, ok := all[s.Name]; !ok {
			all[s.Name] = subject{s, own, s.Options}
		}
	}
	return all
}

// TestContract checks that each dataset keeps the contract of package datasets: what is
// loaded is well formed, the same each time and shared by nobody, and what cannot be
// opened is refused.
func TestContract(t *testing.T) {
	for name, s := range subjects(t) {
		t.Run(name, func(t *testing.T) {
			before := fmt.Sprintf("%#v", s.spec.Options)
			first := try.Get(s.spec.Open(t.Context(), s.env, s.options))(t)
			checkSet(t, s.spec, first)
			want := snapshot(t.Context(), first)
			second := try.Get(s.spec.Open(t.Context(), s.env, s.options))(t)
			try.Equal(t, "opened again", strings.Split(want, "\n"), strings.Split(snapshot(t.Context(), second), "\n"))
			for i := range second.Entries {
				for j := range second.Entries[i].Requests {
					second.Entries[i].Requests[j].Text = ""
				}
			}
			if snapshot(t.Context(), first) != want {
				t.Error("two sets share memory: a change to one is seen in another")
			}
			for i := range first.Entries {
				checkLoads(t, first, i)
			}
			if after := fmt.Sprintf("%#v", s.spec.Options); after != before {
				t.Errorf("Open changed the Spec's options from %s to %s", before, after)
			}
			checkRefusals(t, s)
		})
	}
}

// TestRealContract checks what is built and loaded of the releases.
func TestRealContract(t *testing.T) {
	longtest.Skip(t)
	env := datasets.Env{Dir: realdata.Datasets(t)}
	parts := longmemeval.Spec.Options.(longmemeval.Options)
	parts.Variant = longmemeval.Cases
	for _, s := range []subject{
		{locomo.Spec, env, locomo.Spec.Options},
		{perltqa.Spec, env, perltqa.Spec.Options},
		{dialogrel.Spec, env, dialogrel.Options{Split: dialogrel.Dev, Seed: 3}},
		{multiwozlong.Spec, env, multiwozlong.Spec.Options},
		{personamem.Spec, env, personamem.Spec.Options},
		{longmemeval.Spec, env, parts},
	} {
		t.Run(s.spec.Name, func(t *testing.T) {
			set, err := s.spec.Open(t.Context(), s.env, s.options)
			if errors.Is(err, fs.ErrNotExist) && os.Getenv("BENCH_REQUIRE_DATA") != "1" {
				t.Skip(err)
			}
			try.Do(t, err)
			checkSet(t, s.spec, set)
		})
	}
}

// FuzzContract opens datasets of any files: what is taken keeps the contract.
func FuzzContract(f *testing.F) {
	for i, d := range damages {
		if d.spec != nil {
			for _, text := range d.files {
				f.Add(i, text)
			}
		}
	}
	f.Fuzz(func(t *testing.T, which int, text string) {
		d := damages[(which%len(damages)+len(damages))%len(damages)]
		if d.spec == nil {
			return
		}
		for name := range d.files {
			d.files = map[string]string{name: text}
			if set, _, err := d.open(t); err == nil {
				checkSet(t, d.spec, set)
			}
		}
	})
}

// snapshot writes all that a set holds, as lines of JSON.
func snapshot(ctx context.Context, set *datasets.Set) string {
	var b strings.Builder
	line := func(v any) {
		if err := json.NewEncoder(&b).Encode(v); err != nil {
			fmt.Fprintln(&b, err)
		}
	}
	line(set)
	for i, e := range set.Entries {
		sample, err := set.Load(ctx, i)
		line(fmt.Sprint(err))
		line(text(sample))
		for _, q := range e.Requests {
			g, ok := set.Gold(e.ID, q.ID)
			line([]any{ok, g, g.History})
		}
	}
	return b.String()
}

// text writes a sample with its tree.
func text(s datasets.Sample) string {
	nodes := ""
	if s.Tree != nil {
		var err error
		if nodes, err = tree.XML(s.Tree.Root(), s.Tree.Schema(), tree.WriteOptions{IDs: true}); err != nil {
			nodes = err.Error()
		}
	}
	s.Tree = nil
	data, err := json.Marshal(s)
	return fmt.Sprintln(string(data), err, nodes)
}

// checkLoads loads a sample again while the next is loaded, changes one copy, and finds
// the others as they were.
func checkLoads(t *testing.T, set *datasets.Set, i int) {
	t.Helper()
	var next sync.WaitGroup
	next.Go(func() { _, _ = set.Load(t.Context(), (i+1)%len(set.Entries)) }) // its own turn reports the error
	defer next.Wait()
	load := func() datasets.Sample { return try.Get(set.Load(t.Context(), i))(t) }
	s := load()
	want := text(s)
	again := load()
	try.Equal(t, "loaded a second time", want, text(again))
	for i := range again.Sessions {
		for j := range again.Sessions[i].Turns {
			turn := &again.Sessions[i].Turns[j]
			turn.Text = ""
			if turn.Image != nil {
				turn.Image.Caption = ""
			}
		}
	}
	for i := range again.Requests {
		again.Requests[i].Text = ""
	}
	clear(again.Speakers)
	if len(s.Sessions) > 0 && reflect.DeepEqual(s.Sessions, again.Sessions) {
		t.Errorf("sample %q: two copies share memory: a change to one is seen in another", s.ID)
	}
	try.Equal(t, "loaded after a copy was changed", want, text(load()))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := set.Load(cancelled, i); !errors.Is(err, context.Canceled) {
		t.Errorf("sample %q: loaded with a cancelled context the error is %v, want context.Canceled", s.ID, err)
	}
}

// checkRefusals opens the dataset as it cannot be opened.
func checkRefusals(t *testing.T, s subject) {
	t.Helper()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.spec.Open(cancelled, s.env, s.options); !errors.Is(err, context.Canceled) {
		t.Errorf("opened with a cancelled context the error is %v, want context.Canceled", err)
	}
	type other struct{}
	if _, err := s.spec.Open(t.Context(), s.env, other{}); err == nil && s.spec.Options != nil {
		t.Error("options of another type than the Spec's are taken")
	}
	if len(s.spec.Files) == 0 {
		return
	}
	for _, dir := range []string{"", t.TempDir()} {
		elsewhere := s.env
		elsewhere.Dir = dir
		if _, err := s.spec.Open(t.Context(), elsewhere, s.spec.Options); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("without its data (folder %q) the error is %v, want one that wraps fs.ErrNotExist", dir, err)
		}
	}
}
