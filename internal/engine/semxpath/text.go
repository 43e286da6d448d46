package semxpath

import (
	"strings"

	"recallbench/internal/engine/tree"
)

// A TextOf returns the text of a node that conditions on the whole node are
// scored against. The path leads from the root to the node and is good during
// the call.
type TextOf func(path []*tree.Node) string

// briefNodes is how many nodes below it a node's text names.
const briefNodes = 100

// FieldText writes a node as its type, name and fields and the names of its
// children:
//
//	POI Keynote; time_block: 8:00 AM; highlights: Keynote speaker, Plenary session
//	Day 2: POI Keynote, POI In Person Oral, POI In Person Poster
func FieldText(path []*tree.Node) string {
	n := path[len(path)-1]
	var b strings.Builder
	writeFields(&b, n)
	for i, c := range n.Children {
		switch i {
		case 0:
			b.WriteString(": ")
		case briefNodes:
			b.WriteString(", ...")
			return b.String()
		default:
			b.WriteString(", ")
		}
		writeTitle(&b, c.Type, c.Name())
	}
	return b.String()
}

func writeFields(b *strings.Builder, n *tree.Node) {
	name := n.Name()
	writeTitle(b, n.Type, name)
	for _, f := range n.Fields {
		v := f.Value()
		if v == "" || strings.HasSuffix(name, v) && (v == name || name == n.Type+" "+v) {
			continue // the name says it
		}
		b.WriteString("; ")
		b.WriteString(f.Name)
		b.WriteString(": ")
		b.WriteString(v)
	}
	if n.Text != "" {
		b.WriteString("; ")
		b.WriteString(n.Text)
	}
}

// writeTitle writes the type and the name of a node, or the name alone where it
// begins with the type.
func writeTitle(b *strings.Builder, typ, name string) {
	if !strings.HasPrefix(name, typ) {
		b.WriteString(typ)
		b.WriteByte(' ')
	}
	b.WriteString(name)
}
