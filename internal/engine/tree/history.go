package tree

import (
	"fmt"
	"slices"
	"strconv"
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
