package rating

import (
	"maps"
	"slices"

	"gonum.org/v1/gonum/stat"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
)

// A Summary is what ratings say.
type Summary struct {
	Methods []Method
	Raters  []Rater
	// Alpha is Krippendorff's on the ordinal scale, over all items; nil where no
	// two ratings can be compared, or none differ.
	Alpha *float64
	// Shared is the number of items with two ratings or more, which Alpha is of.
	Shared int
}

// A Method is what was said of the answers of a method.
type Method struct {
	Name    string
	Asked   int // items
	Items   int // with a rating
	Ratings int
	// Mean is that of the means of items, over all raters of each; 0 without one.
	Mean float64
	// Interval is by resampling whole conversations; nil with fewer than two.
	Interval *stats.Interval
	// Flagged holds by flag how many ratings answer yes, and Judged how many
	// answer at all.
	Flagged, Judged map[string]int
}

// A Rater is what one rater did.
type Rater struct {
	Name            string
	Rated, Asked    int
	Mean, Deviation float64 // of the ratings; the deviation is over n - 1
}

// Summarise sums up ratings. Seed draws the resamples of intervals.
func (a Asked) Summarise(ratings []Rating, seed uint64) Summary {
	var s Summary
	byItem := make(map[string][]float64)
	for _, r := range ratings {
		if r.UCS != nil {
			byItem[r.Item] = append(byItem[r.Item], float64(*r.UCS))
		}
	}
	var units [][]float64
	for _, it := range a.Items {
		units = append(units, byItem[it.ID])
		if len(byItem[it.ID]) > 1 {
			s.Shared++
		}
	}
	if alpha, ok := stats.Alpha(units, stats.Ordinal); ok {
		s.Alpha = &alpha
	}
	s.Methods = a.methods(ratings, byItem, seed)
	s.Raters = a.raters(ratings)
	return s
}

func (a Asked) methods(counted []Rating, byItem map[string][]float64, seed uint64) []Method {
	var methods []Method
	clusters := make(map[string]map[string]*stats.Cluster) // by method and sample
	place := make(map[string]int)
	for _, it := range a.Items {
		i, ok := place[it.Method]
		if !ok {
			i = len(methods)
			place[it.Method] = i
			methods = append(methods, Method{Name: it.Method, Flagged: make(map[string]int), Judged: make(map[string]int)})
			clusters[it.Method] = make(map[string]*stats.Cluster)
		}
		m := &methods[i]
		m.Asked++
		if of := byItem[it.ID]; len(of) > 0 {
			m.Items++
			m.Ratings += len(of)
			if clusters[it.Method][it.Sample] == nil {
				clusters[it.Method][it.Sample] = new(stats.Cluster)
			}
			clusters[it.Method][it.Sample].Add(stat.Mean(of, nil))
		}
	}
	for _, r := range counted {
		m := &methods[place[r.Method]]
		for name, yes := range r.Flags {
			m.Judged[name]++
			if yes {
				m.Flagged[name]++
			}
		}
	}
	for i := range methods {
		m := &methods[i]
		var all []stats.Cluster
		for _, it := range a.Items { // in one order
			if c := clusters[m.Name][it.Sample]; c != nil && it.Method == m.Name {
				all = append(all, *c)
				delete(clusters[m.Name], it.Sample)
			}
		}
		m.Mean, _ = stats.Mean(all)
		boot := stats.Bootstrap{Resamples: stats.Resamples, Level: stats.Level, Seed: seed}
		if interval, ok := boot.Interval(all); ok {
			m.Interval = &interval
		}
	}
	return methods
}

// raters sums up what each rater did.
func (a Asked) raters(ratings []Rating) []Rater {
	values := make(map[string][]float64)
	for _, r := range ratings {
		if values[r.Rater] = slices.Clip(values[r.Rater]); r.UCS != nil {
			values[r.Rater] = append(values[r.Rater], float64(*r.UCS))
		}
	}
	return lists.Map(slices.Sorted(maps.Keys(values)), func(name string) Rater {
		rater := Rater{Name: name, Asked: len(a.Items), Rated: len(values[name])}
		if rater.Rated > 0 {
			rater.Mean = stat.Mean(values[name], nil)
		}
		if rater.Rated > 1 {
			rater.Deviation = stat.StdDev(values[name], nil)
		}
		return rater
	})
}
