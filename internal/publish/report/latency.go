package report

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"recallbench/internal/publish/published"
	"recallbench/internal/result/record"
)

// A Timed run has the records that latencies are taken from.
type Timed struct {
	Name    string
	Header  record.Header
	Records func(cell record.Cell) iter.Seq2[record.Record, error]
}

// total is the stage that stands for a whole request.
const total = "total"

// Latency lays out how long the stages of requests took, in milliseconds: a row
// for each method, seed and stage, with the mean, the median and the 95th percentile.
// The first warm requests of each cell, by the time they began, are left out. A
// request that failed is left out too.
//
// Beside the stages of semantic-anchoring stand those that its paper prints.
func Latency(runs []*Timed, warm int) (*Document, error) {
	d := &Document{Tables: []*Table{}}
	for _, r := range runs {
		t := &Table{
			Name: r.Header.Name + ": latency", Title: r.Header.Name + ": milliseconds by stage", Rows: [][]Cell{},
			Columns: []Column{
				{Name: "dataset", Repeats: true},
				{Name: "method", Repeats: true},
				{Name: "model", Repeats: true},
				{Name: "stage"},
				{Name: "n", Number: true},
				{Name: "mean", Number: true},
				{Name: "median", Number: true},
				{Name: "p95", Number: true},
				{Name: "published mean", Number: true},
			},
		}
		seeded := len(r.Header.Seeds) > 1
		if seeded {
			t.Columns = slices.Insert(t.Columns, 3, Column{Name: "seed", Repeats: true})
		}
		for _, c := range r.Header.Cells {
			names := []Cell{text(c.Dataset), text(c.Method), text(c.Model)}
			if seeded {
				names = append(names, text(strconv.FormatUint(c.Seed, 10)))
			}
			stages, err := stagesOf(r.Records(c), warm)
			if err != nil {
				return nil, err
			}
			for _, s := range stages {
				t.Rows = append(t.Rows, slices.Concat(names, []Cell{text(s.name)}, s.cells(t, c.Use)))
			}
		}
		t.TitleNotes = []int{
			t.Note(fmt.Sprintf("by the clock of the machine that ran them; the first %d requests of each method are left out", warm)),
			t.Note("requests that are asked at once wait for each other: --set concurrency.requests=1 --set concurrency.samples=1 asks them one by one"),
		}
		t.NoteTitle(r.Header.EditedNote())
		d.Tables = append(d.Tables, t)
	}
	return d, nil
}

// A stage is how long each request spent in it.
type stage struct {
	name  string
	times []float64 // sorted
}

// stagesOf collects the times of a cell's requests by stage, in the order of names
// with the whole at the end.
func stagesOf(records iter.Seq2[record.Record, error], warm int) ([]stage, error) {
	var all []record.Timing
	for r, err := range records {
		if err != nil {
			return nil, err
		}
		if r.Status == record.OK {
			all = append(all, r.Time)
		}
	}
	slices.SortStableFunc(all, func(a, b record.Timing) int { return a.Start.Compare(b.Start) })
	all = all[min(warm, len(all)):]
	byName := make(map[string][]float64)
	for _, t := range all {
		byName[total] = append(byName[total], t.Total)
		for name, ms := range t.Stages {
			byName[name] = append(byName[name], ms)
		}
	}
	var stages []stage
	for name, times := range byName {
		slices.Sort(times)
		stages = append(stages, stage{name, times})
	}
	slices.SortFunc(stages, func(a, b stage) int { return cmp.Or(rank(a.name)-rank(b.name), cmp.Compare(a.name, b.name)) })
	return stages, nil
}

// rank puts the whole behind its parts.
func rank(name string) int {
	if name == total {
		return 1
	}
	return 0
}

func (s stage) cells(t *Table, use string) []Cell {
	number := func(x float64) Cell { return Cell{Text: decimal(x, 3), Value: new(x)} }
	cells := []Cell{
		count(len(s.times)), number(stat.Mean(s.times, nil)),
		number(stat.Quantile(0.5, stat.Empirical, s.times, nil)), number(stat.Quantile(0.95, stat.Empirical, s.times, nil)),
	}
	printed := Cell{}
	if use == "semantic-anchoring" {
		if c, ok := printedStage(s.name); ok {
			printed = Cell{Text: c.Printed, Value: new(c.Value)}
			printed.Notes = []int{t.Note("printed for two A100 and a Xeon Platinum with 768 numbers a vector, and an index whose size the paper does not say: not comparable")}
		}
	}
	return append(cells, printed)
}

// printedStage returns what the Semantic Anchoring paper prints for a stage.
func printedStage(name string) (published.Cell, bool) {
	label, ok := map[string]string{"dense": "dense_search_ms", "symbolic": "symbolic_search_ms", "fusion": "fusion_ms"}[name]
	if !ok {
		return published.Cell{}, false
	}
	table, err := published.Get("semantic-anchoring-latency")
	if err != nil {
		return published.Cell{}, false
	}
	row, ok := table.Row("", label)
	if !ok {
		return published.Cell{}, false
	}
	return row.Cell("", "mean_ms")
}
