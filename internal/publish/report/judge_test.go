package report

import (
	"slices"
	"strings"
	"testing"

	"recallbench/internal/result/record"
)

// TestContrastUnasked says that differences do not have the error of an audit.
func TestContrastUnasked(t *testing.T) {
	base, side := pairRun("main", 0), pairRun("change", 0.05)
	rescore(side, func(s *record.Score) {
		s.Unasked = map[string]float64{"exact-match": 0.01}
	})
	if _, notes := contrast(t, Side{Run: base}, contrastOptions(), Side{Run: side}); !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "not asked about 500 answers") }) {
		t.Errorf("notes %q", notes)
	}
}

// TestUnasked has the error of an audit in the interval of a rate, and says for how many
// answers it stands.
func TestUnasked(t *testing.T) {
	half := func(err float64) (float64, []string) {
		r := standInRun()
		r.Header.Metrics = append(slices.Clone(r.Header.Metrics), "judge")
		rescore(r, func(s *record.Score) {
			s.Values["judge"], s.Unasked = new(0.5), map[string]float64{"judge": err}
			if s.Request == "q0" {
				s.Values["judge"], s.Unasked = new(1.0), nil
			}
		})
		o := fakeOptions()
		o.Columns, o.Intervals = []string{"judge"}, true
		d, fault := Build([]*Run{r}, o)
		if fault != nil {
			t.Fatal(fault)
		}
		row := d.Tables[0].Rows[0]
		i := row[len(row)-1].Interval
		if i == nil {
			t.Fatalf("no interval in %+v", row)
		}
		return i.Hi - i.Lo, d.Tables[0].Notes
	}
	narrow, _ := half(0)
	wide, notes := half(0.05)
	if !(wide > narrow) || !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "the share of 50.0") }) {
		t.Errorf("the interval is %g wide, without the error %g; notes %q", wide, narrow, notes)
	}
}
