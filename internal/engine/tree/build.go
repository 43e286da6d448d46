package tree

import (
	"io"
	"strings"
)

// XMLOptions say how XML is read.
type XMLOptions struct {
	Schema *Schema // nil infers one
	// Nodes are element names that are types of nodes, whatever they look like:
	// without it an element that holds nothing but text is a field of its
	// parent. A schema that is given decides alone.
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
// Without a schema the whole document decides what the elements of a name are.
// They are nodes where one of them is the root, has attributes, or holds
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
	b := newBuilder(doc, o.Schema)
	b.plain = o.LooseIDs && repeats(doc.root, map[string]bool{})
	if o.Schema == nil {
		doc.root.tag.node = true
		doc.classify(o.Nodes)
	}
	root := b.top(doc.root)
	if err := b.err(); err != nil {
		return nil, err
	}
	schema := o.Schema
	if schema == nil {
		schema = infer(b.style, root)
		b.arrange(root, schema)
	}
	return newTree(root, schema, nameNodes(root, b.ids)), nil
}

// A builder turns elements into nodes.
type builder struct {
	doc    *document
	schema *Schema          // nil when tags decide
	ids    map[string]int32 // explicit ids and their lines
	lax    bool             // ids may come twice
	plain  bool             // id is a field
	// elements has the fields that some element stands for.
	elements map[typeField]bool
	faults   []placed

	nodes   slab[Node]
	links   slab[*Node]
	fields  slab[Field]
	strings slab[string]
}

type typeField struct{ typ, field string }

// newBuilder returns a builder; without a schema tags decide.
func newBuilder(doc *document, s *Schema) builder {
	return builder{doc: doc, schema: s, ids: map[string]int32{}, elements: map[typeField]bool{}}
}

// top builds the node of an element that is the root of a tree.
func (b *builder) top(e *element) *Node {
	if b.schema == nil {
		return b.node(e, nil)
	}
	t := b.schema.find(b.schema.Root)
	if t == nil || !strings.EqualFold(t.Name, e.tag.name) {
		b.faultf(e, "the root is <%s>, want <%s>", e.tag.name, b.schema.Root)
		return nil
	}
	return b.node(e, t)
}

// node builds the node of an element, whose type is nil when tags decide.
func (b *builder) node(e *element, t *Type) *Node {
	n := &b.nodes.take(1)[0]
	n.Type, n.Text = e.tag.name, e.text
	if t != nil {
		n.Type = t.Name
	}
	b.attributes(n, e, t)
	kids := b.elementFields(n, e, t)
	if kids > 0 {
		b.children(n, e, t, kids)
	}
	n.settle()
	if t != nil && len(b.faults) == 0 {
		b.schema.arrange(n)
	}
	return n
}

func (b *builder) attributes(n *Node, e *element, t *Type) {
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
		switch {
		case t != nil && !b.conform(e, t, &fields[k]):
		case t != nil && fieldIndex(fields[:k], fields[k].Name) >= 0:
			b.faultf(e, "<%s> has the field %s twice", e.tag.name, fields[k].Name)
		default:
			k++
		}
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
	if line, ok := b.ids[id]; ok && !b.lax {
		b.faultf(e, "the id %q is that of line %d too; ids are unique", id, line)
		return
	}
	b.ids[id] = e.line
	n.ID = id
}

// elementFields adds the fields that are elements and returns how many elements
// are nodes.
func (b *builder) elementFields(n *Node, e *element, t *Type) (nodes int) {
	attrs := len(n.Fields)
	for c := e.first; c != nil; c = c.next {
		if b.isNode(c, t) {
			nodes++
			continue
		}
		name, item := c.tag.name, c.tag.child != nil
		if t != nil {
			ft, err := b.checkElement(t, name)
			if err != nil {
				b.faultf(c, "%w", err)
				continue
			}
			name, item = ft.Name, ft.Item != ""
			b.checkList(c, ft)
		}
		if c.tag.fieldOf != e {
			i := fieldIndex(n.Fields[:attrs], name)
			if t != nil {
				i = fieldIndex(n.Fields, name)
			}
			if i < 0 {
				i = len(n.Fields)
				n.Fields = append(n.Fields, Field{Name: name})
			}
			c.tag.fieldOf, c.tag.field = e, i
			if t == nil {
				b.elements[typeField{n.Type, name}] = true
			}
		}
		f := &n.Fields[c.tag.field]
		switch {
		case c.first != nil:
			for v := c.first; v != nil; v = v.next {
				f.Values = append(f.Values, v.text)
			}
		case item && c.text == "":
		case f.Values == nil:
			f.Values = b.strings.take(1)
			f.Values[0] = c.text
		default:
			f.Values = append(f.Values, c.text)
		}
	}
	if t != nil {
		b.checkFields(n, e, t, attrs)
	}
	return nodes
}

// isNode reports whether an element below a node of a type is a node.
func (b *builder) isNode(e *element, t *Type) bool {
	if t == nil {
		return e.tag.node
	}
	name := e.tag.name
	c, ok := t.child(name)
	f := t.find(name)
	return ok && (f == nil || f.Attribute || c == name || f.Name != name)
}

// children builds the nodes below a node.
func (b *builder) children(n *Node, e *element, t *Type, count int) {
	n.Children = b.links.take(count)
	i := 0
	for c := e.first; c != nil; c = c.next {
		if !b.isNode(c, t) {
			continue
		}
		var ct *Type
		if t != nil {
			name, _ := t.child(c.tag.name)
			ct = b.schema.find(name)
		}
		n.Children[i] = b.node(c, ct)
		i++
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
