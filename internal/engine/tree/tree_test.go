package tree

import (
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	for _, test := range []struct{ doc, want string }{
		{"<a/>", "a"},
		{"<a index='2'/>", "a 2"},
		{"<a number='3'/>", "a 3"},
		{"<a index='2' label='l'/>", "l"},
		{"<a label='l' Title='t'/>", "t"},
		{"<a title='t' name='n'/>", "n"},
		{"<a title='t' name=''/>", "t"},
	} {
		if got := parse(t, test.doc).Root().Name(); got != test.want {
			t.Errorf("%s: got name %q, want %q", test.doc, got, test.want)
		}
	}
	tr := parse(t, editDocument)
	if got, want := Label(tr.Path("b")), "Plan > Day 1 > B"; got != want {
		t.Errorf("got label %q, want %q", got, want)
	}
}

func TestField(t *testing.T) {
	n := &Node{Fields: []Field{{"Cost", []string{"1"}}, {"cost", []string{"2", "3"}}, {"none", nil}}}
	for name, want := range map[string]string{"Cost": "1", "cost": "2, 3", "COST": "1", "none": ""} {
		if got, ok := n.Field(name); !ok || got != want {
			t.Errorf("field %s: got %q, %v, want %q", name, got, ok, want)
		}
	}
	if _, ok := n.Field("price"); ok {
		t.Error("there is a field price")
	}
}

// Nodes of one schema may also be summed up in few words.
func TestSummarise(t *testing.T) {
	tr := parse(t, editDocument)
	sum := func(want string, edits ...Edit) {
		t.Helper()
		if got := Summarise(tr, edits); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	sum("")
	sum("", Edit{Op: Delete, ID: "nowhere"})
	sum("Deleted: Plan > Day 1 > A", Edit{Op: Delete, ID: "a"}, Edit{Op: Delete, ID: "a"})
	sum("Created: Plan > Day 1 > POI", Edit{Op: Create, Parent: "d1", Node: &Node{Type: "POI"}})
	sum("Moved: Plan > Day 1 > A -> place 3 of 3", Edit{Op: Move, ID: "a", Parent: "d1", At: -1})
	sum("Updated: Plan > Day 1 > A: cost: 1 -> none, name: A -> B", Edit{
		Op: Update, ID: "a", Unset: []string{"cost", "name"}, Set: []Field{{"name", []string{"B"}}},
	})
	sum("Updated: Plan > Day 1 > A: as it was", Edit{Op: Update, ID: "a", Set: []Field{{"cost", []string{"1"}}}})
	sum("Updated: Plan > Day 2 > Note: text: x -> "+strings.Repeat("é", 80)+"...",
		Edit{Op: Update, ID: "n7", Text: new(strings.Repeat("é", 90))})
	var many []Edit
	for range 7 {
		many = append(many, Edit{Op: Create, Parent: "d1", Node: &Node{Type: "POI"}})
	}
	sum(strings.Repeat("Created: Plan > Day 1 > POI; ", 5)+"and 2 more", many...)
	two := parse(t, `<P id="p"><D id="d" index="1"><A id="a"/></D><D id="e" index="2"><A/></D></P>`)
	if got, want := Summarise(two, []Edit{{Op: Move, ID: "a", Parent: "e"}}), "Moved: P > D 1 > A -> P > D 2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
