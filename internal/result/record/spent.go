package record

import (
	"iter"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// A Spent says how long the requests of a method with a model on a dataset took,
// all its seeds together, and what they cost: what the scores do not hold.
type Spent struct {
	Dataset string `json:"dataset"`
	Method  string `json:"method"` // label
	Model   string `json:"model"`  // label
	// Requests is the number of finished requests.
	Requests int `json:"requests"`
	// Latency is of the answered ones; nil where there are none.
	Latency *Latency `json:"latency,omitempty"`
	// Cost is the mean for each request, in dollars; nil where a price is not
	// known for one of them.
	Cost *float64 `json:"cost"`
}

// A Latency sums up how long requests took, in milliseconds. The 95th percentile
// is the smallest time that at least 95 % of the requests do not exceed, and the
// median likewise.
type Latency struct {
	Requests int     `json:"requests"`
	Mean     float64 `json:"mean_ms"`
	Median   float64 `json:"median_ms"`
	P95      float64 `json:"p95_ms"`
}

// SpentBy sums up the records of a run's cells, a Spent for each method with a
// model on a dataset, in the order of the header. Of a request that was asked
// again the last record counts.
func SpentBy(h Header, records func(Cell) iter.Seq2[Record, error]) ([]Spent, error) {
	type request struct {
		seed         uint64
		sample, name string
	}
	type row struct {
		Spent
		last map[request]Record
	}
	var rows []*row
	for _, c := range h.Cells {
		i := slices.IndexFunc(rows, func(r *row) bool {
			return r.Dataset == c.Dataset && r.Method == c.Method && r.Model == c.Model
		})
		if i < 0 {
			i = len(rows)
			rows = append(rows, &row{Spent: Spent{Dataset: c.Dataset, Method: c.Method, Model: c.Model}, last: make(map[request]Record)})
		}
		for r, err := range records(c) {
			if err != nil {
				return nil, err
			}
			rows[i].last[request{c.Seed, r.Sample, r.Request}] = Record{Status: r.Status, Cost: r.Cost, Time: Timing{Total: r.Time.Total}}
		}
	}
	all := make([]Spent, len(rows))
	for i, r := range rows {
		var times, costs []float64
		for _, one := range r.last {
			if one.Status == OK && one.Time.Total > 0 { // otherwise its duration is unknown
				times = append(times, one.Time.Total)
			}
			if one.Cost != nil {
				costs = append(costs, *one.Cost)
			}
		}
		r.Requests, r.Latency = len(r.last), latencyOf(times)
		if len(costs) == r.Requests && len(costs) > 0 {
			slices.Sort(costs) // so that the sum does not depend on the order
			r.Cost = new(stat.Mean(costs, nil))
		}
		all[i] = r.Spent
	}
	return all, nil
}

func latencyOf(times []float64) *Latency {
	if len(times) == 0 {
		return nil
	}
	slices.Sort(times)
	return &Latency{
		Requests: len(times), Mean: stat.Mean(times, nil),
		Median: stat.Quantile(0.5, stat.Empirical, times, nil),
		P95:    stat.Quantile(0.95, stat.Empirical, times, nil),
	}
}

// Spent sums up what the records of a run spent; a baseline has the sums.
func (f Folder) Spent(h Header) ([]Spent, error) {
	if h.Baseline != nil {
		return h.Baseline.Spent, nil
	}
	return SpentBy(h, func(c Cell) iter.Seq2[Record, error] { return Values[Record](f.Records(c.ID)) })
}
