package onnx

import (
	"context"
	"slices"

	"recallbench/internal/token"
)

// A runner feeds texts to a graph.
type runner struct {
	graph *graph
	pad   int32
	batch int // most rows of a batch
	most  int // most tokens of a row
}

// each feeds rows to the graph, those of like length together, and hands the
// numbers that belong to each row to take. A row that is empty is left out.
// It looks at ctx between batches.
//
// A row is padded to one of a few widths, and the number of rows is a power of
// two: the runtime compiles a graph anew for every size that it has not seen.
// The numbers of a row do not depend on the others, save for the rounding of
// sums.
func (r *runner) each(ctx context.Context, rows []token.Encoding, take func(i int, values []float32, dims []int) error) error {
	var order []int
	for i, row := range rows {
		if len(row.IDs) > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return len(rows[i].IDs) - len(rows[j].IDs) })
	for len(order) > 0 {
		width := r.width(len(rows[order[0]].IDs))
		n := 1
		for n < len(order) && r.width(len(rows[order[n]].IDs)) == width {
			n++
		}
		n = r.rows(n)
		if err := r.feed(ctx, rows, order[:min(n, len(order))], n, width, take); err != nil {
			return err
		}
		order = order[min(n, len(order)):]
	}
	return nil
}

// feed runs one batch. Where the graph takes more rows than there are, the
// last one comes again.
func (r *runner) feed(ctx context.Context, rows []token.Encoding, order []int, n, width int, take func(i int, values []float32, dims []int) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	batch := make([]token.Encoding, n)
	for k := range batch {
		batch[k] = rows[order[min(k, len(order)-1)]]
	}
	values, dims, err := r.graph.run(ctx, batch, width, r.pad)
	if err != nil {
		return err
	}
	size := len(values) / n
	for k, i := range order {
		if err := take(i, values[k*size:(k+1)*size], dims[1:]); err != nil {
			return err
		}
	}
	return nil
}

// rows returns the size of the next batch when n rows are left.
func (r *runner) rows(n int) int {
	if fixed := r.graph.inputs[0].batch; fixed > 0 {
		return fixed
	}
	size := 1
	for 2*size <= min(n, r.batch) {
		size *= 2
	}
	return size
}

// width returns the width to which a row of n tokens is padded: 8, 12, 16, 24,
// 32, 48 and so on.
func (r *runner) width(n int) int {
	if fixed := r.graph.inputs[0].width; fixed > 0 {
		return fixed
	}
	width := 8
	for width < n {
		if width&(width-1) == 0 {
			width += width / 2
		} else {
			width += width / 3
		}
	}
	return min(width, r.most)
}
