package interchange

import (
	"recallbench/internal/calc/stats"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/metrics"
)

// sums hold the scores of some requests of a cell, as tables sum them up.
type sums struct {
	columns  []metrics.Column
	n        int // requests
	failed   int // of them
	places   map[string]int
	clusters [][]stats.Cluster // of each column, by the place of the sample
}

func newSums(columns []metrics.Column) *sums {
	return &sums{columns: columns, places: make(map[string]int), clusters: make([][]stats.Cluster, len(columns))}
}

func (s *sums) add(r scored.Request) {
	s.n++
	if r.Record.Status != record.OK {
		s.failed++
	}
	at, ok := s.places[r.Record.Sample]
	if !ok {
		at = len(s.places)
		s.places[r.Record.Sample] = at
		for i := range s.clusters {
			s.clusters[i] = append(s.clusters[i], stats.Cluster{})
		}
	}
	if r.Score == nil {
		return
	}
	for i, c := range s.columns {
		value, weight := r.Score.Values[c.Name], new(1.0)
		if c.Weight != "" {
			weight = r.Score.Values[c.Weight]
		}
		if value != nil && weight != nil {
			s.clusters[i][at].AddWeighted(*value, *weight)
		}
	}
}

// A mean is the mean of a column, or its sum where tables print that.
type mean struct {
	value float64
	n     int // requests, or samples, that have a value
	// se is the standard error with conversations as clusters, nil where it is
	// not known.
	se *float64
}

func (s *sums) mean(column int) (m mean, ok bool) {
	c, clusters := s.columns[column], s.clusters[column]
	if c.Sample {
		one := make([]stats.Cluster, len(clusters))
		for i := range clusters {
			one[i] = clusters[i].One()
		}
		clusters = one
	}
	m.value, m.n = stats.Mean(clusters)
	if m.n == 0 {
		return mean{}, false
	}
	if c.Total {
		m.value = stats.Total(clusters).Sum
		return m, true
	}
	if se, ok := stats.StandardError(clusters); ok {
		m.se = &se
	}
	return m, true
}
