//go:build unix

package live_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"recallbench/internal/result/record"
)

// BenchmarkLook follows a run of 24 cells that finishes 10 requests a second, with
// records of 4 KB. It reports the processor time for each second that is watched.
func BenchmarkLook(b *testing.B) {
	var cells []string
	for i := range 24 {
		cells = append(cells, fmt.Sprintf("c%d", i))
	}
	w := watch(b, cells...)
	w.run.Look(0)
	processor := func() float64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
	}
	n, spent, seconds := 0, 0.0, 0.0
	for b.Loop() {
		for range 5 {
			data, err := json.Marshal(record.Record{Sample: "s1", Request: strconv.Itoa(n), Status: record.OK, Answer: strings.Repeat("a", 3900), Time: record.Timing{Start: w.now}})
			if err != nil {
				b.Fatal(err)
			}
			appendTo(b, w.folder.Records(cells[n%24]), string(data)+"\n")
			n++
		}
		w.now = w.now.Add(500 * time.Millisecond)
		before := processor()
		events, _ := w.run.Look(w.last)
		for _, e := range events {
			w.last = e.ID
		}
		spent += processor() - before
		seconds += 0.5
	}
	b.ReportMetric(spent/seconds, "cpu-ms/s")
}
