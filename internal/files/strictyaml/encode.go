package strictyaml

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// Encode writes a Go value as a document that decodes to an equal one, keys in the
// order of the struct's fields, those of maps sorted. The omitempty of a yaml tag is
// obeyed but not within a value of interface type, which is written in full, nil
// pointers apart. A struct leaves out a nil value of interface type. Keys of the
// document itself that without names are left out.
func Encode(v any, without ...string) ([]byte, error) {
	n, err := encode(reflect.ValueOf(v), false)
	if err != nil {
		return nil, err
	}
	for i := len(n.Content) - 2; i >= 0; i -= 2 {
		if n.Kind == yaml.MappingNode && slices.Contains(without, n.Content[i].Value) {
			n.Content = slices.Delete(n.Content, i, i+2)
		}
	}
	return yaml.Dump(n, yaml.WithFlowSimpleCollections())
}

// A part is an entry of a list, or a value of a struct or map with its key.
type part struct {
	key   string
	value reflect.Value
}

// encode returns the node of a value, with what omitempty leaves out if it is full.
func encode(x reflect.Value, full bool) (*yaml.Node, error) {
	for x.Kind() == reflect.Interface || x.Kind() == reflect.Pointer {
		if x.IsNil() {
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
		}
		full = full || x.Kind() == reflect.Interface
		x = x.Elem()
	}
	if scalar(x.Type()) {
		return encodeScalar(x)
	}
	n := &yaml.Node{Kind: kindOf(x.Type())}
	for _, p := range partsOf(x, full) {
		value, err := encode(p.value, full)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.key, err)
		}
		if n.Kind == yaml.MappingNode {
			key, err := encodeScalar(reflect.ValueOf(p.key))
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, key)
		}
		n.Content = append(n.Content, value)
	}
	return n, nil
}

func partsOf(x reflect.Value, full bool) (parts []part) {
	switch x.Kind() {
	case reflect.Struct:
		for _, f := range Fields(x.Type()) {
			if value := x.FieldByIndex(f.Index); !leftOut(value, f, full) {
				parts = append(parts, part{f.Key, value})
			}
		}
	case reflect.Map:
		for key, value := range x.Seq2() {
			parts = append(parts, part{key.String(), value})
		}
		slices.SortFunc(parts, func(a, b part) int { return strings.Compare(a.key, b.key) })
	default:
		for i := range x.Len() {
			parts = append(parts, part{path{i}.String(), x.Index(i)})
		}
	}
	return parts
}

// leftOut reports whether a struct is written without a field.
func leftOut(x reflect.Value, f Field, full bool) bool {
	switch x.Kind() {
	case reflect.Interface:
		return x.IsNil()
	case reflect.Pointer:
		return x.IsNil() && f.OmitEmpty
	case reflect.Slice, reflect.Map:
		return f.OmitEmpty && !full && x.Len() == 0
	default:
		return f.OmitEmpty && !full && x.IsZero()
	}
}

func encodeScalar(x reflect.Value) (*yaml.Node, error) {
	value := x.Interface()
	switch v := value.(type) {
	case time.Duration:
		value = v.String()
	case encoding.TextMarshaler:
		b, err := v.MarshalText()
		if err != nil {
			return nil, err
		}
		value = string(b)
	default:
		if x.Kind() == reflect.String {
			value = x.String()
		}
		if x.CanFloat() && (math.IsNaN(x.Float()) || math.IsInf(x.Float(), 0)) {
			return nil, fmt.Errorf("%v is not a number that YAML can hold here", value)
		}
	}
	n := new(yaml.Node)
	if err := n.Encode(value); err != nil {
		return nil, err
	}
	// YAML ends a line at these too; only double quotes escape them.
	if strings.ContainsAny(n.Value, "\u0085\u2028\u2029") {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n, nil
}
