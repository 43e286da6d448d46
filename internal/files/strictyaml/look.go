package strictyaml

import (
	"fmt"

	"go.yaml.in/yaml/v4"
)

// Steps reads a path such as methods.flat-rag.options.k or methods[0].options as
// the steps that [Value.At] takes.
func Steps(s string) ([]any, error) {
	p, rest, err := parsePath(s)
	if err == nil && rest != "" {
		err = fmt.Errorf("path %q: want no equals sign", s)
	}
	return p, err
}

// PathOf writes steps as a path, as faults do.
func PathOf(steps ...any) string { return path(steps).String() }

// IsList tells whether the document has a list there.
func (v Value) IsList() bool { return v.node != nil && v.node.kind == yaml.SequenceNode }

// Len returns the number of entries of a list, 0 for anything else.
func (v Value) Len() int {
	if !v.IsList() {
		return 0
	}
	return len(v.node.content)
}

// Text returns the text that the document has there, and whether it has one.
func (v Value) Text() (string, bool) {
	if v.node == nil || !v.node.isText() {
		return "", false
	}
	return v.node.value, true
}

// Describe says what the document has there, such as "a list" or "the number 5".
func (v Value) Describe() string {
	if v.node == nil {
		return "nothing"
	}
	return describe(v.node)
}

// Path returns the path of the value as messages have it.
func (v Value) Path() string { return v.shown.String() }

// Assigned tells whether an assignment brought the value in.
func (v Value) Assigned() bool { return v.node != nil && !v.node.from.file }

// Keys calls yield for each key of a mapping, with its place for faults and its
// value, and records the faults of keys.
func (v Value) Keys(yield func(name string, key, value Value)) {
	if !v.IsMapping() {
		return
	}
	v.keys(func(name string, node *node) { yield(name, v.At(name).key(node), v.At(name)) })
}

// Entry finds the entry of a list that goes by a name, as [Document.Set] does.
func (v Value) Entry(name string, names ...string) (int, error) {
	if !v.IsList() {
		return 0, fmt.Errorf("found %s, which has no entry %q", v.Describe(), name)
	}
	return (&setter{names: names}).entry(v.node, name)
}
