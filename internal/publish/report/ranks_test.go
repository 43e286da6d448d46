package report

import (
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

// Two rows that differ by less than their noise share places, and one that is better in
// every conversation has the first.
func TestRanks(t *testing.T) {
	values := map[string][]float64{}
	for i := range 16 {
		noise := float64((i*7)%5) / 50
		values["good"] = append(values["good"], 0.8+noise)
		values["fair"] = append(values["fair"], 0.4-noise)
		values["even"] = append(values["even"], 0.4-float64((i/2)%2*2-1)*0.1)
		values["poor"] = append(values["poor"], noise/3)
	}
	o := fakeOptions()
	o.Ranks = true
	d := try.Get(Build([]*Run{scored(values, "poor", "even", "good", "fair")}, o))(t)
	text := render(t, &Document{Tables: d.Tables[len(d.Tables)-1:]}, "csv")
	for _, want := range []string{",4,", ",2–3,", ",1,"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Count(text, ",2–3,") != 2 {
		t.Errorf("want two rows that share the places 2 and 3:\n%s", text)
	}
}
