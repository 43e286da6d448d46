package tree

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// WriteOptions say how XML is written.
type WriteOptions struct {
	IDs    bool // each node has its id as attribute "id"
	Indent bool // lines indented by two blanks; else no white space between elements
	// Depth is how many levels below the node are written; 0 is all.
	Depth int
}

// XML writes a subtree in the style of the schema, with fields that it does not know as
// attributes. What is written reads back as the same tree. It is well-formed whatever
// the texts hold: U+FFFD stands for characters that XML cannot hold. A type or field
// whose name XML cannot hold is an error.
func XML(n *Node, s *Schema, o WriteOptions) (string, error) {
	x := xmlWriter{schema: s, o: o, types: map[string]*Type{}}
	x.node(n, 0)
	if x.err != nil {
		return "", fmt.Errorf("write XML: %w", x.err)
	}
	if o.Indent {
		x.w.WriteByte('\n')
	}
	return x.w.String(), nil
}

type xmlWriter struct {
	w      strings.Builder
	schema *Schema
	o      WriteOptions
	types  map[string]*Type // names that are sound
	err    error
}

func (x *xmlWriter) node(n *Node, depth int) {
	t := x.typ(n)
	if x.err != nil {
		return
	}
	x.w.WriteByte('<')
	x.w.WriteString(n.Type)
	if x.o.IDs && n.ID != "" {
		x.attribute("id", n.ID)
	}
	var elements []Field
	for _, f := range n.Fields {
		switch ft := t.find(f.Name); {
		case ft == nil && f.Name != "id":
			x.checkField(n, f.Name)
			x.attribute(f.Name, f.Value())
		case ft != nil && ft.Attribute:
			x.attribute(f.Name, f.Value())
		default:
			elements = append(elements, f)
		}
	}
	children := n.Children
	if x.o.Depth > 0 && depth == x.o.Depth {
		children = nil
	}
	if len(elements) == 0 && len(children) == 0 {
		x.leaf(n)
		return
	}
	x.w.WriteByte('>')
	if n.Text != "" {
		x.line(depth + 1)
		x.text(n.Text)
	}
	for _, f := range elements {
		x.field(f, t.find(f.Name), depth+1)
	}
	for _, c := range children {
		x.line(depth + 1)
		x.node(c, depth+1)
	}
	x.line(depth)
	x.end(n.Type)
}

// leaf ends an element that holds text at most.
func (x *xmlWriter) leaf(n *Node) {
	if n.Text == "" {
		x.w.WriteString("/>")
		return
	}
	x.w.WriteByte('>')
	x.text(n.Text)
	x.end(n.Type)
}

// typ returns the type of a node, one without fields where the schema has none.
func (x *xmlWriter) typ(n *Node) *Type {
	t := x.types[n.Type]
	if t == nil {
		if !validName(n.Type) {
			x.err = fmt.Errorf("%s: the type has no name that XML can hold", n.describe())
			return nil
		}
		if t = x.schema.find(n.Type); t == nil {
			t = &Type{Name: n.Type}
		}
		for _, f := range t.Fields {
			if x.checkField(n, f.Name); f.Item != "" {
				x.checkField(n, f.Item)
			}
		}
		x.types[n.Type] = t
	}
	return t
}

// checkField notes a field whose name cannot be written.
func (x *xmlWriter) checkField(n *Node, name string) {
	if x.err == nil && !validName(name) {
		x.err = fmt.Errorf("%s: the field %q has no name that XML can hold", n.describe(), name)
	}
}

// field writes a field that is an element, or several.
func (x *xmlWriter) field(f Field, ft *FieldType, depth int) {
	if ft != nil && ft.Item != "" {
		x.line(depth)
		if len(f.Values) == 0 {
			x.element(f.Name, "")
			return
		}
		x.w.WriteByte('<')
		x.w.WriteString(f.Name)
		x.w.WriteByte('>')
		for _, v := range f.Values {
			x.line(depth + 1)
			x.element(ft.Item, v)
		}
		x.line(depth)
		x.end(f.Name)
		return
	}
	for _, v := range f.Values {
		x.line(depth)
		x.element(f.Name, v)
	}
}

// element writes an element with text.
func (x *xmlWriter) element(name, text string) {
	x.w.WriteByte('<')
	x.w.WriteString(name)
	if text == "" {
		x.w.WriteString("/>")
		return
	}
	x.w.WriteByte('>')
	x.text(text)
	x.end(name)
}

func (x *xmlWriter) end(name string) {
	x.w.WriteString("</")
	x.w.WriteString(name)
	x.w.WriteByte('>')
}

// line begins a new line where there are lines.
func (x *xmlWriter) line(depth int) {
	if x.o.Indent {
		x.w.WriteByte('\n')
		for range depth {
			x.w.WriteString("  ")
		}
	}
}

func (x *xmlWriter) attribute(name, value string) {
	x.w.WriteByte(' ')
	x.w.WriteString(name)
	x.w.WriteString(`="`)
	x.escape(value, true)
	x.w.WriteByte('"')
}

func (x *xmlWriter) text(s string) { x.escape(s, false) }

// escape writes a text. Line ends and tabs of an attribute are written by
// number, since readers take them for blanks.
func (x *xmlWriter) escape(s string, attribute bool) {
	from := 0
	for i, r := range s {
		var to string
		switch r {
		case '&':
			to = "&amp;"
		case '<':
			to = "&lt;"
		case '>': // XML wants it escaped only where it would end a CDATA section
			if strings.HasSuffix(s[:i], "]]") {
				to = "&gt;"
			}
		case '\r':
			to = "&#13;"
		case '"':
			if attribute {
				to = "&quot;"
			}
		case '\n':
			if attribute {
				to = "&#10;"
			}
		case '\t':
			if attribute {
				to = "&#9;"
			}
		case utf8.RuneError: // itself, or one byte that is not UTF-8
			to = "\uFFFD"
		default:
			if holdable(r) != r {
				to = "\uFFFD"
			}
		}
		if to == "" {
			continue
		}
		x.w.WriteString(s[from:i])
		x.w.WriteString(to)
		_, width := utf8.DecodeRuneInString(s[i:])
		from = i + width
	}
	x.w.WriteString(s[from:])
}
