package strictyaml

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Short writes a value on one line, as a name for it: a text as it is, a list as
// [1, 2], a mapping as {unit=turns, size=3}.
func (v Value) Short() string {
	if v.node == nil {
		return ""
	}
	var b strings.Builder
	short(&b, v.node)
	return b.String()
}

func short(b *strings.Builder, n *yaml.Node) {
	n = follow(n)
	switch n.Kind {
	case yaml.SequenceNode:
		b.WriteString("[")
		for i, c := range n.Content {
			if i > 0 {
				b.WriteString(", ")
			}
			short(b, c)
		}
		b.WriteString("]")
	case yaml.MappingNode:
		b.WriteString("{")
		for i, p := range pairs(n) {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(follow(p.key).Value + "=")
			short(b, p.value)
		}
		b.WriteString("}")
	default:
		if n.ShortTag() == "!!null" {
			b.WriteString("null")
			return
		}
		b.WriteString(n.Value)
	}
}

// Canonical writes a value so that two which hold the same are written the same:
// 5 as 5.0, and not as "5"; the keys of a mapping in any order.
func (v Value) Canonical() string {
	if v.node == nil {
		return ""
	}
	var b strings.Builder
	canonical(&b, v.node)
	return b.String()
}

// Equal reports whether two values are there and hold the same.
func (v Value) Equal(w Value) bool { return v.node != nil && v.Canonical() == w.Canonical() }

func canonical(b *strings.Builder, n *yaml.Node) {
	n = follow(n)
	switch n.Kind {
	case yaml.SequenceNode:
		b.WriteString("[")
		for _, c := range n.Content {
			canonical(b, c)
			b.WriteString(",")
		}
		b.WriteString("]")
	case yaml.MappingNode:
		all := pairs(n)
		slices.SortStableFunc(all, func(a, b pair) int { return strings.Compare(follow(a.key).Value, follow(b.key).Value) })
		b.WriteString("{")
		for _, p := range all {
			canonical(b, p.key)
			b.WriteString(":")
			canonical(b, p.value)
			b.WriteString(",")
		}
		b.WriteString("}")
	default:
		b.WriteString(canonicalScalar(n))
	}
}

func canonicalScalar(n *yaml.Node) string {
	switch {
	case looksLike(n, wholeNumber):
		return strings.TrimPrefix(n.Value, "+")
	case looksLike(n, number):
		if x, err := strconv.ParseFloat(n.Value, 64); err == nil {
			return strconv.FormatFloat(x, 'f', -1, 64)
		}
	}
	switch tag := n.ShortTag(); tag {
	case "!!null":
		return tag
	case "!!bool":
		return strings.ToLower(n.Value)
	default:
		return tag + strconv.Quote(n.Value)
	}
}
