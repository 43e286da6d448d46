package semxpath

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	// Each is the canonical spelling followed by others of the same query.
	tests := [][]string{
		{`/A`, `A`, ` / A `, `(A)`},
		{`//Day/*`, `//Day/.`, "//Day\n\t/ *"},
		{`/A[2]`, `/A[2:2]`, `A[ 2 ]`},
		{`/A[-1]`, `/A[-1:]`, `/A[−1]`, `/A[-1:-1]`},
		{`/A[2:]`, `/A[2:-1]`},
		{`/A[1:3]`, `/A[:3]`},
		{`/A[-3:-2]`},
		{`/A[1:]`},
		{`(//A/B)[-2]`},
		{`//A[node ~= "x y"]`, `//A[node~="x y"]`, `//A[node =~ 'x y']`, `//A[node ≈ “x y”]`, `//A[[node ≈ ‘x y’]]`, `//A[(node~=„x y“)]`},
		{`//A[name ~= "x"]`, `//A[@name ~= "x"]`},
		{`//A[@name = "x"]`, `//A[ @ name='x' ]`, `//A[name="x"]`},
		{`//A[2][node ~= "x"]`, `//A[node~="x"][2]`},
		{`//A[node ~= "x"][@+1]`},
		{`//A[2][node ~= "x"][@-3]`, `//A[node~="x"][@-3][2]`},
		{`//A[1-(node ~= "x")]`, `//A[1-[node~="x"]]`, `//A[1 - node =~ "x"]`, `//A[1−((node=~"x"))]`},
		{`//A[1-(1-(node ~= "x"))]`, `//A[1-1-node~="x"]`},
		{`//A[avg(a ~= "x", b ~= "y")]`, `//A[(a~="x" + b~="y")/2]`, `//A[([a≈"x"]+[b≈"y"]) / 2]`, `//A[agg_avg([a ~= "x"], b ~= "y")]`, `//A[AVG(a~="x",b~="y")]`},
		{`//A[avg(a ~= "x", b ~= "y", c ~= "z")]`, `//A[(a~="x" + b~="y" + c~="z")/3]`},
		{`//A[min(max(a ~= "x", b ~= "y"), gmean(c ~= "z", d ~= "w"))]`},
		{`//A[(a ~= "x") * (b ~= "y")]`, `//A[[a~="x"] · [b~="y"]]`, `//A[a~="x"*b~="y"]`, `//A[prod(a~="x",b~="y")]`, `//A[product(a~="x",b~="y")]`},
		{`//A[(1-(a ~= "x")) * (b ~= "y")]`, `//A[1-[a~="x"] * [b~="y"]]`},
		{`//A[1-((a ~= "x") * (b ~= "y"))]`, `//A[1-(a~="x" * b~="y")]`},
		{`//A[((a ~= "x") * (b ~= "y")) * avg(/C[node ~= "z"])]`, `//A[[a~="x" * b~="y"] * avg(C[node~="z"])]`},
		{`//A[min(a ~= "x", b ~= "y", c ~= "z")]`, `//A[a~="x" and b~="y" AND c~="z"]`},
		{`//A[max(min(a ~= "x", b ~= "y"), c ~= "z")]`, `//A[a~="x" and b~="y" or c~="z"]`, `//A[(a~="x" and b~="y") or (c~="z")]`},
		{`//A[min(a ~= "x", 1-(max(b ~= "y", and ~= "z")))]`, `//A[a~="x" and not(b~="y" or and~="z")]`},
		{`//A[node ~= "x"]`, `//A[min(node~="x")]`, `//A[avg([node~="x"])]`},
		{`//Day[avg(/POI[node ~= "x"])]`, `//Day[avg(POI[node~="x"])]`, `//Day[agg_avg(/POI[node =~ "x"])]`, `//Day[[avg(./POI[node=~"x"])]]`},
		{`//Day[max(//*[node ~= "x"])]`, `//Day[agg_max(//.[node ~= "x"])]`},
		{`//Day[gmean(/POI[1:2][node ~= "x"])]`, `//Day[agg_gmean(POI[node~="x"][:2])]`},
		{`/A[avg(/B[max(//C[1-(name ~= "x")])])]`},
		{`/A[node ~= "a \"b\" 'c' \\ d\\e“"]`, `/A[node ~= 'a "b" \'c\' \\ d\e\“']`},
		{`/x-y.z/a:b[@c:d = "1"]`},
		{`/Größe/日程[名 ~= "東京"]`},
		{`/min/avg[min ~= "x"]`},
	}
	for _, test := range tests {
		want, err := Parse(test[0])
		if err != nil {
			t.Errorf("%s: %v", test[0], err)
			continue
		}
		if got := want.String(); got != test[0] {
			t.Errorf("%s is printed as %s", test[0], got)
		}
		for _, spelling := range test[1:] {
			got, err := Parse(spelling)
			if err != nil {
				t.Errorf("%s: %v", spelling, err)
				continue
			}
			if diff := cmp.Diff(want, got, ignorePlaces); diff != "" {
				t.Errorf("%s and %s differ:\n%s", test[0], spelling, diff)
			}
		}
	}
}

// ignorePlaces compares queries by what they say and not how it is written.
var ignorePlaces = cmp.Options{
	cmp.AllowUnexported(Query{}, step{}, position{}, condition{}),
	cmp.FilterPath(func(p cmp.Path) bool {
		last := p.Last().String()
		return last == ".at" || last == ".source" || last == ".all"
	}, cmp.Ignore()),
}

func TestLimits(t *testing.T) {
	check := func(what, text, want string) {
		t.Helper()
		_, err := Parse(text)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", what, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got error %v, want one with %q", what, err, want)
		}
	}
	inverses := func(n int) string {
		return `/A[` + strings.Repeat("1-(", n-1) + `node~="x"` + strings.Repeat(")", n-1) + `]`
	}
	check("length", `/A[node~="`+strings.Repeat("x", MaxLength)+`"]`, "at most 65536 bytes")
	check("canonical length", `/A[node~="`+strings.Repeat(`\d`, MaxLength/2-20)+`"]`, "in its canonical spelling")
	check("depth", inverses(MaxDepth), "")
	check("depth", inverses(MaxDepth+1), "100 deep")
	check("depth without brackets", `/A[`+strings.Repeat("1-", MaxDepth)+`node~="x"]`, "100 deep")
	check("depth of evidence", `/A[`+strings.Repeat("max(B[", MaxDepth)+`node~="x"`+strings.Repeat("])", MaxDepth)+`]`, "100 deep")
	check("brackets", `/A`+strings.Repeat("[", MaxLength-10), "100 deep")
	check("parentheses", `/A[`+strings.Repeat("(", MaxLength-10), "100 deep")
	check("inverses", `/A[`+strings.Repeat("1-", MaxLength/2-10), "100 deep")
	check("steps", strings.Repeat("/A", MaxSteps), "")
	check("steps", strings.Repeat("/A", MaxSteps+1), "1000 steps")
	check("steps of evidence", `/A[max(`+strings.Repeat(`B[node~="x"]),max(`, MaxSteps)+`B[node~="x"])]`, "want")
	check("largest index", "/A[2147483647]", "")
	check("index", "/A[2147483648]", "at most 2147483647")
	check("index", "/A[-99999999999999999999]", "at most 2147483647")
}
