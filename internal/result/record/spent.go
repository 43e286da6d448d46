package record

import (
	"slices"

	"gonum.org/v1/gonum/stat"

	"recallbench/internal/calc/lists"
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
	row := func(c Cell) [3]string { return [3]string{c.Dataset, c.Method, c.Model} }
	for _, of := range lists.Distinct(h.Cells, row) {
		s := Spent{Dataset: of[0], Method: of[1], Model: of[2]}
		var times, costs []float64
		for _, c := range lists.Filter(h.Cells, func(c Cell) bool { return row(c) == of }) {
			part, err := records(c)
			if err != nil {
				return nil, err
			}
			s.Requests += len(part)
			for _, r := range part {
				if r.Status == OK && r.Time.Total > 0 { // otherwise its duration is unknown
					times = append(times, r.Time.Total)
				}
				if r.Cost != nil {
					costs = append(costs, *r.Cost)
				}
			}
		}
		s.Latency = latencyOf(times)
		if n := len(costs); n == s.Requests && n > 0 {
			slices.Sort(costs) // so that the sum does not depend on the order
			s.Cost = new(stat.Mean(costs, nil))
		}
		all = append(all, s)
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
		return Last(values(PartsMade(f.Records(c.ID), Record.Bill)), Record.Asked)
	})
}
