//go:build unix

package catalog_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"recallbench/internal/publish/catalog"
	"recallbench/internal/result/record"
)

// BenchmarkIndex lists 1,000 runs of 24 cells with summaries, each with a header of
// 31 kB. It reports the processor time, all threads together, with nothing cached and
// of a second process.
func BenchmarkIndex(b *testing.B) {
	h := newHouse(b)
	one := header(record.Complete)
	one.Cells = nil
	row := record.SummaryRow{Columns: make(map[string]record.SummaryMean)}
	for i := range 6 {
		row.Columns[fmt.Sprintf("column-%d", i)] = record.SummaryMean{N: 55, Mean: 0.4051, Low: new(0.31), High: new(0.49), Samples: 10}
	}
	var rows []record.SummaryRow
	for i := range 24 {
		options := make(map[string]any)
		for j := range 20 {
			options[fmt.Sprintf("an option %d", j)] = strings.Repeat("value ", 5)
		}
		one.Cells = append(one.Cells, record.Cell{ID: fmt.Sprintf("c%d", i), Dataset: "sample", Method: fmt.Sprint("method ", i), Model: "m", Options: options, Planned: 55})
		rows = append(rows, row)
	}
	for i := range 1000 {
		folder := h.add(fmt.Sprintf("runs/%d", i), one)
		h.write(fmt.Sprintf("runs/%d/scores.jsonl", i), "{}\n")
		if err := record.WriteSummary(string(folder), rows); err != nil {
			b.Fatal(err)
		}
	}
	list := func() (took, cpu float64) {
		begun, before := time.Now(), processor(b)
		c, err := catalog.New([]string{h.dir}, "", h.options)
		if err != nil {
			b.Fatal(err)
		}
		if err := json.NewEncoder(io.Discard).Encode(c.Index()); err != nil {
			b.Fatal(err)
		}
		took, cpu = time.Since(begun).Seconds(), processor(b)-before
		c.Wait()
		c.Close()
		return took, cpu
	}
	for b.Loop() {
		h.options.Cache = b.TempDir()
		for _, name := range []string{"cold", "cached"} {
			took, cpu := list()
			b.ReportMetric(took, name+"-s")
			b.ReportMetric(cpu, name+"-cpu-s")
		}
	}
}

// processor returns the processor time of the process in seconds.
func processor(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
