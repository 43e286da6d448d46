package tree

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/testkit/golden"
)

func TestInfer(t *testing.T) {
	tr := parse(t, `<Plan title="x">
  <Task status="open" name="a" code="aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" step="1"/>
  <Task status="done" name="b" code="aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" step="2"/>
  <Task status="open" name="c" step="3" number="1"><Task status="open" name="d" step="4"/></Task>
  <Meta><Title>t</Title><by>me</by><by>you</by></Meta>
</Plan>`)
	want := &Schema{Root: "Plan", Types: []Type{
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
	task := testSchema.Type("TASK")
	if task == nil || task.Name != "Task" {
		t.Fatalf("got %v, want Task", task)
	}
	if f := task.Field("Due"); f == nil || f.Name != "due" {
		t.Errorf("got %v, want due", f)
	}
	if f, typ := task.Field("cost"), testSchema.Type("Trip"); f != nil || typ != nil {
		t.Errorf("got %v and %v, which the schema does not have", f, typ)
	}
}
