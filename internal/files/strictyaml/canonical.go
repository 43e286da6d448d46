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

func short(b *strings.Builder, n *node) {
	switch n.kind {
	case yaml.SequenceNode:
		b.WriteString("[")
		for i, c := range n.content {
			if i > 0 {
				b.WriteString(", ")
			}
			short(b, c)
		}
		b.WriteString("]")
	case yaml.MappingNode:
		b.WriteString("{")
		for i, key := range n.keys {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(key.value + "=")
			short(b, n.content[i])
		}
		b.WriteString("}")
	default:
		if n.tag == "!!null" {
			b.WriteString("null")
			return
		}
		b.WriteString(n.value)
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

func canonical(b *strings.Builder, n *node) {
	switch n.kind {
	case yaml.SequenceNode:
		b.WriteString("[")
		for _, c := range n.content {
			canonical(b, c)
			b.WriteString(",")
		}
		b.WriteString("]")
	case yaml.MappingNode:
		order := make([]int, len(n.keys))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { return strings.Compare(n.keys[i].value, n.keys[j].value) })
		b.WriteString("{")
		for _, i := range order {
			canonical(b, n.keys[i])
			b.WriteString(":")
			canonical(b, n.content[i])
			b.WriteString(",")
		}
		b.WriteString("}")
	default:
		b.WriteString(canonicalScalar(n))
	}
}

func canonicalScalar(n *node) string {
	switch {
	case looksLike(n, wholeNumber):
		return strings.TrimPrefix(n.value, "+")
	case looksLike(n, number):
		if x, err := strconv.ParseFloat(n.value, 64); err == nil {
			return strconv.FormatFloat(x, 'f', -1, 64)
		}
	}
	switch tag := n.tag; tag {
	case "!!null":
		return tag
	case "!!bool":
		return strings.ToLower(n.value)
	default:
		return tag + strconv.Quote(n.value)
	}
}
