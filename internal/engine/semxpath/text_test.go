package semxpath

import (
	"strings"
	"testing"

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
			"experiment", experimentText,
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

// experimentText returns the form that writes a node as the premises of the
// authors' recorded experiments: type, name and fields, or for a node that has
// no fields but the one that numbers it, its children with their descriptions.
//
//	POI: CN Tower - name: CN Tower | time_block: 9:00 AM | highlights: View, Lift
//	Day: Day 2 - POI: CN Tower - A tower.; Restaurant: Alo - Small plates.
func experimentText(path []*tree.Node) string {
	n := path[len(path)-1]
	fields := n.Fields
	var parts []string
	between := " | "
	if len(fields) == 1 && n.Name() == n.Type+" "+fields[0].Value() {
		fields, between = nil, "; "
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
