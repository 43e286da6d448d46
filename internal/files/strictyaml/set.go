package strictyaml

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"recallbench/internal/text/suggest"
)

// Set changes the document as an assignment path=value says, where value is
// YAML:
//
//	seed=2
//	methods[0].options.k=5
//	methods.flat-rag.options.k=5
//
// An entry of a list of mappings may go by its name, which is the value of the first
// of its keys that names lists. Where no entry has that name, the value of any of
// them. Keys that are not there are added, so that decoding can say what is wrong
// with them. Only the value at the path changes, also where an alias shares it.
// Faults are recorded under the assignment.
func (d *Document) Set(assignment string, names ...string) {
	from := origin{name: "--set " + shorten(assignment)}
	if strings.ContainsFunc(assignment, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }) {
		from.name = "--set " + strconv.QuoteToGraphic(shorten(assignment))
	}
	fail := func(p path, msg string) {
		d.faults = append(d.faults, Fault{File: from.name, Path: p.String(), Msg: msg})
	}
	p, rest, err := parsePath(assignment)
	switch {
	case err != nil:
		fail(nil, err.Error())
		return
	case !utf8.ValidString(assignment):
		fail(nil, "not UTF-8")
		return
	case rest == "":
		fail(nil, "no value; want path=value")
		return
	}
	value, fault := scalarOrMore(rest[1:], from)
	if fault != nil {
		fail(p, fault.Msg)
		return
	}
	s := &setter{origin: from, names: names}
	root := d.root.clone() // a walk that fails half-way leaves no trace
	slot := &root
	for i, step := range p {
		if slot, err = s.step(slot, step); err != nil {
			fail(p[:i], err.Error())
			return
		}
	}
	*slot = value
	d.root = root
}

// Remove takes a key away, of the whole document or of the mapping that the keys
// before it lead to.
func (d *Document) Remove(keys ...string) {
	n := d.root
	for _, key := range keys[:len(keys)-1] {
		i := n.find(key)
		if i < 0 {
			return
		}
		n = n.content[i]
	}
	n.remove(keys[len(keys)-1])
}

// Default gives a key of the whole document a value, written in YAML, if it
// has none.
func (d *Document) Default(key, value string) {
	from := origin{name: "default"}
	n, fault := scalarOrMore(value, from)
	if fault != nil {
		panic("strictyaml: default of " + key + ": " + fault.Msg)
	}
	if d.root.kind == yaml.MappingNode && d.root.find(key) < 0 {
		d.root.add(&node{kind: yaml.ScalarNode, tag: "!!str", value: key, from: from}, n)
	}
}

// scalarOrMore reads the value of an assignment; none is null.
func scalarOrMore(s string, from origin) (*node, *Fault) {
	if s == "" {
		s = "null"
	}
	return compose([]byte(s), from)
}

// A setter walks to the place that an assignment names.
type setter struct {
	origin origin
	names  []string
	// The position of keys that are added; 0 for none.
	line, col int
}

// step returns the place of a key or an entry within the node in slot.
func (s *setter) step(slot **node, step any) (**node, error) {
	n := *slot
	key, isKey := step.(string)
	if isKey && n.isNull() {
		n = &node{kind: yaml.MappingNode, tag: "!!map", line: n.line, col: n.col, from: s.origin}
		*slot = n
	}
	switch {
	case isKey && n.kind == yaml.MappingNode:
		return s.key(n, key), nil
	case isKey && n.kind == yaml.SequenceNode:
		i, err := s.entry(n, key)
		if err != nil {
			return nil, err
		}
		return &n.content[i], nil
	case isKey:
		return nil, fmt.Errorf("found %s, which has no key %q", describe(n), key)
	case n.kind != yaml.SequenceNode:
		return nil, fmt.Errorf("found %s, which has no place [%d]", describe(n), step)
	case step.(int) >= len(n.content):
		return nil, fmt.Errorf("no place [%d]; have [0] to [%d]", step, len(n.content)-1)
	}
	return &n.content[step.(int)], nil
}

// key returns the place of the value of a key, which it adds where the mapping
// lacks it.
func (s *setter) key(n *node, key string) **node {
	i := n.find(key)
	if i < 0 {
		i = len(n.keys)
		value := &node{kind: yaml.ScalarNode, tag: "!!null", line: n.line, col: n.col, from: n.from}
		if s.line > 0 {
			value.line, value.col = s.line, s.col
		}
		n.add(&node{kind: yaml.ScalarNode, tag: "!!str", value: key, line: s.line, col: s.col, from: s.origin}, value)
	}
	return &n.content[i]
}

// entry finds the entry of a list by its name, or by its place where the name
// is a number that no entry has.
func (s *setter) entry(n *node, name string) (int, error) {
	var have []string
	var named, mentions []int
	for i, c := range n.content {
		var values []string
		for _, key := range s.names {
			if at := c.find(key); at >= 0 && c.content[at].kind == yaml.ScalarNode {
				values = append(values, c.content[at].value)
			}
		}
		if len(values) == 0 {
			have = append(have, "["+strconv.Itoa(i)+"]")
			continue
		}
		have = append(have, values[0])
		if values[0] == name {
			named = append(named, i)
		}
		if slices.Contains(values, name) {
			mentions = append(mentions, i)
		}
	}
	if len(named) == 0 {
		named = mentions
	}
	switch len(named) {
	case 0:
		if i, err := strconv.Atoi(name); err == nil && 0 <= i && i < len(n.content) {
			return i, nil
		}
		return 0, errors.New(suggest.Unknown("entry", name, have))
	case 1:
		return named[0], nil
	}
	var places []string
	for _, i := range named {
		places = append(places, fmt.Sprintf("[%d] %q", i, have[i]))
	}
	return 0, fmt.Errorf("%q may be any of %s; name one by its place or label", name, strings.Join(places, ", "))
}
