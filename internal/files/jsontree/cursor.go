package jsontree

import (
	"fmt"
	"strconv"
)

// A Report takes a fault: the offset of the value, its path and what is wrong.
type Report func(offset int, path, fault string)

// A Cursor points at a value of a tree and reports its faults.
type Cursor struct {
	Value  *Value
	parent *Cursor
	name   string // of a field
	index  int    // of an item, where name is empty
	report Report
	strict bool
}

// Root returns a cursor at the top of a tree. Its path begins with name, which
// may be empty.
func Root(v *Value, name string, report Report) *Cursor {
	return &Cursor{Value: v, name: name, report: report}
}

// Named returns the cursor with a path that starts anew with name and ": ",
// for a value that people know by an id of its own.
func (c *Cursor) Named(name string) *Cursor {
	return &Cursor{Value: c.Value, name: name + ": ", report: c.report}
}

// Strict returns the cursor for [Cursor.Decode] to report unknown fields.
func (c *Cursor) Strict() *Cursor {
	c.strict = true
	return c
}

// Name returns the name of the field that the cursor is at, or "" elsewhere.
func (c *Cursor) Name() string {
	if c.parent == nil {
		return ""
	}
	return c.name
}

// Path returns where the cursor is, such as `conv-1: qa[3].answer`.
func (c *Cursor) Path() string {
	if c.parent == nil {
		return c.name
	}
	path := c.parent.Path()
	switch {
	case c.name == "":
		return path + "[" + strconv.Itoa(c.index) + "]"
	case path == "" || path[len(path)-1] == ' ':
		return path + c.name
	default:
		return path + "." + c.name
	}
}

// Faultf reports a fault of the value.
func (c *Cursor) Faultf(format string, args ...any) {
	offset := 0
	if c.Value != nil {
		offset = c.Value.Offset
	}
	c.report(offset, c.Path(), fmt.Sprintf(format, args...))
}

// Is reports whether the value is of the kind, and records a fault if it is not.
func (c *Cursor) Is(kind Kind) bool {
	if c.Value.Kind == kind {
		return true
	}
	c.Faultf("want %s, have %s", kind, c.Value.Kind)
	return false
}

// Field returns the field of an object, or nil if there is none or it is null.
func (c *Cursor) Field(name string) *Cursor {
	v := c.Value.Get(name)
	if v == nil || v.Kind == Null {
		return nil
	}
	return c.inner(v, name, 0)
}

func (c *Cursor) inner(v *Value, name string, index int) *Cursor {
	return &Cursor{Value: v, parent: c, name: name, index: index, report: c.report, strict: c.strict}
}

// Fields returns cursors at the fields of an object, in the order of the file.
func (c *Cursor) Fields() []*Cursor {
	fields := make([]*Cursor, len(c.Value.Fields))
	for i := range c.Value.Fields {
		fields[i] = c.inner(&c.Value.Fields[i].Value, c.Value.Fields[i].Name, 0)
	}
	return fields
}

// Items returns cursors at the items of an array.
func (c *Cursor) Items() []*Cursor {
	items := make([]*Cursor, len(c.Value.Items))
	for i := range c.Value.Items {
		items[i] = c.inner(&c.Value.Items[i], "", i)
	}
	return items
}
