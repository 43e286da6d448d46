package strictyaml

import (
	"slices"

	"go.yaml.in/yaml/v4"
)

// Include puts other files into a list of the whole document: an entry that is
// a text names a file, whose document takes its place. Open returns the name
// of the file in messages and its content. Faults of a file have its own lines
// and columns.
func (d *Document) Include(key string, open func(name string) (file string, data []byte, err error)) {
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
		file, data, err := open(entry.node.Value)
		if err != nil {
			entry.Faultf("%v", err)
			continue
		}
		n, fault := compose(data)
		if fault != nil {
			fault.File = file
			d.faults = append(d.faults, *fault)
			d.faulty[list.path.String()] = true
			continue
		}
		d.origin[n] = origin{name: file, file: true}
		included = append(included, n)
	}
	// The list may be shared by an alias, which other keys read too.
	n := *list.node
	n.Content = included
	if from, ok := d.origin[list.node]; ok {
		d.origin[&n] = from
	}
	d.put(key, &n)
}
