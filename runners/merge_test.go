package runners_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/internal/config"
	"recallbench/internal/door/llm"
	"recallbench/internal/engine/checkpoint"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/runners"
)

// A split is a run that is done whole and in shards, by a clock that stands still:
// what the two write is the same to the byte.
type split struct {
	config string
	set    []string
	plug   func() config.Plugins // anew for each run
}

func (s split) plan(tb testing.TB, set ...string) *runners.Plan {
	tb.Helper()
	return try.Get(s.tryPlan(tb, set...))(tb)
}

func (s split) tryPlan(tb testing.TB, set ...string) (*runners.Plan, error) {
	tb.Helper()
	plug := s.plug()
	c := try.Get(config.Parse("toy.yaml", []byte(s.config), plug, append(slices.Clone(s.set), set...)...))(tb)
	return runners.NewPlan(tb.Context(), c, plug, runners.Env{
		Now: func() time.Time { tick(); return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }, Log: slog.New(slog.DiscardHandler),
		Binary: record.Binary{Version: "v1.2.3", Go: "go1.26", Host: "linux/amd64"},
	})
}

// run runs a plan to its end in a folder.
func (s split) run(tb testing.TB, dir string, set ...string) string {
	tb.Helper()
	r := try.Get(s.plan(tb, set...).Start(tb.Context(), dir))(tb)
	defer r.Close()
	try.Get(r.Execute(tb.Context(), runners.Options{}))(tb)
	return dir
}

// shards runs all of n shards, in folders that are named like patterns.
func (s split) shards(tb testing.TB, n int) []string {
	tb.Helper()
	root := tb.TempDir()
	var dirs []string
	for i := 1; i <= n; i++ {
		dirs = append(dirs, s.run(tb, filepath.Join(root, fmt.Sprintf("shard-[%d]-of-%d", i, n)), fmt.Sprintf("shard=%d/%d", i, n)))
	}
	return dirs
}

func (s split) merge(tb testing.TB, dirs []string) string {
	tb.Helper()
	out := filepath.Join(tb.TempDir(), "merged")
	try.Get(runners.Merge(dirs, out, nil, s.plug(), runners.MergeOptions{}))(tb)
	return out
}

// contents returns every file of a folder but for locks.
func contents(tb testing.TB, dir string) map[string]string {
	tb.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".lock") || d.Name() == "payments.jsonl" || strings.Contains(path, string(filepath.Separator)+"memories"+string(filepath.Separator)) {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(name)] = string(data)
		return err
	})
	try.Do(tb, err)
	return all
}

func toyPlugins() config.Plugins { return plugins(new(toyMethod)) }

// failing is a toy method that fails at some memories and some requests.
func failing() config.Plugins {
	return plugins(&toyMethod{
		build: func(_ context.Context, sample string) error {
			if sample == "s2" {
				return errors.New("disk of the index is gone")
			}
			return nil
		},
		answer: func(_ context.Context, sample string, r datasets.Request) (methods.Response, error) {
			if sample == "s5" && r.ID == "q0" {
				return methods.Response{}, errors.New("model is down")
			}
			return methods.Response{Text: r.Text, Evidence: []methods.Evidence{
				{ID: "z" + r.ID, Sources: []string{"t1"}, Text: "hello " + sample, Score: 2},
				{ID: "a", Text: "of all"},
			}}, nil
		},
	})
}

// keeping is a toy method whose memories have kept parts.
func keeping() config.Plugins {
	plug := toyPlugins()
	spec := *plug.Methods[0]
	inner := spec.New
	spec.Kept = func(methods.Env, any) *methods.Kept { return new(methods.Kept) }
	spec.New = func(env methods.Env, o any) (methods.Method, error) {
		m, err := inner(env, o)
		return keeper{m, env.LLM}, err
	}
	plug.Methods = []*methods.Spec{&spec}
	return plug
}

type keeper struct {
	methods.Method
	model llm.Generator
}

func (k keeper) Build(ctx context.Context, s datasets.Sample) (methods.Memory, error) {
	kept := checkpoint.From(ctx)
	for i := len(kept.Parts()); i < 2; i++ {
		reply, err := k.model.Generate(ctx, llm.Request{Role: "builder", Messages: []llm.Message{{Role: llm.User, Content: fmt.Sprint("part ", i, " of ", s.ID)}}})
		if err != nil {
			return nil, err
		}
		if err := kept.Add(reply.Text); err != nil {
			return nil, err
		}
	}
	for _, p := range kept.Parts() {
		p.Use()
	}
	return k.Method.Build(ctx, s)
}

// splits are runs of every kind.
func splits(t *testing.T) map[string]split {
	t.Helper()
	uneven := []string{"datasets.toy.options.samples=8", "datasets.toy.options.requests=5", "datasets.toy.options.uneven=true"}
	trees := append([]string{"datasets.toy.options.trees=true"}, uneven...)
	crossing := func(dialogue bool) func() config.Plugins {
		return func() config.Plugins { return plugins((&crosser{dialogue: dialogue}).method(t)) }
	}
	return map[string]split{
		"conversations": {toyConfig, uneven, toyPlugins},
		"limit":         {toyConfig, append([]string{"limits.requests=14"}, uneven...), toyPlugins},
		"failures":      {toyConfig, uneven, failing},
		"dialogue":      {toyConfig, append([]string{"datasets.toy.options.dialogue=true"}, uneven...), toyPlugins},
		"trees":         {toyConfig, trees, crossing(false)},
		"edited trees":  {toyConfig, append([]string{"datasets.toy.options.dialogue=true"}, trees...), crossing(true)},
		"seeds": {seedsConfig, []string{"datasets.toy.options.samples=5"}, func() config.Plugins {
			return answerSeed(new(toyMethod), toyPlugins())
		}},
		"kept memories": {toyConfig, append([]string{"seeds=[1, 2]"}, uneven...), keeping},
		"tuning":        {tuningConfig, []string{"datasets.toy.options.samples=4"}, func() config.Plugins { return tunable(new(atomic.Int64), new(atomic.Int64)) }},
	}
}

// The shards of a run, merged in any order, are the run of one machine to the byte.
func TestMerge(t *testing.T) {
	for name, s := range splits(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of it is waiting for the disk
			whole := s.run(t, filepath.Join(t.TempDir(), "whole"))
			want := contents(t, whole)
			counts := []int{4}
			if name == "conversations" {
				counts = []int{1, 2, 3, 4, 5}
			}
			for _, n := range counts {
				dirs := s.shards(t, n)
				rand.New(rand.NewPCG(uint64(n), 0)).Shuffle(n, func(i, j int) { dirs[i], dirs[j] = dirs[j], dirs[i] })
				if diff := cmp.Diff(want, contents(t, s.merge(t, dirs))); diff != "" {
					t.Errorf("%d shards (-whole +merged):\n%s", n, diff)
				}
			}
			for _, file := range map[string][]string{"conversations": {".turns.jsonl"}, "trees": {".trees.jsonl"}, "edited trees": {`"edits"`}}[name] {
				if !strings.Contains(fmt.Sprint(want), file) {
					t.Errorf("the run has no %s: this tests nothing", file)
				}
			}
		})
	}
}

// A shard that was stopped and resumed is merged as one that was not.
func TestMergeResumed(t *testing.T) {
	s := splits(t)["edited trees"]
	want := contents(t, s.run(t, filepath.Join(t.TempDir(), "whole")))
	dirs := s.shards(t, 2)
	try.Do(t, os.RemoveAll(dirs[1]))
	r, err := s.plan(t, "shard=2/2").Start(t.Context(), dirs[1])
	try.Do(t, err)
	if _, err := r.Execute(stopAfter(t, 4), runners.Options{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	r.Close()
	if _, err := runners.Merge(dirs, "", nil, s.plug(), runners.MergeOptions{}); err == nil || !strings.Contains(err.Error(), "is unfinished; 'bench resume "+dirs[1]+"' finishes it") {
		t.Errorf("a shard that was stopped: %v", err)
	}
	if _, err := s.plan(t, "shard=1/2").Resume(dirs[1]); err == nil || !strings.Contains(err.Error(), "it runs shard 2/2, but the config says shard 1/2") {
		t.Errorf("a shard that goes on as another: %v", err)
	}
	if r, err = s.plan(t, "shard=2/2").Resume(dirs[1]); err != nil {
		t.Fatal(err)
	}
	execute(t, r, runners.Options{})
	r.Close()
	if diff := cmp.Diff(want, contents(t, s.merge(t, dirs))); diff != "" {
		t.Errorf("(-whole +merged):\n%s", diff)
	}
}

// Questions that failed in a shard are asked again in the merged run as in one that was never
// split.
func TestMergedRetry(t *testing.T) {
	s := splits(t)["failures"]
	whole, merged := s.run(t, filepath.Join(t.TempDir(), "whole")), s.merge(t, s.shards(t, 3))
	s.plug = toyPlugins // the disk and the model are back
	for _, dir := range []string{whole, merged} {
		r := try.Get(s.plan(t).Resume(dir))(t)
		failed, _, err := r.Folder().Failed(r.Header())
		try.Do(t, err)
		result := try.Get(r.Execute(t.Context(), runners.Options{Retry: true}))(t)
		r.Close()
		if result.Failed != 0 || len(failed) < 2 {
			t.Errorf("%s: %d questions failed, and %d again", filepath.Base(dir), len(failed), result.Failed)
		}
	}
	if diff := cmp.Diff(contents(t, whole), contents(t, merged)); diff != "" {
		t.Errorf("(-whole +merged):\n%s", diff)
	}
}

// A merge that was killed leaves no run, and is begun again in the same folder.
func TestMergeKilled(t *testing.T) {
	s := splits(t)["kept memories"]
	dirs := s.shards(t, 2)
	merged := s.merge(t, dirs)
	want := contents(t, merged)
	for _, name := range []string{"run.json", "config.yaml"} { // the last files
		try.Do(t, os.Remove(filepath.Join(merged, name)))
	}
	if _, _, err := record.Open(merged); err == nil || record.Unbegun(merged) {
		t.Errorf("what a killed merge left is taken for a run: %v", err)
	}
	try.Get(runners.Merge(dirs, merged, nil, s.plug(), runners.MergeOptions{}))(t)
	if diff := cmp.Diff(want, contents(t, merged)); diff != "" {
		t.Errorf("(-first +again):\n%s", diff)
	}
}

// More shards than samples are refused by every shard; a small dataset of which
// a shard has nothing is passed over.
func TestShardsOfFewSamples(t *testing.T) {
	s := split{seedsConfig, nil, toyPlugins} // of 3 samples and of 1
	for i := 1; i <= 4; i++ {
		_, err := s.tryPlan(t, fmt.Sprintf("shard=%d/4", i))
		want := fmt.Sprintf("shard %d/4: there are more shards than conversations: the largest dataset, toy, has 3; want at most 3 shards", i)
		if err == nil || err.Error() != want {
			t.Errorf("shard %d of 4: %v, want %s", i, err, want)
		}
	}
	h := s.plan(t, "shard=3/3").Header()
	if len(h.Datasets) != 2 || h.Datasets[0].Samples != 1 || h.Datasets[1].Samples != 0 || len(h.Cells) != 6 || h.Cells[5].Planned != 0 {
		t.Errorf("header of shard 3/3: %+v", h)
	}
}

// What one machine was paid for, was served by and ran into is that of all; what judges said
// of a shard stays with it.
func TestMergeHeader(t *testing.T) {
	s := split{toyConfig, nil, toyPlugins}
	dirs := s.shards(t, 3)
	for i, dir := range dirs {
		edit(t, dir, func(h *record.Header) {
			h.Models[0].Served = [][]string{{"b"}, {"a", "b"}, {"c"}}[i]
			h.Models[0].Roles = map[string]record.RoleModel{"parser": {Model: "m", Served: []string{fmt.Sprint("m", 3-i)}}}
			h.Start, h.End = h.Start.Add(time.Duration(-i)*time.Hour), h.End.Add(time.Duration(i%2)*time.Hour)
			h.Judge, h.Metrics = &record.Judge{ID: "j"}, nil
			h.Binary.Host = []string{"linux/amd64", "linux/arm64", "linux/amd64"}[i]
		})
	}
	result := try.Get(runners.Merge(dirs, filepath.Join(t.TempDir(), "merged"), []string{"merge"}, s.plug(), runners.MergeOptions{}))(t)
	h := result.Header
	got := []any{h.Models[0].Served, h.Models[0].Roles["parser"].Served, h.Start.Hour(), h.End.Hour(), h.Binary.Host, h.Argv, h.Shard == nil, h.Judge == nil, h.Metrics}
	want := []any{[]string{"a", "b", "c"}, []string{"m1", "m2", "m3"}, 1, 4, "linux/amd64, linux/arm64", []string{"merge"}, true, true, []string{"same"}}
	try.Equal(t, "header", want, got)
}

// edit changes the header of a run folder.
func edit(tb testing.TB, dir string, change func(*record.Header)) {
	tb.Helper()
	folder, h, err := record.Open(dir)
	try.Do(tb, err)
	change(&h)
	try.Do(tb, folder.WriteHeader(h))
}

// What is not all of one run is refused, all faults at once and each by name.
func TestMergeRefuses(t *testing.T) {
	t.Parallel()
	s := split{toyConfig, []string{"datasets.toy.options.samples=7"}, toyPlugins}
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	dirs := make(map[string]string)
	for i, dir := range s.shards(t, 4) {
		dirs[strconv.Itoa(i+1)] = dir
	}
	dirs["whole"] = s.run(t, at("whole"))
	dirs["third"] = s.run(t, at("third"), "shard=1/3")
	dirs["seed"] = s.run(t, at("seed"), "shard=2/4", "seed=9")
	dirs["limit"] = s.run(t, at("limit"), "shard=2/4", "limits.requests=20", "concurrency.requests=1", "budget.tokens=5")
	dirs["data"] = s.run(t, at("data"), "shard=2/4", "datasets.toy.options.edit=x")
	for _, name := range []string{"again", "version", "torn", "empty", "chosen"} {
		try.Do(t, os.CopyFS(at(name), os.DirFS(dirs["2"])))
		dirs[name] = at(name)
	}
	dirs["none"], dirs["unbegun"] = at("none"), at("unbegun")
	try.Do(t, os.CopyFS(at("unbegun"), os.DirFS(dirs["2"])))
	cell := s.plan(t).Header().Cells[0].ID
	for _, err := range []error{
		os.Remove(filepath.Join(at("unbegun"), "run.json")),
		os.RemoveAll(filepath.Join(at("unbegun"), "cells")),
		os.Truncate(record.Folder(at("torn")).Records(cell), 100),
		os.Truncate(record.Folder(at("empty")).Blocks(cell), 0),
	} {
		try.Do(t, err)
	}
	edit(t, at("version"), func(h *record.Header) { h.Binary.Version = "v2.0.0" })
	edit(t, at("chosen"), func(h *record.Header) { h.Tunings = []record.Tuning{{Method: "toy", Model: "echo", Chosen: 7}} })
	var names []string
	for name, dir := range dirs {
		names = append(names, dir, "<"+name+">")
	}
	name := strings.NewReplacer(names...)
	for args, want := range map[string][]string{
		"1 2 3":          {"missing: shard 4/4"},
		"1 2 3 4 again":  {"shard 2/4 is given twice: <2> and <again>"},
		"1 2 3 4 2":      {"shard 2/4 is given twice: <2> and <2>"},
		"1 2 3 4 third":  {"<third> is not a shard of the same run as <1>: the run was split into 3 parts, not 4"},
		"seed 1 3 4":     {"<seed> is not a shard of the same run as <1>: their configs differ in seed", "missing: shard 2/4"},
		"1 limit 3 4":    {"their configs differ in limits", "missing: shard 2/4"},
		"1 data 3 4":     {"their configs differ in datasets", "missing: shard 2/4"},
		"1 none 3 4":     {"there is no folder <none>", "missing: shard 2/4"},
		"1 unbegun 3 4":  {"'bench resume <unbegun>' continues", "missing: shard 2/4"},
		"1 version 3 4":  {"shard 2/4 (<version>) was made by another version of the program than shard 1/4 (<1>): v2.0.0, not v1.2.3; --any-version"},
		"1 chosen 3 4":   {"<chosen> is not a shard of the same run as <1>: tuning chose"},
		"1 torn 3 4":     {"<torn>/cells/" + cell + "/records.jsonl: has only 0 of the 8 lines that the run wrote", "missing: shard 2/4"},
		"1 empty 3 4":    {"<empty>/cells/" + cell + "/blocks.jsonl: has only 0 of the 2 lines that the run wrote", "missing: shard 2/4"},
		"whole none 1 2": {"<whole> is not a shard", "there is no folder <none>", "missing: shard 3/4, 4/4"},
	} {
		var list []string
		for arg := range strings.FieldsSeq(args) {
			list = append(list, dirs[arg])
		}
		_, err := runners.Merge(list, filepath.Join(t.TempDir(), "merged"), nil, s.plug(), runners.MergeOptions{})
		if err == nil {
			t.Errorf("%s: merged, want %q", args, want)
			continue
		}
		got := name.Replace(err.Error())
		for _, one := range want {
			if !strings.Contains(got, one) {
				t.Errorf("%s: %s\nwant %s", args, got, one)
			}
		}
	}
	shards := []string{dirs["1"], dirs["version"], dirs["3"], dirs["4"]}
	result := try.Get(runners.Merge(shards, at("any"), nil, s.plug(), runners.MergeOptions{Versions: true}))(t)
	if result.Header.Binary.Version != "v1.2.3, v2.0.0" {
		t.Errorf("versions %q", result.Header.Binary.Version)
	}
	if _, err := runners.Merge(shards, dirs["1"], nil, s.plug(), runners.MergeOptions{Versions: true}); err == nil || !strings.Contains(err.Error(), "has a run") {
		t.Errorf("merging into a shard: %v", err)
	}
}
