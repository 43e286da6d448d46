package strictyaml

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParsePath(t *testing.T) {
	check := func(in string, want path, rest string) {
		t.Helper()
		got, gotRest, err := parsePath(in)
		if err != nil || gotRest != rest || !cmp.Equal(got, want) {
			t.Errorf("parsePath(%q) = %v, %q, %v; want %v, %q", in, []any(got), gotRest, err, []any(want), rest)
		}
	}
	check("seed", path{"seed"}, "")
	check("seed=1=2", path{"seed"}, "=1=2")
	check("methods[12].options.k", path{"methods", 12, "options", "k"}, "")
	check("methods.Naive RAG.options", path{"methods", "Naive RAG", "options"}, "")
	check(`models["gpt-4.1"].options["a=\"b"]=x`, path{"models", "gpt-4.1", "options", `a="b`}, "=x")
	check("[3]", path{3}, "")

	fail := func(in string) {
		t.Helper()
		if got, rest, err := parsePath(in); err == nil {
			t.Errorf("parsePath(%q) = %v, %q; want an error", in, []any(got), rest)
		}
	}
	fail("")
	fail("=1")
	fail("a.")
	fail("a..b")
	fail("a.[1]")
	fail("a[")
	fail("a[1")
	fail("a[-1]")
	fail("a[x]")
	fail("a[1]b")
	fail(`a["b]`)
	fail(`a["b"`)
	fail("a[99999999999999999999]")
}
