package tree

import (
	"slices"
	"strconv"
)

// The fields of a version in the layout of [History.Root].
const (
	versionNumber  = "number"
	versionSummary = "summary"
	versionRequest = "request"
)

// Root returns the whole memory as the paper has it, the task at the root and its
// versions below: Itinerary > Version > Day > POI. A Version has the fields number,
// summary and request, the last two where they are not empty, and the fields, text
// and children of that version's root. A field of the same name goes by the root's
// type before it, as in Itinerary_summary. The nodes below are those of the versions,
// shared, so that their ids occur once a version.
func (h *History) Root() *Node {
	l := h.layout()
	first := h.versions[0].Tree.root
	root := &Node{Type: first.Type, ID: first.ID}
	for _, v := range h.versions {
		n := &Node{Type: l.version, ID: l.ids + strconv.Itoa(v.Number), Text: v.Tree.root.Text, Children: v.Tree.root.Children}
		n.Fields = append(n.Fields, Field{versionNumber, []string{strconv.Itoa(v.Number)}})
		if v.Summary != "" {
			n.Fields = append(n.Fields, Field{versionSummary, []string{v.Summary}})
		}
		if v.Request != "" {
			n.Fields = append(n.Fields, Field{versionRequest, []string{v.Request}})
		}
		for _, f := range v.Tree.root.Fields {
			n.Fields = append(n.Fields, Field{l.names[f.Name], f.Values})
		}
		n.settle()
		root.Children = append(root.Children, n)
	}
	root.settle()
	l.schema.arrange(root)
	for _, n := range root.Children {
		l.schema.arrange(n)
	}
	return root
}

// Schema returns the schema of [History.Root]. Versions are of the type
// Version, or Version_ and so on where the memory has a type of that name.
func (h *History) Schema() *Schema { return h.layout().schema }

// A layout says what things are called in the tree of all versions.
type layout struct {
	schema  *Schema
	version string            // type of versions
	ids     string            // what their ids begin with
	names   map[string]string // fields of the root as fields of a version
}

func (h *History) layout() layout {
	s := h.versions[0].Tree.schema
	l := layout{version: "Version", ids: "v", names: map[string]string{}}
	for s.find(l.version) != nil {
		l.version += "_"
	}
	for h.taken(l.ids) {
		l.ids += "v"
	}
	root := s.find(s.Root)
	version := Type{Name: l.version, Key: versionNumber, Children: root.Children, Fields: []FieldType{
		{Name: versionNumber, Attribute: true}, {Name: versionSummary}, {Name: versionRequest},
	}}
	for _, f := range root.Fields {
		name := f.Name
		for version.find(name) != nil || slices.Contains(root.Children, name) && !f.Attribute {
			name = s.Root + "_" + name
		}
		l.names[f.Name] = name
		f.Name = name
		version.Fields = append(version.Fields, f)
	}
	l.schema = &Schema{Root: s.Root, Types: []Type{{Name: s.Root, Children: []string{l.version}}, version}}
	for _, t := range s.Types {
		if t.Name != s.Root {
			l.schema.Types = append(l.schema.Types, t)
		} else if slices.ContainsFunc(s.Types, func(o Type) bool { return slices.Contains(o.Children, s.Root) }) {
			l.schema.Types[0] = t // the root's type stands below too
			l.schema.Types[0].Children = append(slices.Clip(t.Children), l.version)
		}
	}
	return l
}

// taken reports whether a version has a node with an id that versions would
// have.
func (h *History) taken(prefix string) bool {
	for i := range h.versions {
		id := prefix + strconv.Itoa(i+1)
		for _, v := range h.versions {
			if _, ok := v.Tree.Node(id); ok {
				return true
			}
		}
	}
	return false
}
