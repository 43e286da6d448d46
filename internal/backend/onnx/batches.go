package onnx

import (
	"context"
	"slices"

	"recallbench/internal/door/token"
)

// A runner feeds texts to a graph.
type runner struct {
	graph *graph
	pad   int32
	batch int // most rows of a batch
	most  int // most tokens of a row
}

// batchTokens bounds the tokens of a batch, padding included: more of them are
// no faster, and memory grows with them.
const batchTokens = 512

// each feeds rows to the graph, those of like length together, and hands the
// numbers that belong to each row to take. A row that is empty is left out.
// It looks at ctx between batches.
//
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
		n := r.count(rows, order)
		if err := r.feed(ctx, rows, order[:n], take); err != nil {
			return err
		}
		order = order[n:]
	}
	return nil
}

// count returns how many rows come next: while they are not much longer than
// the first, which is the shortest.
func (r *runner) count(rows []token.Encoding, order []int) int {
	longest := len(rows[order[0]].IDs)*5/4 + 2
	n := 1
	for n < min(len(order), r.batch) {
		if width := len(rows[order[n]].IDs); width > longest || (n+1)*width > batchTokens {
			break
		}
		n++
	}
	return n
}

// feed runs one batch, as wide as its last row.
func (r *runner) feed(ctx context.Context, rows []token.Encoding, order []int, take func(i int, values []float32, dims []int) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	batch := make([]token.Encoding, len(order))
	for k, i := range order {
		batch[k] = rows[i]
	}
	values, dims, err := r.graph.run(ctx, batch, len(batch[len(batch)-1].IDs), r.pad)
	if err != nil {
		return err
	}
	size := len(values) / len(batch)
	for k, i := range order {
		if err := take(i, values[k*size:(k+1)*size], dims[1:]); err != nil {
			return err
		}
	}
	return nil
}
