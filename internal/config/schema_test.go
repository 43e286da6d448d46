package config_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	check "github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/files/jsonout"
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
	if generatedOnce == nil {
		var b bytes.Buffer
		try.Do(t, jsonout.Indented(&b, generate(t)))
		generatedOnce = b.Bytes()
	}
	return generatedOnce
}

// validator compiles the schema of run files, or that of model entries beside it.
func validator(t *testing.T, name string) *check.Schema {
	t.Helper()
	c := check.NewCompiler()
	entry := try.Get(os.ReadFile(filepath.Join(shippedDir, "models", "schema.json")))(t)
	for name, data := range map[string][]byte{"schema.json": generated(t), "models/schema.json": entry} {
		try.Do(t, c.AddResource("file:///configs/"+name, try.Get(check.UnmarshalJSON(bytes.NewReader(data)))(t)))
	}
	return try.Get(c.Compile("file:///configs/" + name))(t)
}

// asJSON reads YAML the way that editors see it.
func asJSON(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	try.Do(t, yaml.Load(data, &v, yaml.WithUniqueKeys(false)))
	return try.Get(check.UnmarshalJSON(bytes.NewReader(try.Get(json.Marshal(v))(t))))(t)
}

// The schema refuses what Load refuses, as far as a schema can, and nothing
// else.
func TestSchemaAgreesWithLoad(t *testing.T) {
	s := validator(t, "schema.json")
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
	for old, now := range map[string]struct{ right, wrong []string }{
		"name: x": {wrong: []string{"name: a/b", "name: 5", "nam: x"}},
		"seed: 1": {
			[]string{
				"", "seed: 18446744073709551615", "seeds: [1, 18446744073709551615]", "seeds: [3]",
				"matrix: {methods.Naive RAG.options.k: [5, 10], methods: {Naive RAG: {options.chunk.size: [1, 2]}}}",
				"exclude: [{dataset: sample, method: [stateless], seed: 1}]",
			},
			[]string{
				"seed: -1", "seed: 1.5", "seed: 'a'", "seeds: []", "seeds: 3", "seeds: [1, 1]", "seeds: [1, -1]", "seed: 1\nseeds: [1, 2]",
				"matrix: {methods.Naive RAG.options.k: 5}", "matrix: {methods.Naive RAG.options.k: []}", "matrix: {methods.Naive RAG.options.k: [5, 5]}",
				"matrix: {limits.errors: [0, 1]}", "matrix: {seed: [1, 2]}", "matrix: [5]",
				"exclude: [{}]", "exclude: [{methods.Naive RAG.options.k: 20}]", "exclude: [{seed: x}]", "exclude: {dataset: sample}",
				"extends: [base.yaml]", "extends: 5",
			},
		},
		"{use: sample}":             {[]string{"sample"}, []string{"sampel", "{label: sample}", "{use: smaple}"}},
		"[1, 2]":                    {wrong: []string{"1", "[one]"}},
		"optional: true":            {wrong: []string{"optional: yes"}},
		"{use: stateless}":          {wrong: []string{"{use: stateless, optional: true}", "{use: stateless, option: {}}", "{use: stateless, options: {k: 5}}"}},
		"label: Naive RAG":          {right: []string{"label: Naive RAG, variant_of: stateless"}},
		"k: 20":                     {[]string{"ranking: rrf", "k: 20, ranking: bm25"}, []string{"k: many", "kk: 20"}},
		"unit: tokens":              {wrong: []string{"unit: token"}},
		"size: 256":                 {wrong: []string{"sise: 256"}},
		"models: [{use: stand-in}]": {[]string{"", "models: {use: stand-in}", "models: stand-in"}, []string{"models: []", "models: [{use: stand-in, variant_of: x}]"}},
		"f1@mem0, ":                 {wrong: []string{"f1, ", "f1@mem0@5, ", "tokens, tokens, "}},
		"evidence-recall@5":         {wrong: []string{"evidence-recall@0"}},
		"[xmemory-table1]":          {[]string{"xmemory-table1"}, []string{"[xmemory-table99]"}},
		"concurrency: {samples: 1,": {wrong: []string{"concurrency: {samples: 0,"}},
		"limits: {errors: 0.5}":     {wrong: []string{"limits: {errors: 1.5}", "limits: {requests: -1}"}},
	} {
		if strings.Count(good, old) != 1 {
			t.Fatalf("%q is there %d times", old, strings.Count(good, old))
		}
		for _, right := range now.right {
			both(old+" -> "+right, strings.Replace(good, old, right, 1), true)
		}
		for _, wrong := range now.wrong {
			both(old+" -> "+wrong, strings.Replace(good, old, wrong, 1), false)
		}
	}
}

func TestDescribe(t *testing.T) {
	config.WithSchema(t, generated(t))
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
	eachPlugin(suite.Plugins(), describe)
}

// eachPlugin calls do for the plug-ins of each list with their default options.
func eachPlugin(p config.Plugins, do func(list, name string, options any)) {
	for _, d := range p.Datasets {
		do("datasets", d.Name, d.Options)
	}
	for _, m := range p.Methods {
		do("methods", m.Name, m.Options)
	}
	for _, m := range p.Models {
		do("models", m.Name, m.Options)
	}
}
