package tree

import "slices"

// A tag is what all elements of a name are like.
type tag struct {
	name       string
	attributes bool // some element has attributes
	content    bool // some element holds something
	mixed      bool // some element holds text beside elements
	several    bool // its elements hold elements of different names
	repeated   bool // several that hold elements stand below one parent
	child      *tag // the name of the elements that it holds
	node       bool // elements of the name are nodes

	repeatedIn *element // the last parent of one that holds elements
	// The field that the tag is in the node that is being built.
	fieldOf *element
	field   int
}

// see notes what an element that has ended says about its tag.
func (t *tag) see(e *element) {
	if e.text != "" || e.first != nil {
		t.content = true
	}
	if e.first == nil {
		return
	}
	t.mixed = t.mixed || e.text != ""
	if e.top != nil {
		t.repeated = t.repeated || t.repeatedIn == e.top
		t.repeatedIn = e.top
	}
	for c := e.first; c != nil; c = c.next {
		if t.child == nil {
			t.child = c.tag
		}
		t.several = t.several || t.child != c.tag
	}
}

// classify decides which tags are nodes, besides that of the root.
func (d *document) classify(nodes []string) {
	for _, t := range d.tags {
		if t.attributes || !t.content || slices.Contains(nodes, t.name) {
			t.node = true
		}
	}
	for _, t := range d.tags {
		t.node = t.node || t.child != nil && !t.list()
	}
}

// list reports whether the elements of a tag that hold elements are lists.
func (t *tag) list() bool {
	return !t.mixed && !t.several && !t.repeated && !t.child.node && t.child.child == nil
}
