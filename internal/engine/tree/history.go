package tree

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Version is a state of a memory and how it came about.
type Version struct {
	Number int // from 1
	Base   int // the version that it was made from; 0 for the first
	// Request is what the user asked for, and Summary what was done about it.
	Request string
	Summary string
	Tree    *Tree
}

// A History is a task's memory through its versions. It is not safe for
// concurrent changes.
type History struct{ versions []*Version }

// NewHistory returns the history of a memory without edits.
func NewHistory(first *Tree) *History {
	return &History{versions: []*Version{{Number: 1, Tree: first}}}
}

// Versions returns all versions, the oldest first. Do not change the slice.
func (h *History) Versions() []*Version { return h.versions }

// Latest returns the newest version.
func (h *History) Latest() *Version { return h.versions[len(h.versions)-1] }

// At returns the version with a number: from 1, or from -1 for the newest.
func (h *History) At(number int) (*Version, bool) {
	if number < 0 {
		number += len(h.versions) + 1
	}
	if number < 1 || number > len(h.versions) {
		return nil, false
	}
	return h.versions[number-1], true
}

// at is At with an error.
func (h *History) at(number int) (*Version, error) {
	if v, ok := h.At(number); ok {
		return v, nil
	}
	return nil, fmt.Errorf("there is no version %d; have 1 to %d, or -1 for the newest", number, len(h.versions))
}

// Commit appends a version: the base version, numbered as in [History.At], after
// edits. A rejected edit leaves the history unchanged. An empty summary is
// replaced by one made from the edits. A created node gets an id that no version
// has.
func (h *History) Commit(base int, edits []Edit, request, summary string) (*Version, error) {
	v, err := h.Preview(base, edits, request, summary)
	if err != nil {
		return nil, err
	}
	h.versions = append(h.versions, v)
	return v, nil
}

// Preview returns the version that Commit would append, and appends nothing.
func (h *History) Preview(base int, edits []Edit, request, summary string) (*Version, error) {
	from, err := h.at(base)
	if err != nil {
		return nil, err
	}
	t := from.Tree.from(h.next())
	next, err := t.Apply(edits...)
	if err != nil {
		return nil, fmt.Errorf("version %d: %w", from.Number, err)
	}
	if summary == "" {
		summary = Summarise(t, edits)
	}
	return h.version(from.Number, next, request, summary), nil
}

// next is the number of the next generated id, past those of all versions.
func (h *History) next() int {
	return slices.MaxFunc(h.versions, func(a, b *Version) int { return a.Tree.next - b.Tree.next }).Tree.next
}

// from returns a tree whose generated ids begin at a number.
func (t *Tree) from(next int) *Tree {
	return &Tree{root: t.root, schema: t.schema, places: t.places, next: next}
}

func (h *History) version(base int, t *Tree, request, summary string) *Version {
	return &Version{Number: len(h.versions) + 1, Base: base, Request: clean(request), Summary: clean(summary), Tree: t}
}

// Put appends a version with a tree of its own, such as one that a model rewrote and
// [Reconcile] gave ids. The tree of an earlier version restores it. Its root has to be
// that of the others. An empty summary is replaced by one made from the differences to
// the base.
func (h *History) Put(base int, next *Tree, request, summary string) (*Version, error) {
	from, err := h.at(base)
	if err != nil {
		return nil, err
	}
	first := h.versions[0].Tree
	if next.root.ID != first.root.ID || next.root.Type != first.root.Type {
		return nil, fmt.Errorf("the new root is %s, want %s", next.root.describe(), first.root.describe())
	}
	if summary == "" {
		summary = Summarise(from.Tree, Diff(from.Tree, next))
	}
	v := h.version(from.Number, next, request, summary)
	h.versions = append(h.versions, v)
	return v, nil
}

// Reconcile returns the tree of a subtree as [Reconcile] does with the base, with
// new ids that no version has.
func (h *History) Reconcile(base int, next *Node) (*Tree, error) {
	from, err := h.at(base)
	if err != nil {
		return nil, err
	}
	return Reconcile(from.Tree.from(h.next()), next)
}

// Restore appends a version with the tree of an earlier one, numbered as in
// [History.At], which is its base too.
func (h *History) Restore(number int, request string) (*Version, error) {
	from, err := h.at(number)
	if err != nil {
		return nil, err
	}
	return h.Put(from.Number, from.Tree, request, fmt.Sprintf("Restored: version %d", from.Number))
}

// Root returns the versions as a tree that can be queried: a History with a Version
// for each, whose fields are number, summary and request, the last two if they are
// not empty.
func (h *History) Root() *Node {
	root := &Node{Type: "History"}
	for _, v := range h.versions {
		n := &Node{Type: "Version", ID: "v" + strconv.Itoa(v.Number), Fields: []Field{{"number", []string{strconv.Itoa(v.Number)}}}}
		for _, f := range []Field{{"summary", []string{v.Summary}}, {"request", []string{v.Request}}} {
			if f.Values[0] != "" {
				n.Fields = append(n.Fields, f)
			}
		}
		root.Children = append(root.Children, n)
	}
	root.settleAll()
	return root
}

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
