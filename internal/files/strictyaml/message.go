package strictyaml

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// wrongType records that the value is not of the type that is wanted, and how
// to write it where that is clear.
func (v Value) wrongType(t reflect.Type) {
	fix := remedy(v.node, t)
	if len(v.path) > 0 && v.node.tag == "!!null" {
		fix = "; leave the key out for the default"
	}
	v.Faultf("found %s, want %s%s", describe(v.node), wanted(t), fix)
}

// describe says what a node is.
func describe(n *node) string {
	switch n.kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
	}
	switch tag := n.tag; tag {
	case "!!null":
		return "nothing"
	case "!!bool":
		return n.value
	case "!!int", "!!float":
		return "the number " + shorten(n.value)
	case "!!timestamp":
		return "the date " + shorten(n.value)
	case "!!str", mergeTag:
		return "the text " + strconv.Quote(shorten(n.value))
	default:
		return "a value of the type " + shorten(tag)
	}
}

// wanted says what fits a type.
func wanted(t reflect.Type) string {
	switch {
	case t == durationType:
		return "a duration such as 30s or 1m30s"
	case enumeration(t) != nil:
		return "one of " + strings.Join(enumeration(t), ", ")
	case reflect.PointerTo(t).Implements(unmarshalType):
		return "text"
	}
	switch t.Kind() {
	case reflect.Struct:
		return "a mapping of " + strings.Join(keysOf(t), ", ")
	case reflect.Map:
		return "a mapping"
	case reflect.Slice:
		return "a list, each entry " + wanted(t.Elem())
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	default:
		return "a whole number"
	}
}

// remedy says how to write a scalar so that it fits the type, or nothing.
func remedy(n *node, t reflect.Type) string {
	tag, text := n.tag, n.value
	if n.kind != yaml.ScalarNode || tag == "!!null" {
		return ""
	}
	switch t.Kind() {
	case reflect.Slice:
		if utf8.RuneCountInString(text) < maxQuoted && !strings.ContainsAny(text, ",[]{}\n") {
			return fmt.Sprintf("; write [%s]", text)
		}
	case reflect.String:
		if plainTag(tag) && n.plain {
			return fmt.Sprintf("; quote it: %q", shorten(text))
		}
	case reflect.Bool:
		switch strings.ToLower(text) {
		case "yes", "y", "on", "true":
			return "; write true"
		case "no", "n", "off", "false":
			return "; write false"
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if t == durationType {
			return ""
		}
		if x, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64); err == nil && x == math.Trunc(x) && math.Abs(x) < 1e15 {
			return fmt.Sprintf("; write %.0f", x+0)
		}
	case reflect.Float32, reflect.Float64:
		if tag == "!!str" && number.MatchString(text) {
			return "; write it without quotes"
		}
	default:
	}
	return ""
}

// maxQuoted is the number of characters of a value that a message shows.
const maxQuoted = 60

func shorten(s string) string {
	if r := []rune(s); len(r) > maxQuoted {
		return string(r[:maxQuoted]) + "..."
	}
	return s
}
