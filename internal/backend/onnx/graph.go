package onnx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
)

// The inputs that a graph may have. It has the first; the others are fed when
// it asks for them.
const (
	inputIDs  = "input_ids"
	inputMask = "attention_mask"
	inputType = "token_type_ids"
)

var knownInputs = []string{inputIDs, inputMask, inputType}

// checkInputs refuses a graph that wants more than a text's tokens.
func (m *model) checkInputs() error {
	var names []string
	for _, p := range m.inputs() {
		switch names = append(names, p.name); {
		case !slices.Contains(knownInputs, p.name):
			return fmt.Errorf("input %.80q is not known; have %q", p.name, knownInputs)
		case len(p.dims) != 2, p.kind != int64Type && p.kind != int32Type:
			return fmt.Errorf("input %q has elements of type %d and the shape %d, want integers of rank 2, batch and sequence", p.name, p.kind, p.dims)
		}
		if p.dims[0] > 0 || p.dims[1] > 0 {
			return fmt.Errorf("input %q has the fixed shape %d, want a graph that takes texts of any number and length", p.name, p.dims)
		}
	}
	if !slices.Contains(names, inputIDs) {
		return fmt.Errorf("the inputs are %q, want %q among them: is this a text encoder?", names, inputIDs)
	}
	return nil
}

// use picks the output that is used: the first of the names that there is with
// the rank wanted, else the only one of that rank.
func (m *model) use(rank int, names ...string) error {
	var fitting, have []string
	for _, p := range m.outputs() {
		have = append(have, fmt.Sprintf("%.80q of rank %d", p.name, len(p.dims)))
		if len(p.dims) == rank && p.kind == float32Type {
			fitting = append(fitting, p.name)
		}
	}
	name := ""
	if i := slices.IndexFunc(names, func(n string) bool { return slices.Contains(fitting, n) }); i >= 0 {
		name = names[i]
	} else if len(fitting) == 1 {
		name = fitting[0]
	} else {
		return fmt.Errorf("%s: the outputs are %s; want one of 32-bit floats with rank %d, named %s where there are several",
			m.graph, strings.Join(have, ", "), rank, strings.Join(names, " or "))
	}
	m.output = slices.IndexFunc(m.outputs(), func(p port) bool { return p.name == name && len(p.dims) == rank })
	return nil
}

// runBatch feeds rows of token ids, padded to width. It returns the output's numbers and
// its dimensions, the number of rows first.
func (m *model) runBatch(ctx context.Context, rows [][]int32, width int) (values []float32, dims []int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case m.closed:
		return nil, nil, errors.New("the model is closed")
	}
	in := lists.Map(m.inputs(), func(p port) []int64 { return flat(p.name, rows, width, m.pad) })
	values, dims, err = m.run(in, len(rows), width, m.output)
	out := m.outputs()[m.output]
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("%s: %w", m.graph, err)
	case len(dims) != len(out.dims), dims[0] != len(rows):
		return nil, nil, fmt.Errorf("%s: output %q has the shape %d for %d rows", m.graph, out.name, dims, len(rows))
	}
	return values, dims, nil
}

// flat lays out one input of a batch.
func flat(name string, rows [][]int32, width int, pad int32) []int64 {
	data := make([]int64, 0, len(rows)*width)
	for _, row := range rows {
		for i := range width {
			v, inside := int32(0), i < len(row)
			switch {
			case name == inputIDs && inside:
				v = row[i]
			case name == inputIDs:
				v = pad
			case name == inputMask && inside:
				v = 1
			}
			data = append(data, int64(v))
		}
	}
	return data
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
func (m *model) each(ctx context.Context, rows [][]int32, take func(i int, values []float32, dims []int) error) error {
	var order []int
	for i, row := range rows {
		if len(row) > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return len(rows[i]) - len(rows[j]) })
	for len(order) > 0 {
		// Rows come next while they are not much longer than the first, the shortest.
		width := len(rows[order[0]])
		longest := width*5/4 + 2
		var batch [][]int32
		for _, i := range order {
			n := len(rows[i])
			if len(batch) > 0 && (len(batch) >= m.batch || n > longest || (len(batch)+1)*n > batchTokens) {
				break
			}
			batch, width = append(batch, rows[i]), n
		}
		values, dims, err := m.runBatch(ctx, batch, width)
		if err != nil {
			return err
		}
		size := len(values) / len(batch)
		for k := range batch {
			if err := take(order[k], values[k*size:(k+1)*size], dims[1:]); err != nil {
				return err
			}
		}
		order = order[len(batch):]
	}
	return nil
}

// oneLine bounds a message of the library.
func oneLine(text string) string {
	const most = 400
	line := strings.Join(strings.Fields(text), " ")
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "") + " ..."
	}
	return line
}
