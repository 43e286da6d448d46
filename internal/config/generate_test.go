package config_test

import (
	"encoding"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	gen "github.com/invopop/jsonschema"

	"recallbench/datasets"
	"recallbench/internal/backend"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	metricsuite "recallbench/metrics/suite"
)

// generate makes the schema from the types of the config and the options, with
// the comments of their fields.
func generate(t *testing.T) *gen.Schema {
	t.Helper()
	r := newReflector(t)
	p := suite.Plugins()
	s := r.Reflect(config.File{})
	s.ID = ""
	s.Title = "Run file of recallbench"
	s.AnyOf = []*gen.Schema{{Required: []string{"datasets", "methods"}}, {Required: []string{"extends"}}}
	s.Definitions = gen.Definitions{}

	property := func(key string) *gen.Schema {
		v, ok := s.Properties.Get(key)
		if !ok {
			t.Fatalf("no key %q", key)
		}
		return v
	}
	r.entries(s, "datasets", lists.Map(p.Datasets, func(d *datasets.Spec) plugin { return plugin{d.Name, d.Doc, d.Options} }))
	r.entries(s, "methods", lists.Map(p.Methods, func(m *methods.Spec) plugin { return plugin{m.Name, m.Doc, m.Options} }))
	r.entries(s, "models", lists.Map(p.Models, func(m *backend.Spec) plugin { return plugin{m.Name, m.Doc, m.Options} }))
	property("models").Default = []map[string]string{{"use": "stand-in"}}

	r.judges(property("judges"), property("models"), p.Judges)

	property("seeds").Items.Maximum = "18446744073709551615"
	s.Not = &gen.Schema{Required: []string{"seed", "seeds"}}
	sweeps(s)
	property("metrics").Items = metricItems()
	property("published").Items = &gen.Schema{Type: "string", Enum: anys(p.Published)}
	for _, key := range []string{"datasets", "methods", "models", "metrics", "published"} {
		orOne(s, key, property(key))
	}
	return s
}

// orOne lets an entry stand for the list that has it alone.
func orOne(s *gen.Schema, key string, list *gen.Schema) {
	name := key + ".entry"
	s.Definitions[name] = list.Items
	whole := *list
	whole.Description, whole.Default, whole.Items = "", nil, &gen.Schema{Ref: "#/$defs/" + name}
	*list = gen.Schema{Description: list.Description, Default: list.Default, AnyOf: []*gen.Schema{&whole, whole.Items}}
}

// sweeps fills in the keys that make lists, whose types Go does not say.
func sweeps(s *gen.Schema) {
	matrix, _ := s.Properties.Get("matrix")
	s.Properties.Set("matrix", &gen.Schema{
		Description: matrix.Description, Type: "object", PropertyNames: &gen.Schema{Pattern: `^(datasets|methods|models)\b`},
		AdditionalProperties: &gen.Schema{AnyOf: []*gen.Schema{{Type: "array", MinItems: new(uint64(1)), UniqueItems: true}, {Type: "object"}}},
	})
	exclude, _ := s.Properties.Get("exclude")
	for key := exclude.Items.Properties.Oldest(); key != nil; key = key.Next() {
		items := &gen.Schema{Type: "string"}
		if key.Key == "seed" {
			items = &gen.Schema{Type: "integer", Minimum: "0", Maximum: "18446744073709551615"}
		}
		list := &gen.Schema{Type: "array", Items: items, MinItems: new(uint64(1)), UniqueItems: true}
		key.Value = &gen.Schema{AnyOf: []*gen.Schema{items, list}, Description: key.Value.Description}
	}
	exclude.Items.MinProperties = new(uint64(1))
}

func metricItems() *gen.Schema {
	var names, ranked []string
	docs := []string{"A metric, with its dialect."}
	for _, m := range metricsuite.All() {
		names = append(names, m.Name)
		docs = append(docs, m.Name+": "+m.Doc)
		if m.At != nil {
			ranked = append(ranked, regexp.QuoteMeta(m.Name))
		}
	}
	return &gen.Schema{Type: "string", Description: strings.Join(docs, "\n"), AnyOf: []*gen.Schema{{Enum: anys(names)}, {Pattern: "^(" + strings.Join(ranked, "|") + ")@[1-9][0-9]*$"}}}
}

func anys(names []string) []any { return lists.Map(names, func(name string) any { return name }) }

// A plugin is what an entry may use.
type plugin struct {
	name, doc string
	options   any
}

// A reflector makes schemas of Go types.
type reflector struct{ *gen.Reflector }

func newReflector(t *testing.T) reflector {
	t.Helper()
	r := reflector{&gen.Reflector{
		Anonymous:                  true,
		DoNotReference:             true,
		FieldNameTag:               "yaml",
		RequiredFromJSONSchemaTags: true,
	}}
	t.Chdir("../..") // comments are found by the package's path from the module
	try.Do(t, r.AddGoComments("recallbench", ".", gen.WithFullComment()))
	t.Chdir("internal/config")
	r.LookupComment = func(t reflect.Type, name string) string {
		if name == "" {
			return ""
		}
		doc := strings.Join(strings.Fields(r.CommentMap[t.PkgPath()+"."+t.Name()+"."+name]), " ")
		// The comment names the field as Go does; its readers know the key.
		if f, ok := t.FieldByName(name); ok {
			key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			if rest, ok := strings.CutPrefix(doc, name+" "); ok && key != "" {
				doc = key + " " + rest
			}
		}
		return doc
	}
	r.Mapper = func(t reflect.Type) *gen.Schema {
		if v, ok := reflect.TypeAssert[interface{ Values() []string }](reflect.Zero(t)); ok && t.Kind() == reflect.String {
			return &gen.Schema{Type: "string", Enum: anys(v.Values())}
		}
		switch {
		case t == reflect.TypeFor[time.Duration]():
			return &gen.Schema{Type: "string", Pattern: `^-?([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+$|^0$`}
		case t == reflect.TypeFor[time.Time]():
			return &gen.Schema{Type: "string", Format: "date-time"}
		case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
			return &gen.Schema{Type: "string"}
		case t.Kind() >= reflect.Uint && t.Kind() <= reflect.Uint64:
			return &gen.Schema{Type: "integer", Minimum: "0"}
		}
		return nil
	}
	return r
}

// entries fills in what entries of a list may use, with the options of each.
func (r reflector) entries(s *gen.Schema, list string, plugins []plugin) {
	l, _ := s.Properties.Get(list)
	item := l.Items
	for _, key := range []string{"optional", "errata", "answer_key", "key_options"} {
		if list != "datasets" {
			item.Properties.Delete(key)
		}
	}
	if list != "methods" {
		item.Properties.Delete("variant_of")
	}
	text := &gen.Schema{Type: "string", Description: "A file that holds one entry; a relative name starts at the folder of the run file."}
	if list != "models" {
		text = &gen.Schema{Type: "string", Enum: lists.Map(plugins, func(p plugin) any { return p.name }), Description: "The entry that uses it, without options."}
	}
	l.Items = &gen.Schema{AnyOf: []*gen.Schema{item, text}}
	use, _ := item.Properties.Get("use")
	for _, p := range plugins {
		use.Enum = append(use.Enum, p.name)
		use.Description += "\n" + p.name + ": " + p.doc
		is := gen.NewProperties()
		is.Set("use", &gen.Schema{Const: p.name})
		options := gen.NewProperties()
		then := &gen.Schema{Properties: options}
		if p.options == nil {
			options.Set("options", gen.FalseSchema)
		} else {
			name := list + "." + p.name
			s.Definitions[name] = r.options(p)
			options.Set("options", &gen.Schema{Ref: "#/$defs/" + name})
			if v, ok := p.options.(interface{ Validate() error }); ok && v.Validate() != nil {
				then.Required = []string{"options"}
			}
		}
		item.AllOf = append(item.AllOf, &gen.Schema{If: &gen.Schema{Properties: is, Required: []string{"use"}}, Then: then})
	}
}

// judges gives a judge's model the schema of an entry of models.
func (r reflector) judges(judges, models *gen.Schema, profiles []string) {
	item := judges.Items
	profile, _ := item.Properties.Get("profile")
	profile.Enum = anys(profiles)
	model, _ := item.Properties.Get("model")
	item.Properties.Set("model", &gen.Schema{AnyOf: models.Items.AnyOf, Description: model.Description})
}

// options describes the options of a plug-in, with their defaults.
func (r reflector) options(p plugin) *gen.Schema {
	s := r.Reflect(p.options)
	s.Version, s.Description = "", p.name+": "+p.doc
	setDefaults(s, reflect.ValueOf(p.options))
	return s
}

func setDefaults(s *gen.Schema, x reflect.Value) {
	for _, f := range strictyaml.Fields(x.Type()) {
		p, ok := s.Properties.Get(f.Key)
		if !ok {
			continue
		}
		value := x.FieldByIndex(f.Index)
		if value.Kind() == reflect.Map {
			describeEntries(p, value.Type())
		}
		switch {
		case p.Properties != nil && value.Kind() == reflect.Struct:
			setDefaults(p, value)
		case value.Kind() == reflect.Slice && value.IsNil():
			p.Default = []any{}
		case value.Kind() == reflect.Map && value.IsNil():
			p.Default = map[string]any{}
		case value.Type() == reflect.TypeFor[time.Duration]():
			p.Default = value.Interface().(time.Duration).String()
		default:
			p.Default = value.Interface()
		}
	}
}

// describeEntries adds to the schema of a map the keys that its type lists, and
// the defaults that its entries set themselves.
func describeEntries(s *gen.Schema, t reflect.Type) {
	if m, ok := reflect.TypeAssert[interface{ Keys() []string }](reflect.Zero(t)); ok {
		s.PropertyNames = &gen.Schema{Enum: anys(m.Keys())}
	}
	if e, ok := reflect.TypeAssert[interface{ Defaults() any }](reflect.Zero(t.Elem())); ok && s.AdditionalProperties != nil {
		setDefaults(s.AdditionalProperties, reflect.ValueOf(e.Defaults()))
	}
}
