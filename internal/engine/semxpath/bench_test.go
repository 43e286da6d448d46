package semxpath

import (
	"strings"
	"testing"

	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/try"
)

// BenchmarkDescendants searches a tree of a million nodes, every tenth a Task.
func BenchmarkDescendants(b *testing.B) {
	var xml strings.Builder
	xml.WriteString("<Root>")
	for range 1000 {
		xml.WriteString("<Day>")
		for range 99 {
			xml.WriteString("<Task><Note/><Note/><Note/><Note/><Note/><Note/><Note/><Note/><Note/></Task>")
		}
		xml.WriteString("</Day>")
	}
	xml.WriteString("</Root>")
	t := try.Get(tree.ParseXML("tasks.xml", strings.NewReader(xml.String()), tree.XMLOptions{}))(b)
	q := try.Get(Parse("//Task"))(b)
	b.ResetTimer()
	for b.Loop() {
		r := try.Get(q.Run(b.Context(), t.Root(), Options{}))(b)
		if len(r.Matches) != 99000 {
			b.Fatal(len(r.Matches))
		}
	}
}
