package tree

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

// NewHistory returns the history of a memory that was not edited yet.
func NewHistory(first *Tree) *History { return nil }

// Versions returns all versions, the oldest first. Do not change the slice.
func (h *History) Versions() []*Version { return h.versions }

// Latest returns the newest version.
func (h *History) Latest() *Version { return h.versions[len(h.versions)-1] }

// At returns the version of a number: from 1, or from -1 for the newest.
func (h *History) At(number int) (*Version, bool) { return nil, false }

// Commit appends a version: the base version after edits. A rejected edit
// leaves the history as it was. The summary is made from the edits when it is
// empty.
func (h *History) Commit(base int, edits []Edit, request, summary string) (*Version, error) {
	return nil, errNotYet
}

// Preview returns the version that Commit would append, and appends nothing.
func (h *History) Preview(base int, edits []Edit, request, summary string) (*Version, error) {
	return nil, errNotYet
}

// Put appends a version with a tree of its own, such as one that a model wrote
// anew, or the tree of an earlier version to restore it.
func (h *History) Put(base int, next *Tree, request, summary string) (*Version, error) {
	return nil, errNotYet
}

// Restore appends a version with the tree of an earlier one.
func (h *History) Restore(number int, request string) (*Version, error) { return nil, errNotYet }

// Root returns the whole memory as the paper has it, the task at the root and
// its versions below: Itinerary > Version > Day > POI. A Version has the fields
// number, summary and request and the fields and children of that version's
// root. The nodes below are those of the versions, shared.
func (h *History) Root() *Node { return nil }

// Schema returns the schema of [History.Root].
func (h *History) Schema() *Schema { return nil }

// Summarise says what edits do to a tree, in a line: "Deleted: Itinerary > Day
// 2 > Museum".
func Summarise(t *Tree, edits []Edit) string { return "" }
