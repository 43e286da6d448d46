package strictyaml

import (
	"maps"
	"slices"

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
	maps.Copy(d.origin, base.origin)
	maps.Copy(d.places, base.places)
	maps.Copy(d.faulty, base.faulty)
	d.faults = append(d.faults, base.faults...)
	if !from.IsMapping() || !d.Root().IsMapping() {
		return
	}
	root := clone(d.root, d)
	layer{d, origin{name: base.name, file: true}}.merge(root, from.node)
	if fault := (&sizer{sizes: make(map[*yaml.Node]size)}).check(root); fault != nil {
		fault.File = d.name
		d.faults = append(d.faults, *fault)
		return
	}
	d.root = root
	clear(d.index)
}

// A layer is what a document is laid over, with what brings its nodes in.
type layer struct {
	doc  *Document
	from origin
}

// merge adds to a mapping what it lacks of the one under it.
func (l layer) merge(over, under *yaml.Node) {
	have := make(map[string]bool)
	for _, p := range pairs(over) {
		if k := follow(p.key); isText(k) {
			have[k.Value] = true
		}
	}
	s := &setter{doc: l.doc}
	for _, p := range pairs(under) {
		key, value := follow(p.key), follow(p.value)
		if !isText(key) || !have[key.Value] || value.Kind != yaml.MappingNode {
			continue
		}
		if slot := s.key(over, key.Value); follow(*slot).Kind == yaml.MappingNode {
			l.merge(*slot, value)
		}
	}
	// Keys that are no text, doubles and << come along for their faults.
	for kv := range slices.Chunk(under.Content, 2) {
		if key := follow(kv[0]); isText(key) && have[key.Value] {
			continue
		}
		for _, n := range kv {
			c := clone(n, l.doc)
			l.mark(c, kv[0].ShortTag() == mergeTag)
			over.Content = append(over.Content, c)
		}
	}
}

// mark notes where a node comes from, and with deep all within it: what is merged
// from it stands for itself.
func (l layer) mark(n *yaml.Node, deep bool) {
	if _, known := l.doc.origin[n]; !known {
		l.doc.origin[n] = l.from
	}
	for i := 0; deep && i < len(n.Content); i++ {
		l.mark(n.Content[i], true)
	}
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
		d.put(key, v.Of(f(s)).node)
	}
}

// put gives a key of the whole document a value.
func (d *Document) put(key string, n *yaml.Node) {
	// A copy, as an alias may share what changes.
	root := clone(d.root, d)
	*(&setter{doc: d}).key(root, key) = n
	d.root = root
	clear(d.index)
}

// An Opener opens the file of a name: it returns the name in messages and the content.
type Opener func(name string) (file string, data []byte, err error)

// IncludeAt is [Document.Include] for one value in place of a list: where it is a text,
// the document of the file takes its place.
func (d *Document) IncludeAt(open Opener, path ...any) {
	at := d.Root().At(path...)
	if at.node == nil || !isText(at.node) {
		return
	}
	if n := d.included(at, at, open); n != nil {
		*at.node = *n // an alias of the text names the same file
		d.origin[at.node] = d.origin[n]
		clear(d.index)
	}
}

// included returns the document of the file that a text names; nil for a fault, which
// is recorded: one of its content for the value within.
func (d *Document) included(name, within Value, open Opener) *yaml.Node {
	file, data, err := open(name.node.Value)
	if err != nil {
		name.Faultf("%v", err)
		return nil
	}
	n, fault := compose(data)
	if fault != nil {
		fault.File = file
		d.faults = append(d.faults, *fault)
		d.faulty[within.path.String()] = true
		return nil
	}
	d.origin[n] = origin{name: file, file: true}
	return n
}

// Include puts other files into a list of the whole document: an entry that is
// a text names a file, whose document takes its place. Open returns the name
// of the file in messages and its content. Faults of a file have its own lines
// and columns.
func (d *Document) Include(key string, open Opener) {
	list := d.Root().At(key)
	if list.node == nil || list.node.Kind != yaml.SequenceNode || !slices.ContainsFunc(list.node.Content, func(n *yaml.Node) bool { return isText(follow(n)) }) {
		return
	}
	var included []*yaml.Node
	for i := range list.node.Content {
		entry := list.At(i)
		if !isText(entry.node) {
			included = append(included, list.node.Content[i])
			continue
		}
		if n := d.included(entry, list, open); n != nil {
			included = append(included, n)
		}
	}
	// The list may be shared by an alias, which other keys read too.
	n := *list.node
	n.Content = included
	if from, ok := d.origin[list.node]; ok {
		d.origin[&n] = from
	}
	d.put(key, &n)
}
