package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A schema holds the keywords of JSON Schema that formats of replies use. Any
// other keyword is an error, so that none is ignored.
type schema struct {
	Type       jsonType           `json:"type"`
	Enum       []string           `json:"enum"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Additional *bool              `json:"additionalProperties"`
	Items      *schema            `json:"items"`
	MinItems   int                `json:"minItems"`
	MaxItems   *int               `json:"maxItems"`
	MinLength  int                `json:"minLength"` // in characters
	Pattern    *regexp.Regexp     `json:"pattern"`
	Minimum    *float64           `json:"minimum"`
	Maximum    *float64           `json:"maximum"`
}

// A jsonType is the name of a type in a schema; empty for any.
type jsonType string

const (
	integerType = "integer"
	numberType  = "number"
)

// UnmarshalText refuses names that JSON Schema does not have.
func (t *jsonType) UnmarshalText(text []byte) error {
	types := []string{"array", "boolean", integerType, "null", numberType, "object", "string"}
	if !slices.Contains(types, string(text)) {
		return fmt.Errorf("unknown type %q; have %s", text, strings.Join(types, ", "))
	}
	*t = jsonType(text)
	return nil
}

// parseSchema returns the schema of a text.
func parseSchema(text string) (*schema, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	var s schema
	if err := dec.Decode(&s); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("schema: something follows the object")
	}
	return &s, nil
}

// validate returns what is wrong with the JSON value raw, in order of its place.
func (s *schema) validate(raw []byte) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return err
	}
	if faults := s.faults("", v); len(faults) > 0 {
		return errors.New(strings.Join(faults, "; "))
	}
	return nil
}

// faults returns what is wrong with the value at a JSON pointer.
func (s *schema) faults(at string, v any) (faults []string) {
	report := func(format string, args ...any) {
		place := "the object"
		if at != "" {
			place = "at " + quote(at)
		}
		faults = append(faults, place+": "+fmt.Sprintf(format, args...))
	}
	if got := typeOf(v); s.Type != "" && got != s.Type && !(s.Type == integerType && isInteger(v)) {
		report("got %s, want %s", got, s.Type)
		return faults
	}
	if s.Enum != nil {
		if text, ok := v.(string); !ok || !slices.Contains(s.Enum, text) {
			one := ""
			if len(s.Enum) > 1 {
				one = "one of "
			}
			report("value must be %s%s", one, quoteAll(s.Enum))
			return faults
		}
	}
	switch v := v.(type) {
	case map[string]any:
		if missing := slices.DeleteFunc(slices.Clone(s.Required), func(name string) bool { _, ok := v[name]; return ok }); len(missing) == 1 {
			report("missing property %s", quote(missing[0]))
		} else if len(missing) > 1 {
			report("missing properties %s", quoteAll(missing))
		}
		var additional []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if p, ok := s.Properties[name]; ok {
				faults = append(faults, p.faults(at+"/"+pointerEscapes.Replace(name), v[name])...)
			} else {
				additional = append(additional, name)
			}
		}
		if s.Additional != nil && !*s.Additional && len(additional) > 0 {
			report("additional properties %s not allowed", quoteAll(additional))
		}
	case []any:
		if len(v) < s.MinItems {
			report("minItems: got %d, want %d", len(v), s.MinItems)
		}
		if s.MaxItems != nil && len(v) > *s.MaxItems {
			report("maxItems: got %d, want %d", len(v), *s.MaxItems)
		}
		for i, item := range v {
			if s.Items != nil {
				faults = append(faults, s.Items.faults(at+"/"+strconv.Itoa(i), item)...)
			}
		}
	case string:
		if n := utf8.RuneCountInString(v); n < s.MinLength {
			report("minLength: got %d, want %d", n, s.MinLength)
		}
		if s.Pattern != nil && !s.Pattern.MatchString(v) {
			report("%s does not match pattern %s", quote(v), quote(s.Pattern.String()))
		}
	case json.Number:
		x, _ := v.Float64() // infinite out of range
		if s.Minimum != nil && x < *s.Minimum {
			report("minimum: got %v, want %v", x, *s.Minimum)
		}
		if s.Maximum != nil && x > *s.Maximum {
			report("maximum: got %v, want %v", x, *s.Maximum)
		}
	}
	return faults
}

func typeOf(v any) jsonType {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return numberType
	case string:
		return "string"
	case []any:
		return "array"
	default:
		return "object"
	}
}

func isInteger(v any) bool {
	n, ok := v.(json.Number)
	x, err := n.Float64()
	return ok && err == nil && x == math.Trunc(x)
}

// pointerEscapes writes a name as a part of a JSON pointer.
var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// quote puts a text into single quotes.
func quote(s string) string {
	s = strings.ReplaceAll(strconv.Quote(s), `\"`, `"`)
	return "'" + strings.ReplaceAll(s[1:len(s)-1], "'", `\'`) + "'"
}

func quoteAll(texts []string) string {
	quoted := make([]string, len(texts))
	for i, s := range texts {
		quoted[i] = quote(s)
	}
	return strings.Join(quoted, ", ")
}
