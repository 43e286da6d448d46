package tree

import (
	"fmt"
	"slices"
	"strings"
)

// Bounds of a summary, which prompts repeat for every version.
const (
	maxSummaries    = 5  // edits told one by one
	maxSummaryValue = 80 // runes of a value
)

// Summarise describes the edits of a tree in a line: "Deleted: Itinerary > Day
// 2 > Museum". Several are joined with "; ", and of more than five the rest is
// counted. Edits that cannot be made are left out.
func Summarise(t *Tree, edits []Edit) string {
	b := t.editor()
	var lines []string
	for _, e := range edits {
		before := pathTo(b.places, e.ID)
		line := ""
		switch {
		case e.Op == Delete:
			line = "Deleted: " + Label(before)
		case e.Op == Update && before != nil:
			line = describeUpdate(before, e)
		}
		if b.apply(e) != nil {
			continue
		}
		switch e.Op {
		case Create:
			line = "Created: " + Label(b.created(e))
		case Move:
			line = b.describeMove(before, e.ID)
		case Update, Delete:
		}
		lines = append(lines, line)
	}
	if more := len(lines) - maxSummaries; more > 0 {
		lines = append(lines[:maxSummaries], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "; ")
}

// created returns the path to the node that a create has just made.
func (b *editor) created(e Edit) []*Node {
	path := pathTo(b.places, e.Parent)
	children := path[len(path)-1].Children
	at := e.At
	if at < 0 {
		at = len(children) - 1
	}
	return append(path, children[at])
}

// describeMove tells where a node has gone, or its new place among the same
// siblings.
func (b *editor) describeMove(before []*Node, id string) string {
	after := pathTo(b.places, id)
	last := len(after) - 1
	to := after[last-1]
	if before[len(before)-2].ID != to.ID {
		return fmt.Sprintf("Moved: %s -> %s", Label(before), Label(after[:last]))
	}
	return fmt.Sprintf("Moved: %s -> place %d of %d", Label(before), slices.Index(to.Children, after[last])+1, len(to.Children))
}

// describeUpdate tells the fields that change, with old and new values.
func describeUpdate(path []*Node, e Edit) string {
	n := path[len(path)-1]
	var parts []string
	for _, name := range e.Unset {
		if old, ok := n.Field(name); ok && !sets(e.Set, name) {
			parts = append(parts, fmt.Sprintf("%s: %s -> none", name, shorten(old)))
		}
	}
	for _, f := range e.Set {
		old, ok := n.Field(f.Name)
		switch {
		case !ok:
			old = "none"
		case old == f.Value():
			continue
		}
		parts = append(parts, fmt.Sprintf("%s: %s -> %s", f.Name, shorten(old), shorten(f.Value())))
	}
	if e.Text != nil && clean(*e.Text) != n.Text {
		parts = append(parts, fmt.Sprintf("text: %s -> %s", shorten(n.Text), shorten(*e.Text)))
	}
	if len(parts) == 0 {
		parts = append(parts, "as it was")
	}
	return fmt.Sprintf("Updated: %s: %s", Label(path), strings.Join(parts, ", "))
}

func sets(fields []Field, name string) bool {
	return slices.ContainsFunc(fields, func(f Field) bool { return strings.EqualFold(f.Name, name) })
}

// shorten writes a value in one line of bounded length.
func shorten(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if s == "" {
		return "empty"
	}
	if runes := []rune(s); len(runes) > maxSummaryValue {
		return string(runes[:maxSummaryValue]) + "..."
	}
	return s
}
