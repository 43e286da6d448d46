package semanticxpath

import (
	"strings"

	"recallbench/internal/semxpath"
	"recallbench/internal/tree"
)

// Text says what conditions on a whole node are scored against.
type Text string

// The texts of a node.
const (
	// Fields is the type, name and fields of the node, and of its children in
	// brief: what the authors' experiments score.
	Fields Text = "fields"
	// Path is Fields behind the names of the nodes that lead to it.
	Path Text = "path"
	// Subtree is Fields of the node and of all below it.
	Subtree Text = "subtree"
)

// Values lists the texts.
func (Text) Values() []string { return []string{string(Fields), string(Path), string(Subtree)} }

// of returns the function that writes the texts.
func (t Text) of() semxpath.TextOf {
	switch t {
	case Path:
		return func(path []*tree.Node) string {
			if len(path) == 1 {
				return semxpath.FieldText(path)
			}
			return tree.Label(path[:len(path)-1]) + " > " + semxpath.FieldText(path)
		}
	case Subtree:
		return subtreeText
	default:
		return semxpath.FieldText
	}
}

func subtreeText(path []*tree.Node) string {
	n := path[len(path)-1]
	if len(n.Children) == 0 {
		return semxpath.FieldText(path)
	}
	var lines []string
	for _, below := range tree.Walk(n) {
		line := []string{below.Type + ": " + below.Name()}
		for _, f := range below.Fields {
			line = append(line, f.Name+": "+f.Value())
		}
		if below.Text != "" {
			line = append(line, below.Text)
		}
		lines = append(lines, strings.Join(line, " | "))
	}
	return strings.Join(lines, "\n")
}
