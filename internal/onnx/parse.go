package onnx

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gomlx/onnx-gomlx/onnx"
)

// Numbers of the ONNX format.
const (
	floatData = 1 // TensorProto.FLOAT
	external  = 1 // TensorProto.EXTERNAL
)

// operators are those that the runtime has. A graph with another one would
// fail when it runs, with a word that nobody knows.
var operators = strings.Fields(`
	Abs Add And AveragePool BatchNormalization BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Cast Ceil Clip Concat
	Constant ConstantOfShape Conv Cos CumSum DequantizeLinear Div DynamicQuantizeLinear Equal Erf Exp Expand Flatten
	Floor Gather GatherElements Gemm GlobalAveragePool Greater GreaterOrEqual Identity If LSTM LayerNormalization Less
	LessOrEqual Log MatMul MatMulInteger Max MaxPool Min Mul Neg Not Or Pad Pow QLinearMatMul QuantizeLinear Range
	ReduceMean Relu Reshape ScatterND Shape Sign Sin Slice Softmax Split Sqrt Squeeze Sub Tanh Tile Transpose Trilu
	Unsqueeze Where Xor`)

// parse reads the model file of a folder and checks what the library would
// not survive.
func parse(f *folder) (*onnx.Model, error) {
	name := f.path(f.model)
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	f.used(f.model)
	if bytes.HasPrefix(data, []byte("version https://git-lfs")) {
		return nil, fmt.Errorf("%s: a pointer of Git LFS and not the file; git lfs pull fetches it", name)
	}
	var m *onnx.Model
	err = guard(func() error {
		m, err = onnx.Parse(data)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: not an ONNX model: %w", name, err)
	}
	if err := guard(func() error { return check(m, len(data)) }); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := outside(f, m); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// check refuses a graph with an operator that the runtime does not have, one
// that runs in a circle, which would be followed for ever, and weights whose
// size says more than the file holds, which would be allocated.
func check(m *onnx.Model, size int) error {
	g := m.Proto.Graph
	var missing []string
	makers := make(map[string]int) // which node makes an output
	for i, node := range g.Node {
		if !slices.Contains(operators, node.OpType) && !slices.Contains(missing, node.OpType) {
			missing = append(missing, node.OpType)
		}
		for _, out := range node.Output {
			makers[out] = i
		}
		for _, a := range node.Attribute {
			if t := a.T; t != nil && !fits(t.Dims, size) {
				return fmt.Errorf("a constant of node %q has the shape %d, which is more than the file holds", node.Name, t.Dims)
			}
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return fmt.Errorf("the graph has operators that run in no pure Go: %s; export the model without them, or serve it with text-embeddings-inference",
			strings.Join(missing, ", "))
	}
	for _, w := range g.Initializer {
		if w.DataLocation != external && !fits(w.Dims, size) {
			return fmt.Errorf("weight %q has the shape %d, which is more than the file holds", w.Name, w.Dims)
		}
	}
	// Depth first, with an own stack: a chain may be long.
	const (
		unseen = iota
		open
		done
	)
	state := make([]int, len(g.Node))
	for start := range g.Node {
		stack := []int{start}
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			switch state[i] {
			case unseen:
				state[i] = open
				for _, in := range g.Node[i].Input {
					j, ok := makers[in]
					switch {
					case !ok || state[j] == done:
					case state[j] == open:
						return fmt.Errorf("the graph runs in a circle at node %q", g.Node[j].Name)
					default:
						stack = append(stack, j)
					}
				}
			default:
				state[i] = done
				stack = stack[:len(stack)-1]
			}
		}
	}
	return nil
}

// fits reports whether a tensor of a shape can be in a file of a size, at two
// elements a byte.
func fits(dims []int64, size int) bool {
	n := 1.0
	for _, d := range dims {
		if d < 0 {
			return false
		}
		n *= float64(d)
	}
	return n <= 2*float64(size)
}

// outside reads the weights that stand in files of their own, beside the graph
// or below it.
func outside(f *folder, m *onnx.Model) error {
	files := make(map[string][]byte)
	for _, w := range m.Proto.Graph.Initializer {
		if w == nil || w.DataLocation != external {
			continue
		}
		location, offset, length := "", 0, -1
		for _, entry := range w.ExternalData {
			var err error
			switch entry.Key {
			case "location":
				location = entry.Value
			case "offset":
				offset, err = strconv.Atoi(entry.Value)
			case "length":
				length, err = strconv.Atoi(entry.Value)
			}
			if err != nil {
				return fmt.Errorf("weight %q: %s: %w", w.Name, entry.Key, err)
			}
		}
		if !filepath.IsLocal(location) {
			return fmt.Errorf("weight %q is in the file %q, want one in the folder", w.Name, location)
		}
		name := path.Join(path.Dir(f.model), filepath.ToSlash(location))
		data, ok := files[name]
		if !ok {
			var err error
			if data, err = os.ReadFile(f.path(name)); err != nil {
				return fmt.Errorf("weight %q: %s: %w", w.Name, f.path(name), cause(err))
			}
			files[name] = data
			f.used(name)
		}
		if length < 0 {
			length = len(data) - offset
		}
		if offset < 0 || offset > len(data) || length < 0 || length > len(data)-offset {
			return fmt.Errorf("weight %q: %d bytes from %d on of %s, which has %d", w.Name, length, offset, f.path(name), len(data))
		}
		if !fits(w.Dims, length) {
			return errors.New("weight " + strconv.Quote(w.Name) + " is larger than its part of " + f.path(name))
		}
		w.RawData = data[offset : offset+length]
	}
	return nil
}
