package strictyaml

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"recallbench/internal/text/suggest"
)

// Decode fills what out points to with the value over what is there, checks it
// by the Validate methods of its types, and records all faults. A place where
// the document has nothing leaves out as it is and checks it.
func (v Value) Decode(out any) {
	target := reflect.ValueOf(out)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		panic(fmt.Sprintf("strictyaml: Decode into %T; want a pointer", out))
	}
	if v.node != nil {
		v.decode(target.Elem())
	}
	for _, r := range v.validate(target.Elem(), nil) {
		r.at.Faultf("%s", r.msg)
	}
}

var (
	durationType  = reflect.TypeFor[time.Duration]()
	unmarshalType = reflect.TypeFor[encoding.TextUnmarshaler]()
	valuesType    = reflect.TypeFor[interface{ Values() []string }]()
)

func (v Value) decode(out reflect.Value) {
	t := out.Type()
	if t.Kind() == reflect.Interface {
		return
	}
	if t.Kind() == reflect.Pointer {
		if v.node.isNull() {
			out.SetZero()
			return
		}
		inner := reflect.New(t.Elem())
		if !out.IsNil() {
			inner.Elem().Set(out.Elem())
		}
		v.decode(inner.Elem())
		out.Set(inner)
		return
	}
	if v.node.kind != kindOf(t) {
		v.wrongType(t)
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		if scalar(t) {
			v.decodeScalar(out)
		} else {
			v.decodeStruct(out)
		}
	case reflect.Map:
		v.decodeMap(out)
	case reflect.Slice:
		out.SetZero()
		for i := range v.node.content {
			entry := reflect.New(t.Elem()).Elem()
			v.At(i).decode(entry)
			out.Set(reflect.Append(out, entry))
		}
	default:
		v.decodeScalar(out)
	}
}

// kindOf returns the kind of node that fits a type. It panics for a type that
// no config should have.
func kindOf(t reflect.Type) yaml.Kind {
	switch {
	case scalar(t):
		return yaml.ScalarNode
	case t.Kind() == reflect.Struct, t.Kind() == reflect.Map && t.Key().Kind() == reflect.String:
		return yaml.MappingNode
	case t.Kind() == reflect.Slice:
		return yaml.SequenceNode
	}
	panic("strictyaml: cannot decode into " + t.String())
}

func scalar(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return true
	default:
		return reflect.PointerTo(t).Implements(unmarshalType)
	}
}

func (v Value) decodeStruct(out reflect.Value) {
	fields := Fields(out.Type())
	v.keys(func(key string, node *node) {
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Key == key })
		if i < 0 {
			v.key(node).Faultf("%s", suggest.Unknown("key", key, keysOf(out.Type())))
			return
		}
		v.At(key).decode(out.FieldByIndex(fields[i].Index))
	})
}

func (v Value) decodeMap(out reflect.Value) {
	t := out.Type()
	m := reflect.MakeMap(t)
	v.keys(func(key string, _ *node) {
		value := reflect.New(t.Elem()).Elem()
		if t.Elem().Kind() == reflect.Interface {
			if free := v.At(key).free(); free != nil {
				value.Set(reflect.ValueOf(free))
			}
		}
		if d, ok := reflect.TypeAssert[interface{ Defaults() any }](value); ok {
			value.Set(reflect.ValueOf(d.Defaults()))
		}
		v.At(key).decode(value)
		m.SetMapIndex(reflect.ValueOf(key).Convert(t.Key()), value)
	})
	out.SetZero()
	if m.Len() > 0 {
		out.Set(m)
	}
}

// free returns a value of no declared type: text, number, truth value, nil, list
// or map.
func (v Value) free() any {
	if v.IsMapping() {
		m := make(map[string]any)
		v.keys(func(key string, _ *node) { m[key] = v.At(key).free() })
		return m
	}
	if v.IsList() {
		list := make([]any, v.Len())
		for i := range list {
			list[i] = v.At(i).free()
		}
		return list
	}
	text := v.node.value
	switch v.node.tag {
	case "!!null":
		return nil
	case "!!bool":
		return strings.EqualFold(text, "true")
	case "!!int", "!!float":
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && wholeNumber.MatchString(text) {
			return n
		}
		if x, err := strconv.ParseFloat(text, 64); err == nil && number.MatchString(text) {
			return x
		}
	}
	return text
}

// A Field is a field of a struct as YAML sees it.
type Field struct {
	Key       string
	Index     []int // for reflect.Value.FieldByIndex
	OmitEmpty bool
}

// Fields returns the fields of a struct type in the order of the source.
func Fields(t reflect.Type) []Field {
	var fields []Field
	for f := range t.Fields() {
		key, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		has := func(option string) bool { return slices.Contains(strings.Split(options, ","), option) }
		switch {
		case !f.IsExported() || key == "-":
		case has("inline") && f.Type.Kind() == reflect.Struct:
			for _, inner := range Fields(f.Type) {
				inner.Index = append(slices.Clone(f.Index), inner.Index...)
				fields = append(fields, inner)
			}
		default:
			if key == "" {
				key = strings.ToLower(f.Name)
			}
			fields = append(fields, Field{Key: key, Index: f.Index, OmitEmpty: has("omitempty")})
		}
	}
	return fields
}

func keysOf(t reflect.Type) []string {
	var keys []string
	for _, f := range Fields(t) {
		keys = append(keys, f.Key)
	}
	return keys
}
