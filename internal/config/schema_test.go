package config_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	check "github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// TestSchemaIsCurrent checks the schema that the program embeds and the copy
// beside the run files, which editors read.
func TestSchemaIsCurrent(t *testing.T) {
	golden.Check(t, "../schema.json", string(generated(t)))
	golden.Check(t, "../../../configs/schema.json", string(generated(t)))
}

// generatedOnce is what generated made, which takes long.
var generatedOnce []byte

// generated returns the schema as it should be.
func generated(t *testing.T) []byte {
	t.Helper()
	if generatedOnce != nil {
		return generatedOnce
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	try.Do(t, enc.Encode(generate(t)))
	generatedOnce = b.Bytes()
	return generatedOnce
}

// validator compiles the schema.
func validator(t *testing.T) *check.Schema {
	t.Helper()
	doc := try.Get(check.UnmarshalJSON(bytes.NewReader(generated(t))))(t)
	c := check.NewCompiler()
	try.Do(t, c.AddResource("schema.json", doc))
	s := try.Get(c.Compile("schema.json"))(t)
	return s
}

// asJSON reads YAML the way that editors see it.
func asJSON(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	try.Do(t, yaml.Load(data, &v, yaml.WithUniqueKeys(false)))
	j := try.Get(json.Marshal(v))(t)
	out := try.Get(check.UnmarshalJSON(bytes.NewReader(j)))(t)
	return out
}

// The schema refuses what Load refuses, as far as a schema can, and nothing
// else.
func TestSchemaAgreesWithLoad(t *testing.T) {
	s := validator(t)
	const good = `
name: x
seed: 1
datasets: [{use: sample}, {use: locomo, optional: true, options: {categories: [1, 2]}}]
methods:
  - {use: stateless}
  - {use: flat-rag, label: Naive RAG, options: {k: 20, chunk: {unit: tokens, size: 256}}}
models: [{use: stand-in}]
metrics: [f1@mem0, evidence-recall@5]
published: [xmemory-table1]
concurrency: {samples: 1, requests: 1}
limits: {errors: 0.5}
`
	both := func(name, data string, want bool) {
		t.Helper()
		_, err := config.Parse("x.yaml", []byte(data), suite.Plugins())
		if (err == nil) != want {
			t.Errorf("%s: Parse says %v", name, err)
		}
		if err := s.Validate(asJSON(t, []byte(data))); (err == nil) != want {
			t.Errorf("%s: the schema says %v", name, err)
		}
	}
	both("as it is", good, true)
	with := func(old, now string, want bool) {
		t.Helper()
		if strings.Count(good, old) != 1 {
			t.Fatalf("%q is there %d times", old, strings.Count(good, old))
		}
		both(old+" -> "+now, strings.Replace(good, old, now, 1), want)
	}
	with("seed: 1", "", true)
	with("seed: 1", "seed: 18446744073709551615", true)
	with("seed: 1", "seeds: [1, 2, 18446744073709551615]", true)
	with("seed: 1", "seeds: [3]", true)
	with("models: [{use: stand-in}]", "", true)
	with("k: 20", "ranking: rrf", true)
	with("k: 20", "k: 20, ranking: bm25", true)

	with("label: Naive RAG", "label: Naive RAG, variant_of: stateless", true)
	with("{use: stand-in}", "{use: stand-in, variant_of: x}", false)
	with("seed: 1", "matrix: {seed: [1, 2], methods.Naive RAG.options.k: [5, 10], methods: {Naive RAG: {options.chunk.size: [1, 2]}}}", true)
	with("seed: 1", "matrix: {methods.Naive RAG.options.k: 5}", false)
	with("seed: 1", "matrix: {methods.Naive RAG.options.k: []}", false)
	with("seed: 1", "matrix: {methods.Naive RAG.options.k: [5, 5]}", false)
	with("seed: 1", "matrix: {limits.errors: [0, 1]}", false)
	with("seed: 1", "matrix: [5]", false)
	with("seed: 1", "include: [{label: x, methods.Naive RAG.options.k: 5}]", true)
	with("seed: 1", "include: [{label: x}]", false)
	with("seed: 1", "include: [{methods.Naive RAG.options.k: 5}]", false)
	with("seed: 1", "include: [{label: x, methods.Naive RAG.label: y}]", false)
	with("seed: 1", "include: {label: x, methods.Naive RAG.options.k: 5}", false)
	with("seed: 1", "exclude: [{dataset: sample, method: [stateless], seed: 1}]", true)
	with("seed: 1", "exclude: [{dataset: sample, methods.Naive RAG.options.k: 10}]\nmatrix: {methods.Naive RAG.options.k: [5, 10]}", true)
	with("seed: 1", "exclude: [{}]", false)
	with("seed: 1", "exclude: [{datasets: sample}]", false)
	with("seed: 1", "exclude: [{seed: x}]", false)
	with("seed: 1", "exclude: {dataset: sample}", false)
	with("seed: 1", "extends: [base.yaml]", false)
	with("seed: 1", "extends: 5", false)

	with("name: x", "name: a/b", false)
	with("name: x", "name: 5", false)
	with("name: x", "nam: x", false)
	with("seed: 1", "seed: -1", false)
	with("seed: 1", "seed: 1.5", false)
	with("seed: 1", "seed: 'a'", false)
	with("seed: 1", "seeds: []", false)
	with("seed: 1", "seeds: 3", false)
	with("seed: 1", "seeds: [1, 1]", false)
	with("seed: 1", "seeds: [1, -1]", false)
	with("seed: 1", "seed: 1\nseeds: [1, 2]", false)
	with("{use: sample}", "sample", true)
	with("{use: sample}", "sampel", false)
	with("{use: sample}", "{label: sample}", false)
	with("{use: sample}", "{use: smaple}", false)
	with("[1, 2]", "1", false)
	with("[1, 2]", "[one]", false)
	with("optional: true", "optional: yes", false)
	with("{use: stateless}", "{use: stateless, optional: true}", false)
	with("{use: stateless}", "{use: stateless, option: {}}", false)
	with("{use: stateless}", "{use: stateless, options: {k: 5}}", false)
	with("k: 20", "k: many", false)
	with("k: 20", "kk: 20", false)
	with("unit: tokens", "unit: token", false)
	with("size: 256", "sise: 256", false)
	with("models: [{use: stand-in}]", "models: []", false)
	with("models: [{use: stand-in}]", "models: {use: stand-in}", true)
	with("models: [{use: stand-in}]", "models: stand-in", true)
	with("f1@mem0, ", "f1, ", false)
	with("f1@mem0, ", "f1@mem0@5, ", false)
	with("evidence-recall@5", "evidence-recall@0", false)
	with("f1@mem0, ", "tokens, tokens, ", false)
	with("[xmemory-table1]", "[xmemory-table99]", false)
	with("[xmemory-table1]", "xmemory-table1", true)
	with("[f1@mem0, evidence-recall@5]", "f1@mem0", true)
	with("concurrency: {samples: 1, ", "concurrency: {samples: 0, ", false)
	with("limits: {errors: 0.5}", "limits: {errors: 1.5}", false)
	with("limits: {errors: 0.5}", "limits: {requests: -1}", false)
}

func TestDescribe(t *testing.T) {
	config.WithSchema(t, generated(t))
	p := suite.Plugins()
	describe := func(list, name string, options any) {
		t.Helper()
		all := try.Get(config.Describe(list, name, options))(t)
		if options != nil && len(all) == 0 {
			t.Errorf("%s %s has no options", list, name)
		}
		for _, o := range all {
			if o.Doc == "" || o.Type == "" {
				t.Errorf("%s %s: option %s has no doc or type: %+v", list, name, o.Key, o)
			}
		}
	}
	for _, d := range p.Datasets {
		describe("datasets", d.Name, d.Options)
	}
	for _, m := range p.Methods {
		describe("methods", m.Name, m.Options)
	}
	for _, m := range p.Models {
		describe("models", m.Name, m.Options)
	}
	// A plug-in that is not in the schema has options all the same.
	all, err := config.Describe("methods", "mine", struct {
		K int `yaml:"k"`
	}{})
	want := []config.Option{{Key: "k"}}
	if diff := cmp.Diff(want, all); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
