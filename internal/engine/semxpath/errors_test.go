package semxpath

import (
	"errors"
	"strings"
	"testing"

	"recallbench/internal/testkit/golden"
)

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
