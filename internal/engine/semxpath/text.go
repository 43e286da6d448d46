package semxpath

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"recallbench/internal/engine/tree"
	"recallbench/internal/text/suggest"
)

// A TextOf returns the text of a node that conditions on the whole node are
// scored against. The path leads from the root to the node and is good during
// the call.
type TextOf func(path []*tree.Node) string

// A TextForm names a TextOf, for configurations.
type TextForm string

// The forms.
const (
	Fields     TextForm = "fields"     // FieldText
	Subtree    TextForm = "subtree"    // SubtreeText
	Experiment TextForm = "experiment" // ExperimentText
)

// Values lists the forms.
func (TextForm) Values() []string {
	return []string{string(Fields), string(Subtree), string(Experiment)}
}

// TextOf returns what a form names, for nodes of a tree with the schema. The
// empty form is Fields.
func (f TextForm) TextOf(s *tree.Schema) (TextOf, error) {
	switch f {
	case Fields, "":
		return FieldText, nil
	case Subtree:
		return SubtreeText, nil
	case Experiment:
		return ExperimentText(s), nil
	}
	return nil, errors.New(suggest.Unknown("text form", string(f), f.Values()))
}

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
	b.Grow(textSize(n))
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

// SubtreeText writes a node as FieldText does, and then all nodes below it in
// document order, each with its fields.
func SubtreeText(path []*tree.Node) string {
	var b strings.Builder
	for _, n := range tree.Walk(path[len(path)-1]) {
		if b.Len() > 0 {
			b.WriteString(". ")
		}
		writeFields(&b, n)
	}
	return b.String()
}

// textSize is about how long a node's text is, names of children left out: a
// little more saves growing it.
func textSize(n *tree.Node) int {
	size := 16 + 2*len(n.Type) + len(n.Text)
	for _, f := range n.Fields {
		size += len("; : ") + len(f.Name)
		for _, v := range f.Values {
			size += len(v) + len("; ")
		}
	}
	return size + 24*min(len(n.Children), briefNodes)
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

// ExperimentText returns the form that writes a node as the premises of the
// authors' recorded experiments: type, name and fields, or for a node that has
// no fields but the one that numbers it, its children with their descriptions.
//
//	POI: CN Tower - name: CN Tower | time_block: 9:00 AM | highlights: View, Lift
//	Day: Day 2 - POI: CN Tower - A tower.; Restaurant: Alo - Small plates.
//
// Fields come in the order of the schema, as in the experiments, without the
// attribute that is the key of the type. Without a schema, or with one that was
// inferred, they come as they stand in the tree.
func ExperimentText(s *tree.Schema) TextOf {
	return func(path []*tree.Node) string {
		n := path[len(path)-1]
		fields := experimentFields(n, s)
		var parts []string
		between := " | "
		if len(fields) == 0 {
			between = "; "
			for _, c := range n.Children {
				part := c.Type + ": " + c.Name()
				if d, ok := c.Field("description"); ok && d != "" {
					part += " - " + d
				}
				parts = append(parts, part)
			}
		}
		for _, f := range fields {
			if v := f.Value(); v != "" {
				parts = append(parts, f.Name+": "+v)
			}
		}
		text := n.Type + ": " + n.Name()
		if len(parts) > 0 {
			text += " - " + strings.Join(parts, between)
		}
		return text
	}
}

// experimentFields returns the fields that ExperimentText writes.
func experimentFields(n *tree.Node, s *tree.Schema) []tree.Field {
	if len(n.Fields) == 1 && n.Name() == n.Type+" "+n.Fields[0].Value() {
		return nil
	}
	if s == nil || s.Inferred {
		return n.Fields
	}
	t, ok := s.Type(n.Type)
	if !ok {
		return n.Fields
	}
	place := func(f tree.Field) int {
		return slices.IndexFunc(t.Fields, func(of tree.FieldType) bool { return strings.EqualFold(of.Name, f.Name) })
	}
	fields := slices.DeleteFunc(slices.Clone(n.Fields), func(f tree.Field) bool {
		i := place(f)
		return i >= 0 && t.Fields[i].Attribute && strings.EqualFold(f.Name, t.Key)
	})
	slices.SortStableFunc(fields, func(a, b tree.Field) int { return cmp.Compare(place(a), place(b)) })
	return fields
}
