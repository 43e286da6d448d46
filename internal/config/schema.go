package config

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"recallbench/internal/files/strictyaml"
)

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema of run files, for editors: with the line
//
//	# yaml-language-server: $schema=schema.json
//
// they complete keys, show what they mean and mark faults. It knows the options
// of every plug-in. A test keeps it current, go test ./internal/config -update writes
// it. What a schema cannot say, such as a bound that depends on another
// option, only [Load] checks.
func Schema() []byte { return slices.Clone(schema) }

// An Option is one option of a plug-in.
type Option struct {
	Key     string   `json:"key"`              // with those it lies within, such as "chunk.size"
	Doc     string   `json:"doc"`              // as a continuation of the key: "the number of chunks", "says how ..."
	Type    string   `json:"type"`             // as the JSON Schema names it
	Values  []string `json:"values,omitempty"` // of an enumeration
	Default any      `json:"default"`
}

// A property is the part of a schema that describes a key.
type property struct {
	Description string              `json:"description"`
	Type        string              `json:"type"`
	Enum        []string            `json:"enum"`
	Default     any                 `json:"default"`
	Properties  map[string]property `json:"properties"`
}

// definitions are the schemas of options, by list and plug-in.
var definitions = sync.OnceValues(readDefinitions)

func readDefinitions() (map[string]property, error) {
	var s struct {
		Defs map[string]property `json:"$defs"`
	}
	err := json.Unmarshal(schema, &s)
	return s.Defs, err
}

// Describe returns the options of a plug-in, in the order of the source: list
// is a key of a config such as "methods", options are the plug-in's default
// ones. A plug-in that the schema does not know has options without a Doc.
func Describe(list, name string, options any) ([]Option, error) {
	defs, err := definitions()
	if err != nil {
		return nil, fmt.Errorf("configs: schema: %w", err)
	}
	if options == nil {
		return nil, nil
	}
	return describe(nil, "", reflect.TypeOf(options), defs[list+"."+name]), nil
}

func describe(options []Option, prefix string, t reflect.Type, p property) []Option {
	for _, f := range strictyaml.Fields(t) {
		inner, key := p.Properties[f.Key], prefix+f.Key
		if ft := t.FieldByIndex(f.Index).Type; len(inner.Properties) > 0 && ft.Kind() == reflect.Struct {
			options = describe(options, key+".", ft, inner)
			continue
		}
		options = append(options, Option{Key: key, Doc: continuation(f.Key, inner.Description), Type: inner.Type, Values: inner.Enum, Default: inner.Default})
	}
	return options
}

// continuation returns a description without the key that it begins with.
func continuation(key, doc string) string {
	rest, ok := strings.CutPrefix(doc, key+" ")
	if !ok {
		return doc
	}
	for _, verb := range []string{"is ", "are "} {
		if predicate, ok := strings.CutPrefix(rest, verb); ok {
			return predicate
		}
	}
	return rest
}
