package gate_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	gen "github.com/invopop/jsonschema"
	validate "github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"recallbench/internal/publish/gate"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// schema makes the JSON Schema of rules files from the types and their comments.
func schema(t *testing.T) []byte {
	t.Helper()
	r := &gen.Reflector{Anonymous: true, DoNotReference: true, FieldNameTag: "yaml", RequiredFromJSONSchemaTags: true}
	t.Chdir("../../..") // comments are found by the package's path from the module
	try.Do(t, r.AddGoComments("recallbench", "internal/publish/gate", gen.WithFullComment()))
	t.Chdir("internal/publish/gate")
	r.LookupComment = func(t reflect.Type, name string) string {
		if name == "" {
			return ""
		}
		doc := strings.Join(strings.Fields(r.CommentMap[t.PkgPath()+"."+t.Name()+"."+name]), " ")
		// The comment names the field as Go does; its readers know the key.
		if f, ok := t.FieldByName(name); ok {
			if rest, ok := strings.CutPrefix(doc, name+" "); ok {
				doc = f.Tag.Get("yaml") + " " + rest
			}
		}
		return doc
	}
	r.Mapper = func(t reflect.Type) *gen.Schema {
		v, ok := reflect.TypeAssert[interface{ Values() []string }](reflect.Zero(t))
		if !ok || t.Kind() != reflect.String {
			return nil
		}
		s := &gen.Schema{Type: "string"}
		for _, name := range v.Values() {
			s.Enum = append(s.Enum, name)
		}
		return s
	}
	s := r.Reflect(gate.Rules{})
	s.ID, s.Title, s.Required = "", "Rules of a gate of recallbench", []string{"rules"}
	property := func(s *gen.Schema, key string) *gen.Schema {
		p, ok := s.Properties.Get(key)
		if !ok {
			t.Fatalf("no key %s", key)
		}
		return p
	}
	property(s, "fail_on").MinItems = new(uint64(1))
	property(s, "rules").MinItems = new(uint64(1))
	rule := property(s, "rules").Items
	rule.Required = []string{"columns"}
	property(rule, "columns").MinItems = new(uint64(1))
	for _, bound := range []string{"min", "max", "margin", "ratio"} {
		rule.AnyOf = append(rule.AnyOf, &gen.Schema{Required: []string{bound}})
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	try.Do(t, enc.Encode(s))
	return b.Bytes()
}

// The schema is as the types are, and refuses what Parse refuses, as far as a schema
// can.
func TestSchema(t *testing.T) {
	text := schema(t)
	golden.Check(t, "../../../../configs/gates/schema.json", string(text))
	doc := try.Get(validate.UnmarshalJSON(bytes.NewReader(text)))(t)
	c := validate.NewCompiler()
	try.Do(t, c.AddResource("schema.json", doc))
	s := try.Get(c.Compile("schema.json"))(t)
	own := try.Get(os.ReadFile("../../../configs/gates/ci.yaml"))(t)
	for _, tt := range []struct {
		rules string
		want  bool
	}{
		{gate.DefaultText(), true},
		{string(own), true},
		{"unit: sample\ncorrect: none\nallow: [k]\nrules: [{columns: [f1], max: 2, warn: true, models: [a], categories: ['1']}]", true},
		{"rules: []", false},
		{"fail_on: []\nrules: [{columns: [f1], min: 1}]", false},
		{"alpha: 1\nrules: [{columns: [f1], min: 1}]", false},
		{"pairs: 0\nrules: [{columns: [f1], min: 1}]", false},
		{"rules: [{columns: [f1]}]", false},
		{"rules: [{min: 1}]", false},
		{"rules: [{columns: [], min: 1}]", false},
		{"rules: [{columns: [f1], margin: -1}]", false},
		{"rules: [{columns: [tokens], ratio: 0}]", false},
		{"rules: [{columns: [f1], min: 1, better: up}]", false},
		{"rules: [{columns: [f1], min: 1, method: [a]}]", false},
		{"allow: [reeder]\nrules: [{columns: [f1], min: 1}]", false},
	} {
		if _, err := gate.Parse("gate.yaml", []byte(tt.rules)); (err == nil) != tt.want {
			t.Errorf("%s: Parse says %v", tt.rules, err)
		}
		var v any
		try.Do(t, yaml.Load([]byte(tt.rules), &v))
		data := try.Get(json.Marshal(v))(t)
		in := try.Get(validate.UnmarshalJSON(bytes.NewReader(data)))(t)
		if err := s.Validate(in); (err == nil) != tt.want {
			t.Errorf("%s: the schema says %v", tt.rules, err)
		}
	}
}
