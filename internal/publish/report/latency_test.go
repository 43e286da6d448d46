package report

import (
	"iter"
	"strings"
	"testing"
	"time"

	"recallbench/internal/result/record"
)

// timed has requests that take 1, 2, 3 ... ms; the first begins last, and one
// failed.
func timed(n int) *Timed {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	records := func(record.Cell) iter.Seq2[record.Record, error] {
		return func(yield func(record.Record, error) bool) {
			for i := range n {
				ms := float64(i + 1)
				at := start.Add(time.Duration(i) * time.Second)
				if i == 0 {
					at = start.Add(time.Hour)
				}
				r := record.Record{Status: record.OK, Time: record.Timing{Start: at, Total: ms, Stages: map[string]float64{"dense": ms / 2, "annotate": ms / 4}}}
				if i == n-1 {
					r.Status = record.Error
				}
				if !yield(r, nil) {
					return
				}
			}
		}
	}
	return &Timed{Name: "r", Header: record.Header{Name: "r", Cells: []record.Cell{{Dataset: "d", Method: "SA", Use: "semantic-anchoring", Model: "offline"}}}, Records: records}
}

// Of 1 to 5 ms the fifth failed and 2 and 3 are warm-up, so that 1 and 4 are
// left.
func TestLatency(t *testing.T) {
	d, err := Latency([]*Timed{timed(5)}, 2)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range d.Tables[0].Rows {
		var cells []string
		for _, c := range row[3:] {
			cells = append(cells, c.Text)
		}
		got = append(got, strings.Join(cells, " "))
	}
	want := "annotate 2 0.625 0.250 1.000 |dense 2 1.250 0.500 2.000 120|total 2 2.500 1.000 4.000 "
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("rows\n%s, want\n%s", s, want)
	}
	if d, err = Latency([]*Timed{timed(5)}, 9); err != nil || len(d.Tables[0].Rows) != 0 {
		t.Errorf("with nothing left: %v rows, %v", d.Tables[0].Rows, err)
	}
}

// Seeds are told apart.
func TestLatencyOfSeeds(t *testing.T) {
	r := timed(2)
	one, other := r.Header.Cells[0], r.Header.Cells[0]
	one.Seed, other.Seed = 7, 8
	r.Header.Seeds, r.Header.Cells = []uint64{7, 8}, []record.Cell{one, other}
	d, err := Latency([]*Timed{r}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range d.Tables[0].Rows {
		got = append(got, row[3].Text+" "+row[4].Text)
	}
	want := "7 annotate, 7 dense, 7 total, 8 annotate, 8 dense, 8 total"
	if s := strings.Join(got, ", "); s != want || d.Tables[0].Columns[3].Name != "seed" {
		t.Errorf("rows %s, want %s", s, want)
	}
}
