package strictyaml

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Bounds of a document. A config written by a person stays within them, and decoding a
// larger one may take more memory than there is.
const (
	MaxBytes  = 1 << 20
	maxDepth  = 64
	MaxValues = 100_000 // with every alias expanded
)

// A node is a value of a document with aliases and merges carried out. No two
// places share one.
type node struct {
	kind    yaml.Kind // of a mapping, a list or a scalar
	tag     string    // short
	value   string    // of a scalar
	plain   bool      // a scalar without quotes
	keys    []*node   // of a mapping, doubles and such that are no text too
	content []*node   // the values of keys, or the entries of a list
	origin
	// shown is the path where a node was written that now stands at another
	// place; nil for others.
	shown path
}

// An origin is where a node was written.
type origin struct {
	from      string // the name of a file, or an assignment
	assigned  bool   // by an assignment or as a default: there is no position
	line, col int
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

// remove takes a key away if it is there.
func (n *node) remove(key string) {
	if i := n.find(key); i >= 0 {
		n.keys, n.content = slices.Delete(n.keys, i, i+1), slices.Delete(n.content, i, i+1)
	}
}

func (n *node) clone() *node {
	c := *n
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
	total := 1 + len(n.keys)
	for _, c := range n.content {
		total += c.size()
	}
	return total
}

// write writes a node on one line: a text as it is, a list as [1, 2], a mapping
// as {unit=turns, size=3}.
func (n *node) write(b *strings.Builder) {
	switch n.kind {
	case yaml.SequenceNode, yaml.MappingNode:
		brackets := "[]"
		if n.kind == yaml.MappingNode {
			brackets = "{}"
		}
		b.WriteString(brackets[:1])
		for i, c := range n.content {
			if i > 0 {
				b.WriteString(", ")
			}
			if i < len(n.keys) {
				b.WriteString(n.keys[i].value + "=")
			}
			c.write(b)
		}
		b.WriteString(brackets[1:])
	default:
		if n.tag == "!!null" {
			b.WriteString("null")
			return
		}
		b.WriteString(n.value)
	}
}

// equal reports whether two nodes hold the same: 5 is 5.0, and not "5"; the keys
// of mappings may be in any order.
func (n *node) equal(m *node) bool {
	if n.kind != m.kind || len(n.content) != len(m.content) {
		return false
	}
	if n.kind == yaml.MappingNode {
		for i, key := range n.keys {
			if j := m.find(key.value); j < 0 || !n.content[i].equal(m.content[j]) {
				return false
			}
		}
		return true
	}
	if n.kind == yaml.SequenceNode {
		return slices.EqualFunc(n.content, m.content, (*node).equal)
	}
	both := func(pattern *regexp.Regexp) bool { return looksLike(n, pattern) && looksLike(m, pattern) }
	switch {
	case both(wholeNumber):
		return strings.TrimPrefix(n.value, "+") == strings.TrimPrefix(m.value, "+")
	case both(number):
		x, err := strconv.ParseFloat(n.value, 64)
		y, err2 := strconv.ParseFloat(m.value, 64)
		return err == nil && err2 == nil && x == y
	case n.tag == "!!bool" && m.tag == "!!bool":
		return strings.EqualFold(n.value, m.value)
	}
	return n.tag == m.tag && (n.tag == "!!null" || n.value == m.value)
}

// A reading turns the nodes of the YAML reader into those of a document.
type reading struct {
	origin origin
	values int
	open   map[*yaml.Node]bool // nodes that are being read
}

// node panics with a *Fault for what goes beyond the bounds.
func (r *reading) node(y *yaml.Node, depth int) *node {
	fail := func(format string, args ...any) {
		panic(&Fault{Line: y.Line, Col: y.Column, Msg: fmt.Sprintf(format, args...)})
	}
	if y.Kind == yaml.AliasNode {
		if r.open[y.Alias] {
			fail("anchor &%s contains an alias of itself", y.Alias.Anchor)
		}
		return r.node(y.Alias, depth+1)
	}
	switch r.values++; {
	case r.values > MaxValues:
		fail("holds more than %d values, aliases expanded", MaxValues)
	case depth > maxDepth:
		fail("nested more than %d levels deep, aliases expanded", maxDepth)
	}
	r.open[y] = true
	defer delete(r.open, y)
	at := r.origin
	at.line, at.col = y.Line, y.Column
	n := &node{kind: y.Kind, tag: y.ShortTag(), value: y.Value, plain: y.Style == 0, origin: at}
	var all []*node
	for _, c := range y.Content {
		all = append(all, r.node(c, depth+1))
	}
	if n.kind == yaml.MappingNode {
		n.fill(all)
	} else {
		n.content = all
	}
	return n
}

// fill gives a mapping its keys and values, which take turns. Its own keys count,
// then those of the first that it merges.
func (n *node) fill(all []*node) {
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
