// Package strictyaml decodes a YAML file into Go values and finds all faults at
// once.
//
// [Parse] reads one document and rejects what no run file needs: a second document,
// encodings other than UTF-8, nesting or aliases beyond a limit. [Document.Set]
// changes it as a command line says. [Value.Decode] fills a Go value over its
// defaults. Unknown keys, duplicate keys, values of another type and values that the
// type's own Validate rejects are faults. They are collected in the document, and
// [Document.Err] returns them in the order of the file:
//
//	quickstart.yaml:8:33: methods[2].options: unknown key "kk"; did you mean "k"? have chunk, k, ranking
//
// The package uses the nodes of go.yaml.in/yaml, whose own decoder with known
// fields also reports several faults, but in terms of Go types and without the
// allowed values.
//
// Scalars are read as YAML 1.2 and JSON Schema read them, not as YAML 1.1 does:
// yes and no are texts, 010 is not a number, and a text that looks like a number
// wants quotes.
//
// # Types
//
// Decode knows structs, slices, maps with text keys, pointers, texts, booleans,
// numbers, [time.Duration] and types that implement [encoding.TextUnmarshaler]. A
// field's key is its yaml tag, or its name in lowercase; a struct field
// tagged inline lends its keys. A list or map in the file replaces the default one. A
// struct is decoded over its default, and an entry of a map over what the method
// Defaults() any of its type returns. A field of interface type is left as it is, for
// the caller to decode by what the rest says; a map with entries of interface type
// takes any values. Any other type is the caller's mistake and panics.
//
// The bounds minimum, maximum, exclusiveMinimum and exclusiveMaximum of a number's
// jsonschema tag are checked where the document has the number.
//
// A text type with a method Values() []string is an enumeration. A type with a
// method Validate() error checks itself. An error that begins with the path of
// a field, as in "chunk.size is 0, want at least 1", is a fault of that field;
// errors.Join reports several.
package strictyaml
