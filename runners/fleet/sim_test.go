package fleet

import (
	"container/heap"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"recallbench/internal/testkit/golden"
)

// A farm is a run on paper: workers keep calls in flight, each of which passes the
// provider's limit, the provider, the coordinator's processors and its disk.
type farm struct {
	workers, inFlight int
	latency           time.Duration // of the provider
	perMinute         int           // the provider's limit; 0 is none
	processor         time.Duration // of the coordinator for a request, all its questions together
	processors        int
	sync              time.Duration // of the disk, for all records that wait
}

// An event is a request that reaches a station.
type event struct {
	at      time.Duration
	station int
}

// The stations of a request.
const (
	atLimit = iota
	atProvider
	atProcessor
	atDisk
)

type events []event //nolint:recvcheck // as container/heap wants it

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].station > e[j].station
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}

// rate returns how many requests a second finish, and how busy processors and disk
// are, over a minute after the first.
func (f farm) rate() (perSecond, processors, disk float64) {
	var all events
	for i := range f.workers * f.inFlight {
		// They start over one latency, as after any other start they would be spread.
		heap.Push(&all, event{f.latency * time.Duration(i) / time.Duration(f.workers*f.inFlight), atLimit})
	}
	var gap, sent, synced, computing, syncing time.Duration
	if f.perMinute > 0 {
		gap = time.Minute / time.Duration(f.perMinute)
	}
	free := make([]time.Duration, f.processors)
	finished := 0
	const from, to = time.Minute, 2 * time.Minute
	for {
		e := heap.Pop(&all).(event)
		if e.at >= to {
			span := (to - from).Seconds()
			return float64(finished) / span, computing.Seconds() / span / float64(f.processors), syncing.Seconds() / span
		}
		counts := e.at >= from
		switch e.station {
		case atLimit:
			sent = max(e.at, sent+gap)
			e.at = sent
		case atProvider:
			e.at += f.latency
		case atProcessor:
			first := 0
			for i := range free {
				if free[i] < free[first] {
					first = i
				}
			}
			free[first] = max(e.at, free[first]) + f.processor
			e.at = free[first]
			if counts {
				computing += f.processor
			}
		case atDisk:
			// What comes while the disk is busy shares the next sync.
			if e.at >= synced-f.sync {
				begin := max(e.at, synced)
				if counts {
					syncing += f.sync
				}
				synced = begin + f.sync
			}
			e.at = synced
			if counts {
				finished++
			}
		}
		e.station = (e.station + 1) % 4
		heap.Push(&all, e)
	}
}

// The simulation of docs/scale.md, with the processor time that BenchmarkQuestion
// measures: 12 questions for a request with one call, 25 µs each at the coordinator.
func TestScale(t *testing.T) {
	var b strings.Builder
	fmt.Fprintln(&b, "| workers | provider's limit | requests a second | processors busy | disk busy |")
	fmt.Fprintln(&b, "|--:|--:|--:|--:|--:|")
	for _, limit := range []int{0, 10_000} {
		for _, workers := range []int{10, 100, 1000} {
			f := farm{
				workers: workers, inFlight: 8, latency: time.Second, perMinute: limit,
				processor: 300 * time.Microsecond, processors: 2, sync: 5 * time.Millisecond,
			}
			perSecond, processors, disk := f.rate()
			most := "none"
			if limit > 0 {
				most = fmt.Sprintf("%d/min", limit)
			}
			fmt.Fprintf(&b, "| %d | %s | %.0f | %.0f %% | %.0f %% |\n", workers, most, perSecond, 100*processors, 100*disk)
		}
	}
	golden.Check(t, "scale.md", b.String())
	page, err := os.ReadFile("../../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), b.String()) {
		t.Error("docs/scale.md has another table")
	}
}
