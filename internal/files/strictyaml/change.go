package strictyaml

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
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
	from := "--set " + shorten(assignment)
	if strings.ContainsFunc(assignment, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }) {
		from = "--set " + strconv.QuoteToGraphic(shorten(assignment))
	}
	fail := func(p path, msg string) {
		d.faults = append(d.faults, Fault{File: from, Path: p.String(), Msg: msg})
	}
	p, rest, err := parsePath(assignment)
	switch {
	case !utf8.ValidString(assignment):
		fail(nil, "this is not UTF-8")
		return
	case err != nil:
		fail(nil, err.Error())
		return
	case rest == "":
		fail(nil, "no value; want path=value")
		return
	}
	at := origin{from: from, assigned: true}
	value, fault := composeValue(rest[1:], at)
	if fault != nil {
		fail(p, fault.Msg)
		return
	}
	root := d.root.clone() // a walk that fails half-way leaves no trace
	if failed, err := put(&root, value, at, p, names); err != nil {
		fail(p[:failed], err.Error())
		return
	}
	d.root = root
}

// composeValue reads the value of an assignment; none is null.
func composeValue(s string, at origin) (*node, *Fault) {
	if s == "" {
		s = "null"
	}
	return compose([]byte(s), at)
}

// put puts a value at the place within the node in slot to which steps lead. Keys
// that are not there are added with an origin. Failed is the number of steps that
// lead to the node which has no such place.
func put(slot **node, value *node, added origin, steps path, names []string) (failed int, err error) {
	for i, step := range steps {
		n := *slot
		key, isKey := step.(string)
		place, _ := step.(int)
		if isKey && n.isNull() {
			n = newNode(n.origin, yaml.MappingNode, "!!map", "")
			*slot = n
		}
		switch {
		case isKey && n.kind == yaml.MappingNode:
			if place = n.find(key); place < 0 {
				place = len(n.keys)
				n.add(newNode(added, yaml.ScalarNode, "!!str", key), newNode(added, yaml.ScalarNode, "!!null", ""))
			}
		case isKey && n.kind == yaml.SequenceNode:
			place, err = n.entry(key, names)
		case isKey:
			err = fmt.Errorf("found %s, which has no key %q", describe(n), key)
		case n.kind != yaml.SequenceNode:
			err = fmt.Errorf("found %s, which has no place [%d]", describe(n), place)
		case place >= len(n.content):
			err = fmt.Errorf("no place [%d]; have [0] to [%d]", place, len(n.content)-1)
		}
		if err != nil {
			return i, err
		}
		slot = &n.content[place]
	}
	*slot = value
	return 0, nil
}

// Remove takes a key away, of the whole document or of the mapping that the keys
// before it lead to.
func (d *Document) Remove(keys ...string) {
	n := d.root
	for _, key := range keys[:len(keys)-1] {
		if n = n.within(key); n == nil {
			return
		}
	}
	n.remove(keys[len(keys)-1])
}

// Default gives a key of the whole document a value, written in YAML, if it
// has none.
func (d *Document) Default(key, value string) {
	at := origin{from: "default", assigned: true}
	n, fault := composeValue(value, at)
	if fault != nil {
		panic("strictyaml: default of " + key + ": " + fault.Msg)
	}
	if d.root.kind == yaml.MappingNode && d.root.find(key) < 0 {
		d.root.add(newNode(at, yaml.ScalarNode, "!!str", key), n)
	}
}

// Extend lays the document over another one. Keys that it does not have come
// from base; mappings that both have are merged in the same way; of all else,
// lists among it, the document's own counts. What comes from base keeps its
// file, line and column in faults, and the faults of base are now the document's
// too. Base is not to be used any more.
func (d *Document) Extend(base *Document) {
	from := base.Root()
	if !from.IsMapping() {
		from.Faultf("found %s, want a mapping", from.Describe())
	}
	maps.Copy(d.faulty, base.faulty)
	d.faults = append(d.faults, base.faults...)
	if !from.IsMapping() || !d.Root().IsMapping() {
		return
	}
	d.root.extend(from.node)
	if d.root.size() > MaxValues {
		d.Root().Faultf("holds more than %d values, with what it extends", MaxValues)
	}
}

// extend adds to a mapping what it lacks of another one.
func (n *node) extend(base *node) {
	own := len(n.keys)
	for i, key := range base.keys {
		inner := base.content[i]
		at := slices.IndexFunc(n.keys[:own], func(k *node) bool { return key.isText() && k.isText() && k.value == key.value })
		switch {
		case at < 0: // doubles and keys that are no text come along for their faults
			n.add(key, inner)
		case n.content[at].kind == yaml.MappingNode && inner.kind == yaml.MappingNode:
			n.content[at].extend(inner)
		}
	}
}

// An Opener opens the file of a name: it returns the name in messages and the content.
type Opener func(name string) (file string, data []byte, err error)

// Include puts other files into the document: a text at a path, or each entry that
// is a text of a list there, names a file whose document takes its place. Faults of
// a file have its own lines and columns.
func (d *Document) Include(open Opener, steps ...any) {
	at := d.Root().At(steps...)
	if text, ok := at.Text(); ok {
		if n := at.included(text, at, open); n != nil {
			*at.node = *n
		}
	}
	if !at.IsList() {
		return
	}
	var entries []*node
	for i, n := range at.node.content {
		if n.isText() {
			n = at.At(i).included(n.value, at, open)
		}
		if n != nil {
			entries = append(entries, n)
		}
	}
	at.node.content = entries
}

// included returns the document of a file; nil for a fault, which is recorded: one
// of its content for the value within.
func (v Value) included(name string, within Value, open Opener) *node {
	file, data, err := open(name)
	if err != nil {
		v.Faultf("%v", err)
		return nil
	}
	n, fault := compose(data, origin{from: file})
	if fault != nil {
		within.adopt(*fault)
	}
	return n
}

// Listed makes a list of one of what a key of the whole document has in place of a list,
// and of an entry that is a text, unless it is kept, a mapping with the text under use.
func (d *Document) Listed(key, use string, kept func(text string) bool) {
	i := d.root.find(key)
	if i < 0 {
		return
	}
	n := d.root.content[i]
	if n.isText() || n.kind == yaml.MappingNode && use != "" {
		list := newNode(n.origin, yaml.SequenceNode, "!!seq", "")
		list.content = []*node{n}
		d.root.content[i], n = list, list
	}
	for k, entry := range n.content {
		if n.kind == yaml.SequenceNode && entry.isText() && use != "" && !kept(entry.value) {
			n.content[k] = newNode(entry.origin, yaml.MappingNode, "!!map", "")
			n.content[k].add(newNode(entry.origin, yaml.ScalarNode, "!!str", use), entry)
		}
	}
}

// A Part is a copy of a value that can be changed and put into its document.
// What it holds keeps the file, the position and the path of where it was
// written.
type Part struct{ node *node }

// Copy returns a copy of a value that exists.
func (v Value) Copy() Part { return v.part(v.node.clone()) }

// Of returns a text that stands for what was written at the value.
func (v Value) Of(s string) Part { return v.part(newNode(v.near, yaml.ScalarNode, "!!str", s)) }

// Many returns a list that stands for what was written at the value.
func (v Value) Many(parts []Part) Part {
	n := newNode(v.near, yaml.SequenceNode, "!!seq", "")
	for _, p := range parts {
		n.content = append(n.content, p.node)
	}
	return v.part(n)
}

func (v Value) part(n *node) Part {
	n.from, n.assigned, n.shown = v.near.from, v.near.assigned, v.shown
	return Part{n}
}

// Set puts another part at a place within; keys that are not there are added,
// as if they were written at the place at. Entries of lists go by names as in
// [Document.Set]. An error says why there is no such place.
func (p Part) Set(value Part, at Value, steps []any, names ...string) error {
	n := p.node
	_, err := put(&n, value.node, at.near, steps, names)
	return err
}

// Size is the number of values that the part holds, itself included.
func (p Part) Size() int { return p.node.size() }

// Remove takes a key of a mapping away.
func (p Part) Remove(key string) { p.node.remove(key) }

// Put gives a key of the whole document a value. Values that were looked up before see
// the document as it was.
func (d *Document) Put(key string, p Part) {
	root := *d.root
	root.keys, root.content = slices.Clone(root.keys), slices.Clone(root.content)
	if i := root.find(key); i >= 0 {
		root.content[i] = p.node
	} else {
		root.add(newNode(p.node.origin, yaml.ScalarNode, "!!str", key), p.node)
	}
	d.root = &root
}
