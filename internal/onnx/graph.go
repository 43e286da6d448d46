package onnx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/backends/simplego"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	mlgraph "github.com/gomlx/gomlx/pkg/core/graph"
	"github.com/gomlx/gomlx/pkg/core/tensors"
	mlcontext "github.com/gomlx/gomlx/pkg/ml/context"
	"github.com/gomlx/onnx-gomlx/onnx"

	"recallbench/internal/token"
)

// The inputs that a graph may have. It has the first; the others are fed when
// it asks for them.
const (
	inputIDs  = "input_ids"
	inputMask = "attention_mask"
	inputType = "token_type_ids"
)

var knownInputs = []string{inputIDs, inputMask, inputType}

// A graph is a loaded model. It runs one batch at a time.
type graph struct {
	name    string // path of the file, for errors
	inputs  []onnxInput
	outputs []output
	output  output // the one that is used
	rows    int    // of the table of token vectors; 0 when it was not found
	backend backends.Backend
	vars    *mlcontext.Context
	exec    *mlcontext.Exec
	turn    chan struct{} // holds one token: whose turn it is to run
	closed  atomic.Bool
}

type onnxInput struct {
	name   string
	narrow bool // int32, not int64
	// batch and width are the sizes that the graph is fixed to; -1 for any.
	batch, width int
}

// An output of a graph with its declared dimensions, of which -1 is any.
type output struct {
	name string
	dims []int
	real bool // of float32
}

func (o output) String() string {
	return fmt.Sprintf("%q of rank %d", o.name, len(o.dims))
}

// load reads the model file of a folder.
func load(f *folder) (*graph, error) {
	m, err := parse(f)
	if err != nil {
		return nil, err
	}
	g := &graph{name: f.path(f.model), turn: make(chan struct{}, 1)}
	if err := g.describe(m); err != nil {
		return nil, fmt.Errorf("%s: %w", g.name, err)
	}
	g.backend, err = simplego.New("ops_sequential")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.name, err)
	}
	g.vars = mlcontext.New().Reuse()
	err = guard(func() error { return m.VariablesToContext(g.vars) })
	if err != nil {
		return nil, fmt.Errorf("%s: weights: %w", g.name, err)
	}
	for _, w := range m.Proto.Graph.Initializer {
		// The context has its own copy. Small integers stay: they may be shapes.
		if w.DataType == floatData {
			w.RawData, w.FloatData = nil, nil
		}
	}
	call := func(vars *mlcontext.Context, in []*mlgraph.Node) []*mlgraph.Node {
		named := make(map[string]*mlgraph.Node, len(in))
		for i, node := range in {
			named[g.inputs[i].name] = node
		}
		return m.CallGraph(vars, in[0].Graph(), named, g.output.name)
	}
	err = guard(func() error {
		g.exec, err = mlcontext.NewExec(g.backend, g.vars, call)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.name, err)
	}
	g.exec.SetMaxCache(-1) // sizes are few: see batches
	return g, nil
}

// describe reads the inputs and outputs.
func (g *graph) describe(m *onnx.Model) error {
	names, shapes := m.Inputs()
	if !slices.Contains(names, inputIDs) {
		return fmt.Errorf("the inputs are %q, want %q among them: is this a text encoder?", names, inputIDs)
	}
	for i, name := range names {
		s := shapes[i]
		switch {
		case !slices.Contains(knownInputs, name):
			return fmt.Errorf("input %q is not known; have %q", name, knownInputs)
		case len(s.Dimensions) != 2, s.DType != dtypes.Int64 && s.DType != dtypes.Int32:
			return fmt.Errorf("input %q is %s, want integers of rank 2, batch and sequence", name, s)
		}
		g.inputs = append(g.inputs, onnxInput{name, s.DType == dtypes.Int32, fixed(s.Dimensions[0]), fixed(s.Dimensions[1])})
	}
	g.rows = tableRows(m)
	names, shapes = m.Outputs()
	for i, name := range names {
		g.outputs = append(g.outputs, output{name, shapes[i].Dimensions, shapes[i].DType == dtypes.Float32})
	}
	return nil
}

// tableRows returns how many rows the table has in which token ids are looked
// up, or 0.
func tableRows(m *onnx.Model) int {
	for _, node := range m.Proto.Graph.Node {
		if node.OpType != "Gather" || len(node.Input) != 2 || node.Input[1] != inputIDs {
			continue
		}
		for _, w := range m.Proto.Graph.Initializer {
			if w.Name == node.Input[0] && len(w.Dims) == 2 {
				return int(w.Dims[0])
			}
		}
	}
	return 0
}

func fixed(dim int) int {
	if dim <= 0 {
		return -1
	}
	return dim
}

// use picks the output that is used: the first of the names that there is with
// the rank wanted, else the only one of that rank.
func (g *graph) use(rank int, names ...string) error {
	var ranked []output
	for _, o := range g.outputs {
		if len(o.dims) == rank && o.real {
			ranked = append(ranked, o)
		}
	}
	for _, name := range names {
		for _, o := range ranked {
			if o.name == name {
				g.output = o
				return nil
			}
		}
	}
	if len(ranked) != 1 {
		var have []string
		for _, o := range g.outputs {
			have = append(have, o.String())
		}
		return fmt.Errorf("%s: the outputs are %s; want one of 32-bit floats with rank %d, named %s where there are several",
			g.name, strings.Join(have, ", "), rank, strings.Join(names, " or "))
	}
	g.output = ranked[0]
	return nil
}

// close lets go of the weights, after the batch that runs.
func (g *graph) close() error {
	if g.closed.Swap(true) {
		return nil
	}
	g.turn <- struct{}{}
	defer func() { <-g.turn }()
	return guard(func() error {
		g.exec.Finalize()
		g.vars.Finalize()
		g.backend.Finalize()
		return nil
	})
}

// run feeds one batch: rows of token ids, padded to width. It returns the
// output's numbers and its dimensions, of which the first is the number of
// rows.
func (g *graph) run(ctx context.Context, rows []token.Encoding, width int, pad int32) (values []float32, dims []int, err error) {
	select {
	case g.turn <- struct{}{}:
		defer func() { <-g.turn }()
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	if g.closed.Load() {
		return nil, nil, errors.New("the model is closed")
	}
	for _, row := range rows {
		// The runtime would take the last row of the table.
		if id := slices.Max(row.IDs); g.rows > 0 && int(id) >= g.rows {
			return nil, nil, fmt.Errorf("%s: tokenizer.json gives the token id %d, and the graph knows %d tokens; are both of one model?", g.name, id, g.rows)
		}
	}
	err = guard(func() error {
		in := make([]any, len(g.inputs))
		for i, input := range g.inputs {
			if input.narrow {
				in[i] = tensors.FromFlatDataAndDimensions(flat[int32](input.name, rows, width, pad), len(rows), width)
			} else {
				in[i] = tensors.FromFlatDataAndDimensions(flat[int64](input.name, rows, width, pad), len(rows), width)
			}
		}
		out, err := g.exec.Exec(in...)
		if err != nil {
			return err
		}
		dims = slices.Clone(out[0].Shape().Dimensions)
		err = tensors.ConstFlatData(out[0], func(data []float32) { values = slices.Clone(data) })
		for _, t := range out {
			err = errors.Join(err, t.FinalizeAll())
		}
		for _, t := range in {
			err = errors.Join(err, t.(*tensors.Tensor).FinalizeAll())
		}
		return err
	})
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("%s: %w", g.name, err)
	case len(dims) != len(g.output.dims), dims[0] != len(rows):
		return nil, nil, fmt.Errorf("%s: output %q has the shape %d for %d rows", g.name, g.output.name, dims, len(rows))
	}
	return values, dims, nil
}

// flat lays out one input of a batch.
func flat[T int32 | int64](name string, rows []token.Encoding, width int, pad int32) []T {
	data := make([]T, 0, len(rows)*width)
	for _, row := range rows {
		for i := range width {
			v, inside := int32(0), i < len(row.IDs)
			switch {
			case name == inputIDs && inside:
				v = row.IDs[i]
			case name == inputIDs:
				v = pad
			case name == inputMask && inside:
				v = 1
			case name == inputType && inside:
				v = row.Types[i]
			}
			data = append(data, T(v))
		}
	}
	return data
}

// guard turns a panic of a library, which is how these report most errors,
// into an error of one line.
func guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
		if err != nil {
			err = errors.New(oneLine(err.Error()))
		}
	}()
	return f()
}

// oneLine bounds a message of a library.
func oneLine(text string) string {
	const most = 400
	line := strings.Join(strings.Fields(text), " ")
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "") + " ..."
	}
	return line
}
