package gate

import (
	"slices"

	"recallbench/internal/record"
	"recallbench/metrics"
)

// A quantity is a number of a row that is no metric's column.
type quantity struct {
	metrics.Column
	byCategory bool
	// spent is set where the number comes from the records, and not the scores:
	// it is then found by of, nil where it is not known.
	spent bool
	of    func(record.Spent) *float64
	// unknown says why the number may not be known.
	unknown string
}

func quantities() []quantity {
	latency := func(name string, of func(record.Latency) float64) quantity {
		return quantity{
			Column: metrics.Column{Name: name, Scale: 1, Digits: 3, Lower: true}, spent: true,
			of: func(s record.Spent) *float64 {
				if s.Latency == nil {
					return nil
				}
				return new(of(*s.Latency))
			},
			unknown: "no request was answered",
		}
	}
	return []quantity{
		{Column: metrics.Column{Name: "errors", Scale: 100, Digits: 2, Lower: true}, byCategory: true},
		{
			Column: metrics.Column{Name: "cost", Scale: 1, Digits: 6, Lower: true}, spent: true,
			of:      func(s record.Spent) *float64 { return s.Cost },
			unknown: "the price of a request is not known",
		},
		latency("latency-mean", func(l record.Latency) float64 { return l.Mean }),
		latency("latency-median", func(l record.Latency) float64 { return l.Median }),
		latency("latency-p95", func(l record.Latency) float64 { return l.P95 }),
	}
}

func quantityNamed(name string) (quantity, bool) {
	all := quantities()
	i := slices.IndexFunc(all, func(q quantity) bool { return q.Name == name })
	if i < 0 {
		return quantity{}, false
	}
	return all[i], true
}
