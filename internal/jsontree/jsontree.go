// Package jsontree reads JSON into a tree that knows where each value stands
// in the file, so that a fault in the data can be named by line and path.
//
// It keeps the order of an object's fields, and refuses an object that has a
// field twice: encoding/json would silently drop the first.
package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Kind is the type of a JSON value.
type Kind string

// The kinds of values, named as messages name them.
const (
	Null   Kind = "null"
	Bool   Kind = "a boolean"
	Number Kind = "a number"
	String Kind = "a string"
	Array  Kind = "an array"
	Object Kind = "an object"
)

// A Value is a JSON value.
type Value struct {
	Kind   Kind
	Text   string  // of a string, decoded; of a number or boolean, as written
	Items  []Value // of an array
	Fields []Field // of an object, in the order of the file
	Offset int     // of its first byte
}

// A Field is a name of an object with its value.
type Field struct {
	Name  string
	Value Value
}

// Get returns the field of an object, or nil.
func (v *Value) Get(name string) *Value {
	for i := range v.Fields {
		if v.Fields[i].Name == name {
			return &v.Fields[i].Value
		}
	}
	return nil
}

// A SyntaxError says where a text is not JSON as this package takes it.
type SyntaxError struct {
	Offset int // of the byte at fault; the length of the text when it ends too early
	Reason string
}

func (e *SyntaxError) Error() string { return e.Reason }

// Parse reads the one JSON value that data holds. Its error is a
// [*SyntaxError].
func Parse(data []byte) (*Value, error) {
	// A first pass checks the syntax and the depth, which makes the second
	// one simple and its recursion bounded.
	var raw json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, syntaxError(data, err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	p := parser{dec: dec, data: data}
	var v Value
	if err := p.value(&v); err != nil {
		return nil, syntaxError(data, err)
	}
	return &v, nil
}

func syntaxError(data []byte, err error) *SyntaxError {
	if se, ok := errors.AsType[*SyntaxError](err); ok {
		return se
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return &SyntaxError{Reason: "no JSON: there is nothing in it"}
	}
	se, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return &SyntaxError{Reason: err.Error()}
	}
	reason := strings.TrimPrefix(se.Error(), "json: ")
	if se.Offset >= int64(len(data)) && reason == "unexpected end of JSON input" {
		return &SyntaxError{Offset: len(data), Reason: reason + "; the file is cut off"}
	}
	// encoding/json counts the bytes read, the one at fault included.
	return &SyntaxError{Offset: max(int(se.Offset)-1, 0), Reason: reason}
}

type parser struct {
	dec  *json.Decoder
	data []byte
}

// start is the offset of the next token.
func (p *parser) start() int {
	i := int(p.dec.InputOffset())
	for i < len(p.data) && strings.IndexByte(" \t\r\n,:", p.data[i]) >= 0 {
		i++
	}
	return i
}

func (p *parser) value(v *Value) error {
	v.Offset = p.start()
	token, err := p.dec.Token()
	if err != nil {
		return err
	}
	switch t := token.(type) {
	case nil:
		v.Kind = Null
	case bool:
		v.Kind, v.Text = Bool, strconv.FormatBool(t)
	case json.Number:
		v.Kind, v.Text = Number, t.String()
	case string:
		v.Kind, v.Text = String, t
	case json.Delim:
		if t == '[' {
			v.Kind = Array
			return p.items(v)
		}
		v.Kind = Object
		return p.fields(v)
	}
	return nil
}

func (p *parser) items(v *Value) error {
	for p.dec.More() {
		var item Value
		if err := p.value(&item); err != nil {
			return err
		}
		v.Items = append(v.Items, item)
	}
	_, err := p.dec.Token()
	return err
}

func (p *parser) fields(v *Value) error {
	var seen map[string]bool // only for large objects; small ones are scanned
	for p.dec.More() {
		at := p.start()
		name, err := p.dec.Token()
		if err != nil {
			return err
		}
		f := Field{Name: name.(string)}
		if len(v.Fields) == 16 {
			seen = make(map[string]bool)
			for _, g := range v.Fields {
				seen[g.Name] = true
			}
		}
		if seen[f.Name] || seen == nil && v.Get(f.Name) != nil {
			return &SyntaxError{Offset: at, Reason: fmt.Sprintf("field %q comes twice in one object", f.Name)}
		}
		if seen != nil {
			seen[f.Name] = true
		}
		if err := p.value(&f.Value); err != nil {
			return err
		}
		v.Fields = append(v.Fields, f)
	}
	_, err := p.dec.Token()
	return err
}
