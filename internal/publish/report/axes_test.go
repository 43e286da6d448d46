package report

import (
	"testing"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// sweptRun is a sweep over two options: one adds 0.2 to each request, give or take, the
// other nothing. A row is excluded.
func sweptRun() *Run {
	values := make(map[string][]float64)
	options := map[string]map[string]any{
		"a": {"k": 5, "search": map[string]any{"by": "words"}}, "b": {"k": 10, "search": map[string]any{"by": "words"}},
		"c": {"k": 5, "search": map[string]any{"by": "both"}}, "d": {"k": 10, "search": map[string]any{"by": "both"}},
		"e": {"k": 20, "search": map[string]any{"by": "words"}},
	}
	for i := range 16 {
		noise := float64((i*7)%5-2) / 100
		base := 0.3 + float64(i)/100
		values["a"] = append(values["a"], base)
		values["b"] = append(values["b"], base+0.2+noise)
		values["c"] = append(values["c"], base+noise)
		values["d"] = append(values["d"], base+0.2-noise)
		values["e"] = append(values["e"], base+0.1)
	}
	r := scored(values, "e", "a", "b", "c", "d")
	for i := range r.Header.Cells {
		c := &r.Header.Cells[i]
		c.Use, c.Options = "flat-rag", options[c.Method]
	}
	return r
}

// The row that is excluded leaves its cell of the pivot empty.
func TestAxes(t *testing.T) {
	r := sweptRun()
	o := fakeOptions()
	o.Axes = true
	d := try.Get(Build([]*Run{r}, o))(t)
	golden.Check(t, "axes.text", render(t, d, "text"))
	if _, err := Build([]*Run{scored(map[string][]float64{"x": {1, 0}, "y": {0, 1}}, "x", "y")}, o); err == nil {
		t.Error("rows without options have axes")
	}
}
