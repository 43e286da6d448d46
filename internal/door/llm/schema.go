package llm

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"recallbench/internal/calc/lists"
)

// parseSchema returns the JSON Schema of a text. It may refer to nothing outside.
func parseSchema(text string) (*jsonschema.Schema, error) {
	const name = "schema:reply"
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{})
	var schema *jsonschema.Schema
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err == nil {
		err = c.AddResource(name, document)
	}
	if err == nil {
		schema, err = c.Compile(name)
	}
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return schema, nil
}

// validate returns what is wrong with the JSON value raw, in order of its place.
func validate(schema *jsonschema.Schema, raw []byte) error {
	var v any // with numbers of 64 bits: exact ones may have exponents without bounds
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	err := schema.Validate(v)
	e, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return err
	}
	faults := leaves(e)
	slices.SortStableFunc(faults, func(a, b *jsonschema.ValidationError) int {
		return slices.CompareFunc(place(a), place(b), compareSteps)
	})
	texts := lists.Map(faults, func(f *jsonschema.ValidationError) string {
		return strings.Replace(f.Error(), "at '':", "the object:", 1)
	})
	return errors.New(strings.Join(texts, "; "))
}

// leaves returns the errors that have no causes among an error and its causes.
func leaves(e *jsonschema.ValidationError) (all []*jsonschema.ValidationError) {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	for _, cause := range e.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}

// place returns the place of a fault in the order of faults. Properties that an object
// may not have come behind the faults of those that it may, and are sorted.
func place(e *jsonschema.ValidationError) []string {
	if k, ok := e.ErrorKind.(*kind.AdditionalProperties); ok {
		slices.Sort(k.Properties)
		return append(slices.Clip(e.InstanceLocation), "\U0010ffff")
	}
	return e.InstanceLocation
}

// compareSteps orders steps of places: numbers by value, others as texts.
func compareSteps(a, b string) int {
	x, err := strconv.Atoi(a)
	y, err2 := strconv.Atoi(b)
	if err != nil || err2 != nil {
		return strings.Compare(a, b)
	}
	return cmp.Compare(x, y)
}
