package strictyaml

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"recallbench/internal/calc/lists"
	"recallbench/internal/text/suggest"
)

// Decode decodes the value over the target of out, checks it by the Validate
// methods of its types, and records all faults. Without a value in the
// document, the target stays as it is and is checked.
func (v Value) Decode(out any) { v.decode(reflect.ValueOf(out).Elem()) }

// Over decodes the value over defaults, as [Value.Decode] does, and returns a value of their
// type.
func (v Value) Over(defaults any) any {
	out := reflect.New(reflect.TypeOf(defaults))
	out.Elem().Set(reflect.ValueOf(defaults))
	v.Decode(out.Interface())
	return out.Elem().Interface()
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
		return
	case t.Kind() == reflect.Pointer:
		v.decodePointer(out)
		return
	case scalar(t):
		v.decodeScalar(out)
	case v.node != nil && v.node.kind != kindOf(t):
		v.wrongType(t)
	case t.Kind() == reflect.Struct:
		v.decodeStruct(out)
	case v.node == nil:
	case t.Kind() == reflect.Map:
		v.decodeMap(out)
	default:
		out.SetZero()
		for _, entry := range v.Each() {
			x := reflect.New(t.Elem()).Elem()
			entry.decode(x)
			out.Set(reflect.Append(out, x))
		}
	}
	copied := reflect.New(t) // the method may be the pointer's
	copied.Elem().Set(out)
	if c, ok := reflect.TypeAssert[interface{ Validate() error }](copied); ok {
		v.refuse(c.Validate(), t)
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

// decodePointer decodes over a copy of what a pointer points to.
func (v Value) decodePointer(out reflect.Value) {
	switch {
	case v.node != nil && v.node.isNull():
		out.SetZero()
	case v.node != nil || !out.IsNil():
		inner := reflect.New(out.Type().Elem())
		if !out.IsNil() {
			inner.Elem().Set(out.Elem())
		}
		v.decode(inner.Elem())
		out.Set(inner)
	}
}

// decodeStruct decodes the fields of a struct, those that the document does not have to
// check them.
func (v Value) decodeStruct(out reflect.Value) {
	fields := Fields(out.Type())
	found := lists.Map(fields, func(f Field) Value { return v.At(f.Key) })
	v.Keys(func(name string, key, _ Value) {
		if !slices.ContainsFunc(fields, func(f Field) bool { return f.Key == name }) {
			key.at.path = v.at.path
			key.Faultf("%s", suggest.Unknown("key", name, keysOf(out.Type())))
		}
	})
	for i, f := range fields {
		field := out.FieldByIndex(f.Index)
		found[i].decode(field)
		tag := out.Type().FieldByIndex(f.Index).Tag.Get("jsonschema")
		if msg := outOfBounds(field, tag); msg != "" && found[i].Exists() && !found[i].Faulty() {
			found[i].Faultf("%s", msg)
		}
	}
}

// outOfBounds says how a number breaks the bounds that a field's tag for the JSON Schema
// sets, or nothing.
func outOfBounds(field reflect.Value, tag string) string {
	field = reflect.Indirect(field)
	if !field.IsValid() || !isNumber(field.Type()) {
		return ""
	}
	x := field.Convert(reflect.TypeFor[float64]()).Float()
	for rule := range strings.SplitSeq(tag, ",") {
		name, text, _ := strings.Cut(rule, "=")
		bound, err := strconv.ParseFloat(text, 64)
		want := ""
		switch {
		case err != nil:
		case name == "minimum" && x < bound:
			want = "at least"
		case name == "maximum" && x > bound:
			want = "at most"
		case name == "exclusiveMinimum" && x <= bound:
			want = "more than"
		case name == "exclusiveMaximum" && x >= bound:
			want = "less than"
		}
		if want != "" {
			return fmt.Sprintf("is %v, want %s %s", field.Interface(), want, text)
		}
	}
	return ""
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
		return append([]any{}, lists.Map(v.Each(), Value.free)...)
	case n.isNull():
		return nil
	case n.tag == "!!bool":
		return strings.EqualFold(n.value, "true")
	case n.isText():
		return n.value
	}
	if i, err := strconv.ParseInt(n.value, 10, 64); err == nil && wholeNumber.MatchString(n.value) {
		return i
	}
	if x, err := strconv.ParseFloat(n.value, 64); err == nil && number.MatchString(n.value) {
		return x
	}
	return n.value
}

var (
	wholeNumber = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`)
	number      = regexp.MustCompile(`^[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
)

// looksLike reports whether a scalar matches a pattern and is not a quoted text. The
// tag alone does not tell: a number too large for a machine word counts as
// something else.
func looksLike(n *node, pattern *regexp.Regexp) bool {
	return (n.tag == "!!int" || n.tag == "!!float" || n.isText() && n.plain) && pattern.MatchString(n.value)
}

// decodeScalar sets out, of a type for which scalar holds, where the document has
// something.
func (v Value) decodeScalar(out reflect.Value) {
	t, n := out.Type(), v.node
	switch {
	case n == nil:
	case n.kind != yaml.ScalarNode:
		v.wrongType(t)
	case t == durationType:
		d, err := time.ParseDuration(n.value)
		if !n.isText() || err != nil {
			v.wrongType(t)
			return
		}
		out.SetInt(int64(d))
	case reflect.PointerTo(t).Implements(unmarshalType) && !n.isNull() && plainTag(n.tag):
		fresh := reflect.New(t)
		if err := fresh.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(n.value)); err != nil {
			v.Faultf("%s: %v", describe(n), err)
			return
		}
		out.Set(fresh.Elem())
	case t.Kind() == reflect.String && n.isText():
		if values := enumeration(t); values != nil && !slices.Contains(values, n.value) {
			v.Faultf("%s", suggest.Unknown("value", n.value, values))
			return
		}
		out.SetString(n.value)
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
	t, text := out.Type(), strings.TrimPrefix(v.node.value, "+")
	var err error
	if out.CanFloat() {
		var x float64
		x, err = strconv.ParseFloat(text, t.Bits())
		out.SetFloat(x)
	} else {
		err = json.Unmarshal([]byte(text), out.Addr().Interface())
	}
	if err != nil {
		least := map[bool]string{true: ", 0 or above"}[out.CanUint()]
		v.Faultf("%s is out of range; want %s of %d bits%s", shorten(v.node.value), wanted(t), t.Bits(), least)
	}
}

// refuse records what a type's Validate method says of a value. It leaves out a place
// that is at fault already: that holds its default, not what the file says.
func (v Value) refuse(err error, t reflect.Type) {
	if err == nil {
		return
	}
	errs := []error{err}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		errs = many.Unwrap()
	}
	faulty := maps.Clone(v.doc.faulty) // before the first of these
	for _, err := range errs {
		at, msg := v, err.Error()
		if end := strings.IndexAny(msg, " :"); end > 0 {
			if p, rest, err := parsePath(msg[:end]); err == nil && rest == "" && within(t, p) {
				at, msg = v.At(p...), strings.TrimLeft(msg[end:], " :")
			}
		}
		if !faulty[at.Path()] {
			at.Faultf("%s", msg)
		}
	}
}

// within reports whether a path begins with a key or a place of a type.
func within(t reflect.Type, p path) bool {
	key, isKey := p[0].(string)
	switch t.Kind() {
	case reflect.Struct:
		return isKey && slices.Contains(keysOf(t), key)
	case reflect.Map:
		return isKey
	default:
		return t.Kind() == reflect.Slice && !isKey
	}
}

// wrongType records that the value is not of the type that is wanted; nothing where the
// value is at fault already.
func (v Value) wrongType(t reflect.Type) {
	if v.Faulty() {
		return
	}
	fix := ""
	if n := v.node; t.Kind() == reflect.String && n.kind == yaml.ScalarNode && !n.isNull() && plainTag(n.tag) && n.plain {
		fix = fmt.Sprintf("; quote it: %q", shorten(n.value))
	}
	v.Faultf("found %s, want %s%s", describe(v.node), wanted(t), fix)
}

// describe says what a node is.
func describe(n *node) string {
	switch {
	case n == nil, n.isNull():
		return "nothing"
	case n.kind == yaml.MappingNode:
		return "a mapping"
	case n.kind == yaml.SequenceNode:
		return "a list"
	case n.tag == "!!bool":
		return n.value
	case n.tag == "!!int", n.tag == "!!float":
		return "the number " + shorten(n.value)
	case n.tag == "!!timestamp":
		return "the date " + shorten(n.value)
	case n.isText(), n.tag == mergeTag:
		return "the text " + strconv.Quote(shorten(n.value))
	}
	return "a value of the type " + shorten(n.tag)
}

// wanted says what fits a type.
func wanted(t reflect.Type) string {
	switch {
	case t == durationType:
		return "a duration such as 30s or 1m30s"
	case enumeration(t) != nil:
		return "one of " + strings.Join(enumeration(t), ", ")
	case t.Kind() == reflect.String, reflect.PointerTo(t).Implements(unmarshalType):
		return "text"
	case t.Kind() == reflect.Struct:
		return "a mapping of " + strings.Join(keysOf(t), ", ")
	case t.Kind() == reflect.Map:
		return "a mapping"
	case t.Kind() == reflect.Slice:
		return "a list, each entry " + wanted(t.Elem())
	case t.Kind() == reflect.Pointer:
		return wanted(t.Elem())
	case t.Kind() == reflect.Bool:
		return "true or false"
	case reflect.Zero(t).CanFloat():
		return "a number"
	}
	return "a whole number"
}

// maxQuoted is the number of characters of a value that a message shows.
const maxQuoted = 60

func shorten(s string) string {
	if r := []rune(s); len(r) > maxQuoted {
		return string(r[:maxQuoted]) + "..."
	}
	return s
}

// enumeration returns the values of an enumerated text type, nil for another
// type.
func enumeration(t reflect.Type) []string {
	if t.Kind() != reflect.String || !reflect.PointerTo(t).Implements(valuesType) {
		return nil
	}
	return reflect.New(t).Interface().(interface{ Values() []string }).Values()
}

// plainTag reports whether a scalar has a type of YAML's core schema, which every
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
			key = cmp.Or(key, strings.ToLower(f.Name))
			fields = append(fields, Field{Key: key, Index: f.Index, OmitEmpty: options == "omitempty"})
		}
	}
	return fields
}

func keysOf(t reflect.Type) []string {
	return lists.Map(Fields(t), func(f Field) string { return f.Key })
}
