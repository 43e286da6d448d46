package strictyaml

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Set applies an assignment path=value to the document, where value is YAML:
//
//	seed=2
//	methods[0].options.k=5
//	methods.flat-rag.options.k=5
//
// An entry of a list of mappings may be addressed by its name, see [Value.Locate].
// Missing keys are added, so that decoding can say what is wrong with them. Only the
// value at the path changes, even if an alias shares it. Faults are recorded under the
// assignment.
func (d *Document) Set(assignment string, names ...string) {
	shown := shorten(assignment)
	if strings.ContainsFunc(assignment, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }) {
		shown = strconv.QuoteToGraphic(shown)
	}
	at := origin{file: "--set " + shown, assigned: true}
	if err := d.set(assignment, at, names); err != nil {
		d.faults = append(d.faults, Fault{File: at.file, Msg: err.Error()})
	}
}

func (d *Document) set(assignment string, at origin, names []string) error {
	p, rest, err := parsePath(assignment)
	switch {
	case !utf8.ValidString(assignment):
		return errors.New("this is not UTF-8")
	case err != nil:
		return err
	case rest == "":
		return errors.New("no value; want path=value")
	}
	if at.path, err = d.Root().Locate(p, names...); err != nil {
		return err
	}
	value, fault := compose([]byte(cmp.Or(rest[1:], "null")), at)
	if fault != nil {
		return p.fault("%s", fault.Msg)
	}
	root := d.root.clone()
	if err := root.set(value, at.path, at); err != nil {
		return err
	}
	d.root = root
	return nil
}

// Put puts a value, possibly of another document, at a place of this one whose
// parent exists.
func (d *Document) Put(v Value, steps ...any) {
	n := *v.node
	n.place(steps)
	_ = d.root.set(&n, steps, n.origin)
}

// As returns a text that replaces what was written at the value.
func (v Value) As(text string) Value {
	v.node = newNode(v.at, yaml.ScalarNode, "!!str", text)
	return v
}

// Under returns a mapping with only the value, under a key.
func (v Value) Under(key string) Value {
	n := newNode(v.at, yaml.MappingNode, "!!map", "")
	n.add(newNode(v.at, yaml.ScalarNode, "!!str", key), v.node)
	v.node = n
	return v
}

// List returns a list of values that replaces what was written at the value.
func (v Value) List(entries ...Value) Value {
	n := newNode(v.at, yaml.SequenceNode, "!!seq", "")
	for _, e := range entries {
		n.content = append(n.content, e.node)
	}
	v.node = n
	return v
}

// Remove removes a key of the whole document.
func (d *Document) Remove(key string) {
	if i := d.root.find(key); i >= 0 {
		d.root.keys, d.root.content = slices.Delete(d.root.keys, i, i+1), slices.Delete(d.root.content, i, i+1)
	}
}

// Extend merges the document over another one. Keys that it does not have come
// from base; mappings that both have are merged in the same way; of everything
// else, including lists, the document's own counts. Values from base keep their
// file, line and column in faults, and the faults of base are now the document's
// too. Base must no longer be used.
func (d *Document) Extend(base *Document) {
	from := base.Root()
	if !from.IsMapping() {
		from.Faultf("found %s, want a mapping", from.Describe())
	}
	maps.Copy(d.faulty, base.faulty)
	d.faults = append(d.faults, base.faults...)
	if from.IsMapping() && d.Root().IsMapping() {
		d.root.extend(from.node)
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
