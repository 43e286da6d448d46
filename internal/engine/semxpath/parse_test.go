package semxpath

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
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

func TestCheck(t *testing.T) {
	schema := &tree.Schema{Root: "Plan", Types: []tree.Type{
		{Name: "Plan", Children: []string{"Day"}},
		{Name: "Day", Fields: []tree.FieldType{{Name: "index"}}, Children: []string{"POI"}},
		{Name: "POI", Fields: []tree.FieldType{{Name: "name"}, {Name: "cost"}}},
	}}
	tests := []struct{ query, want string }{
		{`/Plan/Day[2]/POI[(name ~= "x") * (Cost ~= "y")]`, ""},
		{`//Day[avg(/POI[node ~= "x"])]/*[content ~= "y"]`, ""},
		{`//*[1-(index ~= "x")]`, ""},
		{
			`/Plan/Dya`,
			"query: unknown node type \"Dya\"; did you mean \"Day\"? have Plan, Day, POI\n\t/Plan/Dya\n\t      ^",
		},
		{
			`//day[index ~= "1"]`,
			"query: unknown node type \"day\"; did you mean \"Day\"? have Plan, Day, POI\n\t//day[index ~= \"1\"]\n\t  ^",
		},
		{
			`//Day[max(@name = "x", avg(/Hotel[node~="x"]))]/POI[price ~= "y"]`,
			"query: unknown attribute \"name\"; have index, id\n\t//Day[max(@name = \"x\", avg(/Hotel[node~=\"x\"]))]/POI[price ~= \"y\"]\n\t          ^\n" +
				"query: unknown node type \"Hotel\"; have Plan, Day, POI\n\t//Day[max(@name = \"x\", avg(/Hotel[node~=\"x\"]))]/POI[price ~= \"y\"]\n\t                            ^\n" +
				"query: unknown attribute \"price\"; have name, cost, id\n\t//Day[max(@name = \"x\", avg(/Hotel[node~=\"x\"]))]/POI[price ~= \"y\"]\n\t                                                    ^",
		},
		{`/Plan[name ~= "x"]`, "query: unknown attribute \"name\"; have id\n\t/Plan[name ~= \"x\"]\n\t      ^"},
	}
	for _, test := range tests {
		q := try.Get(Parse(test.query))(t)
		got := ""
		if err := Check(q, schema); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.query, got, test.want)
		}
	}
}

func TestErrors(t *testing.T) {
	queries := []string{
		``, `  `, `/`, `//`, `/A/`, `///A`, `/A//`, `/A B`, `/A]`, `/A)`, `(/A`, `(/A)[1]/B`, `(/A)[1][2]`, `(/A)[node~="x"]`,
		`(//Day)[3]/POI`, `/(A)`, `/A/..`, `/A/@name`, `/A@name`, `/3rd`, `"A"`,
		`/Session[0]/Turn`, `/A[-0]`, `/A[1-3]`, `/A[1,3]`, `/A[:]`, `/A[]`, `/A[1`, `/A[1:2:3]`, `/A[+1]`, `/A[1.5]`, `/A[1][2]`, `/A[i]`, `/A[99999999999]`,
		`/A[last()]`, `/A[position()=1]`, `/A[last()-1]`, `/A[@+1]`, `/A[node~="x"][@+0]`, `/A[node~="x"][@+]`, `/A[node~="x"][@+-1]`, `/A[node~="x"][@+1][@+1]`,
		`/descendant::POI`, `/A/child::B`, `/A/desc::.`, `/A/following-sibling::B`, `/A/parent::B`, `/A/attribute::b`, `/A/text()`, `/A[descendant::B]`,
		`/A[node = "x"]`, `/A[node == "x"]`, `/A[@name == "x"]`, `/A[@name]`, `/A[@1]`, `/A[@index = 3]`, `/A[name]`, `/A["x"]`, `/A[node ~= x]`, `/A[node ~ "x"]`, `/A[node "x"]`,
		`/A[node ~= "x]`, `/A[node ~= 'it's']`, `/A[node ~= “x]`, `/A[node ~= "x"`, "/A[`x`]", `/A[price < 10]`, `/A#`, "/A[node ~= \"x\"]\xff",
		`/A[node~="x" AND]`, `/A[or node~="y"]`, `/A[NOT node~="x"]`, `/A[not(node~="x"]`, `/A[node~="x" node~="y"]`, `/A[node~="x" && node~="y"]`, `/A[node~="x" || node~="y"]`, `/A[!node~="x"]`, `/A | /B`,
		`/A[node~="x"][node~="y"]`, `/A[node~="x" + node~="y"]`, `/A[(node~="x" + node~="y")]`, `/A[(node~="x" + node~="y")/3]`, `/A[(node~="x")/2]`, `/A[2*node~="x"]`, `/A[1-]`, `/A[0.5]`,
		`/A[avg(/B)]`, `/A[avg(B)]`, `/A[avg(/B/C[node~="x"])]`, `/A[avg(/B[node~="x"], /C[node~="x"])]`, `/A[avg(/B[node~="x"][@+1])]`, `/A[prod(/B[node~="x"])]`, `/A[avg()]`, `/A[B[node~="x"]]`, `/A[/B[node~="x"]]`,
		`/A[agg_exists(/B[node~="x"])]`, `/A[agg_prev(/B[node~="x"])]`, `/A[exists(B)]`, `/A[count(B) > 3]`, `/A[contains(name, "x")]`, `/A[all(/B[node~="x"])]`, `/A[foo(node~="x")]`, `/A[atom(content =~ "x")]`,
		"/A\t[node\n~=\r\n\t?]", "/日程/東京[0]", "/A[node ~= \"e\u0301e\u0301\"][0]", "/A\u202e[0]",
		`/Itinerary/Version/Day[node ~= "a long description that goes on and on"]/POI[0][node ~= "another long description that goes on and on"]`,
	}
	var b strings.Builder
	for _, q := range queries {
		_, err := Parse(q)
		syntax, ok := errors.AsType[*SyntaxError](err)
		switch {
		case !ok:
			t.Errorf("%q: got error %v, want a *SyntaxError", q, err)
			continue
		case syntax.Query != q || syntax.At < 0 || syntax.At > len(q):
			t.Errorf("%q: the error has query %q and offset %d", q, syntax.Query, syntax.At)
		}
		b.WriteString(err.Error() + "\n")
	}
	golden.Check(t, "errors.txt", b.String())
}
