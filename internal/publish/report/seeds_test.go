package report

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

func TestSeeds(t *testing.T) {
	o := fakeOptions()
	o.Intervals, o.By, o.Columns = true, Category, []string{"f1@mem0", "exact-match"}
	o.Published = []string{"xmemory-table3"}
	d, err := Build([]*Run{seedsRun()}, o)
	try.Do(t, err)
	for _, format := range []string{"text", "json"} {
		golden.Check(t, "seeds."+format, unstyled(t, d, format))
	}
}

// Each seed may have a row of its own; the row over them has their mean and
// standard deviation over n - 1.
func TestSeedsApart(t *testing.T) {
	o := fakeOptions()
	together := try.Get(Build([]*Run{seedsRun()}, o))(t)
	o.Seeds = true
	apart := try.Get(Build([]*Run{seedsRun()}, o))(t)
	golden.Check(t, "seeds_apart.text", render(t, apart, "text"))
	for ti, table := range together.Tables {
		for ri, row := range table.Rows {
			for ci, cell := range row {
				if cell.Value == nil || table.Columns[ci].Name == "n" {
					continue
				}
				var values []float64
				for seed := range 3 {
					values = append(values, *apart.Tables[ti].Rows[2*seed+ri][ci+1].Value) // a column seed more
				}
				mean := (values[0] + values[1] + values[2]) / 3
				if table.Columns[ci].Name == "errors" {
					mean *= 3 // they are summed
				} else {
					var squares float64
					for _, v := range values {
						squares += (v - mean) * (v - mean)
					}
					if want := math.Sqrt(squares / 2); cell.Deviation == nil || math.Abs(*cell.Deviation-want) > 1e-9 {
						t.Errorf("%s of %s: deviation %v, want %g", table.Columns[ci].Name, row[0].Text, cell.Deviation, want)
					}
				}
				if math.Abs(*cell.Value-mean) > 1e-9 {
					t.Errorf("%s of %s: %g, want %g of %v", table.Columns[ci].Name, row[0].Text, *cell.Value, mean, values)
				}
			}
		}
	}
}

// Where all seeds come out the same, the table is that of one of them, with
// deviations of 0.
func TestSeedsAlike(t *testing.T) {
	o := fakeOptions()
	o.Intervals, o.By = true, "turn"
	several, one := seedsRun(), seedsRun()
	only := func(r *Run, id string) {
		var kept []record.Cell
		for _, c := range r.Header.Cells {
			if strings.HasPrefix(c.ID, id) {
				kept = append(kept, c)
			}
		}
		all := r.Scores
		r.Header.Cells = kept
		r.Scores = func(yield func(record.Score, error) bool) {
			for s, err := range all {
				if strings.HasPrefix(s.Cell, id) && !yield(s, err) {
					return
				}
			}
		}
	}
	only(several, "a")
	only(one, "a7")
	one.Header.Seeds = nil
	got := try.Get(Build([]*Run{several}, o))(t)
	want := try.Get(Build([]*Run{one}, o))(t)
	for i, table := range got.Tables {
		for r, row := range table.Rows {
			for c := range row {
				cell, alone := row[c], want.Tables[i].Rows[r][c]
				if sd := cell.Deviation; sd != nil && *sd > 1e-12 {
					t.Errorf("%s: %s has a deviation of %g", table.Name, table.Columns[c].Name, *sd)
				}
				near := cmp.Comparer(func(x, y float64) bool { return math.Abs(x-y) < 1e-9 })
				if diff := cmp.Diff(alone.Value, cell.Value, near); diff != "" {
					t.Errorf("%s: %s (-one seed +three):\n%s", table.Name, table.Columns[c].Name, diff)
				}
				if diff := cmp.Diff(alone.Interval, cell.Interval, near); diff != "" {
					t.Errorf("%s: interval of %s (-one seed +three):\n%s", table.Name, table.Columns[c].Name, diff)
				}
			}
		}
	}
}

func TestMeanOf(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name          string
		values        [][]float64 // of the column and its weight, by seed
		weighted      bool
		value, weight float64 // NaN for none
	}{
		{"even", [][]float64{{1, 9}, {0, 9}, {0.5, 9}}, false, 0.5, 1},
		{"weighted", [][]float64{{1, 3}, {0, 1}}, true, 0.75, 2},
		{"no value in one", [][]float64{{1, 3}, {nan, 1}}, true, 1, 3},
		{"no weight in one", [][]float64{{1, nan}, {0.5, 1}}, true, 0.5, 1},
		{"weights of 0", [][]float64{{1, 0}, {0.5, 0}}, true, 0, 0},
		{"none", [][]float64{{nan, 1}, {0.5, nan}}, true, nan, nan},
	} {
		var of []*item
		for _, v := range c.values {
			it := &item{values: v[:1]}
			if c.weighted {
				it.weights = v[1:]
			}
			of = append(of, it)
		}
		mean := meanOf(of)
		for what, x := range map[string][2]float64{"value": {mean.values[0], c.value}, "weight": {mean.weight(0), c.weight}} {
			if math.IsNaN(x[0]) != math.IsNaN(x[1]) || !math.IsNaN(x[0]) && x[0] != x[1] {
				t.Errorf("%s: %s is %v, want %g", c.name, what, x[0], x[1])
			}
		}
	}
}

// A published deviation stands in parentheses as a measured one does, and is a
// field of its own.
func TestSeedsBeside(t *testing.T) {
	r := seedsRun()
	r.Header.Datasets[0].Name, r.Header.Metrics = "multiwoz-long", []string{"fr"}
	for i := range r.Header.Cells {
		r.Header.Cells[i].Method = []string{"Stateless LLM", "Vector RAG"}[i%2]
	}
	all := r.Scores
	r.Scores = func(yield func(record.Score, error) bool) {
		for s, err := range all {
			s.Values = map[string]*float64{"fr": s.Values["exact-match"]}
			if !yield(s, err) {
				return
			}
		}
	}
	o := fakeOptions()
	o.Published = []string{"semantic-anchoring-table1"}
	for _, format := range []string{"text", "csv"} {
		d := try.Get(Build([]*Run{r}, o))(t)
		golden.Check(t, "seeds_beside."+format, unstyled(t, d, format))
	}
}
