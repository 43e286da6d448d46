package onnx

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// tensorPaths says which fields of a message of onnx.proto lead to tensors,
// and to which messages.
var tensorPaths = map[string]map[protowire.Number]string{
	"model":     {7: "graph", 25: "function"},
	"graph":     {1: "node", 5: "tensor", 15: "sparse"},
	"function":  {7: "node"},
	"node":      {5: "attribute"},
	"attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
	"sparse":    {1: "tensor", 2: "tensor"},
	"tensor":    {13: "entry"},
	"entry":     {},
}

// maxDepth is how deep messages may lie in one another, as protocol buffers
// have it.
const maxDepth = 100

// scan reads the model file of a folder and notes the files that its weights
// stand in: beside the graph or below, and nowhere else.
func scan(f *folder) error {
	name := f.path(f.model)
	data, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, cause(err))
	}
	f.used(f.model)
	if bytes.HasPrefix(data, []byte("version https://git-lfs")) {
		return fmt.Errorf("%s: a pointer of Git LFS and not the file; git lfs pull fetches it", name)
	}
	if len(data) == 0 {
		return fmt.Errorf("%s: not an ONNX model: the file is empty", name)
	}
	if err := walk(data, "model", maxDepth, f.weights); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// walk calls entry for each key and value that says where weights are.
func walk(data []byte, message string, depth int, entry func(key, value string) error) error {
	if depth == 0 {
		return errors.New("not an ONNX model: messages lie too deep in one another")
	}
	var key, value string
	for len(data) > 0 {
		number, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return fmt.Errorf("not an ONNX model: %w", protowire.ParseError(n))
		}
		data = data[n:]
		if kind != protowire.BytesType {
			if n = protowire.ConsumeFieldValue(number, kind, data); n < 0 {
				return fmt.Errorf("not an ONNX model: %w", protowire.ParseError(n))
			}
			data = data[n:]
			continue
		}
		field, n := protowire.ConsumeBytes(data)
		if n < 0 {
			return fmt.Errorf("not an ONNX model: %w", protowire.ParseError(n))
		}
		data = data[n:]
		switch inner := tensorPaths[message][number]; {
		case inner != "":
			if err := walk(field, inner, depth-1, entry); err != nil {
				return err
			}
		case message == "entry" && number == 1:
			key = string(field)
		case message == "entry" && number == 2:
			value = string(field)
		}
	}
	if message == "entry" {
		return entry(key, value)
	}
	return nil
}

// weights checks a file of weights that the graph names, and notes it.
func (f *folder) weights(key, location string) error {
	if key != "location" {
		return nil
	}
	// The runtime takes names with an asterisk for addresses in memory.
	if !filepath.IsLocal(location) || strings.Contains(location, "*") {
		return fmt.Errorf("weights are in the file %.80q, want one in the folder", location)
	}
	name := path.Join(path.Dir(f.model), filepath.ToSlash(location))
	if !f.has(name) {
		return fmt.Errorf("weights are in %s: no such file", f.path(name))
	}
	f.used(name)
	return nil
}
