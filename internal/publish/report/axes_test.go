package report

import (
	"math"
	"slices"
	"strings"
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

// The row of a sweep that is best on one part is shown with its mean on the other, which
// is the mean over its requests alone.
func TestChoose(t *testing.T) {
	r := sweptRun()
	o := fakeOptions()
	o.Choose = Choice{Column: "f1@mem0", Share: 0.5}
	d := try.Get(Build([]*Run{r}, o))(t)
	golden.Check(t, "chosen.text", render(t, d, "text"))
	row := d.Tables[0].Rows[0]
	best := row[2].Text
	if best != "b" && best != "d" {
		t.Errorf("chosen is %s, want one of those with 0.2 more", best)
	}
	whole := try.Get(Build([]*Run{r}, fakeOptions()))(t)
	for _, of := range whole.Tables[0].Rows {
		if of[0].Text != best {
			continue
		}
		at := slices.IndexFunc(whole.Tables[0].Columns, func(c Column) bool { return c.Name == "f1@mem0" })
		n, m := *row[3].Value, *row[5].Value
		if mean := (n**row[4].Value + m**row[6].Value) / (n + m); math.Abs(mean-*of[at].Value) > 1e-9 {
			t.Errorf("both parts have the mean %g, the whole %g", mean, *of[at].Value)
		}
	}
	for want, choice := range map[string]Choice{
		`unknown column "f2"`:                       {Column: "f2", Share: 0.5},
		`unknown label "split"`:                     {Column: "f1@mem0", Label: "split", Value: "dev"},
		"nothing to choose: no method has two rows": {Column: "f1@mem0", Share: 0.001},
	} {
		o.Choose = choice
		if _, err := Build([]*Run{r}, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", choice, err, want)
		}
	}
}
