package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

const minimal = "datasets: [{use: sample}]\nmethods: [{use: stateless}]\n"

// Without metrics, those of all datasets score the answers, in the order of tables.
func TestMetricsOfDatasets(t *testing.T) {
	for file, want := range map[string][]string{
		"datasets: [{use: sample}, {use: locomo}, {use: locomo, label: two}]\n": {"f1@mem0", "evidence-recall@5", "tokens"},
		"datasets: [{use: locomo}]\n":                                           {"f1@mem0", "evidence-recall@5"},
		"datasets: [{use: locomo}]\nmetrics: [bleu1@nltk]\n":                    {"bleu1@nltk"},
	} {
		c := try.Get(Parse("x.yaml", []byte(file+"methods: [{use: stateless}]\n"), fakes()))(t)
		try.Equal(t, file, want, c.Metrics)
	}
}

func TestParseOptions(t *testing.T) {
	p := fakes()
	got, err := Parse("x.yaml", []byte(`
base: data
seed: 18446744073709551615
datasets: [{use: locomo, optional: true}, {use: locomo, label: two, options: {categories: [2]}}]
methods:
  - use: flat-rag
    label: Naive RAG
    options:
      k: 5
      chunk: &small {unit: turns, size: 3}
      fallback: {<<: *small, size: 1}
  - {use: flat-rag}
metrics: [tokens]
published: [xmemory-table1]
concurrency: {requests: 7}
limits: {errors: 0.25}
`), p)
	try.Do(t, err)
	defaults := p.Methods[2].Options.(ragOptions)
	rag := defaults
	rag.K = 5
	rag.Chunk = chunk{Unit: "turns", Size: 3}
	rag.Fallback = &chunk{Unit: "turns", Size: 1}
	wantMethods := []Entry{
		{Use: "flat-rag", Label: "Naive RAG", Options: rag},
		{Use: "flat-rag", Label: "flat-rag", Options: defaults},
	}
	try.Equal(t, "methods", wantMethods, got.Methods)
	wantDatasets := []Entry{
		{Use: "locomo", Label: "locomo", Options: locomoOptions{[]int{1, 2, 3, 4}}, Optional: true},
		{Use: "locomo", Label: "two", Options: locomoOptions{[]int{2}}},
	}
	try.Equal(t, "datasets", wantDatasets, got.Datasets)
	if dir, err := filepath.Abs("data"); err != nil || got.Base != dir {
		t.Errorf("base is %s, want %s (%v)", got.Base, dir, err)
	}
	if got.Seed != 1<<64-1 || got.Limits.Errors != 0.25 || got.Concurrency.Requests != 7 {
		t.Errorf("got seed %d, limits %v, concurrency %v", got.Seed, got.Limits, got.Concurrency)
	}
}

// Defaults belong to the plug-ins: decoding over them must not change them.
func TestParseLeavesDefaultsAlone(t *testing.T) {
	p, untouched := fakes(), fakes()
	_, err := Parse("x.yaml", []byte(minimal), p,
		"methods=[{use: flat-rag}]",
		"methods[0].options.stop=[x]",
		"methods[0].options.weights={title: 3}",
		"methods[0].options.fallback={size: 3}")
	try.Do(t, err)
	try.Equal(t, "defaults changed", untouched.Methods[2].Options, p.Methods[2].Options)
}

// What is known of an answer only after the run, or is no merit of it, chooses no
// options before.
func TestTuningMetric(t *testing.T) {
	for metric, want := range map[string]bool{"f1@mem0": true, "tokens": false, "ucs": false} {
		_, err := Parse("x.yaml", []byte(minimal+"\ntuning: {datasets: [{use: sample}], metric: "+metric+"}\n"), fakes())
		if want != (err == nil) || err != nil && !strings.Contains(err.Error(), "cannot tune for "+metric) {
			t.Errorf("%s: %v", metric, err)
		}
	}
}

// Each file of testdata/bad shows one kind of fault, all.yaml every one that
// can stand together.
func TestParseFaults(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in testdata/bad (%v)", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data := try.Get(os.ReadFile(file))(t)
			config, err := Parse(filepath.Base(file), data, fakes())
			if err == nil {
				t.Fatalf("no fault found; got %+v", config)
			}
			golden.Check(t, strings.TrimPrefix(strings.TrimSuffix(filepath.ToSlash(file), ".yaml"), "testdata/")+".txt", err.Error()+"\n")
		})
	}
}

func TestShard(t *testing.T) {
	for _, text := range []string{"1/1", "2/4", "4/4", "17/2000"} {
		var got Shard
		if err := got.UnmarshalText([]byte(text)); err != nil || got.String() != text {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "/", "2", "2/", "/4", "0/4", "5/4", "-1/4", "+1/4", "1/0", "0/0", "1/4/4", " 1/4", "1 / 4", "a/b", "1/99999999999"} {
		if err := new(Shard).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is a shard", text)
		}
	}
}

func TestSet(t *testing.T) {
	const file = `
seed: 1
datasets: [{use: sample}, {use: locomo, options: &o {categories: [1]}}]
methods:
  - {use: stateless}
  - {use: flat-rag, label: Naive RAG, options: {chunk: &c {size: 64}}}
  - {use: flat-rag, label: "k.5", options: {chunk: *c}}
`
	check := func(assignment string, want func(c *Config) (got, want any)) {
		t.Helper()
		c, err := Parse("x.yaml", []byte(file), fakes(), assignment)
		if err != nil {
			t.Errorf("%s: %v", assignment, err)
			return
		}
		if got, want := want(c); !cmp.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", assignment, got, want)
		}
	}
	rag := func(c *Config, i int) ragOptions { return c.Methods[i].Options.(ragOptions) }
	check("seed=2", func(c *Config) (any, any) { return c.Seed, uint64(2) })
	check("name=a.b", func(c *Config) (any, any) { return c.Name, "a.b" })
	check("limits.errors=0.5", func(c *Config) (any, any) { return c.Limits.Errors, 0.5 })
	check("methods[1].options.k=5", func(c *Config) (any, any) { return rag(c, 1).K, 5 })
	check("methods.1.options.k=5", func(c *Config) (any, any) { return rag(c, 1).K, 5 })
	check("methods.Naive RAG.options.k=5", func(c *Config) (any, any) { return rag(c, 1).K, 5 })
	check(`methods["k.5"].options.k=5`, func(c *Config) (any, any) { return rag(c, 2).K, 5 })
	check("methods.stateless.label=No memory", func(c *Config) (any, any) { return c.Methods[0].Label, "No memory" })
	check("datasets.locomo.options.categories=[1, 2]", func(c *Config) (any, any) {
		return c.Datasets[1].Options, locomoOptions{[]int{1, 2}}
	})
	check("datasets.locomo.options.categories[0]=3", func(c *Config) (any, any) {
		return c.Datasets[1].Options, locomoOptions{[]int{3}}
	})
	check("models.stand-in.label=base", func(c *Config) (any, any) { return c.Models[0].Label, "base" })
	check("metrics=[tokens]", func(c *Config) (any, any) { return c.Metrics, []string{"tokens"} })
	// What an alias shares stays as it is for the others.
	check(`methods["k.5"].options.chunk.size=9`, func(c *Config) (any, any) {
		return []int{rag(c, 1).Chunk.Size, rag(c, 2).Chunk.Size}, []int{64, 9}
	})
	check("methods.Naive RAG.options.chunk.size=9", func(c *Config) (any, any) {
		return []int{rag(c, 1).Chunk.Size, rag(c, 2).Chunk.Size}, []int{9, 64}
	})
}

func TestSetFaults(t *testing.T) {
	const file = `
datasets: [{use: sample}]
methods: [{use: flat-rag, label: A}, {use: flat-rag, label: B}]
`
	var b strings.Builder
	for _, assignment := range []string{
		"",
		"seed",
		"=1",
		"sed=2",
		"seed=two",
		"seed=",
		"seed=[1",
		"seed.x=1",
		"seed[0]=1",
		"name=[a]",
		"methods.C.options.k=5",
		"methods.flat-rag.options.k=5",
		"methods[2].options.k=5",
		"methods[x].options.k=5",
		"methods[\"A].options.k=5",
		"methods.A.options.kk=5",
		"methods.A.option.k=5",
		"methods.A.options.k=0",
		"methods.A.options.chunk.size=big",
		"method.A.options.k=5",
		"methods.A.label=B",
		"methods..k=1",
		"methods.A]=1",
		"models.stand-in.options.x=1",
		"models.live.options.x=1",
		"datasets=[]",
		"metrics[1]=f1@mem1",
		"extends=x.yaml",
		"extends=[x.yaml]",
		"shard=5/4",
	} {
		_, err := Parse("x.yaml", []byte(file), fakes(), assignment)
		if err == nil {
			t.Errorf("%s: no fault found", assignment)
			continue
		}
		b.WriteString(err.Error() + "\n")
	}
	golden.Check(t, "set.txt", b.String())
}
