package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/try"
)

// TestTrees checks the examples of xpath.md: both styles say the same, the
// schema is shown as it is in prompts, and so are the versions.
func TestTrees(t *testing.T) {
	page := try.Get(os.ReadFile("xpath.md"))(t)
	blocks := map[string][]string{}
	for _, m := range regexp.MustCompile("(?m)^```(\\w*)\n((?s:.*?))^```$").FindAllStringSubmatch(string(page), -1) {
		blocks[m[1]] = append(blocks[m[1]], m[2])
	}
	if len(blocks["xml"]) != 3 || len(blocks["text"]) != 1 {
		t.Fatalf("the page has other examples than before: %v", blocks)
	}

	attributes, elements := parse(t, blocks["xml"][0]), parse(t, blocks["xml"][1])
	if len(tree.Diff(attributes, elements)) > 0 {
		t.Errorf("the styles differ: %+v", tree.Diff(attributes, elements))
	}
	wantXML(t, blocks["xml"][1], elements.Root(), elements.Schema(), tree.WriteOptions{Indent: true})

	if got, want := elements.Schema().Text(), blocks["text"][0]; got != want {
		t.Errorf("the schema is shown as\n%swant\n%s", got, want)
	}

	h := tree.NewHistory(parse(t, `<Plan id="p"><Day id="d1" index="1"><POI name="Pier"/></Day></Plan>`))
	try.Get(h.Commit(1, []tree.Edit{{Op: tree.Delete, ID: "n1"}}, "Drop the pier.", ""))(t)
	wantXML(t, blocks["xml"][2], h.Root(), &tree.Schema{}, tree.WriteOptions{IDs: true, Indent: true})
}

func parse(t *testing.T, text string) *tree.Tree {
	t.Helper()
	tr := try.Get(tree.ParseXML("xpath.md", strings.NewReader(text), tree.XMLOptions{}))(t)
	return tr
}

func wantXML(t *testing.T, want string, n *tree.Node, s *tree.Schema, o tree.WriteOptions) {
	t.Helper()
	got := try.Get(tree.XML(n, s, o))(t)
	if got != want {
		t.Errorf("written as\n%swant\n%s", got, want)
	}
}
