package strictyaml

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/testkit/try"
)

type extended struct {
	A int            `yaml:"a"`
	B map[string]int `yaml:"b"`
	C []int          `yaml:"c"`
	D struct {
		E int `yaml:"e"`
		F int `yaml:"f"`
	} `yaml:"d"`
}

func TestExtend(t *testing.T) {
	check := func(over, under string, want extended, faults ...string) {
		t.Helper()
		d := try.Get(Parse("over.yaml", []byte(over)))(t)
		base := try.Get(Parse("under.yaml", []byte(under)))(t)
		d.Extend(base)
		var got extended
		d.Root().Decode(&got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s over %s (-want +got):\n%s", over, under, diff)
		}
		said := ""
		if err := d.Err(); err != nil {
			said = err.Error()
		}
		if want := strings.Join(faults, "\n"); said != want {
			t.Errorf("%s over %s: faults\n%s\nwant\n%s", over, under, said, want)
		}
	}
	with := func(a, e, f int, b map[string]int, c ...int) extended {
		x := extended{A: a, B: b, C: c}
		x.D.E, x.D.F = e, f
		return x
	}
	check("{a: 1, c: [1], d: {e: 2}}", "{a: 3, b: {x: 1}, c: [2, 3], d: {e: 4, f: 5}}", with(1, 2, 5, map[string]int{"x": 1}, 1))
	check("{b: {x: 1}}", "{b: {x: 2, y: 3}}", with(0, 0, 0, map[string]int{"x": 1, "y": 3}))
	// What either shares by an anchor or merges counts as if it were written out.
	check("{d: &d {e: 1}, b: {<<: *d, x: 2}}", "{b: &b {e: 7, y: 3}, d: {<<: *b, f: 9}}", with(0, 1, 9, map[string]int{"x": 2, "e": 1, "y": 3}),
		`under.yaml:1:15: d: unknown key "y"; have e, f`)
	check("{d: 5}", "{d: {e: 1}}", with(0, 0, 0, nil), "over.yaml:1:5: d: found the number 5, want a mapping of e, f")
	check("{}", "{d: {g: 1}, a: x, 5: 6, a: 2}", with(0, 0, 0, nil),
		`under.yaml:1:6: d: unknown key "g"; have e, f`,
		`under.yaml:1:16: a: found the text "x", want a whole number`,
		"under.yaml:1:19: a key is the number 5; want text",
		`under.yaml:1:25: key "a" is given twice, first at 1:13`)
	check("{a: 1}", "[]", with(1, 0, 0, nil), "under.yaml:1:1: found a list, want a mapping")
	check("5", "{a: 1}", with(0, 0, 0, nil), "over.yaml:1:1: found the number 5, want a mapping of a, b, c, d")
}
