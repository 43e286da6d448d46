package metrics

// A Tally sums the values of a metric over items. The zero Tally is not ready
// for use: call [NewTally].
type Tally struct {
	columns []Column
	weights []int // index of the column that weights, or -1
	sums    []sums
}

type sums struct {
	n           int
	sum, weight float64
}

// NewTally returns a Tally for the columns of a metric.
func NewTally(columns []Column) *Tally {
	t := &Tally{columns: columns, weights: make([]int, len(columns)), sums: make([]sums, len(columns))}
	for i, c := range columns {
		t.weights[i] = -1
		for k, w := range columns {
			if c.Weight != "" && c.Weight == w.Name {
				t.weights[i] = k
			}
		}
	}
	return t
}

// Add adds the values of an item, one for each column.
func (t *Tally) Add(values []Value) {
	for i, v := range values {
		weight := 1.0
		if k := t.weights[i]; k >= 0 {
			if !values[k].Defined {
				continue
			}
			weight = values[k].X
		}
		if v.Defined {
			t.sums[i].n++
			t.sums[i].sum += v.X * weight
			t.sums[i].weight += weight
		}
	}
}

// Mean returns the mean of a column over the items where it was defined,
// weighted as [Column] says, and the number of these items. It is undefined
// where none was, or all weights are 0.
func (t *Tally) Mean(column int) (mean Value, n int) {
	s := t.sums[column]
	if s.weight == 0 {
		return Value{}, s.n
	}
	return Def(s.sum / s.weight), s.n
}
