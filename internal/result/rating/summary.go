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

func (a Asked) methods(counted []Rating, byItem map[string][]float64, seed uint64) (methods []Method) {
	for _, name := range lists.Distinct(a.Items, func(it AskedItem) string { return it.Method }) {
		m := Method{Name: name, Flagged: make(map[string]int), Judged: make(map[string]int)}
		var clusters []stats.Cluster // by conversation, in one order
		place := make(map[string]int)
		for _, it := range a.Items {
			if it.Method != name {
				continue
			}
			m.Asked++
			of := byItem[it.ID]
			if len(of) == 0 {
				continue
			}
			m.Items++
			m.Ratings += len(of)
			i, ok := place[it.Sample]
			if !ok {
				i = len(clusters)
				place[it.Sample], clusters = i, append(clusters, stats.Cluster{})
			}
			clusters[i].Add(stat.Mean(of, nil))
		}
		for _, r := range counted {
			for flag, yes := range r.Flags {
				if r.Method == name {
					m.Judged[flag]++
				}
				if r.Method == name && yes {
					m.Flagged[flag]++
				}
			}
		}
		m.Mean, _ = stats.Mean(clusters)
		if interval, ok := (stats.Bootstrap{Resamples: stats.Resamples, Level: stats.Level, Seed: seed}).Interval(clusters); ok {
			m.Interval = &interval
		}
		methods = append(methods, m)
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
