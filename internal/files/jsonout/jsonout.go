// Package jsonout writes JSON as people and other programs read it: without the
// escapes for HTML that encoding/json has by default.
package jsonout

import (
	"encoding/json"
	"io"
)

// NewEncoder returns an encoder that escapes nothing for HTML.
func NewEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

// Lines writes a line for each value.
func Lines[T any](w io.Writer, values ...T) error { return Encode(NewEncoder(w), values...) }

// Encode writes values by an encoder, one after another.
func Encode[T any](enc *json.Encoder, values ...T) error {
	for _, v := range values {
		if err := enc.Encode(v); err != nil {
			return err
		}
	}
	return nil
}

// Indented writes a value with two blanks for each level.
func Indented(w io.Writer, v any) error {
	enc := NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
