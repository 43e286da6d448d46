package semxpath

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"recallbench/internal/testkit/try"
)

// queries draws queries, with conditions where they are asked for.
func queries(conditions bool) *rapid.Generator[*Query] {
	return rapid.Custom(func(t *rapid.T) *Query {
		q := &Query{}
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			q.steps = append(q.steps, drawStep(t, conditions, 3))
		}
		if rapid.IntRange(0, 4).Draw(t, "group") == 0 {
			q.global = drawPosition(t)
		}
		return q
	})
}

func drawStep(t *rapid.T, conditions bool, depth int) *step {
	s := &step{
		axis: rapid.SampledFrom([]axis{child, descendant}).Draw(t, "axis"),
		name: rapid.SampledFrom([]string{"A", "B", "C", anyType}).Draw(t, "type"),
	}
	if rapid.Bool().Draw(t, "positioned") {
		s.position = drawPosition(t)
	}
	if conditions && rapid.Bool().Draw(t, "conditional") {
		s.cond = drawCondition(t, depth)
		s.sibling = rapid.SampledFrom([]int{0, 0, 0, 1, -1, 2}).Draw(t, "sibling")
	}
	return s
}

func drawPosition(t *rapid.T) *position {
	draw := func(label string) int {
		return rapid.SampledFrom([]int{1, 1, 2, 2, 3, 5, -1, -1, -2, -3, -5}).Draw(t, label)
	}
	p := &position{from: draw("from")}
	p.to = p.from
	if rapid.IntRange(0, 2).Draw(t, "range") == 0 {
		p.to = draw("to")
	}
	return p
}

func drawCondition(t *rapid.T, depth int) *condition {
	kind := 0
	if depth > 0 {
		kind = rapid.IntRange(0, 3).Draw(t, "condition")
	}
	joining := []operator{mean, minimum, maximum, geometric}
	c := &condition{op: similar}
	switch kind {
	case 1:
		c.op, c.of = inverse, []*condition{drawCondition(t, depth-1)}
	case 2:
		c.op = rapid.SampledFrom(append(joining, product)).Draw(t, "operator")
		for range rapid.IntRange(2, 3).Draw(t, "conditions") {
			c.of = append(c.of, drawCondition(t, depth-1))
		}
	case 3:
		c.op, c.evidence = rapid.SampledFrom(joining).Draw(t, "aggregation"), drawStep(t, false, 0)
		c.evidence.cond = drawCondition(t, depth-1)
	default:
		c.attr = rapid.SampledFrom([]string{wholeNode, contentWord, "name", "cost"}).Draw(t, "attribute")
		c.value = rapid.OneOf(rapid.SampledFrom([]string{"x", "y", "red"}), rapid.String()).Draw(t, "value")
		if c.attr == "name" && rapid.Bool().Draw(t, "exact") {
			c.op = equal
		}
	}
	return c
}

func TestPrintedQueriesParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := queries(true).Draw(t, "query")
		got := try.Get(Parse(q.String()))(t)
		if diff := cmp.Diff(q, got, ignorePlaces); diff != "" {
			t.Fatalf("%s parses as another query:\n%s", q, diff)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, q := range []string{
		`//Day[avg(/POI[node~="conference"])]`, `//Day[3]/POI[1-[node~="workshop"]]`,
		`(//A[-2:][(name≈“x” + @b = 'y')/2])[1]`, `/A[agg_max(//*[1 - a =~ "x" · b ~= "\"\\"])][@-2]`,
		`/descendant::A[last()]`, `/A[node ~= "x AND`, "/日\t[0]\xff",
	} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Parse(text)
		if err != nil {
			if err.Error() == "" {
				t.Error("the error says nothing")
			}
			return
		}
		printed := q.String()
		again, err := Parse(printed)
		if err != nil {
			t.Fatalf("%q is printed as %q: %v", text, printed, err)
		}
		if diff := cmp.Diff(q, again, ignorePlaces); diff != "" {
			t.Fatalf("%q is printed as %q, which is another query:\n%s", text, printed, diff)
		}
		if again.String() != printed {
			t.Fatalf("%q is printed as %q and then as %q", text, printed, again)
		}
	})
}
