package strictyaml

import (
	"reflect"
	"slices"
	"strings"
)

// A refusal is what a Validate method says about a place.
type refusal struct {
	at  Value
	msg string
}

// validate adds what the Validate methods of a Go value and of all within
// refuse. It leaves out a place that could not be decoded: that holds its
// default, not what the file says.
func (v Value) validate(x reflect.Value, found []refusal) []refusal {
	switch x.Kind() { //nolint:exhaustive // the others hold no values
	case reflect.Struct:
		for _, f := range Fields(x.Type()) {
			found = v.At(f.Key).validate(x.FieldByIndex(f.Index), found)
		}
	case reflect.Slice:
		for i := range x.Len() {
			found = v.At(i).validate(x.Index(i), found)
		}
	case reflect.Map:
		for _, key := range sortedKeys(x) {
			found = v.At(key.String()).validate(x.MapIndex(key), found)
		}
	case reflect.Pointer:
		if !x.IsNil() {
			found = v.validate(x.Elem(), found)
		}
		return found
	}
	copied := reflect.New(x.Type()) // the method may be the pointer's
	copied.Elem().Set(x)
	if c, ok := reflect.TypeAssert[interface{ Validate() error }](copied); ok {
		if err := c.Validate(); err != nil {
			return v.refuse(err, x.Type(), found)
		}
	}
	return found
}

// sortedKeys returns the keys of a map whose keys are text.
func sortedKeys(x reflect.Value) []reflect.Value {
	return slices.SortedFunc(slices.Values(x.MapKeys()), func(a, b reflect.Value) int {
		return strings.Compare(a.String(), b.String())
	})
}

// refuse adds the errors of a type's Validate method.
func (v Value) refuse(err error, t reflect.Type, found []refusal) []refusal {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			found = v.refuse(e, t, found)
		}
		return found
	}
	r := refusal{v, err.Error()}
	if end := strings.IndexAny(r.msg, " :"); end > 0 {
		if p, rest, err := parsePath(r.msg[:end]); err == nil && rest == "" && within(t, p) {
			r = refusal{v.At(p...), strings.TrimLeft(r.msg[end:], " :")}
		}
	}
	if r.at.Faulty() {
		return found
	}
	return append(found, r)
}

// within tells whether a path begins with a key or a place of a type.
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
