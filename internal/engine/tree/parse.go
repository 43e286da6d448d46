package tree

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

const wantName = "no name; want letters, digits, _, - and ., and : only between a prefix and a name"

// Bounds of an XML document that no memory comes near.
const (
	maxTags       = 1000 // distinct names of elements, and of attributes
	maxAttributes = 256  // of one element
)

// An element is one of an XML document before it is known to be a node or a
// field.
type element struct {
	tag                    *tag
	attrs                  []xml.Attr
	text                   string
	first, last, next, top *element // children, sibling, parent
	line, col              int32
}

// A document is an XML document as elements.
type document struct {
	name       string
	root       *element
	tags       []*tag // in order of first appearance
	byName     map[string]*tag
	attributes map[string]string // their names, by themselves
}

// A reader turns XML into elements.
type reader struct {
	doc             *document
	dec             *xml.Decoder
	open            *element
	depth           int
	count           int
	pool            []element
	run             []byte                        // text since the last start or end of an element
	runLine, runCol int                           // where it begins
	mixed           map[*element]*strings.Builder // texts that elements part
}

// read parses a document. Its errors name the place.
func read(name string, r io.Reader) (*document, error) {
	limited := &io.LimitedReader{R: r, N: MaxBytes + 1}
	rd := &reader{
		doc: &document{name: name, byName: map[string]*tag{}, attributes: map[string]string{}}, dec: xml.NewDecoder(limited),
		mixed: map[*element]*strings.Builder{},
	}
	for {
		line, col := rd.dec.InputPos()
		tok, err := rd.dec.RawToken()
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			if err := rd.text(); err != nil {
				return nil, err
			}
			break
		}
		if limited.N <= 0 {
			return nil, fmt.Errorf("%s: has more than %d bytes", name, int64(MaxBytes))
		}
		if err != nil {
			return nil, rd.syntax(err)
		}
		if err := rd.token(tok, line, col); err != nil {
			return nil, err
		}
	}
	line, col := rd.dec.InputPos()
	switch {
	case rd.open != nil:
		return nil, rd.fault(line, col, fmt.Errorf("the document ends within <%s> of line %d; want </%s>",
			rd.open.tag.name, rd.open.line, rd.open.tag.name))
	case rd.doc.root == nil:
		return nil, rd.fault(line, col, errors.New("there is no element; want one root"))
	}
	return rd.doc, nil
}

// syntax says what the decoder found wrong, and where.
func (rd *reader) syntax(err error) error {
	line, col := rd.dec.InputPos()
	if s, ok := errors.AsType[*xml.SyntaxError](err); ok {
		msg := s.Msg
		if strings.HasPrefix(msg, "invalid character entity") {
			msg += "; want one of &lt; &gt; &amp; &apos; &quot; or a character number"
		}
		return rd.fault(line, col, errors.New(msg))
	}
	if strings.Contains(err.Error(), "CharsetReader") {
		err = errors.New("the declared encoding is not read; want UTF-8")
	}
	return rd.fault(line, col, err)
}

func (rd *reader) token(tok xml.Token, line, col int) error {
	if data, ok := tok.(xml.CharData); ok {
		if len(rd.run) == 0 {
			rd.runLine, rd.runCol = line, col
		}
		rd.run = append(rd.run, data...)
		return nil
	}
	var err error
	switch tok := tok.(type) {
	case xml.StartElement:
		if err := rd.text(); err != nil {
			return err
		}
		err = rd.start(tok, line, col)
	case xml.EndElement:
		if err := rd.text(); err != nil {
			return err
		}
		err = rd.end(fullName(tok.Name))
	case xml.Directive:
		err = errors.New("a DTD or another <!...> directive is not read; want elements, attributes and text only")
	}
	if err != nil {
		return rd.fault(line, col, err)
	}
	return nil // comments and processing instructions
}

// fault says where the document is wrong.
func (rd *reader) fault(line, col int, err error) error {
	return fmt.Errorf("%s:%d:%d: %w", rd.doc.name, line, col, err)
}

func (rd *reader) start(tok xml.StartElement, line, col int) error {
	name := fullName(tok.Name)
	switch {
	case rd.open == nil && rd.doc.root != nil:
		return fmt.Errorf("<%.80s> stands after the end of the root <%s> of line %d; want one root",
			name, rd.doc.root.tag.name, rd.doc.root.line)
	case rd.depth == MaxDepth:
		return fmt.Errorf("<%.80s> is at depth %d, want at most %d", name, rd.depth+1, MaxDepth)
	case rd.count == MaxNodes:
		return fmt.Errorf("there are more than %d elements", MaxNodes)
	case len(tok.Attr) > maxAttributes:
		return fmt.Errorf("<%.80s> has %d attributes, want at most %d", name, len(tok.Attr), maxAttributes)
	}
	t := rd.doc.byName[name]
	if t == nil {
		if len(rd.doc.byName) == maxTags {
			return fmt.Errorf("there are more than %d names of elements", maxTags)
		}
		if !validName(name) {
			return fmt.Errorf("the element <%.80s> has %s", name, wantName)
		}
		t = &tag{name: name}
		rd.doc.byName[name] = t
		rd.doc.tags = append(rd.doc.tags, t)
	}
	e := rd.element()
	*e = element{tag: t, top: rd.open, line: int32(line), col: int32(col)}
	if len(tok.Attr) > 0 {
		if err := rd.attributes(e, tok.Attr); err != nil {
			return err
		}
	}
	switch p := rd.open; {
	case p == nil:
		rd.doc.root = e
	case p.first == nil:
		p.first = e
	default:
		p.last.next = e
	}
	if rd.open != nil {
		rd.open.last = e
	}
	rd.open = e
	rd.depth++
	rd.count++
	return nil
}

// element returns a new element from a slab.
func (rd *reader) element() *element {
	if len(rd.pool) == 0 {
		rd.pool = make([]element, min(1024, 16+rd.count))
	}
	e := &rd.pool[0]
	rd.pool = rd.pool[1:]
	return e
}

func (rd *reader) attributes(e *element, attrs []xml.Attr) error {
	for i := range attrs {
		a := &attrs[i]
		full := fullName(a.Name)
		name, ok := rd.doc.attributes[full]
		if !ok {
			if len(rd.doc.attributes) == maxTags {
				return fmt.Errorf("there are more than %d names of attributes", maxTags)
			}
			if !validName(full) {
				return fmt.Errorf("the attribute %.80s has %s", full, wantName)
			}
			name = strings.Clone(full)
			rd.doc.attributes[name] = name
		}
		a.Name = xml.Name{Local: name}
		a.Value = strings.Trim(a.Value, space)
		for _, b := range attrs[:i] {
			if b.Name.Local == name {
				return fmt.Errorf("<%s> has the attribute %s twice", e.tag.name, name)
			}
		}
	}
	e.attrs = attrs
	e.tag.attributes = true
	return nil
}

func (rd *reader) end(name string) error {
	e := rd.open
	switch {
	case e == nil:
		return fmt.Errorf("</%.80s> ends nothing", name)
	case e.tag.name != name:
		return fmt.Errorf("</%.80s> stands where <%s> of line %d is open; want </%s>", name, e.tag.name, e.line, e.tag.name)
	}
	if b := rd.mixed[e]; b != nil {
		e.text = b.String()
		delete(rd.mixed, e)
	}
	e.tag.see(e)
	rd.open = e.top
	rd.depth--
	return nil
}

// text gives the text since the last tag to the open element. Texts that
// elements part are joined by a blank.
func (rd *reader) text() error {
	data := bytes.Trim(rd.run, space)
	rd.run = rd.run[:0]
	if len(data) == 0 {
		return nil
	}
	e := rd.open
	switch {
	case e == nil && rd.doc.root == nil && bytes.Equal(data, []byte("\uFEFF")):
		return nil // byte order mark
	case e == nil:
		return rd.fault(rd.runLine, rd.runCol, fmt.Errorf("text %.20q stands outside the root; want it within an element", data))
	case e.text == "":
		e.text = string(data)
		return nil
	}
	b := rd.mixed[e]
	if b == nil {
		b = &strings.Builder{}
		b.WriteString(e.text)
		rd.mixed[e] = b
	}
	b.WriteByte(' ')
	b.Write(data)
	return nil
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
	// The field that the tag is in the node that is being built.
	fieldOf *element
	field   int
}

// see notes what an element that has ended says about its tag.
func (t *tag) see(e *element) {
	if e.text != "" || e.first != nil {
		t.content = true
	}
	if e.first == nil {
		return
	}
	t.mixed = t.mixed || e.text != ""
	if e.top != nil {
		t.repeated = t.repeated || t.repeatedIn == e.top
		t.repeatedIn = e.top
	}
	for c := e.first; c != nil; c = c.next {
		if t.child == nil {
			t.child = c.tag
		}
		t.several = t.several || t.child != c.tag
	}
}

// classify decides which tags are nodes, besides that of the root.
func (d *document) classify(nodes []string) {
	for _, t := range d.tags {
		if t.attributes || !t.content || slices.Contains(nodes, t.name) {
			t.node = true
		}
	}
	for _, t := range d.tags {
		t.node = t.node || t.child != nil && !t.list()
	}
}

// list reports whether the elements of a tag that hold elements are lists.
func (t *tag) list() bool {
	return !t.mixed && !t.several && !t.repeated && !t.child.node && t.child.child == nil
}
