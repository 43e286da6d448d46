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
	data, err := os.ReadFile(filepath.Join(dir, "tree.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(want.XML)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	before, err := tree.ParseXML("tree.xml", f, tree.XMLOptions{})
	if err != nil {
		t.Fatal(err)
	}
	after, err := before.Apply(want.Edits...)
	if err != nil {
		t.Fatal(err)
	}
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
	before, err := tree.ParseXML("tree", strings.NewReader(`<Root id="r"><Day id="a"><Item id="a1" name="x"/></Day><Day id="b"/></Root>`), tree.XMLOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range structure.Tree(nil, before, nil, nil).Nodes {
		if n.Mark != "" || n.Path || n.Ghost {
			t.Errorf("unchanged: %+v", n)
		}
	}
	after, err := before.Apply(tree.Edit{Op: tree.Delete, ID: "a"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range structure.Tree(before, after, nil, nil).Nodes {
		got = append(got, n.ID+" "+string(n.Mark))
	}
	if diff := cmp.Diff([]string{"r ", "a deleted", "a1 deleted", "b "}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
