package record

import (
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

// SpentBy sums up the records of a run's cells, one of each request, as a Spent for each
// method with a model on a dataset, in the order of the header.
func SpentBy(h Header, records func(Cell) ([]Record, error)) (all []Spent, err error) {
	var times, costs [][]float64 // of each Spent
	for _, c := range h.Cells {
		of, err := records(c)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(all, func(s Spent) bool {
			return s.Dataset == c.Dataset && s.Method == c.Method && s.Model == c.Model
		})
		if i < 0 {
			i = len(all)
			all = append(all, Spent{Dataset: c.Dataset, Method: c.Method, Model: c.Model})
			times, costs = append(times, nil), append(costs, nil)
		}
		all[i].Requests += len(of)
		for _, r := range of {
			if r.Status == OK && r.Time.Total > 0 { // otherwise its duration is unknown
				times[i] = append(times[i], r.Time.Total)
			}
			if r.Cost != nil {
				costs[i] = append(costs[i], *r.Cost)
			}
		}
	}
	for i := range all {
		all[i].Latency = latencyOf(times[i])
		if n := len(costs[i]); n == all[i].Requests && n > 0 {
			slices.Sort(costs[i]) // so that the sum does not depend on the order
			all[i].Cost = new(stat.Mean(costs[i], nil))
		}
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

// Bill returns what [SpentBy] reads of a record.
func (r Record) Bill() Record {
	return Record{Sample: r.Sample, Request: r.Request, Status: r.Status, Cost: r.Cost, Time: Timing{Total: r.Time.Total}}
}

// Spent sums up what the records of a run spent; a baseline has the sums.
func (f Folder) Spent(h Header) ([]Spent, error) {
	if h.Baseline != nil {
		return h.Baseline.Spent, nil
	}
	return SpentBy(h, func(c Cell) ([]Record, error) {
		return Last(values(PartsMade(f.Records(c.ID), Record.Bill)), func(r Record) Asked { return Asked{r.Sample, r.Request} })
	})
}
