package strictyaml

import (
	"reflect"
	"slices"
	"strings"
)

// validate checks a Go value and all within by their Validate methods. What is
// wrong with a place that could not be decoded is left out: it holds its
// default, not what the file says.
func (v Value) validate(x reflect.Value, undecoded map[string]bool) {
	switch x.Kind() {
	case reflect.Struct:
		for _, f := range Fields(x.Type()) {
			v.At(f.Key).validate(x.FieldByIndex(f.Index), undecoded)
		}
	case reflect.Slice:
		for i := range x.Len() {
			v.At(i).validate(x.Index(i), undecoded)
		}
	case reflect.Map:
		for _, key := range slices.SortedFunc(slices.Values(x.MapKeys()), func(a, b reflect.Value) int {
			return strings.Compare(a.String(), b.String())
		}) {
			v.At(key.String()).validate(x.MapIndex(key), undecoded)
		}
	case reflect.Pointer:
		if !x.IsNil() {
			v.validate(x.Elem(), undecoded)
		}
		return
	default:
	}
	copied := reflect.New(x.Type())
	copied.Elem().Set(x)
	if c, ok := reflect.TypeAssert[interface{ Validate() error }](copied); ok {
		if err := c.Validate(); err != nil {
			v.record(err, x.Type(), undecoded)
		}
	}
}

// record turns the error of a type's Validate method into faults.
func (v Value) record(err error, t reflect.Type, undecoded map[string]bool) {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			v.record(e, t, undecoded)
		}
		return
	}
	at, msg := v, err.Error()
	if end := strings.IndexAny(msg, " :"); end > 0 {
		if p, rest, err := parsePath(msg[:end]); err == nil && rest == "" && within(t, p) {
			at, msg = v.At(p...), strings.TrimLeft(msg[end:], " :")
		}
	}
	if !undecoded[at.path.String()] {
		at.Faultf("%s", msg)
	}
}

// within tells whether a path leads to something in a type.
func within(t reflect.Type, p path) bool {
	for _, step := range p {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		_, place := step.(int)
		switch {
		case t.Kind() == reflect.Struct && !place:
			fields := Fields(t)
			i := slices.IndexFunc(fields, func(f Field) bool { return f.Key == step })
			if i < 0 {
				return false
			}
			t = t.FieldByIndex(fields[i].Index).Type
		case t.Kind() == reflect.Slice && place, t.Kind() == reflect.Map && !place:
			t = t.Elem()
		default:
			return false
		}
	}
	return true
}
