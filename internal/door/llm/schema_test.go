package llm

import (
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

// TestSchemaFaultsOfValues: repairs repeat the words, and recordings hold repairs.
func TestSchemaFaultsOfValues(t *testing.T) {
	const list = `{"type": "object", "properties": {"a": {"type": "array", "minItems": 1, "maxItems": 12, "items": {"type": "object", "properties": {"a": {"enum": ["x"]}}, "required": ["a"]}}},
		"additionalProperties": false}`
	const texts = `{"type": "object", "properties": {"a": {"type": "string", "minLength": 2, "pattern": "^[a-z'\"]+$"}, "b/~c": {"type": "boolean"}}, "required": ["a", "b/~c"]}`
	const numbers = `{"properties": {"a": {"type": "integer"}, "b": {"type": "number", "minimum": -0.5, "maximum": 12}, "c": {"enum": ["x", "y'"]}}, "additionalProperties": false}`
	for _, tt := range []struct{ schema, value, want string }{
		{list, `{"a": [{"a": "x"}]}`, ""},
		{list, `[]`, "the object: got array, want object"},
		{list, `{"a": []}`, "at '/a': minItems: got 0, want 1"},
		{
			list, `{"a": [{}, {"a": 1}, 2, {"a": "x"}, {"a": "x"}, {"a": "x"}, {"a": "x"}, {"a": "x"}, {"a": "x"}, {"a": "x"}, 10], "B": 1, "A": 1}`,
			"at '/a/0': missing property 'a'; at '/a/1/a': value must be 'x'; at '/a/2': got number, want object; " +
				"at '/a/10': got number, want object; the object: additional properties 'A', 'B' not allowed",
		},
		{texts, `{}`, "the object: missing properties 'a', 'b/~c'"},
		{texts, `{"a": "é", "b/~c": 0}`, "at '/a': minLength: got 1, want 2; at '/a': 'é' does not match pattern '^[a-z\\'\"]+$'; at '/b~1~0c': got number, want boolean"},
		{texts, `{"a": "ab'\"", "b/~c": true}`, ""},
		{numbers, `{"a": 1.0, "b": -0.5, "c": "y'"}`, ""},
		{numbers, `{"a": 1.5, "b": -0.75, "c": null}`, "at '/a': got number, want integer; at '/b': minimum: got -0.75, want -0.5; at '/c': value must be one of 'x', 'y\\''"},
		{numbers, `{"b": 1e2}`, "at '/b': maximum: got 100, want 12"},
		{numbers, `{"b": 1e-999999999}`, ""},
		{numbers, `{"a": 1e999999999}`, "json: cannot unmarshal number 1e999999999 into Go value of type float64"},
	} {
		got := ""
		if err := validate(try.Get(parseSchema(tt.schema))(t), []byte(tt.value)); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s by %s:\n got %s\nwant %s", tt.value, tt.schema, got, tt.want)
		}
	}
}

func TestSchemaFaults(t *testing.T) {
	for _, text := range []string{`{"type": "objekt"}`, `{"pattern": "("}`, `{} {}`, `{`, `{"$ref": "file:///etc/hosts"}`} {
		if _, err := parseSchema(text); err == nil || !strings.HasPrefix(err.Error(), "schema: ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
