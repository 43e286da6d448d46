// Package jsontree reads JSON into a tree that knows the position of each value
// in the file, so that a fault in the data can be named by line and path.
//
// It keeps the order of an object's fields, and rejects an object with a
// duplicate field: encoding/json would silently drop the first.
package jsontree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
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

// kinds are the kinds of values by what begins them.
var kinds = map[jsontext.Kind]Kind{'n': Null, 't': Bool, 'f': Bool, '0': Number, '"': String, '[': Array, '{': Object}

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

// Parse reads the one JSON value in data. Its error is a [*SyntaxError].
func Parse(data []byte) (*Value, error) {
	p := parser{data, newDecoder(bytes.NewBuffer(data), false)}
	v := new(Value)
	if err := p.value(v); err != nil {
		return nil, syntaxError(err, len(data))
	}
	if at := p.next(); at < len(data) {
		after, _ := utf8.DecodeRune(data[at:])
		return nil, &SyntaxError{at, fmt.Sprintf("invalid character %q after top-level value", after)}
	}
	return v, nil
}

// newDecoder returns a decoder that takes what encoding/json takes, an object that has a
// field twice only if it is told to.
func newDecoder(r io.Reader, twice bool) *jsontext.Decoder {
	return jsontext.NewDecoder(r, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(twice))
}

// syntaxError says what is wrong with a text that ends at an offset; nil if its reader failed.
func syntaxError(err error, end int) *SyntaxError {
	se, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, io.EOF):
		return &SyntaxError{Reason: "not JSON: it is empty"}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &SyntaxError{end, "unexpected end of JSON input; the file is cut off"}
	case !ok:
		return nil
	case errors.Is(err, jsontext.ErrDuplicateName):
		return &SyntaxError{int(se.ByteOffset), fmt.Sprintf("field %q comes twice in one object", se.JSONPointer.LastToken())}
	}
	return &SyntaxError{int(se.ByteOffset), se.Err.Error()}
}

// separators stand before a value or a bracket that closes one.
const separators = " \t\r\n,:"

// A parser makes a tree of what a decoder reads of a text.
type parser struct {
	text    []byte
	decoder *jsontext.Decoder
}

// next returns the offset of the next value or bracket.
func (p *parser) next() int {
	rest := p.text[p.decoder.InputOffset():]
	return len(p.text) - len(bytes.TrimLeft(rest, separators))
}

func (p *parser) value(v *Value) error {
	v.Offset = p.next()
	token, err := p.decoder.ReadToken()
	if err != nil {
		return err
	}
	v.Kind = kinds[token.Kind()]
	switch v.Kind {
	case Object:
		for p.decoder.PeekKind() != '}' {
			name, err := p.decoder.ReadToken()
			if err != nil {
				return err
			}
			v.Fields = append(v.Fields, Field{Name: name.String()})
			if err := p.value(&v.Fields[len(v.Fields)-1].Value); err != nil {
				return err
			}
		}
		_, err = p.decoder.ReadToken()
	case Array:
		for p.decoder.PeekKind() != ']' {
			v.Items = append(v.Items, Value{})
			if err := p.value(&v.Items[len(v.Items)-1]); err != nil {
				return err
			}
		}
		_, err = p.decoder.ReadToken()
	case Bool, Number, String:
		v.Text = token.String()
	case Null:
	}
	return err
}
