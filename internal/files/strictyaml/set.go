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
	value, fault := scalarOrMore(rest[1:])
	if fault != nil {
		fail(p, fault.Msg)
		return
	}
	s := &setter{doc: d, origin: from, names: names}
	// A copy, so that no alias shares what changes, and a walk that fails
	// half-way leaves no trace.
	root := clone(d.root, d)
	slot := &root
	for i, step := range p {
		if slot, err = s.step(slot, step); err != nil {
			fail(p[:i], err.Error())
			return
		}
	}
	*slot = value
	d.root = root
	d.origin[value] = from
	clear(d.index)
}

// Remove takes a key away, of the whole document or of the mapping that the keys
// before it lead to, unless it is only merged from another mapping.
func (d *Document) Remove(keys ...string) {
	root := clone(d.root, d)
	n := root
	for _, key := range keys[:len(keys)-1] {
		i := own(n, key)
		if i < 0 {
			return
		}
		n = n.Content[i+1]
	}
	if i := own(n, keys[len(keys)-1]); i >= 0 {
		n.Content = slices.Delete(n.Content, i, i+2)
		d.root = root
		clear(d.index)
	}
}

// own returns the place of a key among the content of a node, or -1 where it has
// none of its own.
func own(n *yaml.Node, key string) int {
	for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		if k := follow(n.Content[i]); isText(k) && k.Value == key {
			return i
		}
	}
	return -1
}

// Default gives a key of the whole document a value, written in YAML, if it
// has none.
func (d *Document) Default(key, value string) {
	n, fault := scalarOrMore(value)
	if fault != nil {
		panic("strictyaml: default of " + key + ": " + fault.Msg)
	}
	if d.root.Kind != yaml.MappingNode || d.value(d.root, key) != nil {
		return
	}
	d.origin[n] = origin{name: "default"}
	d.root.Content = append(d.root.Content, text(key), n)
	clear(d.index)
}

// scalarOrMore reads the value of an assignment; none is null.
func scalarOrMore(s string) (*yaml.Node, *Fault) {
	if s == "" {
		return null(), nil
	}
	return compose([]byte(s))
}

// A setter walks to the place that an assignment names.
type setter struct {
	doc    *Document
	origin origin
	names  []string
	// The position of keys that are added; 0 for none.
	line, col int
}

// step returns the place of a key or an entry within the node in slot.
func (s *setter) step(slot **yaml.Node, step any) (**yaml.Node, error) {
	n := *slot
	key, isKey := step.(string)
	if isKey && n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		n = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line, Column: n.Column}
		*slot = n
		s.doc.origin[n] = s.origin
	}
	switch {
	case isKey && n.Kind == yaml.MappingNode:
		return s.key(n, key), nil
	case isKey && n.Kind == yaml.SequenceNode:
		i, err := s.entry(n, key)
		if err != nil {
			return nil, err
		}
		return &n.Content[i], nil
	case isKey:
		return nil, fmt.Errorf("found %s, which has no key %q", describe(n), key)
	case n.Kind != yaml.SequenceNode:
		return nil, fmt.Errorf("found %s, which has no place [%d]", describe(n), step)
	case step.(int) >= len(n.Content):
		return nil, fmt.Errorf("no place [%d]; have [0] to [%d]", step, len(n.Content)-1)
	}
	return &n.Content[step.(int)], nil
}

// key returns the place of the value of a key, which it adds where the mapping
// lacks it or only merges it from another one.
func (s *setter) key(n *yaml.Node, key string) **yaml.Node {
	if i := own(n, key); i >= 0 {
		return &n.Content[i+1]
	}
	value := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: n.Line, Column: n.Column}
	if s.line > 0 {
		value.Line, value.Column = s.line, s.col
	}
	for _, p := range pairs(n) {
		if k := follow(p.key); isText(k) && k.Value == key {
			value = clone(p.value, s.doc)
			break
		}
	}
	k := text(key)
	k.Line, k.Column = s.line, s.col
	s.doc.origin[k] = s.origin
	n.Content = append(n.Content, k, value)
	return &n.Content[len(n.Content)-1]
}

// entry finds the entry of a list by its name, or by its place where the name
// is a number that no entry has.
func (s *setter) entry(n *yaml.Node, name string) (int, error) {
	var have []string
	var named, mentions []int
	for i, c := range n.Content {
		var values []string
		for _, key := range s.names {
			for _, p := range pairs(follow(c)) {
				if v := follow(p.value); follow(p.key).Value == key && v.Kind == yaml.ScalarNode {
					values = append(values, v.Value)
				}
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
		if i, err := strconv.Atoi(name); err == nil && 0 <= i && i < len(n.Content) {
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

func text(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
}

// clone copies a node with its aliases expanded. Parse has bounded the result.
func clone(n *yaml.Node, d *Document) *yaml.Node {
	c := *follow(n)
	c.Anchor = ""
	c.Content = slices.Clone(c.Content)
	for i, inner := range c.Content {
		c.Content[i] = clone(inner, d)
	}
	if from, ok := d.origin[follow(n)]; ok {
		d.origin[&c] = from
	}
	if place, ok := d.places[follow(n)]; ok {
		d.places[&c] = place
	}
	return &c
}
