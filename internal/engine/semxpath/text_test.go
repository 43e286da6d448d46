package semxpath

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

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
		form     string
		text     TextOf
		day, poi string
	}{
		{
			"fields", FieldText,
			"Day 2: POI Museum, Hotel Sea, Note",
			"POI Museum; description: Old ships.; tags: sea, rain",
		},
		{
			"experiment", experimentText(nil),
			"Day: Day 2 - POI: Museum - Old ships.; Hotel: Hotel Sea; Note: Note",
			"POI: Museum - name: Museum | description: Old ships. | tags: sea, rain",
		},
	}
	for _, test := range tests {
		if got := test.text(tree.PathAt(root, 1)); got != test.day {
			t.Errorf("%s: got %q, want %q", test.form, got, test.day)
		}
		if got := test.text(tree.PathAt(root, 2)); got != test.poi {
			t.Errorf("%s: got %q, want %q", test.form, got, test.poi)
		}
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
		text := experimentText(read.Schema())
		var got []string
		for at := range tree.Walk(read.Root()) {
			if at > 0 {
				got = append(got, text(tree.PathAt(read.Root(), at)))
			}
		}
		if diff := gocmp.Diff(want, got); diff != "" {
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

// experimentText returns the form that writes a node as the premises of the
// authors' recorded experiments: type, name and fields, or for a node that has
// no fields but the one that numbers it, its children with their descriptions.
//
//	POI: CN Tower - name: CN Tower | time_block: 9:00 AM | highlights: View, Lift
//	Day: Day 2 - POI: CN Tower - A tower.; Restaurant: Alo - Small plates.
//
// Fields come in the order of the schema, as in the experiments, without the
// attribute that is the key of the type. Without a schema, or with one that was
// inferred, they come as they stand in the tree.
func experimentText(s *tree.Schema) TextOf {
	return func(path []*tree.Node) string {
		n := path[len(path)-1]
		fields := experimentFields(n, s)
		var parts []string
		between := " | "
		if len(fields) == 0 {
			between = "; "
			for _, c := range n.Children {
				part := c.Type + ": " + c.Name()
				if d, ok := c.Field("description"); ok && d != "" {
					part += " - " + d
				}
				parts = append(parts, part)
			}
		}
		for _, f := range fields {
			if v := f.Value(); v != "" {
				parts = append(parts, f.Name+": "+v)
			}
		}
		text := n.Type + ": " + n.Name()
		if len(parts) > 0 {
			text += " - " + strings.Join(parts, between)
		}
		return text
	}
}

// experimentFields returns the fields that experimentText writes.
func experimentFields(n *tree.Node, s *tree.Schema) []tree.Field {
	if len(n.Fields) == 1 && n.Name() == n.Type+" "+n.Fields[0].Value() {
		return nil
	}
	if s == nil || s.Inferred {
		return n.Fields
	}
	t, ok := s.Type(n.Type)
	if !ok {
		return n.Fields
	}
	place := func(f tree.Field) int {
		return slices.IndexFunc(t.Fields, func(of tree.FieldType) bool { return strings.EqualFold(of.Name, f.Name) })
	}
	fields := slices.DeleteFunc(slices.Clone(n.Fields), func(f tree.Field) bool {
		i := place(f)
		return i >= 0 && t.Fields[i].Attribute && strings.EqualFold(f.Name, t.Key)
	})
	slices.SortStableFunc(fields, func(a, b tree.Field) int { return cmp.Compare(place(a), place(b)) })
	return fields
}
