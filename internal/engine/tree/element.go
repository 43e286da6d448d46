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
)

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
