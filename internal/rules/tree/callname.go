package tree

import (
	"slices"
	"strings"

	"recallbench/internal/engine/tree"
)

// callName returns what people call a node: its name or, where none of its
// fields is known to hold one, the first that holds a few words of its own.
func callName(n *tree.Node) string {
	if name := n.Name(); name != n.Type {
		return name
	}
	for _, f := range n.Fields {
		v := f.Value()
		if k := newField(f.Name, len(f.Values) > 1, nil).kind; (k == kindText || k == kindPerson) && len(v) <= 60 && !textNamed(split(f.Name)) && v != "" && looksLike([]string{v}) == "" {
			return v
		}
	}
	return n.Type
}

// callField is the field of a kind that holds what [callName] returns, as far
// as names of fields tell.
func (k *kind) callField() string {
	for _, f := range k.fields {
		if (f.kind == kindText || f.kind == kindPerson) && !textNamed(f.words) && f.kind != kindList {
			return f.name
		}
	}
	return ""
}

// weekdayField reports whether a field holds the day of the week.
func (f field) weekdayField() bool {
	return strings.EqualFold(f.name, "weekday") || strings.EqualFold(f.name, "day")
}

// widen adds the words before the last of compound names of types, where no
// other type has them: a "day plan" is a day.
func (v *vocab) widen() {
	for _, k := range v.kinds {
		parts := split(k.name)
		for _, p := range parts[:max(0, len(parts)-1)] {
			s := stem(p)
			if !slices.ContainsFunc(v.kinds, func(o *kind) bool { return o.words[s] }) && k.name != v.root {
				k.words[s] = true
			}
		}
	}
}
