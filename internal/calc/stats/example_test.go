package stats_test

import (
	"fmt"

	"recallbench/internal/calc/stats"
)

// Questions about one conversation are alike, so conversations are resampled.
func ExampleBootstrap_Interval() {
	var conversations []stats.Cluster
	for _, scores := range [][]float64{{1, 1, 0}, {0, 1}, {1, 1, 1, 0}, {0, 0, 1}, {1, 1, 0, 1}, {0, 0, 1, 1}} {
		var c stats.Cluster
		for _, s := range scores {
			c.Add(s)
		}
		conversations = append(conversations, c)
	}
	mean, n := stats.Mean(conversations)
	fmt.Printf("%.2f over %d questions\n", mean, n)
	i, _ := stats.Bootstrap{Resamples: 1000, Level: 0.95, Seed: 1}.Interval(conversations)
	fmt.Printf("%.2f to %.2f\n", i.Lo, i.Hi)
	// Output:
	// 0.60 over 20 questions
	// 0.41 to 0.74
}
