package llm

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"recallbench/internal/testkit/try"
)

// TestSchemaLikeLibrary compares verdicts and words with those of a full
// implementation of JSON Schema: repairs repeat the words, and recordings hold
// repairs.
func TestSchemaLikeLibrary(t *testing.T) {
	schemas := []string{
		verdictSchema,
		`{"type": "object", "properties": {"a": {"type": "integer"}, "b/~c": {"type": "boolean"}}, "required": ["a", "b/~c"]}`,
		`{"type": "object", "properties": {"a": {"type": "string", "minLength": 2, "pattern": "^[a-z'\"]+$"}}, "additionalProperties": false}`,
		`{"type": "object", "properties": {"a": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "object", "properties": {"a": {"enum": ["x"]}}, "required": ["a"]}}}}`,
		`{"properties": {"a": {"type": "null"}, "why": {"type": "number", "minimum": -0.5, "maximum": 12}}}`,
	}
	values := []string{
		`{}`, `{"a": 1}`, `{"a": 1.0, "b/~c": true}`, `{"a": 1.5, "b/~c": 0}`, `{"a": "é"}`, `{"a": "ab'\""}`, `{"a": "A'\"\n"}`, `{"a": null, "z": 1}`,
		`{"a": []}`, `{"a": [{"a": "x"}]}`, `{"a": [{"a": "y"}]}`, `{"a": [{}, {"a": "x"}, {"a": 1}]}`, `{"a": [3]}`, `{"x": 1, "y": 2}`,
		`{"why": -1}`, `{"why": -0.75}`, `{"why": 12.25}`, `{"why": 1e2}`, `{"why": {}}`, `{"label": "left", "score": 2, "why": [1, true]}`, `[]`, `"a"`, `null`,
	}
	for _, text := range schemas {
		document := try.Get(jsonschema.UnmarshalJSON(strings.NewReader(text)))(t)
		c := jsonschema.NewCompiler()
		try.Do(t, c.AddResource("schema:reply", document))
		library := try.Get(c.Compile("schema:reply"))(t)
		own := try.Get(parseSchema(text))(t)
		for _, value := range values {
			v := try.Get(jsonschema.UnmarshalJSON(bytes.NewReader([]byte(value))))(t)
			var want, got []string
			if err := library.Validate(v); err != nil {
				want = faultLines(err)
			}
			if err := own.validate([]byte(value)); err != nil {
				got = strings.Split(err.Error(), "; ")
			}
			if !slices.Equal(anyOrder(got), anyOrder(want)) {
				t.Errorf("%s by %s:\n got %q\nwant %q", value, text, got, want)
			}
		}
	}
}

// faultLines returns what the library says, less its first line, which names the
// schema, and the lines that announce others.
func faultLines(err error) (lines []string) {
	for _, line := range strings.Split(err.Error(), "\n")[1:] {
		line = strings.TrimPrefix(strings.TrimSpace(line), "- ")
		if !strings.HasSuffix(line, ": validation failed") {
			lines = append(lines, strings.Replace(line, "at '':", "the object:", 1))
		}
	}
	return lines
}

// anyOrder sorts lines and the words of each: the library goes through properties
// in any order.
func anyOrder(lines []string) []string {
	var all []string
	for _, line := range lines {
		words := strings.Fields(strings.ReplaceAll(line, ",", ""))
		slices.Sort(words)
		all = append(all, strings.Join(words, " "))
	}
	slices.Sort(all)
	return all
}

func TestSchemaFaults(t *testing.T) {
	for text, want := range map[string]string{
		`{"type": "objekt"}`:                   `unknown type "objekt"`,
		`{"properties": {"a": {"maxLen": 1}}}`: `unknown field "maxLen"`,
		`{"pattern": "("}`:                     "missing closing )",
		`{} {}`:                                "something follows",
		`{`:                                    "schema: unexpected EOF",
	} {
		if _, err := parseSchema(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
