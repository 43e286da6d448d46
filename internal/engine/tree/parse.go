package tree

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"recallbench/internal/calc/lists"
	"recallbench/internal/text/suggest"
)

// XMLOptions say how XML is read.
type XMLOptions struct {
	// Nodes are element names that are types of nodes in any case: otherwise an
	// element with only text is a field of its parent.
	Nodes []string
	// LooseIDs accepts documents whose ids are only unique within their parents:
	// if an id occurs twice, id becomes a field like others for all nodes, and
	// they get numbers. Otherwise that is a fault.
	LooseIDs bool
}

// ParseXML reads a tree. Both styles of XML are accepted, also mixed: fields as
// attributes, and fields as elements with text or with a list of such elements.
// The attribute id is the node's ID; nodes without it get n1, n2, ... in
// document order, past those in use. Messages use the name.
//
// The whole document decides what the elements of a name are. They are nodes where one
// of them is the root, has attributes, or holds elements that are not a list, and where
// all of them are empty; else fields. A list is an element without attributes and text
// that holds text elements of one name, the same in all the document, and does not stand
// twice below one parent.
//
// White space around texts is removed. A DTD, entities other than the five,
// several roots and documents beyond the limits of a tree are rejected.
func ParseXML(name string, r io.Reader, o XMLOptions) (*Tree, error) {
	doc, err := read(name, r)
	if err != nil {
		return nil, err
	}
	doc.root.tag.node = true
	doc.classify(o.Nodes)
	b := builder{doc: doc, ids: map[string]int{}, elements: map[typeField]bool{}}
	b.loose = o.LooseIDs && repeats(doc.root, map[string]bool{})
	root := b.node(doc.root)
	if err := b.faults.err(); err != nil {
		return nil, err
	}
	schema := infer(root, b.style)
	if b.bothStyles() {
		for _, n := range Walk(root) {
			schema.arrange(n)
		}
	}
	next := nameNodes(root, 1, func(id string) bool { return b.ids[id] > 0 })
	return newTree(root, schema, next), nil
}

// classify decides which tags are nodes, besides that of the root.
func (d *document) classify(nodes []string) {
	for _, t := range d.tags {
		t.node = t.node || t.attributes || !t.content || slices.Contains(nodes, t.name)
	}
	for _, t := range d.tags {
		t.node = t.node || t.child != nil && !t.list()
	}
}

// list reports whether the elements of a tag that hold elements are lists.
func (t *tag) list() bool {
	return !t.mixed && !t.several && !t.repeated && !t.child.node && t.child.child == nil
}

// repeats reports whether an id comes twice at or below an element.
func repeats(e *element, seen map[string]bool) bool {
	id := e.attribute("id")
	if id != "" && seen[id] {
		return true
	}
	seen[id] = true
	return slices.ContainsFunc(e.children, func(c *element) bool { return repeats(c, seen) })
}

// A builder turns elements into nodes.
type builder struct {
	doc   *document
	ids   map[string]int // explicit ids and their lines
	loose bool           // id is a field
	// elements has the fields that some element stands for.
	elements map[typeField]bool
	faults   faults
}

type typeField struct{ typ, field string }

// faultf notes what is wrong with an element.
func (b *builder) faultf(e *element, format string, args ...any) {
	b.faults.add(b.doc.fault(e.line, e.col, fmt.Errorf(format, args...)))
}

// node builds the node of an element.
func (b *builder) node(e *element) *Node {
	n := &Node{Type: e.tag.name, Text: e.text}
	if len(e.attrs) > 0 {
		n.Fields = make([]Field, 0, len(e.attrs))
	}
	for _, a := range e.attrs {
		if a.Name.Local == "id" {
			if !b.loose {
				b.id(n, e, a.Value)
				continue
			}
			b.elements[typeField{n.Type, "id"}] = true // as an attribute it would be the node's own again
		}
		n.Fields = append(n.Fields, Field{a.Name.Local, []string{a.Value}})
	}
	for _, c := range e.children {
		if c.tag.node {
			n.Children = append(n.Children, b.node(c))
			continue
		}
		b.elements[typeField{n.Type, c.tag.name}] = true
		i := fieldIndex(n.Fields, c.tag.name)
		if i < 0 {
			i = len(n.Fields)
			n.Fields = append(n.Fields, Field{Name: c.tag.name})
		}
		f := &n.Fields[i]
		for _, v := range c.children {
			f.Values = append(f.Values, v.text)
		}
		if len(c.children) == 0 && (c.tag.child == nil || c.text != "") {
			f.Values = append(f.Values, c.text)
		}
	}
	n.settle()
	return n
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

// style says how the document has a field.
func (b *builder) style(typ string, f *FieldType) {
	f.Attribute = !b.elements[typeField{typ, f.Name}]
	if f.Attribute {
		return
	}
	if tag := b.doc.byName[f.Name]; tag != nil && tag.child != nil {
		f.Item, f.List = tag.child.name, true
	}
}

// bothStyles reports whether the document may have a field both as an attribute and as
// an element.
func (b *builder) bothStyles() bool {
	for f := range b.elements {
		if _, ok := b.doc.attributes[f.field]; ok {
			return true
		}
	}
	return false
}

// ParseDraft reads a subtree of any type of a schema from XML in either style,
// such as a model wrote. Nodes need no id. Duplicate ids are left to
// [Reconcile], as are fields and places that the schema does not have.
func ParseDraft(name string, r io.Reader, s *Schema) (*Node, error) {
	doc, err := read(name, r)
	if err != nil {
		return nil, err
	}
	b := builder{doc: doc}
	t := s.Type(doc.root.tag.name)
	if t == nil {
		b.faultf(doc.root, "%s", suggest.Unknown("type", doc.root.tag.name, s.Names()))
		return nil, b.faults.err()
	}
	d := b.draft(s, doc.root, t)
	return d, b.faults.err()
}

// draft reads an element of a type.
func (b *builder) draft(s *Schema, e *element, t *Type) *Node {
	d := &Node{Type: t.Name, Text: e.text}
	for _, a := range e.attrs {
		if a.Name.Local == "id" {
			d.ID = a.Value
		} else {
			d.Fields = append(d.Fields, Field{a.Name.Local, []string{a.Value}})
		}
	}
	elements := make(map[string]int) // fields that are elements, by name
	for _, c := range e.children {
		name := c.tag.name
		f, child := t.Field(name), s.Type(name)
		switch {
		case child != nil && standsBelow(t, f, name):
			d.Children = append(d.Children, b.draft(s, c, child))
			continue
		case f == nil:
			b.faultf(c, "%s", suggest.Unknown("element below "+t.Name, name, slices.Concat(t.FieldNames(), t.Children)))
			continue
		}
		i, ok := elements[strings.ToLower(name)]
		if !ok {
			i = len(d.Fields)
			elements[strings.ToLower(name)] = i
			d.Fields = append(d.Fields, Field{Name: name})
		}
		d.Fields[i].Values = append(d.Fields[i].Values, b.values(c, f)...)
	}
	return d
}

// standsBelow reports whether an element of the name of a type stands for a node, and
// not for the field f of that name.
func standsBelow(t *Type, f *FieldType, name string) bool {
	child := t.child(name)
	return f == nil || child != "" && (f.Attribute || child == name || f.Name != name)
}

// values returns what an element says of a field.
func (b *builder) values(e *element, f *FieldType) (values []string) {
	list := f.Item != ""
	if len(e.attrs) > 0 || list && len(e.children) > 0 && e.text != "" {
		b.faultf(e, "field %s has attributes or text beside a list; want text alone", e.tag.name)
	}
	for _, c := range e.children {
		if !list || !strings.EqualFold(f.Item, c.tag.name) || len(c.children) > 0 || len(c.attrs) > 0 {
			b.faultf(c, "field %s holds <%s>; want text, or the elements of a list", e.tag.name, c.tag.name)
		}
		values = append(values, c.text)
	}
	if len(e.children) == 0 && (e.text != "" || !list) {
		values = append(values, e.text)
	}
	return values
}

const wantName = "no name; want letters, digits, _, - and ., and : only between a prefix and a name"

// maxAttributes is how many attributes an element has at most.
const maxAttributes = 256

// An element is one of an XML document before it is known to be a node or a
// field.
type element struct {
	tag       *tag
	attrs     []xml.Attr
	texts     []string // what stands between the tags within it
	text      string   // of these, once it has ended
	children  []*element
	parent    *element
	line, col int
}

// attribute returns the value of an attribute, or "".
func (e *element) attribute(name string) string {
	for _, a := range e.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// A tag is what all elements of a name are like.
type tag struct {
	name       string
	attributes bool // some element has attributes
	content    bool // some element holds something
	mixed      bool // some element holds text beside elements
	several    bool // its elements hold elements of different names
	repeated   bool // several that hold elements stand below one parent
	child      *tag // the name of the elements that it holds
	node       bool // elements of the name are nodes

	repeatedIn *element // the last parent of one that holds elements
}

// see notes what an element that has ended says about its tag.
func (t *tag) see(e *element) {
	t.attributes = t.attributes || len(e.attrs) > 0
	t.content = t.content || e.text != "" || len(e.children) > 0
	if len(e.children) == 0 {
		return
	}
	t.mixed = t.mixed || e.text != ""
	if e.parent != nil {
		t.repeated = t.repeated || t.repeatedIn == e.parent
		t.repeatedIn = e.parent
	}
	for _, c := range e.children {
		t.child = cmp.Or(t.child, c.tag)
		t.several = t.several || t.child != c.tag
	}
}

// A document is an XML document as elements.
type document struct {
	name       string
	root       *element
	tags       []*tag // in order of first appearance
	byName     map[string]*tag
	attributes map[string]string // their names, by themselves

	// The state of reading.
	open         *element
	depth, count int
	run          []byte // text since the last tag
}

// fault says where the document is wrong.
func (d *document) fault(line, col int, err error) error {
	return fmt.Errorf("%s:%d:%d: %w", d.name, line, col, err)
}

// read parses a document. Its errors name the place.
func read(name string, r io.Reader) (*document, error) {
	limited := &io.LimitedReader{R: r, N: MaxBytes + 1}
	dec := xml.NewDecoder(limited)
	d := &document{name: name, byName: map[string]*tag{}, attributes: map[string]string{}}
	for {
		line, col := dec.InputPos()
		tok, err := dec.RawToken()
		switch {
		case err == nil:
			err = d.token(tok, line, col)
		case limited.N <= 0:
			err = fmt.Errorf("the document has more than %d bytes", int64(MaxBytes))
		case err == io.EOF: //nolint:errorlint // the decoder returns it as it is
			if d.root != nil && d.open == nil {
				return d, nil
			}
			err = errors.New("the document ends before its root does; want one root element")
		default:
			line, col = dec.InputPos()
		}
		if err != nil {
			return nil, d.fault(line, col, err)
		}
	}
}

func (d *document) token(tok xml.Token, line, col int) error {
	switch tok := tok.(type) {
	case xml.CharData:
		return d.text(tok)
	case xml.StartElement:
		d.flush()
		return d.start(tok, line, col)
	case xml.EndElement:
		d.flush()
		return d.end(fullName(tok.Name))
	case xml.Directive:
		return errors.New("a DTD or another <!...> directive is not read; want elements, attributes and text only")
	}
	return nil // comments and processing instructions
}

func (d *document) start(tok xml.StartElement, line, col int) error {
	name := fullName(tok.Name)
	switch {
	case d.open == nil && d.root != nil:
		return fmt.Errorf("<%.80s> stands after the end of the root <%s>; want one root", name, d.root.tag.name)
	case d.depth == MaxDepth:
		return fmt.Errorf("<%.80s> is at depth %d, want at most %d", name, d.depth+1, MaxDepth)
	case d.count == MaxNodes:
		return fmt.Errorf("there are more than %d elements", MaxNodes)
	case len(tok.Attr) > maxAttributes:
		return fmt.Errorf("<%.80s> has %d attributes, want at most %d", name, len(tok.Attr), maxAttributes)
	}
	t := d.byName[name]
	if t == nil {
		if !validName(name) {
			return fmt.Errorf("the element <%.80s> has %s", name, wantName)
		}
		t = &tag{name: name}
		d.byName[name] = t
		d.tags = append(d.tags, t)
	}
	e := &element{tag: t, parent: d.open, line: line, col: col}
	for _, a := range tok.Attr {
		full := fullName(a.Name)
		shared, known := d.attributes[full]
		switch {
		case !known && !validName(full):
			return fmt.Errorf("the attribute %.80s has %s", full, wantName)
		case !known:
			shared, d.attributes[full] = full, full
		case slices.ContainsFunc(e.attrs, func(b xml.Attr) bool { return b.Name.Local == full }):
			return fmt.Errorf("<%s> has the attribute %s twice", name, full)
		}
		e.attrs = append(e.attrs, xml.Attr{Name: xml.Name{Local: shared}, Value: strings.Trim(a.Value, space)})
	}
	if d.open == nil {
		d.root = e
	} else {
		d.open.children = append(d.open.children, e)
	}
	d.open = e
	d.depth++
	d.count++
	return nil
}

func (d *document) end(name string) error {
	e := d.open
	switch {
	case e == nil:
		return fmt.Errorf("</%.80s> ends nothing", name)
	case e.tag.name != name:
		return fmt.Errorf("</%.80s> stands where <%s> of line %d is open; want </%s>", name, e.tag.name, e.line, e.tag.name)
	}
	e.text, e.texts = strings.Join(e.texts, " "), nil
	e.tag.see(e)
	d.open = e.parent
	d.depth--
	return nil
}

// text takes what stands between two tags, of which comments make several parts.
func (d *document) text(part []byte) error {
	if d.open == nil {
		if text := strings.Trim(string(part), space+"\uFEFF"); text != "" {
			return fmt.Errorf("text %.20q stands outside the root; want it within an element", text)
		}
		return nil
	}
	d.run = append(d.run, part...)
	return nil
}

// flush gives the text since the last tag to the open element. Texts that elements part
// are joined by a blank.
func (d *document) flush() {
	if text := strings.Trim(string(d.run), space); text != "" {
		d.open.texts = append(d.open.texts, text)
	}
	d.run = d.run[:0]
}

// space is what XML takes for white space.
const space = " \t\r\n"

// clean returns a text as a tree holds it: without white space around, and with
// U+FFFD for what XML cannot hold.
func clean(s string) string { return strings.Trim(strings.Map(holdable, s), space) }

// holdable returns the character, or U+FFFD where XML cannot hold it. Invalid
// UTF-8 arrives as U+FFFD already.
func holdable(r rune) rune {
	if r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r != 0xFFFE && r != 0xFFFF {
		return r
	}
	return utf8.RuneError
}

// cleanFields returns a copy of fields with clean values.
func cleanFields(fields []Field) []Field {
	fields = slices.Clone(fields)
	for i, f := range fields {
		fields[i].Values = lists.Map(f.Values, clean)
	}
	return fields
}

// validName reports whether XML takes a name for an element or attribute.
func validName(s string) bool {
	if s == "" || len(s) > 256 || strings.ContainsAny(s, space+"/>") {
		return false
	}
	if prefix, local, ok := strings.Cut(s, ":"); ok && (prefix == "" || local == "" || strings.Contains(local, ":")) {
		return false
	}
	tok, err := xml.NewDecoder(strings.NewReader("<" + s + "/>")).RawToken()
	start, ok := tok.(xml.StartElement)
	return err == nil && ok && len(start.Attr) == 0 && fullName(start.Name) == s
}

// fullName is a name with its prefix, as the document spells it.
func fullName(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}
