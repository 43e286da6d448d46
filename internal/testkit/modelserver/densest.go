package modelserver

import (
	"slices"
	"time"
)

// Densest returns the largest number of times within any span, its end left out. It
// sorts times.
func Densest(times []time.Time, span time.Duration) (most int) {
	slices.SortFunc(times, time.Time.Compare)
	first := 0
	for i, t := range times {
		for t.Sub(times[first]) >= span {
			first++
		}
		most = max(most, i+1-first)
	}
	return most
}
