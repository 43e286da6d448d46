package tree

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"recallbench/internal/testkit/try"
)

var equateEmpty = cmp.Options{cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(Node{})}

// Edits of a diff turn one version into the other, and back.
func TestDiffReplays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := genTree(t)
		b := a
		for _, e := range genEdits(t, a, rapid.IntRange(0, 10).Draw(t, "edits")) {
			if next, err := b.Apply(e); err == nil {
				b = next
			}
		}
		for range 2 {
			replay(t, a, b)
			a, b = b, a
		}
		replay(t, a, plantTree(t, b.Root(), testSchema)) // nothing shared
	})
}

func replay(t *rapid.T, a, b *Tree) {
	edits := Diff(a, b)
	got, err := a.Apply(edits...)
	if err != nil {
		t.Fatalf("%v\n%+v", err, edits)
	}
	if d := diffNodes(b.Root(), got.Root()); d != "" {
		t.Fatalf("after %+v (-want +got):\n%s", edits, d)
	}
	checkTree(t, got)
}

// Ids may also stand for other nodes, of any type and at any place.
func TestDiffReplaysAnyIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := genTree(t)
		d := genDraft(t, testSchema, "Plan", 4)
		ids := []string{"n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9", "n10", "n11", "n12"}
		ids = rapid.Permutation(ids).Draw(t, "ids")
		var name func(n *Node)
		name = func(n *Node) {
			for _, c := range n.Children {
				if len(ids) > 0 {
					c.ID, ids = ids[0], ids[1:]
				}
				name(c)
			}
		}
		name(d)
		d.ID = "n1"
		replay(t, a, plantTree(t, d, testSchema))
	})
}

func TestDiffIsSmall(t *testing.T) {
	tr := parse(t, editDocument)
	for _, edits := range [][]Edit{
		{},
		{{Op: Delete, ID: "d1"}},
		{{Op: Move, ID: "a", Parent: "d1", At: 2}},
		{{Op: Move, ID: "c", Parent: "d1", At: 0}},
		{{Op: Move, ID: "d2", Parent: "p", At: 0}},
		{{Op: Update, ID: "b", Set: []Field{{"cost", []string{"9"}}}}},
		{{Op: Update, ID: "b", Unset: []string{"cost"}}},
		{{Op: Update, ID: "n7", Text: new("now")}},
		{{Op: Create, Parent: "d1", At: 1, Node: &Node{Type: "POI", ID: "n8"}}},
		{{Op: Create, Parent: "p", At: 2, Node: &Node{Type: "Day", ID: "n8", Children: []*Node{{Type: "POI", ID: "n9"}}}}},
	} {
		next := try.Get(tr.Apply(edits...))(t)
		if d := cmp.Diff(edits, Diff(tr, next), equateEmpty); d != "" {
			t.Errorf("(-made +found):\n%s", d)
		}
	}
	other := parse(t, `<Plan id="q"/>`)
	if _, err := tr.Apply(Diff(tr, other)...); err == nil {
		t.Error("another root was reached by edits")
	}
}
