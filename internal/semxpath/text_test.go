package semxpath

import (
	"strings"
	"testing"

	"recallbench/internal/tree"
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
		text, err := test.form.TextOf()
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
	if _, err := TextForm("field").TextOf(); err == nil || !strings.Contains(err.Error(), `did you mean "fields"?`) {
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
