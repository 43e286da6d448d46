package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
)

const sweepFile = `
seed: 7
datasets: [{use: sample}, {use: locomo, options: {categories: [1]}}]
methods:
  - {use: stateless}
  - {use: flat-rag, label: rag, options: {k: 3, chunk: {size: 64}, fallback: {unit: turns, size: 9}}}
`

// cells writes the entries of a config and its cells.
func cells(c *Config) string {
	var b strings.Builder
	for _, l := range [][]Entry{c.Datasets, c.Methods, c.Models} {
		for _, e := range l {
			fmt.Fprintf(&b, "%s", e.Label)
			if o, ok := e.Options.(ragOptions); ok {
				fmt.Fprintf(&b, ": k %d, %s of %d, weight %v, images %v", o.K, o.Chunk.Unit, o.Chunk.Size, o.Weight, o.Images)
			} else if e.Options != nil {
				fmt.Fprintf(&b, ": %v", e.Options)
			}
			if e.VariantOf != "" {
				fmt.Fprintf(&b, " (variant of %s)", e.VariantOf)
			}
			b.WriteString("\n")
		}
	}
	for _, d := range c.Datasets {
		for _, m := range c.Methods {
			for _, model := range c.Models {
				for _, seed := range c.EachSeed() {
					if c.Excludes(d.Label, m.Label, model.Label, seed) {
						fmt.Fprintf(&b, "not %s | %s | %s | %d\n", d.Label, m.Label, model.Label, seed)
					}
				}
			}
		}
	}
	return b.String()
}

// What a sweep makes of a file, and that what it makes stays what it is.
func TestSweep(t *testing.T) {
	for _, test := range []struct {
		name, keys string
		set        []string
	}{
		{name: "one axis", keys: "matrix: {methods.rag.options.k: [5, 10]}"},
		{name: "crossed", keys: "matrix: {'methods[1].options.k': [5, 10], methods.rag.options.chunk.size: [1, 2]}"},
		{name: "nested", keys: "matrix: {methods: {rag: {options.k: [5, 10]}}}"},
		{name: "points in a name", keys: "matrix: {methods: {rag-1.5b: {options: {chunk: {size: [5, 10]}}}}}", set: []string{"methods[1].label=rag-1.5b"}},
		{name: "a single value differs in nothing", keys: "matrix: {methods.rag.options.k: [5], methods.rag.options.weight: [0, 1]}"},
		{name: "same last part", keys: "matrix: {methods.rag.options.chunk.size: [5, 6], methods.rag.options.fallback.size: [1, 2]}"},
		{name: "values that are no name", keys: "matrix: {methods.rag.options.stop: [[], [a, b], [" + strings.Repeat("long, ", 10) + "]], methods.rag.options.note: ['', ' x', A, a]}"},
		{name: "mappings", keys: "matrix: {methods.rag.options.chunk: [{unit: turns, size: 3}, {unit: session}]}"},
		{name: "datasets", keys: "matrix: {datasets.locomo.options.categories: [[1], [2, 3]]}"},
		{
			name: "exclude",
			keys: "matrix: {methods.rag.options.k: [5, 10], methods.rag.options.weight: [0, 1]}\n" +
				"exclude: [{method: rag, dataset: sample}, {method: ['rag, k=5, weight=0', 'rag, k=10, weight=1'], dataset: [locomo]}]",
		},
		{name: "variants", set: []string{"methods[1].variant_of=stateless"}},
		{name: "exclude without a sweep", keys: "exclude: [{method: stateless, dataset: [locomo], seed: 7, model: stand-in}]"},
		{name: "the command line pins an axis", keys: "matrix: {methods.rag.options.k: [5, 10]}\nexclude: [{method: 'rag, k=10'}]", set: []string{"methods.rag.options.k=6"}},
		{name: "the command line replaces an axis", keys: "matrix: {methods.rag.options.k: [5, 10]}\nexclude: [{method: 'rag, k=10'}]", set: []string{"matrix.methods.rag.options.k=[7, 8]"}},
		{name: "the command line adds an axis", set: []string{`matrix["methods.rag.options.k"]=[7, 8]`, "exclude=[{method: 'rag, k=8', dataset: sample}]"}},
		{name: "the command line replaces what is excluded", keys: "exclude: [{dataset: sample}, {model: gpt, method: rag}, {seed: 7}]", set: []string{"models=[{use: stand-in, label: base}]", "seed=5"}},
		{
			name: "the command line replaces models of a sweep", keys: "matrix: {methods.rag.options.k: [5, 10]}\nexclude: [{model: gpt}, {model: [gpt, base], method: rag}]",
			set: []string{"models=[{use: stand-in, label: base}, {use: stand-in}]"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := try.Get(Parse("x.yaml", []byte(sweepFile+test.keys+"\n"), fakes(), test.set...))(t)
			golden.Check(t, filepath.Join("sweep", strings.ReplaceAll(strings.ReplaceAll(test.name, " ", "-"), "/", "")+".txt"), fmt.Sprintf("%s\n--set %q\nseeds %v\n%s", test.keys, test.set, c.EachSeed(), cells(c)))
			try.Equal(t, "written out and read again", c, try.Get(Parse("x.yaml", try.Get(c.Marshal())(t), fakes()))(t))
		})
	}
}

// A fault of a sweep lies where it was written, and comes once for all copies.
func TestSweepFaults(t *testing.T) {
	longtest.SkipRace(t)
	var b strings.Builder
	for _, keys := range []string{
		"matrix: 5",
		"matrix: {methods.rag.options.k: 5}",
		"matrix: {methods.rag.options.k: []}",
		"matrix: {methods.rag.options.k: [5, 5.0]}",
		"matrix: {methods.rag.options.k: [5, 0, -1]}",
		"matrix: {methods.rag.options.kk: [5, 6]}",
		"matrix: {methods.rag.options.chunk: [{unit: turns, size: 0}, {sise: 3}]}",
		"matrix: {methods.rag.options.chunk.size: [8, 9], methods.rag.options.chunk.overlap: [8, 1]}",
		"matrix: {methods.rag.options.stop.x: [1]}",
		"matrix: {methods.rga.options.k: [5]}",
		"matrix: {'methods[2].options.k': [5]}",
		"matrix: {method.rag.options.k: [5]}",
		"matrix: {methods.rag.label: [a, b]}",
		"matrix: {methods..k: [5]}",
		"matrix: {a=b: [5]}",
		"matrix: {limits.errors: [0, 1]}",
		"matrix: {methods.rag.options.k: [5], 'methods[1].options.k': [6]}",
		"matrix: {methods.rag.options.chunk: [{size: 1}], methods.rag.options.chunk.size: [6]}",
		"matrix: {seed: [1, 2]}",
		"matrix: {5: [1]}",
		"matrix: {methods.rag.options.k: [1, 2]}\nmatrix: {}",
		"matrix: {methods.rag.options.k: [" + numbers(101) + "], methods.rag.options.weight: [" + numbers(101) + "]}",
		"matrix: {" + manyAxes() + "}",
		"methods: [{use: flat-rag, label: 5}]\nmatrix: {'methods[0].options.k': [5, 6]}",
		"matrix: {'methods[0].options.k': [5, 6], 'methods[2].options.k': [5, 6], 'models[0].options.x': [1, 2]}",
		"matrix: {methods.rag.options.note: [a, " + strings.Repeat("b", 30) + "], methods.rag.options.stop: [[a], [" + strings.Repeat("c", 28) + "]], methods.rag.options.weight: [0.25, 0.75]}",
		"methods: [{use: stateless, variant_of: stateless}]",
		"methods: [{use: stateless}, {use: flat-rag, variant_of: statless}]",
		"methods: [{use: stateless}, {use: flat-rag, variant_of: stateless}, {use: in-context, variant_of: flat-rag}]",
		"methods: [{use: stateless, variant_of: 5}]",
		"methods: [{use: stateless, variant_of: ''}]",
		"methods: [{use: stateless}]\nmodels: [{use: stand-in, variant_of: x}]",
		"exclude: 5",
		"exclude: [{}]",
		"exclude: [{dataset: []}]",
		"exclude: [{dataset: smaple}]",
		"exclude: [{method: [stateless, rga]}]",
		"exclude: [{seed: [7, 8]}]",
		"exclude: [{seed: x}]",
		"exclude: [{datasets: sample}]",
		"exclude: [{dataset: sample}, {dataset: locomo}]",
		"extends: 5",
		"extends: [5]",
		"extends: none.yaml",
		"extends: x.yaml",
	} {
		file := sweepFile
		if strings.HasPrefix(keys, "methods:") {
			file = "datasets: [{use: sample}]\n"
		}
		_, err := Parse("x.yaml", []byte(file+keys+"\n"), fakes())
		if err == nil {
			t.Errorf("%s: no fault found", keys)
			continue
		}
		if len(keys) > 200 {
			keys = keys[:60] + "..."
		}
		fmt.Fprintf(&b, "%s\n%v\n\n", keys, err)
	}
	golden.Check(t, "sweep_faults.txt", b.String())
}

// manyAxes have more combinations than numbers can count.
func manyAxes() string {
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, "methods.rag.options.weights.x%d: [%s], ", i, numbers(1000))
	}
	return b.String()
}

func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d, ", i+1)
	}
	return b.String()
}

// A file lies over those that it extends.
func TestExtends(t *testing.T) {
	home := try.Get(os.Getwd())(t)
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"x.yaml":           "extends: x.yaml\n",
		"base/base.yaml":   "name: base\nbase: ..\nseeds: [1, 2]\ndatasets: [{use: sample}]\nmethods: [{use: flat-rag, label: rag, options: {k: 3}}]\nmodels: [model.yaml]\nlimits: {errors: 0.5, requests: 3}\nmatrix: {methods.rag.options.k: [1, 2]}\n",
		"base/model.yaml":  "use: stand-in\nlabel: from the base's folder\n",
		"base/mid.yaml":    "extends: base.yaml\nlimits: {requests: 4}\nprompts: p\n",
		"other.yaml":       "extends: base/mid.yaml\nmetrics: [tokens]\nprompts: q\nseeds: [8, 9]\n",
		"wrong.yaml":       "limits: {error: 1}\nmethods:\n  - {use: flat-rag, options: {kk: 5}}\n5: x\nname: [\n",
		"faulty.yaml":      "limits: {error: 1}\nmethods:\n  - {use: flat-rag, options: {kk: 5}}\nconcurrency: {samples: 0}\n",
		"list.yaml":        "[a]\n",
		"cycle.yaml":       "extends: base/cycle2.yaml\n",
		"base/cycle2.yaml": "extends: ../cycle.yaml\n",
		"lost.yaml":        "extends: base/lost2.yaml\n",
		"base/lost2.yaml":  "extends: none.yaml\n",
		"models.yaml":      "models: [none.yaml]\n",
	} {
		try.Do(t, os.MkdirAll(filepath.Dir(name), 0o755))
		try.Do(t, os.WriteFile(name, []byte(text), 0o644))
	}
	for i := range 9 {
		try.Do(t, os.WriteFile(fmt.Sprintf("deep%d.yaml", i), fmt.Appendf(nil, "extends: deep%d.yaml\n", i+1), 0o644))
	}
	c, err := Parse("run.yaml", []byte("extends: other.yaml\nlimits: {errors: 0.1}\nmatrix: {methods.rag.options.weight: [0, 1]}\n"), fakes())
	try.Do(t, err)
	if c.Name != "run" || c.Base != dir || c.Limits.Errors != 0.1 || c.Limits.Requests != 4 || c.Prompts != "q" ||
		!cmp.Equal(c.EachSeed(), []uint64{8, 9}) || !cmp.Equal(c.Metrics, []string{"tokens"}) || len(c.Methods) != 4 || c.Models[0].Label != "from the base's folder" {
		t.Errorf("%+v", c)
	}
	if c, err = Parse("run.yaml", []byte("extends: base/mid.yaml\nseed: 5\nmethods: [{use: stateless}]\nmatrix: {}\nbase: .\n"), fakes(), "matrix={}"); err != nil {
		t.Fatal(err)
	}
	if c.Base != dir || !cmp.Equal(c.EachSeed(), []uint64{5}) || len(c.Methods) != 1 {
		t.Errorf("%+v", c)
	}
	var b strings.Builder
	for _, keys := range []string{"extends: list.yaml", "extends: wrong.yaml", "extends: faulty.yaml\nlimits: {}", "extends: cycle.yaml", "extends: lost.yaml", "extends: x.yaml", "extends: deep0.yaml", "extends: models.yaml"} {
		_, err := Parse("y.yaml", []byte(keys+"\ndatasets: [{use: sample}]\n"+"#\n"), fakes())
		if err == nil {
			t.Errorf("%s: no fault found", keys)
			continue
		}
		fmt.Fprintf(&b, "%s\n%v\n\n", keys, err)
	}
	t.Chdir(home)
	golden.Check(t, "extends_faults.txt", b.String())
}
