package strictyaml

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v4"
)

// A node is a value of a document with aliases and merges carried out, and where it
// was written. No two places share one.
type node struct {
	kind      yaml.Kind // of a mapping, a list or a scalar
	tag       string    // short
	value     string    // of a scalar
	plain     bool      // a scalar without quotes
	line, col int
	keys      []*node // of a mapping, doubles and such that are no text too
	content   []*node // the values of keys, or the entries of a list
	from      origin
	// copied is set for a node that was written at another place, shown.
	copied bool
	shown  path

	index map[string]int // of the keys that are text, the first of each
}

// An origin is what brought a node in: a file, or an assignment.
type origin struct {
	name string
	file bool // lines and columns are those of the file
}

const mergeTag = "!!merge"

func (n *node) isText() bool { return n.kind == yaml.ScalarNode && n.tag == "!!str" }

func (n *node) isNull() bool { return n.kind == yaml.ScalarNode && n.tag == "!!null" }

// find returns the place of a key among those of a mapping; -1 for none.
func (n *node) find(key string) int {
	if n.kind != yaml.MappingNode {
		return -1
	}
	if n.index == nil {
		n.index = make(map[string]int, len(n.keys))
		for i, k := range n.keys {
			if _, double := n.index[k.value]; k.isText() && !double {
				n.index[k.value] = i
			}
		}
	}
	if i, ok := n.index[key]; ok {
		return i
	}
	return -1
}

// add gives a mapping one more key.
func (n *node) add(key, value *node) {
	n.keys, n.content, n.index = append(n.keys, key), append(n.content, value), nil
}

// remove takes a key away if it is there.
func (n *node) remove(key string) {
	if i := n.find(key); i >= 0 {
		n.keys, n.content, n.index = slices.Delete(n.keys, i, i+1), slices.Delete(n.content, i, i+1), nil
	}
}

func (n *node) clone() *node {
	c := *n
	c.index = nil
	c.keys, c.content = slices.Clone(n.keys), slices.Clone(n.content)
	for _, list := range [][]*node{c.keys, c.content} {
		for i, inner := range list {
			list[i] = inner.clone()
		}
	}
	return &c
}

// size is the number of values that a node holds, itself included.
func (n *node) size() int {
	total := 1
	for _, c := range n.content {
		total += c.size()
	}
	return total + len(n.keys)
}

// Bounds of a document. Beyond them it is no config that a person wrote, and
// decoding it may take more memory than there is.
const (
	MaxBytes  = 1 << 20
	maxDepth  = 64
	MaxValues = 100_000 // with every alias expanded
)

// A reading turns the nodes of the YAML reader into those of a document.
type reading struct {
	from   origin
	values int
	open   map[*yaml.Node]bool // nodes that are being read
}

func (r *reading) node(y *yaml.Node, depth int) (*node, *Fault) {
	fault := func(format string, args ...any) (*node, *Fault) {
		return nil, &Fault{Line: y.Line, Col: y.Column, Msg: fmt.Sprintf(format, args...)}
	}
	if y.Kind == yaml.AliasNode {
		if r.open[y.Alias] {
			return fault("anchor &%s contains an alias of itself", y.Alias.Anchor)
		}
		return r.node(y.Alias, depth+1)
	}
	switch r.values++; {
	case r.values > MaxValues:
		return fault("holds more than %d values, aliases expanded", MaxValues)
	case depth > maxDepth:
		return fault("nested more than %d levels deep, aliases expanded", maxDepth)
	}
	r.open[y] = true
	defer delete(r.open, y)
	n := &node{kind: y.Kind, tag: y.ShortTag(), value: y.Value, plain: y.Style == 0, line: y.Line, col: y.Column, from: r.from}
	if y.Kind != yaml.MappingNode {
		for _, c := range y.Content {
			inner, f := r.node(c, depth+1)
			if f != nil {
				return nil, f
			}
			n.content = append(n.content, inner)
		}
		return n, nil
	}
	var merged []*node
	for kv := range slices.Chunk(y.Content, 2) {
		key, f := r.node(kv[0], depth+1)
		if f != nil {
			return nil, f
		}
		value, f := r.node(kv[1], depth+1)
		if f != nil {
			return nil, f
		}
		if key.tag != mergeTag {
			n.add(key, value)
			continue
		}
		sources := []*node{value}
		if value.kind == yaml.SequenceNode {
			sources = value.content
		}
		for _, source := range sources {
			if source.kind == yaml.MappingNode {
				merged = append(merged, source)
			} else {
				n.add(key, source) // a fault for whoever reads the keys
			}
		}
	}
	// A mapping's own keys count, then those of the first that it merges.
	have := make(map[string]bool)
	for _, k := range n.keys {
		have[k.value] = true
	}
	for _, source := range merged {
		for i, k := range source.keys {
			if !have[k.value] {
				have[k.value] = true
				n.add(k, source.content[i])
			}
		}
	}
	return n, nil
}
