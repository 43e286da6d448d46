package strictyaml

import (
	"maps"

	"go.yaml.in/yaml/v4"
)

// Extend lays the document over another one. Keys that it does not have come
// from base; mappings that both have are merged in the same way; of all else,
// lists among it, the document's own counts. What comes from base keeps its
// file, line and column in faults, and the faults of base are now the document's
// too. Base is not to be used any more.
func (d *Document) Extend(base *Document) {
	from := base.Root()
	if !from.IsMapping() {
		from.Faultf("found %s, want a mapping", describe(from.node))
	}
	maps.Copy(d.faulty, base.faulty)
	d.faults = append(d.faults, base.faults...)
	if !from.IsMapping() || !d.Root().IsMapping() {
		return
	}
	d.root.under(from.node)
	if d.root.size() > MaxValues {
		d.Root().Faultf("holds more than %d values, with what it extends", MaxValues)
	}
}

// under adds to a mapping what it lacks of another one.
func (n *node) under(base *node) {
	for i, key := range base.keys {
		at := -1
		if key.isText() {
			at = n.find(key.value)
		}
		switch {
		case at < 0: // doubles and keys that are no text come along for their faults
			n.keys, n.content = append(n.keys, key), append(n.content, base.content[i])
		case n.content[at].kind == yaml.MappingNode && base.content[i].kind == yaml.MappingNode:
			n.content[at].under(base.content[i])
		}
	}
	n.index = nil
}

// Adopt records the faults of a file that the value names.
func (v Value) Adopt(err *Error) {
	v.doc.faults = append(v.doc.faults, err.Faults...)
	v.blame()
}

// Rewrite replaces the text that a key of the whole document has, if it has one,
// by what f makes of it.
func (d *Document) Rewrite(key string, f func(string) string) {
	v := d.Root().At(key)
	if s, ok := v.Text(); ok {
		d.Put(key, v.Of(f(s)))
	}
}

// An Opener opens the file of a name: it returns the name in messages and the content.
type Opener func(name string) (file string, data []byte, err error)

// Listed makes a list of one of what a key of the whole document has in place of a list,
// and of an entry that is a text, unless it is kept, a mapping with the text under use.
func (d *Document) Listed(key, use string, kept func(text string) bool) {
	i := d.root.find(key)
	if i < 0 {
		return
	}
	n := d.root.content[i]
	if n.isText() || n.kind == yaml.MappingNode && use != "" {
		n = &node{kind: yaml.SequenceNode, tag: "!!seq", line: n.line, col: n.col, from: n.from, content: []*node{n}}
		d.root.content[i] = n
	}
	for k, entry := range n.content {
		if n.kind == yaml.SequenceNode && entry.isText() && use != "" && !kept(entry.value) {
			m := &node{kind: yaml.MappingNode, tag: "!!map", line: entry.line, col: entry.col, from: entry.from}
			m.add(&node{kind: yaml.ScalarNode, tag: "!!str", value: use, line: entry.line, col: entry.col, from: entry.from}, entry)
			n.content[k] = m
		}
	}
}

// IncludeAt is [Document.Include] for one value in place of a list: where it is a text,
// the document of the file takes its place.
func (d *Document) IncludeAt(open Opener, path ...any) {
	at := d.Root().At(path...)
	if at.node == nil || !at.node.isText() {
		return
	}
	if n := d.included(at, at, open); n != nil {
		*at.node = *n
	}
}

// included returns the document of the file that a text names; nil for a fault, which
// is recorded: one of its content for the value within.
func (d *Document) included(name, within Value, open Opener) *node {
	file, data, err := open(name.node.value)
	if err != nil {
		name.Faultf("%v", err)
		return nil
	}
	n, fault := compose(data, origin{file, true})
	if fault != nil {
		fault.File = file
		d.faults = append(d.faults, *fault)
		d.faulty[within.path.String()] = true
		return nil
	}
	return n
}

// Include puts other files into a list of the whole document: an entry that is
// a text names a file, whose document takes its place. Open returns the name
// of the file in messages and its content. Faults of a file have its own lines
// and columns.
func (d *Document) Include(key string, open Opener) {
	list := d.Root().At(key)
	if !list.IsList() {
		return
	}
	var included []*node
	for i, n := range list.node.content {
		if n.isText() {
			n = d.included(list.At(i), list, open)
		}
		if n != nil {
			included = append(included, n)
		}
	}
	list.node.content = included
}
