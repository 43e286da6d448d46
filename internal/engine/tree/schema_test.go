package tree

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

func TestInfer(t *testing.T) {
	tr := parse(t, `<Plan title="x">
  <Task status="open" name="a" code="aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" step="1"/>
  <Task status="done" name="b" code="aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" step="2"/>
  <Task status="open" name="c" step="3" number="1"><Task status="open" name="d" step="4"/></Task>
  <Meta><Title>t</Title><by>me</by><by>you</by></Meta>
</Plan>`)
	want := &Schema{Root: "Plan", Inferred: true, Types: []Type{
		{Name: "Plan", Key: "title", Fields: []FieldType{{Name: "title", Attribute: true}}, Children: []string{"Task", "Meta"}},
		{Name: "Task", Key: "name", Children: []string{"Task"}, Fields: []FieldType{
			{Name: "status", Attribute: true, Values: []string{"open", "done"}},
			{Name: "name", Attribute: true},
			{Name: "code", Attribute: true},
			{Name: "step", Attribute: true},
			{Name: "number", Attribute: true},
		}},
		{Name: "Meta", Key: "Title", Fields: []FieldType{{Name: "Title"}, {Name: "by", List: true}}},
	}}
	if d := cmp.Diff(want, tr.Schema(), equateEmpty); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	golden.Check(t, "inferred.schema", tr.Schema().Text())
}

func TestSchemaText(t *testing.T) {
	golden.Check(t, "test.schema", testSchema.Text())
	if got := (&Schema{}).Text(); got != "" {
		t.Errorf("a schema without types is %q", got)
	}
}

func TestSchemaLookup(t *testing.T) {
	task, ok := testSchema.Type("TASK")
	if !ok || task.Name != "Task" {
		t.Errorf("got %v, %v, want Task", task, ok)
	}
	if f, ok := task.Field("Due"); !ok || f.Name != "due" {
		t.Errorf("got %v, %v, want due", f, ok)
	}
	if _, ok := task.Field("cost"); ok {
		t.Error("a Task has a cost")
	}
	if _, ok := testSchema.Type("Trip"); ok {
		t.Error("there is a type Trip")
	}
}

const schemaFile = `root: Plan
types:
  - name: Plan
    fields: [{name: title, attribute: true}]
    children: [Day]
  - name: Day
    key: index
    fields:
      - {name: index, attribute: true, required: true}
      - {name: notes, item: note}
      - {name: mood, values: [good, bad]}
`

func TestParseSchema(t *testing.T) {
	s, err := ParseSchema("plan.yaml", []byte(schemaFile))
	try.Do(t, err)
	want := &Schema{Root: "Plan", Types: []Type{
		{Name: "Plan", Fields: []FieldType{{Name: "title", Attribute: true}}, Children: []string{"Day"}},
		{Name: "Day", Key: "index", Fields: []FieldType{
			{Name: "index", Attribute: true, Required: true},
			{Name: "notes", Item: "note", List: true},
			{Name: "mood", Values: []string{"good", "bad"}},
		}},
	}}
	if d := cmp.Diff(want, s); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	_, err = ParseSchema("plan.yaml", []byte(`root: Pln
types:
  - name: Plan
    key: titel
    fields: [{name: title, attribute: true, list: true}, {name: title}, {name: Day}, {name: id, attribute: true}]
    children: [Day, Dya]
  - name: Day
    colour: red
  - name: 1Day
  - name: Day
    fields: [{name: x, item: a b}]
`))
	if err == nil {
		t.Fatal("no error")
	}
	golden.Check(t, "schema_faults.txt", err.Error()+"\n")
	_, err = ParseSchema("plan.yaml", []byte("root: Plan\n"))
	wantError(t, err, "types: is empty")
}

// FuzzParseSchema checks that no file makes the reader panic, and that a
// document can be read and written by every schema that is taken.
func FuzzParseSchema(f *testing.F) {
	f.Add([]byte(schemaFile), `<Plan title="t"><Day index="1"><notes><note>x</note></notes></Day></Plan>`)
	f.Fuzz(func(t *testing.T, data []byte, doc string) {
		s, err := ParseSchema("fuzz.yaml", data)
		if err != nil {
			return
		}
		s.Text()
		tr, err := ParseXML("fuzz", strings.NewReader(doc), XMLOptions{Schema: s})
		if err != nil {
			return
		}
		again := reparse(t, tr, WriteOptions{IDs: true})
		if d := diffNodes(tr.Root(), again.Root()); d != "" {
			t.Errorf("(-before +after):\n%s", d)
		}
	})
}
