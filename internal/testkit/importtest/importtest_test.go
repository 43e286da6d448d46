package importtest

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
)

const module = "recallbench"

// moduleRoot is the module's folder, from this package's.
var moduleRoot = os.DirFS("../../..")

func TestImports(t *testing.T) {
	faults := try.Get(Imports(moduleRoot, module, House))(t)
	for _, f := range faults {
		t.Error(f)
	}
}

func TestGold(t *testing.T) {
	faults := try.Get(Gold(moduleRoot, module))(t)
	for _, f := range faults {
		t.Error(f)
	}
}

// What a method is handed must not lead to gold by way of a field either.
func TestNoFieldLeadsToGold(t *testing.T) {
	seen := make(map[reflect.Type]bool)
	var walk func(where string, typ reflect.Type)
	walk = func(where string, typ reflect.Type) {
		if seen[typ] {
			return
		}
		seen[typ] = true
		switch typ {
		case reflect.TypeFor[datasets.Gold](), reflect.TypeFor[datasets.Set](), reflect.TypeFor[datasets.Spec]():
			t.Errorf("%s is a %v, which a method may not see", where, typ)
			return
		}
		switch typ.Kind() {
		case reflect.Struct:
			for f := range typ.Fields() {
				walk(where+"."+f.Name, f.Type)
			}
		case reflect.Map:
			walk(where+" key", typ.Key())
			walk(where+" element", typ.Elem())
		case reflect.Array, reflect.Chan, reflect.Pointer, reflect.Slice:
			walk(where, typ.Elem())
		case reflect.Func:
			for out := range typ.Outs() {
				walk(where+" result", out)
			}
		default: // a basic type, or an interface, whose methods hide their values
		}
	}
	walk("Sample", reflect.TypeFor[datasets.Sample]())
	walk("Request", reflect.TypeFor[datasets.Request]())
	walk("Env", reflect.TypeFor[methods.Env]())
}

func TestImportsFindsFaults(t *testing.T) {
	layers := []Layer{
		{Name: "top", Packages: []string{"cmd/..."}, Uses: []string{"middle", "low"}},
		{Name: "runner", Packages: []string{"runners"}, Uses: []string{"low"}},
		{Name: "middle", Packages: []string{"methods/*"}, Uses: []string{"parts", "low"}, Inside: [][2]string{{"methods/a", "methods/b"}}},
		{Name: "parts", Packages: []string{"methods/part"}},
		{Name: "side", Packages: []string{"metrics"}},
		{Name: "low", Packages: []string{"low"}},
		{Name: "helpers", Packages: []string{"golden"}, Tests: true},
	}
	// Every tree has a package for each entry, so that a case shows one fault.
	base := map[string]string{
		"cmd/bench/main.go":     "methods/a low",
		"runners/runners.go":    "low",
		"methods/a/a.go":        "methods/b methods/part low",
		"methods/b/b.go":        "",
		"methods/part/part.go":  "",
		"metrics/metrics.go":    "",
		"low/low.go":            "",
		"golden/golden.go":      "",
		"low/testdata/x.go":     "runners",
		"docs/_old/old.go":      "runners",
		"tools/.hidden/tool.go": "runners",
	}
	tests := []struct {
		name  string
		file  string
		takes string
		want  []string
	}{
		{name: "nothing wrong"},
		{
			"upward", "low/up.go", "methods/a",
			[]string{`low/up.go imports methods/a: layer "low" does not use layer "middle"`},
		},
		{
			"sideways", "methods/b/side.go", "methods/a",
			[]string{`methods/b/side.go imports methods/a: both are in layer "middle", which does not list this pair`},
		},
		{
			"to a package of tests", "low/golden.go", "golden",
			[]string{`low/golden.go imports golden: only tests use layer "helpers"`},
		},
		{name: "test to a package of tests", file: "low/low_test.go", takes: "golden"},
		{name: "test to another layer", file: "metrics/metrics_test.go", takes: "methods/a"},
		{
			"test to a closed layer", "methods/a/a_test.go", "runners",
			[]string{`methods/a/a_test.go imports runners: layer "middle" does not use layer "runner"`},
		},
		{
			"package that no layer lists", "lower/lower.go", "low",
			[]string{"lower: no layer lists this package; add it to House in internal/testkit/importtest/layers_test.go, as far down as its imports allow"},
		},
		{
			"import of a package that no layer lists", "low/x.go", "gone",
			[]string{"low/x.go imports gone: no layer lists it"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree := make(fstest.MapFS)
			for name, takes := range base {
				tree[name] = source(takes)
			}
			if tt.file != "" {
				tree[tt.file] = source(tt.takes)
			}
			got := try.Get(Imports(tree, module, layers))(t)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestGoldFindsFaults(t *testing.T) {
	const header = "package p\nimport d \"recallbench/datasets\"\n"
	tree := fstest.MapFS{
		"methods/ask/ask.go":          {Data: []byte(header + "func f(s d.Sample, r d.Request) {}")},
		"methods/cheat/cheat.go":      {Data: []byte(header + "func f(g d.Gold) {}")},
		"methods/cheat/dot.go":        {Data: []byte("package p\nimport . \"recallbench/datasets\"\nvar g Gold")},
		"methods/cheat/cheat_test.go": {Data: []byte(header + "var set d.Set")},
		"methods/other/other.go":      {Data: []byte("package p\nvar d struct{ Gold int }\nvar g = d.Gold")},
		"runners/run.go":              {Data: []byte(header + "func f(g d.Gold) {}")},
	}
	want := []string{
		"methods/cheat/cheat.go: a method may not see datasets.Gold, only Image, Request, Sample, Session, Turn",
		"methods/cheat/dot.go: a dot import of datasets hides what a method takes from it",
	}
	got := try.Get(Gold(tree, module))(t)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

// source returns a Go file that imports the packages named, with spaces
// between.
func source(takes string) *fstest.MapFile {
	text := []byte("package p\n")
	for pkg := range strings.FieldsSeq(takes) {
		text = fmt.Appendf(text, "import _ %q\n", module+"/"+pkg)
	}
	return &fstest.MapFile{Data: text}
}
