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

// Every fault of a rules file is told with its place, all of them at once.
func TestRulesFaults(t *testing.T) {
	for _, tt := range []struct {
		rules string
		want  []string
	}{
		{"", []string{"gate.yaml:1:1: the file is empty"}},
		{"rules: []\nfail_on: []\nalpha: 5\npairs: 0\n", []string{
			"gate.yaml:1:8: rules: is empty; want at least one",
			"gate.yaml:2:10: fail_on: is empty, so the gate would never fail",
			"gate.yaml:3:8: alpha: is 5, want less than 1",
			"gate.yaml:4:8: pairs: is 0, want at least 1",
		}},
		{"fail_on: [regressions]\nallow: [readers]\nrules:\n  - {colums: [f1], min: 1}\n  - {columns: [f1], better: more, max: yes}\n", []string{
			`gate.yaml:1:11: fail_on[0]: unknown value "regressions"; did you mean "regression"?`,
			`gate.yaml:2:9: allow[0]: unknown value "readers"; did you mean "reader"?`,
			`gate.yaml:4:6: rules[0]: unknown key "colums"; did you mean "columns"?`,
			`gate.yaml:5:29: rules[1].better: unknown value "more"; have higher, lower`,
			`gate.yaml:5:40: rules[1].max: found the text "yes", want a number`,
		}},
		{"rules:\n  - {columns: [f1]}\n  - {columns: [f1], margin: -1, ratio: 0, min: 3, max: 2}\n  - {columns: [f1, latency-p95], categories: ['1'], max: .inf}\n", []string{
			"gate.yaml:2:5: rules[0]: has no bound; want min, max, margin or ratio",
			"gate.yaml:3:48: rules[1].min: is 3, which is above max 2",
			"gate.yaml:3:29: rules[1].margin: is -1, want at least 0",
			"gate.yaml:3:40: rules[1].ratio: is 0, want more than 0",
			"gate.yaml:4:20: rules[2].columns[1]: is latency-p95, which has no values by category",
			"rules[2].max",
		}},
		{"rules:\n  - {columns: [f1, f2], methods: [rga], datasets: [perltqa], models: [max], categories: ['9'], margin: 1}\n", []string{
			`gate.yaml:2:20: rules[0].columns[1]: unknown column "f2"; did you mean "f1"? have f1, tokens, errors, cost,`,
			`gate.yaml:2:35: rules[0].methods[0]: unknown method label "rga"; did you mean "rag"? have rag`,
			`gate.yaml:2:52: rules[0].datasets[0]: unknown dataset "perltqa"; have locomo`,
			`rules[0].models[0]: unknown model label "max"`,
			`rules[0].categories[0]: unknown category "9"; have multi-hop, 1, temporal, 2`,
		}},
		{"rules:\n  - {columns: [f1], ratio: 1.1}\n  - {columns: ['t*'], better: higher, margin: 1}\n", []string{
			"gate.yaml:2:16: rules[0].columns[0]: for f1, higher is better; bound it by margin or min, not by ratio",
			"gate.yaml:3:5: rules[1]: matches nothing: no row has everything that it selects, with a column that it can bound",
		}},
	} {
		_, err := tryCheck(tt.rules, fake{value: plain}, &fake{value: plain})
		if tt.rules == "" {
			_, err = gate.Parse("gate.yaml", nil)
		}
		if err == nil {
			t.Errorf("%s is taken", tt.rules)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s\nhas no %q:\n%v", tt.rules, want, err)
			}
		}
	}
}

// A * stands for any text and everything else for itself.
func TestPatterns(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		want    int
	}{
		{"*", 3}, {"rag", 1}, {"*rag*", 2}, {"rag*", 2}, {"*rag", 1}, {"r*10]?", 1}, {"*a*1*", 1}, {"g*", 1}, {"rag*rag", 0},
	} {
		run := fake{value: plain, methods: []string{"rag", "rag | [10]?", "graph"}}
		r, err := tryCheck("rules: [{columns: [f1], methods: ['"+tt.pattern+"'], min: 0}]\n", run, nil)
		switch {
		case err != nil && tt.want > 0:
			t.Errorf("%s: %v", tt.pattern, err)
		case err == nil && len(r.Outcomes) != tt.want:
			t.Errorf("%s selects %d, want %d", tt.pattern, len(r.Outcomes), tt.want)
		}
	}
}

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

// The schema is as the types are, and allows the default rules and those of this project.
func TestSchema(t *testing.T) {
	text := schema(t)
	golden.Check(t, "../../../../configs/gates/schema.json", string(text))
	c := validate.NewCompiler()
	try.Do(t, c.AddResource("schema.json", try.Get(validate.UnmarshalJSON(bytes.NewReader(text)))(t)))
	s := try.Get(c.Compile("schema.json"))(t)
	own := try.Get(os.ReadFile("../../../configs/gates/ci.yaml"))(t)
	for rules, want := range map[string]bool{gate.DefaultText(): true, string(own): true, "rules: [{columns: [f1]}]": false, "pairs: 0\nrules: [{columns: [f1], min: 1}]": false} {
		var v any
		try.Do(t, yaml.Load([]byte(rules), &v))
		in := try.Get(validate.UnmarshalJSON(bytes.NewReader(try.Get(json.Marshal(v))(t))))(t)
		if err := s.Validate(in); (err == nil) != want {
			t.Errorf("%s: the schema says %v", rules, err)
		}
	}
}
