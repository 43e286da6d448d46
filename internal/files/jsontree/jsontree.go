// Package jsontree reads JSON into a tree that knows the position of each value
// in the file, so that a fault in the data can be named by line and path.
//
// It keeps the order of an object's fields, and rejects an object with a
// duplicate field: encoding/json would silently drop the first.
package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
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

// A SyntaxError says where a text is not JSON as this package accepts it.
type SyntaxError struct {
	Offset int // of the byte at fault; the length of the text when it ends too early
	Reason string
}

func (e *SyntaxError) Error() string { return e.Reason }

const (
	noJSON = "not JSON: it is empty"
	cutOff = "unexpected end of JSON input; the file is cut off"
)

// Parse reads the one JSON value in data. Its error is a [*SyntaxError].
func Parse(data []byte) (*Value, error) {
	// encoding/json checks the syntax and bounds the depth, so that what
	// follows need not doubt either.
	if !json.Valid(data) {
		var raw json.RawMessage
		return nil, syntaxError(data, json.Unmarshal(data, &raw))
	}
	p := parser{text: string(data)}
	var v Value
	p.value(&v)
	if p.err != nil {
		return nil, p.err
	}
	return &v, nil
}

func syntaxError(data []byte, err error) *SyntaxError {
	if len(bytes.TrimSpace(data)) == 0 {
		return &SyntaxError{Reason: noJSON}
	}
	se, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return &SyntaxError{Reason: err.Error()}
	}
	reason := strings.TrimPrefix(se.Error(), "json: ")
	if se.Offset >= int64(len(data)) && reason == "unexpected end of JSON input" {
		return &SyntaxError{Offset: len(data), Reason: cutOff}
	}
	// encoding/json counts the bytes read, the one at fault included.
	return &SyntaxError{Offset: max(int(se.Offset)-1, 0), Reason: reason}
}

// A parser walks over text that is known to be JSON.
type parser struct {
	text string
	at   int
	err  *SyntaxError // the first field that comes twice
}

// next skips white space and separators and returns the byte there.
func (p *parser) next() byte {
	for strings.IndexByte(" \t\r\n,:", p.text[p.at]) >= 0 {
		p.at++
	}
	return p.text[p.at]
}

func (p *parser) value(v *Value) {
	c := p.next()
	v.Offset = p.at
	switch c {
	case '{':
		v.Kind = Object
		p.fields(v)
	case '[':
		v.Kind = Array
		p.at++
		for p.next() != ']' {
			v.Items = append(v.Items, Value{})
			p.value(&v.Items[len(v.Items)-1])
		}
		p.at++
	case '"':
		v.Kind, v.Text = String, p.str()
	default:
		for p.at < len(p.text) && strings.IndexByte(" \t\r\n,:]}", p.text[p.at]) < 0 {
			p.at++
		}
		switch v.Text = p.text[v.Offset:p.at]; c {
		case 'n':
			v.Kind, v.Text = Null, ""
		case 't', 'f':
			v.Kind = Bool
		default:
			v.Kind = Number
		}
	}
}

func (p *parser) fields(v *Value) {
	const large = 16 // fields, from where on a map finds doubles sooner
	var seen map[string]bool
	p.at++
	for p.next() != '}' {
		at := p.at
		name := p.str()
		if len(v.Fields) == large {
			seen = make(map[string]bool)
			for _, f := range v.Fields {
				seen[f.Name] = true
			}
		}
		if seen[name] || seen == nil && v.Get(name) != nil {
			if p.err == nil {
				p.err = &SyntaxError{Offset: at, Reason: fmt.Sprintf("field %q comes twice in one object", name)}
			}
		}
		if seen != nil {
			seen[name] = true
		}
		v.Fields = append(v.Fields, Field{Name: name})
		p.value(&v.Fields[len(v.Fields)-1].Value)
	}
	p.at++
}

// str reads a string literal.
func (p *parser) str() string {
	start := p.at
	escaped := false
	for p.at++; p.text[p.at] != '"'; p.at++ {
		if p.text[p.at] == '\\' {
			escaped = true
			p.at++
		}
	}
	p.at++
	literal := p.text[start:p.at]
	var s string
	if !escaped && utf8.ValidString(literal) {
		return literal[1 : len(literal)-1]
	}
	// It is a valid literal, or Parse would have stopped.
	_ = json.Unmarshal([]byte(literal), &s)
	return s
}
