package tree

import (
	"fmt"
	"strings"
)

// WriteOptions say how XML is written.
type WriteOptions struct {
	IDs    bool // each node has its id as attribute "id"
	Indent bool // lines indented by two blanks; else no white space between elements
	// Depth is how many levels below the node are written; 0 is all.
	Depth int
}

// XML writes a subtree in the style of the schema, with unknown fields as attributes.
// The result reads back as the same tree. It is well-formed whatever the texts contain:
// U+FFFD replaces characters that XML does not allow. A type or field whose name XML
// does not allow is an error.
func XML(n *Node, s *Schema, o WriteOptions) (string, error) {
	x := xmlWriter{schema: s, o: o, valid: map[string]bool{}}
	x.node(n, 0)
	if x.err != nil {
		return "", fmt.Errorf("write XML: %w", x.err)
	}
	if o.Indent {
		x.b.WriteByte('\n')
	}
	return x.b.String(), nil
}

type xmlWriter struct {
	b      strings.Builder
	schema *Schema
	o      WriteOptions
	valid  map[string]bool // names that XML can hold
	err    error
}

func (x *xmlWriter) node(n *Node, depth int) {
	x.check(n, "type", n.Type)
	t := x.schema.Type(n.Type)
	if t == nil {
		t = &Type{Name: n.Type}
	}
	x.b.WriteString("<" + n.Type)
	if x.o.IDs && n.ID != "" {
		x.attribute("id", n.ID)
	}
	var elements []Field
	for _, f := range n.Fields {
		x.check(n, "field", f.Name)
		if ft := t.Field(f.Name); ft == nil && f.Name != "id" || ft != nil && ft.Attribute {
			x.attribute(f.Name, f.Value())
		} else {
			elements = append(elements, f)
		}
	}
	children := n.Children
	if x.o.Depth > 0 && depth == x.o.Depth {
		children = nil
	}
	switch {
	case x.err != nil:
		return
	case len(elements)+len(children) == 0:
		x.close(n.Type, n.Text)
		return
	}
	x.b.WriteByte('>')
	if n.Text != "" {
		x.line(depth + 1)
		x.b.WriteString(textEscapes.Replace(strings.Map(holdable, n.Text)))
	}
	for _, f := range elements {
		x.field(n, f, t.Field(f.Name), depth+1)
	}
	for _, c := range children {
		x.line(depth + 1)
		x.node(c, depth+1)
	}
	x.line(depth)
	x.b.WriteString("</" + n.Type + ">")
}

// check notes a name of a node that cannot be written.
func (x *xmlWriter) check(n *Node, what, name string) {
	if x.err != nil || x.valid[name] {
		return
	}
	if x.valid[name] = validName(name); !x.valid[name] {
		x.err = fmt.Errorf("%s: the %s %q has no name that XML can hold", n.describe(), what, name)
	}
}

// field writes a field that is an element, or several.
func (x *xmlWriter) field(n *Node, f Field, ft *FieldType, depth int) {
	switch {
	case ft == nil || ft.Item == "":
		for _, v := range f.Values {
			x.element(f.Name, v, depth)
		}
	case len(f.Values) == 0:
		x.element(f.Name, "", depth)
	default:
		x.check(n, "field", ft.Item)
		x.line(depth)
		x.b.WriteString("<" + f.Name + ">")
		for _, v := range f.Values {
			x.element(ft.Item, v, depth+1)
		}
		x.line(depth)
		x.b.WriteString("</" + f.Name + ">")
	}
}

// element writes an element with text.
func (x *xmlWriter) element(name, text string, depth int) {
	x.line(depth)
	x.b.WriteString("<" + name)
	x.close(name, text)
}

// close ends an element of which the start is written, and which holds text alone.
func (x *xmlWriter) close(name, text string) {
	if text == "" {
		x.b.WriteString("/>")
		return
	}
	x.b.WriteString(">" + textEscapes.Replace(strings.Map(holdable, text)) + "</" + name + ">")
}

// line begins a new line where there are lines.
func (x *xmlWriter) line(depth int) {
	if x.o.Indent {
		x.b.WriteString("\n" + strings.Repeat("  ", depth))
	}
}

func (x *xmlWriter) attribute(name, value string) {
	x.b.WriteString(" " + name + `="` + attributeEscapes.Replace(strings.Map(holdable, value)) + `"`)
}

// Escapes of texts and of attributes, whose line ends and tabs readers take for blanks.
// A > is escaped only where it would end a CDATA section.
var (
	textEscapes      = strings.NewReplacer("&", "&amp;", "<", "&lt;", "]]>", "]]&gt;", "\r", "&#13;")
	attributeEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", "]]>", "]]&gt;", "\r", "&#13;", `"`, "&quot;", "\n", "&#10;", "\t", "&#9;")
)
