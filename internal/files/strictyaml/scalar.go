package strictyaml

import (
	"encoding"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"recallbench/internal/text/suggest"
)

var (
	wholeNumber = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`)
	number      = regexp.MustCompile(`^[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
)

// decodeScalar sets out, of a type for which scalar holds, from a scalar node.
func (v Value) decodeScalar(out reflect.Value) {
	t, tag, text := out.Type(), v.node.tag, v.node.value
	switch {
	case t == durationType:
		d, err := time.ParseDuration(text)
		if tag != "!!str" || err != nil {
			v.wrongType(t)
			return
		}
		out.SetInt(int64(d))
	case reflect.PointerTo(t).Implements(unmarshalType):
		if tag == "!!null" || !plainTag(tag) {
			v.wrongType(t)
			return
		}
		fresh := reflect.New(t)
		if err := fresh.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text)); err != nil {
			v.Faultf("%s: %v", describe(v.node), err)
			return
		}
		out.Set(fresh.Elem())
	case t.Kind() == reflect.String:
		v.decodeText(out)
	case t.Kind() == reflect.Bool:
		if tag != "!!bool" {
			v.wrongType(t)
			return
		}
		out.SetBool(strings.EqualFold(text, "true"))
	default:
		v.decodeNumber(out)
	}
}

func (v Value) decodeText(out reflect.Value) {
	if v.node.tag != "!!str" {
		v.wrongType(out.Type())
		return
	}
	if values := enumeration(out.Type()); values != nil {
		known := false
		for _, value := range values {
			known = known || value == v.node.value
		}
		if !known {
			v.Faultf("%s", suggest.Unknown("value", v.node.value, values))
			return
		}
	}
	out.SetString(v.node.value)
}

func (v Value) decodeNumber(out reflect.Value) {
	t, text := out.Type(), v.node.value
	fits := func(low, high any, err error) bool {
		if err != nil {
			v.Faultf("%s is out of range; want a number from %v to %v", shorten(text), low, high)
		}
		return err == nil
	}
	switch {
	case !looksLike(v.node, number):
		v.wrongType(t)
	case out.CanFloat():
		limit := math.MaxFloat64
		if t.Bits() == 32 {
			limit = math.MaxFloat32
		}
		if x, err := strconv.ParseFloat(text, t.Bits()); fits(-limit, limit, err) {
			out.SetFloat(x)
		}
	case !wholeNumber.MatchString(text):
		v.wrongType(t)
	case out.CanInt():
		low := int64(math.MinInt64) >> (64 - t.Bits())
		if x, err := strconv.ParseInt(text, 10, t.Bits()); fits(low, -(low + 1), err) {
			out.SetInt(x)
		}
	default:
		high := uint64(math.MaxUint64) >> (64 - t.Bits())
		if x, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, t.Bits()); fits(0, high, err) {
			out.SetUint(x)
		}
	}
}

// looksLike tells whether a scalar matches a pattern and is no quoted text. The
// tag alone does not tell: a number too large for a machine word counts as
// something else.
func looksLike(n *node, pattern *regexp.Regexp) bool {
	switch n.tag {
	case "!!int", "!!float":
		return pattern.MatchString(n.value)
	case "!!str":
		return n.plain && pattern.MatchString(n.value)
	}
	return false
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
	switch tag {
	case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp", mergeTag:
		return true
	}
	return false
}
