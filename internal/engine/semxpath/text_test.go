package semxpath

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/engine/tree"
)

func TestTexts(t *testing.T) {
	day := node("Day",
		node("POI=Museum"), node("Hotel=Hotel Sea"), node("Note"))
	day.Fields = []tree.Field{{Name: "index", Values: []string{"2"}}}
	poi := day.Children[0]
	poi.Fields = append(poi.Fields,
		tree.Field{Name: "description", Values: []string{"Old ships."}},
		tree.Field{Name: "tags", Values: []string{"sea", "rain"}},
		tree.Field{Name: "cost"})
	day.Children[2].Text = "Bring a coat"
	root := newTree(t, node("Plan", day))
	tests := []struct {
		form     TextForm
		day, poi string
	}{
		{
			Fields,
			"Day 2: POI Museum, Hotel Sea, Note",
			"POI Museum; description: Old ships.; tags: sea, rain",
		},
		{
			Subtree,
			"Day 2. POI Museum; description: Old ships.; tags: sea, rain. Hotel Sea. Note; Bring a coat",
			"POI Museum; description: Old ships.; tags: sea, rain",
		},
		{
			Experiment,
			"Day: Day 2 - POI: Museum - Old ships.; Hotel: Hotel Sea; Note: Note",
			"POI: Museum - name: Museum | description: Old ships. | tags: sea, rain",
		},
	}
	for _, test := range tests {
		text, err := test.form.TextOf(nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := text(tree.PathAt(root, 1)); got != test.day {
			t.Errorf("%s: got %q, want %q", test.form, got, test.day)
		}
		if got := text(tree.PathAt(root, 2)); got != test.poi {
			t.Errorf("%s: got %q, want %q", test.form, got, test.poi)
		}
	}
	if _, err := TextForm("field").TextOf(nil); err == nil || !strings.Contains(err.Error(), `did you mean "fields"?`) {
		t.Errorf("got error %v for an unknown form", err)
	}
	many := node("A")
	for range briefNodes + 1 {
		many.Children = append(many.Children, node("B"))
	}
	if got := FieldText([]*tree.Node{many}); !strings.HasSuffix(got, "B, B, ...") || strings.Count(got, "B") != briefNodes {
		t.Errorf("the text of many children is %q", got)
	}
}

// TestExperimentTextOrder writes fields in the order of a schema that was given,
// whatever that of the tree, and leaves out the attribute that numbers or names
// the nodes of a type.
func TestExperimentTextOrder(t *testing.T) {
	const xml = `<List>
<Group name="Work"><about>Research</about>
<Project><name>Thesis</name><deadline>May</deadline><priority>High</priority><Task><status>Done</status><description>Read</description></Task></Project>
</Group>
<Group name="Home"><Project><name>Door</name></Project></Group>
</List>`
	schema, err := tree.ParseSchema("schema.yaml", []byte(`
root: List
types:
  - {name: List, children: [Group]}
  - {name: Group, key: name, fields: [{name: name, attribute: true}, {name: about}], children: [Project]}
  - {name: Project, key: name, fields: [{name: name}, {name: priority}, {name: deadline}], children: [Task]}
  - {name: Task, fields: [{name: description}, {name: status}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	check := func(s *tree.Schema, want ...string) {
		t.Helper()
		read, err := tree.ParseXML("list.xml", strings.NewReader(xml), tree.XMLOptions{Schema: s, Nodes: []string{"Group"}})
		if err != nil {
			t.Fatal(err)
		}
		text, err := Experiment.TextOf(read.Schema())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for at := range tree.Walk(read.Root()) {
			if at > 0 {
				got = append(got, text(tree.PathAt(read.Root(), at)))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("texts (-want +got):\n%s", diff)
		}
	}
	check(schema,
		"Group: Work - about: Research",
		"Project: Thesis - name: Thesis | priority: High | deadline: May",
		"Task: Task - description: Read | status: Done",
		"Group: Home - Project: Door",
		"Project: Door - name: Door")
	check(nil,
		"Group: Work - name: Work | about: Research",
		"Project: Thesis - name: Thesis | deadline: May | priority: High",
		"Task: Task - status: Done | description: Read",
		"Group: Home - name: Home",
		"Project: Door - name: Door")
}
