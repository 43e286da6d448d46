package strictyaml

import (
	"bytes"
	"cmp"
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
	var b bytes.Buffer
	dumper, err := yaml.NewDumper(&b, yaml.WithFlowSimpleCollections())
	if err != nil {
		return nil, err
	}
	if err := dumper.Dump(n); err != nil {
		return nil, err
	}
	err = dumper.Close()
	return b.Bytes(), err
}

// encode returns the node of a value, nil for a nil interface.
func encode(x reflect.Value, full bool) (*yaml.Node, error) {
	t := x.Type()
	switch {
	case t.Kind() == reflect.Interface && x.IsNil():
		return nil, nil //nolint:nilnil // nothing to write is no error
	case t.Kind() == reflect.Interface:
		return encode(x.Elem(), true)
	case t.Kind() == reflect.Pointer && x.IsNil():
		return null(), nil
	case t.Kind() == reflect.Pointer:
		return encode(x.Elem(), full)
	case scalar(t):
		return encodeScalar(x)
	}
	n := &yaml.Node{Kind: kindOf(t)}
	add := func(key string, value reflect.Value, isNil *yaml.Node) error {
		c, err := encode(value, full)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if c = cmp.Or(c, isNil); c == nil {
			return nil
		}
		if n.Kind == yaml.MappingNode {
			k, err := encodeScalar(reflect.ValueOf(key))
			if err != nil {
				return err
			}
			n.Content = append(n.Content, k)
		}
		n.Content = append(n.Content, c)
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		for _, f := range Fields(t) {
			value := x.FieldByIndex(f.Index)
			isNil := value.Kind() == reflect.Pointer && value.IsNil()
			if f.OmitEmpty && (isNil || !full && empty(value)) {
				continue
			}
			if err := add(f.Key, value, nil); err != nil {
				return nil, err
			}
		}
	case reflect.Map:
		for _, key := range sortedKeys(x) {
			if err := add(key.String(), x.MapIndex(key), null()); err != nil {
				return nil, err
			}
		}
	default:
		for i := range x.Len() {
			if err := add(path{i}.String(), x.Index(i), null()); err != nil {
				return nil, err
			}
		}
	}
	return n, nil
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

func null() *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
}

// empty reports whether omitempty leaves a value out.
func empty(x reflect.Value) bool {
	return x.IsZero() || (x.Kind() == reflect.Slice || x.Kind() == reflect.Map) && x.Len() == 0
}

// sortedKeys returns the keys of a map whose keys are text.
func sortedKeys(x reflect.Value) []reflect.Value {
	return slices.SortedFunc(slices.Values(x.MapKeys()), func(a, b reflect.Value) int {
		return strings.Compare(a.String(), b.String())
	})
}
