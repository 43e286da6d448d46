package report

import (
	"fmt"
	"math"

	"recallbench/internal/stats"
)

// An apart holds the values of a column on two sides that cannot be paired, by
// sample and by request; those of the first line are the new side's.
type apart struct {
	samples, requests [2][]stats.Cluster
	undefined         int
}

// apart returns the values of the kept column at a place.
func (j joined) apart(at int) apart {
	var a apart
	for i, r := range j {
		for side, it := range r.items {
			if i == 0 || r.sample != j[i-1].sample {
				a.samples[side] = append(a.samples[side], stats.Cluster{})
			}
			if it == nil {
				continue
			}
			x := it.values[at]
			if math.IsNaN(x) {
				a.undefined++
				continue
			}
			a.samples[side][len(a.samples[side])-1].Add(x)
			var one stats.Cluster
			one.Add(x)
			a.requests[side] = append(a.requests[side], one)
			a.requests[1-side] = append(a.requests[1-side], stats.Cluster{})
		}
	}
	return a
}

// means fills in a row whose sides cannot be paired.
func (r *contrastRow) means(a apart, unit Unit) {
	var n [2]int
	r.New, n[0] = stats.Mean(a.samples[0])
	r.Base, n[1] = stats.Mean(a.samples[1])
	r.N, r.Of = min(n[0], n[1]), [2]int{n[1], n[0]}
	for i := range a.samples[0] {
		if a.samples[0][i].N > 0 || a.samples[1][i].N > 0 {
			r.Samples++
		}
	}
	if a.undefined > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("no value for %d of %d requests, which are left out", a.undefined, a.undefined+n[0]+n[1]))
	}
	if r.N == 0 {
		r.Missing = "a side has no value for any request"
		return
	}
	byRequest, requests := stats.Unpaired(a.requests[1], a.requests[0])
	bySample, samples := stats.Unpaired(a.samples[1], a.samples[0])
	if requests {
		r.PRequests = &byRequest.P
	}
	if samples {
		r.PSamples = &bySample.P
	}
	r.decide(unit, stats.Count(a.samples[0]) >= 2 && stats.Count(a.samples[1]) >= 2)
	d := byRequest
	r.P = r.PRequests
	if r.Unit == BySample {
		d, r.P = bySample, r.PSamples
	}
	if r.P == nil {
		r.Missing = "a side has fewer than two " + string(r.Unit) + "s, or the values do not spread"
		return
	}
	r.Test = welch
	if d.Error == 0 {
		return
	}
	r.Interval = new(d.Interval(stats.Level))
	r.Detectable = new(stats.Detectable(d.Error, d.DF, alpha, stats.Power))
}
