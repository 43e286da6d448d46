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

	for _, in := range []string{"", "=1", "a.", "a..b", "a.[1]", "a[", "a[1", "a[-1]", "a[x]", "a[1]b", `a["b]`, `a["b"`, "a[99999999999999999999]"} {
		if got, rest, err := parsePath(in); err == nil {
			t.Errorf("parsePath(%q) = %v, %q; want an error", in, []any(got), rest)
		}
	}
}
