package gate

import (
	"cmp"
	"encoding/json"
	"slices"

	"recallbench/internal/result/record"
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
		c.result.Outcomes[i].Regressed = regressed(checks[i], now, was, most)
	}
	return nil
}

// A requestKey names a request of a row.
type requestKey struct{ sample, request string }

// A seeded is the values of a request over seeds.
type seeded struct {
	category string
	sum      float64
	n        int
}

// mean is in the unit of the scores.
func (v seeded) mean() float64 { return v.sum / float64(v.n) }

// values reads the values of some columns, by the row over all requests.
func (s *side) values(columns map[string]bool) (map[contrastKey]map[requestKey]seeded, error) {
	cells := make(map[string]rowKey)
	for _, c := range s.Header.Cells {
		cells[c.ID] = rowKey{dataset: c.Dataset, method: c.Method, model: c.Model}
	}
	all := make(map[contrastKey]map[requestKey]seeded)
	for score, err := range s.Scores {
		if err != nil {
			return nil, err
		}
		for name := range columns {
			x := score.Values[name]
			if x == nil {
				continue
			}
			k := contrastKey{cells[score.Cell], name}
			if all[k] == nil {
				all[k] = make(map[requestKey]seeded)
			}
			v := all[k][requestKey{score.Sample, score.Request}]
			v.category, v.sum, v.n = score.Category, v.sum+*x, v.n+1
			all[k][requestKey{score.Sample, score.Request}] = v
		}
	}
	return all, nil
}

// regressed returns the requests of a check that are worse than in the baseline, those
// that fell the most first.
func regressed(x check, now, was map[contrastKey]map[requestKey]seeded, most int) []RegressedRequest {
	var all []RegressedRequest
	row := contrastKey{x.key.all(), x.column.Name}
	for k, v := range now[row] {
		old, ok := was[row][k]
		if !ok || x.key.category != "" && v.category != x.key.category {
			continue
		}
		f := RegressedRequest{Sample: k.sample, Request: k.request, Baseline: old.mean() * x.column.Scale, Value: v.mean() * x.column.Scale}
		if worse(f.Baseline, f.Value, x.column) > slack {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b RegressedRequest) int {
		return cmp.Or(
			cmp.Compare(worse(b.Baseline, b.Value, x.column), worse(a.Baseline, a.Value, x.column)),
			cmp.Compare(a.Sample, b.Sample), cmp.Compare(a.Request, b.Request),
		)
	})
	return all[:min(most, len(all))]
}

func cellsOf(h record.Header, k rowKey) []record.Cell {
	return slices.DeleteFunc(slices.Clone(h.Cells), func(c record.Cell) bool {
		return c.Dataset != k.dataset || c.Method != k.method || c.Model != k.model
	})
}

// optionOf returns an option of a cell as JSON, empty where it has none.
func optionOf(c record.Cell, name string) string {
	v, ok := c.Options[name]
	if !ok {
		return ""
	}
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}
