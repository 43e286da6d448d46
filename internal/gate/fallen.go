package gate

import (
	"cmp"
	"slices"

	"recallbench/internal/record"
)

// findFallen lists, for each tested regression, the requests that fell the most.
func (c *checker) findFallen(checks []check, most int) error {
	if most <= 0 || !slices.ContainsFunc(checks, check.tested) {
		return nil
	}
	var places []int
	columns := make(map[string]bool)
	for i, o := range c.result.Outcomes {
		if o.Verdict == Regression && checks[i].tested() {
			places = append(places, i)
			columns[o.Column] = true
		}
	}
	if len(places) == 0 {
		return nil
	}
	now, err := c.run.values(columns)
	if err != nil {
		return err
	}
	was, err := c.base.values(columns)
	if err != nil {
		return err
	}
	for _, i := range places {
		x := checks[i]
		c.result.Outcomes[i].Fallen = fallen(x, now, was, most)
	}
	return nil
}

// A valueKey names the value of a request of a row, over all categories.
type valueKey struct {
	rowKey
	column, sample, request string
}

// A seeded is the values of a request over seeds.
type seeded struct {
	category string
	sum      float64
	n        int
}

// values reads the values of some columns.
func (s *side) values(columns map[string]bool) (map[valueKey]seeded, error) {
	cells := make(map[string]rowKey)
	for _, c := range s.Header.Cells {
		cells[c.ID] = rowKey{dataset: c.Dataset, method: c.Method, model: c.Model}
	}
	all := make(map[valueKey]seeded)
	for score, err := range s.Scores {
		if err != nil {
			return nil, err
		}
		add(all, cells[score.Cell], score, columns)
	}
	return all, nil
}

func add(all map[valueKey]seeded, row rowKey, score record.Score, columns map[string]bool) {
	for name, x := range score.Values {
		if !columns[name] || x == nil {
			continue
		}
		k := valueKey{row, name, score.Sample, score.Request}
		v := all[k]
		v.category = score.Category
		v.sum += *x
		v.n++
		all[k] = v
	}
}

// fallen returns the requests of a check that are worse than in the baseline, those
// that fell the most first.
func fallen(x check, now, was map[valueKey]seeded, most int) []Fallen {
	var all []Fallen
	for k, v := range now {
		old, ok := was[k]
		if !ok || k.rowKey != x.key.all() || k.column != x.column.Name || x.key.category != "" && v.category != x.key.category {
			continue
		}
		f := Fallen{
			Sample: k.sample, Request: k.request,
			Baseline: old.sum / float64(old.n) * x.column.Scale, Value: v.sum / float64(v.n) * x.column.Scale,
		}
		if worse(f.Baseline, f.Value, x.column) > slack {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b Fallen) int {
		return cmp.Or(
			cmp.Compare(worse(b.Baseline, b.Value, x.column), worse(a.Baseline, a.Value, x.column)),
			cmp.Compare(a.Sample, b.Sample), cmp.Compare(a.Request, b.Request),
		)
	})
	return all[:min(most, len(all))]
}
