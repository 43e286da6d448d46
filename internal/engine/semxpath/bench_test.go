package semxpath

import (
	"fmt"
	"strings"
	"testing"

	"github.com/antchfx/xmlquery"
	"github.com/antchfx/xpath"

	"recallbench/internal/engine/tree"
)

// BenchmarkStructure selects by structure over a tree of a million nodes, with
// both profiles and with antchfx/xpath, which gets the same selection written
// as XPath and compiled beforehand: first as the paper's profile has it, then as
// the released one.
func BenchmarkStructure(b *testing.B) {
	root, doc := millionNodes(b)
	for _, test := range []struct {
		query string
		paths []string
	}{
		{`//Task`, []string{`//Task`, `/descendant::Task`}},
		{`/Root/Category/Project[2]/Task[1]`, []string{`/Root/Category/Project[2]/Task[1]`}},
		{`//Project[3]//Task[-1]`, []string{`/descendant::Project[3]/descendant::Task[last()]`, `//Project[3]//Task[last()]`}},
		{`//Category[10]//Task`, []string{`/descendant::Category[10]/descendant::Task`, `//Category[10]//Task`}},
	} {
		q, err := Parse(test.query)
		if err != nil {
			b.Fatal(err)
		}
		for _, profile := range []Profile{Paper, Released} {
			b.Run(fmt.Sprintf("%s/%s", test.query, profile), func(b *testing.B) {
				b.ReportAllocs()
				n := 0
				for b.Loop() {
					r, err := q.Run(b.Context(), root, Options{Profile: profile})
					if err != nil {
						b.Fatal(err)
					}
					n = len(r.Matches)
				}
				b.ReportMetric(float64(n), "nodes")
			})
		}
		for _, path := range test.paths {
			expr := xpath.MustCompile(path)
			b.Run(fmt.Sprintf("%s/antchfx=%s", test.query, path), func(b *testing.B) {
				b.ReportAllocs()
				n := 0
				for b.Loop() {
					n = len(xmlquery.QuerySelectorAll(doc, expr))
				}
				b.ReportMetric(float64(n), "nodes")
			})
		}
	}
}

// millionNodes makes the same tree of Root, Category, Project and Task for both.
func millionNodes(b *testing.B) (*tree.Node, *xmlquery.Node) {
	b.Helper()
	const categories, projects, tasks = 20, 500, 99
	root, doc := &tree.Node{Type: "Root"}, &xmlquery.Node{Type: xmlquery.DocumentNode}
	add := func(n *tree.Node, x *xmlquery.Node, typ string) (*tree.Node, *xmlquery.Node) {
		c, cx := &tree.Node{Type: typ}, &xmlquery.Node{Type: xmlquery.ElementNode, Data: typ}
		n.Children = append(n.Children, c)
		xmlquery.AddChild(x, cx)
		return c, cx
	}
	docRoot := &xmlquery.Node{Type: xmlquery.ElementNode, Data: "Root"}
	xmlquery.AddChild(doc, docRoot)
	for range categories {
		c, cx := add(root, docRoot, "Category")
		for range projects {
			p, px := add(c, cx, "Project")
			for range tasks {
				add(p, px, "Task")
			}
		}
	}
	return newTree(b, root), doc
}

// BenchmarkScored runs a query with a condition over 10,000 nodes and a scorer
// that takes no time.
func BenchmarkScored(b *testing.B) {
	root := &tree.Node{Type: "Root"}
	for i := range 100 {
		p := &tree.Node{Type: "Project", Fields: []tree.Field{{Name: "name", Values: []string{fmt.Sprint("Project ", i)}}}}
		for j := range 99 {
			p.Children = append(p.Children, &tree.Node{Type: "Task", Fields: []tree.Field{
				{Name: "description", Values: []string{fmt.Sprintf("Write part %d of report %d", j, i)}},
				{Name: "status", Values: []string{"open"}},
				{Name: "tags", Values: []string{"work", "writing", strings.Repeat("x", i)}},
			}})
		}
		root.Children = append(root.Children, p)
	}
	made := newTree(b, root)
	for _, query := range []string{
		`//Task[node ~= "reports"]`,
		`//Project[avg(/Task[node ~= "reports"])]/Task[(node ~= "reports") * (status ~= "open")]`,
	} {
		q, err := Parse(query)
		if err != nil {
			b.Fatal(err)
		}
		for _, profile := range []Profile{Paper, Released} {
			b.Run(fmt.Sprintf("%s/%s", query, profile), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := q.Run(b.Context(), made, Options{Profile: profile, Scorer: half{}}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
