package config

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp/cmpopts"

	"recallbench/internal/files/strictyaml"
	"recallbench/internal/testkit/try"
)

// No run file makes Parse panic, and one that is right stays what it is when
// written out in full.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range append(files, "../../configs/quickstart.yaml", "testdata/marshal.yaml") {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "methods.flat-rag.options.k=5")
	}
	f.Add([]byte(minimal), "methods=[{use: flat-rag, options: {chunk: {unit: turns}}}]")
	f.Add([]byte("seeds: [2, 1]\n"+minimal), "seeds=[18446744073709551615, 0]")
	f.Add([]byte(sweepFile+"matrix: {methods.rag.options.k: [5, 6], datasets.locomo.options: [{}, {categories: [2]}]}\nexclude: [{method: x}, {dataset: sample}]\n"), "matrix.methods.rag.options.weight=[0, 1]")
	for _, label := range []string{"yes", "~", "1e3", "010", "2023-05-08", "<<", "\u65e5\u672c", "\\u2028x", "\\ufeffx", "\\u0085x", "- x", "a: b", "a #b", "\\\"'"} {
		f.Add([]byte(minimal), `methods=[{use: flat-rag, label: "`+label+`", options: {stop: ["`+label+`"], weights: {"`+label+`": 1e-9}, timeout: 1ns, fallback: {unit: turns, size: 2}}}]`)
	}
	f.Add([]byte("limits: {errors: 0.1, requests: 2, request: {calls: 3, tokens: 4, usd: 0.5, time: 6s}}\nbudget: {tokens: 7, usd: 8.5}\ncalls: {mode: record, store: s, stand_in: true}\nprices: p.yaml\nshard: 2/4\nprompts: q\npublished: [xmemory-table1]\n"+minimal), "seeds=[3, 2]")
	f.Add([]byte("? [a]\n: b\n<<: [x, {y: z}]\n<<: 3\na: &a [*a]\nb: !!binary x\n"), "list.low.sizes[0]=5")
	f.Add([]byte("%YAML 1.1\n---\na: 1\n...\n---\n"), `inner["names"].b.c={x: [y]}`)
	f.Add([]byte("seeds: [1]\nextends: [quickstart.yaml]\nmatrix: {}\n"+minimal), "seeds=[1, 2]")
	f.Fuzz(func(t *testing.T, data []byte, assignment string) {
		first, err := Parse("x.yaml", data, fakes(), assignment)
		if err != nil {
			checkFaults(t, err)
			return
		}
		try.Equal(t, "written out and read again", first, try.Get(Parse("x.yaml", try.Get(first.Marshal())(t), fakes()))(t), cmpopts.EquateEmpty())
	})
}

// checkFaults checks that each fault says something, with a whole position or none.
func checkFaults(t *testing.T, err error) {
	t.Helper()
	e, ok := errors.AsType[*strictyaml.Error](err)
	if !ok || len(e.Faults) == 0 || !utf8.ValidString(err.Error()) {
		t.Fatalf("%T %q holds no faults, or is not UTF-8", err, err)
	}
	for _, f := range e.Faults {
		if f.Msg == "" || f.File == "" || f.Line < 0 || f.Col < 0 || (f.Line == 0) != (f.Col == 0) {
			t.Fatalf("fault %#v says nothing, or has half a position", f)
		}
	}
}
