package tree

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
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
	tag       *tag
	attrs     []xml.Attr
	text      string
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
		if t.child == nil {
			t.child = c.tag
		}
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
}

// fault says where the document is wrong.
func (d *document) fault(line, col int, err error) error {
	return fmt.Errorf("%s:%d:%d: %w", d.name, line, col, err)
}

// A reader turns XML into elements.
type reader struct {
	*document
	open      *element
	depth     int
	count     int
	run       []byte // text since the last start or end of an element
	line, col int    // where it begins
	texts     map[*element][]string
}

// read parses a document. Its errors name the place.
func read(name string, r io.Reader) (*document, error) {
	limited := &io.LimitedReader{R: r, N: MaxBytes + 1}
	dec := xml.NewDecoder(limited)
	rd := &reader{
		document: &document{name: name, byName: map[string]*tag{}, attributes: map[string]string{}},
		texts:    map[*element][]string{},
	}
	for {
		line, col := dec.InputPos()
		tok, err := dec.RawToken()
		if err == nil {
			err = rd.token(tok, line, col)
		} else if limited.N > 0 && errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return rd.end(line, col)
		} else if line, col = dec.InputPos(); limited.N <= 0 {
			return nil, fmt.Errorf("%s: has more than %d bytes", name, int64(MaxBytes))
		} else {
			err = syntaxError(err)
		}
		if err != nil {
			return nil, rd.fault(line, col, err)
		}
	}
}

// syntaxError says what the decoder found wrong.
func syntaxError(err error) error {
	if s, ok := errors.AsType[*xml.SyntaxError](err); ok {
		if strings.HasPrefix(s.Msg, "invalid character entity") {
			s.Msg += "; want one of &lt; &gt; &amp; &apos; &quot; or a character number"
		}
		return errors.New(s.Msg)
	}
	if strings.Contains(err.Error(), "CharsetReader") {
		return errors.New("the declared encoding is not read; want UTF-8")
	}
	return err
}

// end checks the end of a document.
func (rd *reader) end(line, col int) (*document, error) {
	err := rd.text()
	switch {
	case err != nil:
		line, col = rd.line, rd.col
	case rd.open != nil:
		err = fmt.Errorf("the document ends within <%s> of line %d; want </%s>", rd.open.tag.name, rd.open.line, rd.open.tag.name)
	case rd.root == nil:
		err = errors.New("there is no element; want one root")
	default:
		return rd.document, nil
	}
	return nil, rd.fault(line, col, err)
}

func (rd *reader) token(tok xml.Token, line, col int) error {
	switch tok := tok.(type) {
	case xml.CharData:
		if len(rd.run) == 0 {
			rd.line, rd.col = line, col
		}
		rd.run = append(rd.run, tok...)
	case xml.StartElement:
		if err := rd.text(); err != nil {
			return err
		}
		return rd.start(tok, line, col)
	case xml.EndElement:
		if err := rd.text(); err != nil {
			return err
		}
		return rd.close(fullName(tok.Name))
	case xml.Directive:
		return errors.New("a DTD or another <!...> directive is not read; want elements, attributes and text only")
	}
	return nil // comments and processing instructions
}

func (rd *reader) start(tok xml.StartElement, line, col int) error {
	name := fullName(tok.Name)
	switch {
	case rd.open == nil && rd.root != nil:
		return fmt.Errorf("<%.80s> stands after the end of the root <%s> of line %d; want one root", name, rd.root.tag.name, rd.root.line)
	case rd.depth == MaxDepth:
		return fmt.Errorf("<%.80s> is at depth %d, want at most %d", name, rd.depth+1, MaxDepth)
	case rd.count == MaxNodes:
		return fmt.Errorf("there are more than %d elements", MaxNodes)
	case len(tok.Attr) > maxAttributes:
		return fmt.Errorf("<%.80s> has %d attributes, want at most %d", name, len(tok.Attr), maxAttributes)
	}
	t := rd.byName[name]
	if t == nil {
		if len(rd.byName) == maxTags {
			return fmt.Errorf("there are more than %d names of elements", maxTags)
		}
		if !validName(name) {
			return fmt.Errorf("the element <%.80s> has %s", name, wantName)
		}
		t = &tag{name: name}
		rd.byName[name] = t
		rd.tags = append(rd.tags, t)
	}
	e := &element{tag: t, parent: rd.open, line: line, col: col}
	if err := rd.attributesOf(e, tok.Attr); err != nil {
		return err
	}
	if rd.open == nil {
		rd.root = e
	} else {
		rd.open.children = append(rd.open.children, e)
	}
	rd.open = e
	rd.depth++
	rd.count++
	return nil
}

// attributesOf gives an element its attributes, their names shared and their values
// without white space around.
func (rd *reader) attributesOf(e *element, attrs []xml.Attr) error {
	for _, a := range attrs {
		full := fullName(a.Name)
		name, ok := rd.attributes[full]
		if !ok {
			if len(rd.attributes) == maxTags {
				return fmt.Errorf("there are more than %d names of attributes", maxTags)
			}
			if !validName(full) {
				return fmt.Errorf("the attribute %.80s has %s", full, wantName)
			}
			name = strings.Clone(full)
			rd.attributes[name] = name
		}
		for _, b := range e.attrs {
			if b.Name.Local == name {
				return fmt.Errorf("<%s> has the attribute %s twice", e.tag.name, name)
			}
		}
		e.attrs = append(e.attrs, xml.Attr{Name: xml.Name{Local: name}, Value: strings.Trim(a.Value, space)})
	}
	return nil
}

func (rd *reader) close(name string) error {
	e := rd.open
	switch {
	case e == nil:
		return fmt.Errorf("</%.80s> ends nothing", name)
	case e.tag.name != name:
		return fmt.Errorf("</%.80s> stands where <%s> of line %d is open; want </%s>", name, e.tag.name, e.line, e.tag.name)
	}
	e.text = strings.Join(rd.texts[e], " ")
	delete(rd.texts, e)
	e.tag.see(e)
	rd.open = e.parent
	rd.depth--
	return nil
}

// text gives the text since the last tag to the open element. Texts that
// elements part are joined by a blank.
func (rd *reader) text() error {
	data := bytes.Trim(rd.run, space)
	rd.run = rd.run[:0]
	switch e := rd.open; {
	case len(data) == 0, e == nil && rd.root == nil && bytes.Equal(data, []byte("\uFEFF")): // or a byte order mark
	case e == nil:
		return fmt.Errorf("text %.20q stands outside the root; want it within an element", data)
	default:
		rd.texts[e] = append(rd.texts[e], string(data))
	}
	return nil
}
