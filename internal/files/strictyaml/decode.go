package strictyaml

import (
	"encoding"
	"math"
	"reflect"
	"regexp"
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
	target := reflect.ValueOf(out).Elem()
	if v.node != nil {
		v.decode(target)
	}
	for _, r := range v.validate(target, nil) {
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
	switch {
	case t.Kind() == reflect.Interface:
	case t.Kind() == reflect.Pointer && v.node.isNull():
		out.SetZero()
	case t.Kind() == reflect.Pointer:
		inner := reflect.New(t.Elem())
		if !out.IsNil() {
			inner.Elem().Set(out.Elem())
		}
		v.decode(inner.Elem())
		out.Set(inner)
	case v.node.kind != kindOf(t):
		v.wrongType(t)
	case scalar(t):
		v.decodeScalar(out)
	case t.Kind() == reflect.Struct:
		v.decodeStruct(out)
	case t.Kind() == reflect.Map:
		v.decodeMap(out)
	default:
		out.SetZero()
		for i := range v.node.content {
			entry := reflect.New(t.Elem()).Elem()
			v.At(i).decode(entry)
			out.Set(reflect.Append(out, entry))
		}
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
	k := t.Kind()
	return k == reflect.Bool || k == reflect.String || isNumber(t) || reflect.PointerTo(t).Implements(unmarshalType)
}

func isNumber(t reflect.Type) bool {
	x := reflect.Zero(t)
	return x.CanInt() || x.CanUint() || x.CanFloat()
}

func (v Value) decodeStruct(out reflect.Value) {
	fields := Fields(out.Type())
	v.Keys(func(name string, key, value Value) {
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Key == name })
		if i < 0 {
			key.path, key.shown = v.path, v.shown
			key.Faultf("%s", suggest.Unknown("key", name, keysOf(out.Type())))
			return
		}
		value.decode(out.FieldByIndex(fields[i].Index))
	})
}

func (v Value) decodeMap(out reflect.Value) {
	t := out.Type()
	m := reflect.MakeMap(t)
	v.Keys(func(name string, _, inner Value) {
		value := reflect.New(t.Elem()).Elem()
		if t.Elem().Kind() == reflect.Interface {
			if free := inner.free(); free != nil {
				value.Set(reflect.ValueOf(free))
			}
		}
		if d, ok := reflect.TypeAssert[interface{ Defaults() any }](value); ok {
			value.Set(reflect.ValueOf(d.Defaults()))
		}
		inner.decode(value)
		m.SetMapIndex(reflect.ValueOf(name).Convert(t.Key()), value)
	})
	out.SetZero()
	if m.Len() > 0 {
		out.Set(m)
	}
}

// free returns a value of no declared type: text, number, truth value, nil, list
// or map.
func (v Value) free() any {
	n := v.node
	switch {
	case v.IsMapping():
		m := make(map[string]any)
		v.Keys(func(name string, _, value Value) { m[name] = value.free() })
		return m
	case v.IsList():
		list := make([]any, v.Len())
		for i := range list {
			list[i] = v.At(i).free()
		}
		return list
	case n.isNull():
		return nil
	case n.tag == "!!bool":
		return strings.EqualFold(n.value, "true")
	case n.tag == "!!int", n.tag == "!!float":
		if i, err := strconv.ParseInt(n.value, 10, 64); err == nil && wholeNumber.MatchString(n.value) {
			return i
		}
		if x, err := strconv.ParseFloat(n.value, 64); err == nil && number.MatchString(n.value) {
			return x
		}
	}
	return n.value
}

var (
	wholeNumber = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`)
	number      = regexp.MustCompile(`^[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
)

// looksLike tells whether a scalar matches a pattern and is no quoted text. The
// tag alone does not tell: a number too large for a machine word counts as
// something else.
func looksLike(n *node, pattern *regexp.Regexp) bool {
	return (n.tag == "!!int" || n.tag == "!!float" || n.isText() && n.plain) && pattern.MatchString(n.value)
}

// decodeScalar sets out, of a type for which scalar holds, from a scalar node.
func (v Value) decodeScalar(out reflect.Value) {
	t, n := out.Type(), v.node
	switch {
	case t == durationType:
		d, err := time.ParseDuration(n.value)
		if !n.isText() || err != nil {
			v.wrongType(t)
			return
		}
		out.SetInt(int64(d))
	case reflect.PointerTo(t).Implements(unmarshalType):
		if n.isNull() || !plainTag(n.tag) {
			v.wrongType(t)
			return
		}
		fresh := reflect.New(t)
		if err := fresh.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(n.value)); err != nil {
			v.Faultf("%s: %v", describe(n), err)
			return
		}
		out.Set(fresh.Elem())
	case t.Kind() == reflect.String:
		if values := enumeration(t); n.isText() && values != nil && !slices.Contains(values, n.value) {
			v.Faultf("%s", suggest.Unknown("value", n.value, values))
		} else if n.isText() {
			out.SetString(n.value)
		} else {
			v.wrongType(t)
		}
	case t.Kind() == reflect.Bool && n.tag == "!!bool":
		out.SetBool(strings.EqualFold(n.value, "true"))
	case isNumber(t) && looksLike(n, number) && (out.CanFloat() || wholeNumber.MatchString(n.value)):
		v.decodeNumber(out)
	default:
		v.wrongType(t)
	}
}

// decodeNumber sets out from a scalar that is a number as its type has them.
func (v Value) decodeNumber(out reflect.Value) {
	text, bits := v.node.value, out.Type().Bits()
	var low, high any
	var err error
	switch {
	case out.CanFloat():
		limit := math.MaxFloat64
		if bits == 32 {
			limit = math.MaxFloat32
		}
		var x float64
		x, err = strconv.ParseFloat(text, bits)
		out.SetFloat(x)
		low, high = -limit, limit
	case out.CanInt():
		var x int64
		x, err = strconv.ParseInt(text, 10, bits)
		out.SetInt(x)
		least := int64(math.MinInt64) >> (64 - bits)
		low, high = least, -(least + 1)
	default:
		var x uint64
		x, err = strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, bits)
		out.SetUint(x)
		low, high = 0, uint64(math.MaxUint64)>>(64-bits)
	}
	if err != nil {
		v.Faultf("%s is out of range; want a number from %v to %v", shorten(text), low, high)
	}
}

// enumeration returns the values of an enumerated text type, nil for another
// type.
func enumeration(t reflect.Type) []string {
	if t.Kind() != reflect.String || !reflect.PointerTo(t).Implements(valuesType) {
		return nil
	}
	return reflect.New(t).Interface().(interface{ Values() []string }).Values()
}

// plainTag tells whether a scalar has a type of YAML's core schema, which every
// tool reads alike. A date is text with a nickname.
func plainTag(tag string) bool {
	return slices.Contains([]string{"!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp", mergeTag}, tag)
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
		switch {
		case !f.IsExported() || key == "-":
		case options == "inline":
			for _, inner := range Fields(f.Type) {
				inner.Index = append(slices.Clone(f.Index), inner.Index...)
				fields = append(fields, inner)
			}
		default:
			if key == "" {
				key = strings.ToLower(f.Name)
			}
			fields = append(fields, Field{Key: key, Index: f.Index, OmitEmpty: options == "omitempty"})
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
