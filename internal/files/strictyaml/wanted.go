package strictyaml

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// wrongType records that the value is not of the type that is wanted, and how
// to write it where that is clear.
func (v Value) wrongType(t reflect.Type) {
	fix := ""
	switch {
	case v.node.isNull() && len(v.path) > 0:
		fix = "; leave the key out for the default"
	case v.node.kind == yaml.ScalarNode && !v.node.isNull():
		fix = remedy(v.node, t)
	}
	v.Faultf("found %s, want %s%s", describe(v.node), wanted(t), fix)
}

// describe says what a node is.
func describe(n *node) string {
	if n.kind == yaml.MappingNode {
		return "a mapping"
	}
	if n.kind == yaml.SequenceNode {
		return "a list"
	}
	switch n.tag {
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

// remedy says how to write a scalar so that it fits the type, or nothing.
func remedy(n *node, t reflect.Type) string {
	text := n.value
	switch {
	case t.Kind() == reflect.Slice && len(text) < maxQuoted && !strings.ContainsAny(text, ",[]{}\n"):
		return fmt.Sprintf("; write [%s]", text)
	case t.Kind() == reflect.String && plainTag(n.tag) && n.plain:
		return fmt.Sprintf("; quote it: %q", shorten(text))
	case t.Kind() == reflect.Bool:
		switch strings.ToLower(text) {
		case "yes", "y", "on", "true":
			return "; write true"
		case "no", "n", "off", "false":
			return "; write false"
		}
	case !isNumber(t) || t == durationType:
	case !reflect.Zero(t).CanFloat():
		x, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
		if err == nil && x == math.Trunc(x) && math.Abs(x) < 1e15 {
			return fmt.Sprintf("; write %.0f", x+0)
		}
	case n.isText() && number.MatchString(text):
		return "; write it without quotes"
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
