package strictyaml

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"recallbench/internal/calc/lists"
)

// A node is a value of a document with aliases and merges carried out.
type node struct {
	kind    yaml.Kind // of a mapping, a list or a scalar
	tag     string    // short
	value   string    // of a scalar
	plain   bool      // a scalar without quotes
	keys    []*node   // of a mapping, doubles and such that are no text too
	content []*node   // the values of keys, or the entries of a list
	origin
}

// An origin is where a node was written.
type origin struct {
	file      string // its name, or an assignment
	assigned  bool   // by an assignment or as a default: there is no position
	line, col int
	path      path
}

const mergeTag = "!!merge"

// newNode returns a node with the origin of another one.
func newNode(at origin, kind yaml.Kind, tag, value string) *node {
	return &node{kind: kind, tag: tag, value: value, plain: true, origin: at}
}

func (n *node) isText() bool { return n.kind == yaml.ScalarNode && n.tag == "!!str" }

func (n *node) isNull() bool { return n.kind == yaml.ScalarNode && n.tag == "!!null" }

// find returns the place of a key among those of a mapping; -1 for none.
func (n *node) find(key string) int {
	return slices.IndexFunc(n.keys, func(k *node) bool { return k.value == key && k.isText() })
}

// add gives a mapping one more key.
func (n *node) add(key, value *node) {
	n.keys, n.content = append(n.keys, key), append(n.content, value)
}

// pair parts the content of a mapping, in which keys and values take turns. Its own keys
// count, then those of the first that it merges.
func (n *node) pair() {
	all := n.content
	n.content = nil
	var merged []*node
	have := make(map[string]bool)
	for kv := range slices.Chunk(all, 2) {
		key, value := kv[0], kv[1]
		switch {
		case key.tag != mergeTag:
			n.add(key, value)
			have[key.value] = true
		case value.kind == yaml.SequenceNode:
			merged = append(merged, value.content...)
		default:
			merged = append(merged, value)
		}
	}
	for _, source := range merged {
		if source.kind != yaml.MappingNode {
			n.add(&node{tag: mergeTag, origin: source.origin}, source) // the decoder reports it as a fault
		}
		for i, key := range source.keys {
			if !have[key.value] {
				have[key.value] = true
				n.add(key, source.content[i])
			}
		}
	}
}

// place notes the path of a node, and of all within.
func (n *node) place(at path) {
	n.path = at
	for i, c := range n.content {
		if i < len(n.keys) {
			n.keys[i].path = at.child(n.keys[i].value)
			c.place(n.keys[i].path)
		} else {
			c.place(at.child(i))
		}
	}
}

// within returns the node to which a step leads; nil for none.
func (n *node) within(step any) *node {
	if n == nil {
		return nil
	}
	i, numbered := step.(int)
	if key, ok := step.(string); ok {
		i = n.find(key)
	}
	if i < 0 || i >= len(n.content) || numbered != (n.kind == yaml.SequenceNode) {
		return nil
	}
	return n.content[i]
}

// clone returns a copy of a node that shares nothing that can be set.
func (n *node) clone() *node {
	c := *n
	c.keys, c.content = slices.Clone(n.keys), lists.Map(n.content, (*node).clone)
	return &c
}

// set puts a value at the place within a node to which steps lead. Keys that are not there are
// added with an origin; where there is nothing, a key makes it a mapping.
func (n *node) set(value *node, steps path, added origin) error {
	for i, step := range steps {
		key, isKey := step.(string)
		at, _ := step.(int)
		if isKey && n.isNull() {
			*n = *newNode(n.origin, yaml.MappingNode, "!!map", "")
		}
		switch {
		case isKey && n.kind == yaml.MappingNode:
			if at = n.find(key); at < 0 {
				at = len(n.keys)
				added.path = n.path.child(key)
				n.add(newNode(added, yaml.ScalarNode, "!!str", key), newNode(added, yaml.ScalarNode, "!!null", ""))
			}
		case isKey:
			return n.path.fault("found %s, which has no key %q", describe(n), key)
		case n.kind != yaml.SequenceNode:
			return n.path.fault("found %s, which has no place [%d]", describe(n), at)
		case at >= len(n.content):
			return n.path.fault("no place [%d]; have [0] to [%d]", at, len(n.content)-1)
		}
		if i == len(steps)-1 {
			n.content[at] = value
		}
		n = n.content[at]
	}
	return nil
}

// String writes a node on one line: a text as it is, a list as [1, 2], a mapping
// as {unit=turns, size=3}.
func (n *node) String() string {
	switch {
	case n.isNull():
		return "null"
	case n.kind == yaml.ScalarNode:
		return n.value
	}
	parts := lists.Map(n.content, (*node).String)
	if n.kind == yaml.SequenceNode {
		return "[" + strings.Join(parts, ", ") + "]"
	}
	for i, key := range n.keys {
		parts[i] = key.value + "=" + parts[i]
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
