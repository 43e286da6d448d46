package tree

import "io"

// XMLOptions say how XML is read.
type XMLOptions struct {
	// Nodes are element names that are types of nodes, whatever they look like:
	// without it an element that holds nothing but text is a field of its
	// parent.
	Nodes []string
	// LooseIDs takes documents whose ids are unique within their parents only,
	// say: where an id comes twice, id is a field like others for all nodes, and
	// they get numbers. Without it that is a fault.
	LooseIDs bool
}

// ParseXML reads a tree. Both styles of XML are read, and mixed: fields as
// attributes, and fields as elements that hold text or a list of elements that
// do. The attribute id is the node's ID; nodes without it get n1, n2, ... in
// document order, past those that are taken. The name is for messages.
//
// The whole document decides what the elements of a name are. They are nodes where one of them is the root, has attributes, or holds
// elements that are not a list, and where all of them are empty; else fields. A
// list is an element without attributes and text that holds text elements of
// one name, the same in all the document, and does not stand twice below one
// parent.
//
// White space around texts goes. A DTD, entities other than the five, several
// roots and what is beyond the bounds of a tree are refused.
func ParseXML(name string, r io.Reader, o XMLOptions) (*Tree, error) {
	doc, err := read(name, r)
	if err != nil {
		return nil, err
	}
	b := newBuilder(doc)
	b.plain = o.LooseIDs && repeats(doc.root, map[string]bool{})
	doc.root.tag.node = true
	doc.classify(o.Nodes)
	root := b.node(doc.root)
	if err := b.err(); err != nil {
		return nil, err
	}
	schema := infer(b.style, root)
	b.arrange(root, schema)
	return newTree(root, schema, nameNodes(root, b.ids)), nil
}

// A builder turns elements into nodes.
type builder struct {
	doc   *document
	ids   map[string]int32 // explicit ids and their lines
	plain bool             // id is a field
	// elements has the fields that some element stands for.
	elements map[typeField]bool
	faults   []placed

	nodes   slab[Node]
	links   slab[*Node]
	fields  slab[Field]
	strings slab[string]
}

type typeField struct{ typ, field string }

func newBuilder(doc *document) builder {
	return builder{doc: doc, ids: map[string]int32{}, elements: map[typeField]bool{}}
}

// node builds the node of an element.
func (b *builder) node(e *element) *Node {
	n := &b.nodes.take(1)[0]
	n.Type, n.Text = e.tag.name, e.text
	b.attributes(n, e)
	if kids := b.elementFields(n, e); kids > 0 {
		b.children(n, e, kids)
	}
	n.settle()
	return n
}

func (b *builder) attributes(n *Node, e *element) {
	if len(e.attrs) == 0 {
		return
	}
	fields, values := b.fields.take(len(e.attrs)), b.strings.take(len(e.attrs))
	k := 0
	for _, a := range e.attrs {
		name := a.Name.Local
		switch {
		case name == "id" && !b.plain:
			b.id(n, e, a.Value)
			continue
		case name == "id": // as an attribute it would be the node's own again
			b.elements[typeField{n.Type, name}] = true
		}
		values[k] = a.Value
		fields[k] = Field{name, values[k : k+1 : k+1]}
		k++
	}
	if k > 0 {
		n.Fields = fields[:k:k]
	}
}

// repeats reports whether an id comes twice at or below an element.
func repeats(e *element, seen map[string]bool) bool {
	for _, a := range e.attrs {
		if a.Name.Local == "id" && a.Value != "" {
			if seen[a.Value] {
				return true
			}
			seen[a.Value] = true
		}
	}
	for c := e.first; c != nil; c = c.next {
		if repeats(c, seen) {
			return true
		}
	}
	return false
}

func (b *builder) id(n *Node, e *element, id string) {
	if id == "" {
		return
	}
	if line, ok := b.ids[id]; ok {
		b.faultf(e, "the id %q is that of line %d too; ids are unique", id, line)
		return
	}
	b.ids[id] = e.line
	n.ID = id
}

// elementFields adds the fields that are elements and returns how many elements
// are nodes.
func (b *builder) elementFields(n *Node, e *element) (nodes int) {
	attrs := len(n.Fields)
	for c := e.first; c != nil; c = c.next {
		if c.tag.node {
			nodes++
			continue
		}
		name := c.tag.name
		if c.tag.fieldOf != e {
			i := fieldIndex(n.Fields[:attrs], name)
			if i < 0 {
				i = len(n.Fields)
				n.Fields = append(n.Fields, Field{Name: name})
			}
			c.tag.fieldOf, c.tag.field = e, i
			b.elements[typeField{n.Type, name}] = true
		}
		f := &n.Fields[c.tag.field]
		switch {
		case c.first != nil:
			for v := c.first; v != nil; v = v.next {
				f.Values = append(f.Values, v.text)
			}
		case c.tag.child != nil && c.text == "":
		case f.Values == nil:
			f.Values = b.strings.take(1)
			f.Values[0] = c.text
		default:
			f.Values = append(f.Values, c.text)
		}
	}
	return nodes
}

// children builds the nodes below a node.
func (b *builder) children(n *Node, e *element, count int) {
	n.Children = b.links.take(count)
	i := 0
	for c := e.first; c != nil; c = c.next {
		if c.tag.node {
			n.Children[i] = b.node(c)
			i++
		}
	}
}

// style says how the document has a field.
func (b *builder) style(t *Type, f *FieldType) {
	f.Attribute = !b.elements[typeField{t.Name, f.Name}]
	if f.Attribute {
		return
	}
	if tag := b.doc.byName[f.Name]; tag != nil && tag.child != nil {
		f.Item, f.List = tag.child.name, true
	}
}

// arrange brings the fields of all nodes into shape, where the document has one
// both as an attribute and as an element.
func (b *builder) arrange(root *Node, s *Schema) {
	for f := range b.elements {
		if b.doc.attributes[f.field] != "" {
			for _, n := range Walk(root) {
				s.arrange(n)
			}
			return
		}
	}
}

// A slab hands out pieces of slices that double up to a bound: a document may
// have millions of small ones.
type slab[T any] struct {
	free []T
	size int
}

func (s *slab[T]) take(n int) []T {
	if len(s.free) < n {
		s.size = min(max(16, 2*s.size), 1024)
		s.free = make([]T, max(n, s.size))
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	return out
}
