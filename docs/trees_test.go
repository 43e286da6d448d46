package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"recallbench/internal/engine/tree"
)

// TestTrees checks the examples of trees.md: both styles say the same, the
// schema file is shown as it is in prompts, and the history reads back.
func TestTrees(t *testing.T) {
	page, err := os.ReadFile("trees.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string][]string{}
	for _, m := range regexp.MustCompile("(?m)^```(\\w*)\n((?s:.*?))^```$").FindAllStringSubmatch(string(page), -1) {
		blocks[m[1]] = append(blocks[m[1]], m[2])
	}
	if len(blocks["xml"]) != 3 || len(blocks["yaml"]) != 1 || len(blocks[""]) != 1 {
		t.Fatalf("the page has other examples than before: %v", blocks)
	}

	attributes, elements := parse(t, blocks["xml"][0]), parse(t, blocks["xml"][1])
	if len(tree.Diff(attributes, elements)) > 0 {
		t.Errorf("the styles differ: %+v", tree.Diff(attributes, elements))
	}
	wantXML(t, blocks["xml"][1], elements.Root(), elements.Schema(), tree.WriteOptions{Indent: true})

	schema, err := tree.ParseSchema("trees.md", []byte(blocks["yaml"][0]))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := schema.Text(), blocks[""][0]; got != want {
		t.Errorf("the schema is shown as\n%swant\n%s", got, want)
	}

	h, err := tree.ParseHistory("trees.md", strings.NewReader(blocks["xml"][2]), tree.XMLOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wantXML(t, blocks["xml"][2], h.Root(), h.Schema(), tree.WriteOptions{IDs: true, Indent: true})
	v1, _ := h.At(1)
	if edits := tree.Diff(v1.Tree, h.Latest().Tree); tree.Summarise(v1.Tree, edits) != h.Latest().Summary {
		t.Errorf("the summary says %q, but the edits are %+v", h.Latest().Summary, edits)
	}
}

func parse(t *testing.T, text string) *tree.Tree {
	t.Helper()
	tr, err := tree.ParseXML("trees.md", strings.NewReader(text), tree.XMLOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func wantXML(t *testing.T, want string, n *tree.Node, s *tree.Schema, o tree.WriteOptions) {
	t.Helper()
	got, err := tree.XML(n, s, o)
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("written as\n%swant\n%s", got, want)
	}
}
