package structure_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/engine/structure"
	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// TestTree holds rows and shades to the recorded values.
func TestTree(t *testing.T) {
	dir := filepath.Join(realdata.Fixtures(t), "viewer")
	var want struct {
		XML   string
		Edits []tree.Edit
		Rows  []struct {
			ID     string
			Level  int
			Mark   structure.Mark
			Path   bool
			Ghost  bool
			Fields map[string][]string
		} `json:"want_rows"`
	}
	data := try.Get(os.ReadFile(filepath.Join(dir, "tree.json")))(t)
	try.Do(t, json.Unmarshal(data, &want))
	f := try.Get(os.Open(filepath.Join(dir, filepath.FromSlash(want.XML))))(t)
	defer f.Close()
	before := try.Get(tree.ParseXML("tree.xml", f, tree.XMLOptions{}))(t)
	after := try.Get(before.Apply(want.Edits...))(t)
	got := structure.Tree(before, after, []string{"n6"}, map[string]float64{"n6": 0.5})
	if len(got.Nodes) != len(want.Rows) {
		t.Fatalf("%d rows, want %d: %+v", len(got.Nodes), len(want.Rows), got.Nodes)
	}
	for i, w := range want.Rows {
		n := got.Nodes[i]
		if n.ID != w.ID || n.Level != w.Level || n.Mark != w.Mark || n.Path != w.Path || n.Ghost != w.Ghost || n.About != (n.ID == "n6") || (n.Weight != nil) != n.About {
			t.Errorf("row %d: %+v, want %+v", i, n, w)
		}
		for name, both := range w.Fields {
			if diff := cmp.Diff([][]string{{name, both[0]}}, n.Was); diff != "" {
				t.Errorf("row %d was (-want +got):\n%s", i, diff)
			}
		}
	}
}

// Of a tree that was not changed nothing is marked, and a deleted subtree is a ghost
// as a whole.
func TestTreeDeleted(t *testing.T) {
	before := try.Get(tree.ParseXML("tree", strings.NewReader(`<Root id="r"><Day id="a"><Item id="a1" name="x"/></Day><Day id="b"/></Root>`), tree.XMLOptions{}))(t)
	for _, n := range structure.Tree(nil, before, nil, nil).Nodes {
		if n.Mark != "" || n.Path || n.Ghost {
			t.Errorf("unchanged: %+v", n)
		}
	}
	after := try.Get(before.Apply(tree.Edit{Op: tree.Delete, ID: "a"}))(t)
	var got []string
	for _, n := range structure.Tree(before, after, nil, nil).Nodes {
		got = append(got, n.ID+" "+string(n.Mark))
	}
	try.Equal(t, "", []string{"r ", "a deleted", "a1 deleted", "b "}, got)
}
