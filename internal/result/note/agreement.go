package note

import (
	"maps"
	"slices"

	"gonum.org/v1/gonum/stat"

	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
)

// An Agreement is what people say of the answers of a queue. Labels that are unsure, or
// of an answer that was asked again, count as none; of a blind queue blind ones count.
type Agreement struct {
	// People are how many items each person has labelled.
	People map[string]int `json:"people"`
	// Right is the share of right answers, from 0 to 1, each item weighted by how many
	// requests it stands for; nil without labels.
	Right *float64 `json:"right"`
	// Shared counts the items with labels of two people or more. Alpha is Krippendorff's
	// over them, nominal, and Low and High bound its 95 % interval over samples; nil
	// where they are not known.
	Shared int      `json:"shared"`
	Alpha  *float64 `json:"alpha"`
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
	// Split are the items on which people differ.
	Split []Split `json:"split"`
}

// A Split is an item with the labels of people who differ.
type Split struct {
	Item
	Labels map[string]Value `json:"labels"` // by reviewer
}

const resamples = 1000

// Agree sums up the labels of a queue.
func (q *Queue) Agree(labels []Label) Agreement {
	a := Agreement{People: make(map[string]int), Split: []Split{}}
	of := make(map[subjectOf]map[string]Value)
	for _, l := range labels {
		if l.Queue != q.Name || l.Stale || l.Value == Unsure || q.Blind && !l.Blind {
			continue
		}
		k := subjectOf{l.Cell, l.Sample, l.Request}
		if of[k] == nil {
			of[k] = make(map[string]Value)
		}
		of[k][l.Reviewer] = l.Value
		a.People[l.Reviewer]++
	}
	samples := make(map[string][][]float64)
	var right stats.Cluster
	for _, it := range q.Items {
		said := of[subjectOf{it.Cell, it.Sample, it.Request}]
		if len(said) == 0 {
			continue
		}
		votes := make([]float64, len(said)) // 1 for right
		for n, v := range slices.Sorted(maps.Values(said)) {
			if v == Right {
				votes[n] = 1
			}
		}
		mean := stat.Mean(votes, nil)
		right.AddWeighted(mean, it.Weight)
		if len(votes) > 1 {
			a.Shared++
			samples[it.Sample] = append(samples[it.Sample], votes)
		}
		if mean > 0 && mean < 1 {
			a.Split = append(a.Split, Split{it, said})
		}
	}
	if mean, n := stats.Mean([]stats.Cluster{right}); n > 0 {
		a.Right = &mean
	}
	clusters := lists.Map(slices.Sorted(maps.Keys(samples)), func(s string) [][]float64 { return samples[s] })
	s := stats.Agreement(clusters, stats.Nominal)
	if alpha, ok := s.Value(); ok {
		a.Alpha = &alpha
	}
	if i, ok := (stats.Bootstrap{Resamples: resamples, Level: stats.Level, Seed: q.Seed}).Statistic(s); ok {
		a.Low, a.High = &i.Lo, &i.Hi
	}
	return a
}

// A subjectOf is a request of a cell.
type subjectOf struct{ cell, sample, request string }

// done reports whether a person has labelled each item of the queue.
func (q *Queue) done(reviewer string, labels []Label) bool {
	said := make(map[subjectOf]bool)
	for _, l := range labels {
		if l.Queue == q.Name && l.Reviewer == reviewer {
			said[subjectOf{l.Cell, l.Sample, l.Request}] = true
		}
	}
	return !slices.ContainsFunc(q.Items, func(it Item) bool { return !said[subjectOf{it.Cell, it.Sample, it.Request}] })
}
