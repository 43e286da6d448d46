package jsontree

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/text/suggest"
)

// A Report takes a fault: the offset of the value, its path and what is wrong.
type Report func(offset int, path, fault string)

// A Cursor points at a value of a tree and reports what is not as it should
// be. After a fault its methods return zero values, so that reading goes on
// and finds the other faults.
type Cursor struct {
	Value  *Value
	parent *Cursor
	name   string // of a field
	index  int    // of an item, where name is empty
	report Report
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

// Is tells whether the value is of the kind, and reports it if it is not.
func (c *Cursor) Is(kind Kind) bool {
	if c.Value.Kind == kind {
		return true
	}
	c.Faultf("want %s, have %s", kind, c.Value.Kind)
	return false
}

// Optional returns the field of an object, or nil if there is none or it is
// null.
func (c *Cursor) Optional(name string) *Cursor {
	v := c.Value.Get(name)
	if v == nil || v.Kind == Null {
		return nil
	}
	return &Cursor{Value: v, parent: c, name: name, report: c.report}
}

// Field returns the field of an object if it has the kind, else reports that
// it is missing or has another kind and returns nil.
func (c *Cursor) Field(name string, kind Kind) *Cursor {
	v := c.Value.Get(name)
	if v == nil {
		c.Faultf("%q is missing, want %s", name, kind)
		return nil
	}
	f := &Cursor{Value: v, parent: c, name: name, report: c.report}
	if !f.Is(kind) {
		return nil
	}
	return f
}

// Text returns a string field of an object and whether it is there.
func (c *Cursor) Text(name string) (string, bool) {
	f := c.Field(name, String)
	if f == nil {
		return "", false
	}
	return f.Value.Text, true
}

// OptionalText returns a string field of an object, or "" if there is none.
func (c *Cursor) OptionalText(name string) string {
	f := c.Optional(name)
	if f == nil || !f.Is(String) {
		return ""
	}
	return f.Value.Text
}

// OptionalScalar returns the text of a field of an object that is a string, or
// a number as it is written, or "" if there is none.
func (c *Cursor) OptionalScalar(name string) string {
	f := c.Optional(name)
	switch {
	case f == nil:
		return ""
	case f.Value.Kind == Number, f.Value.Kind == String:
		return f.Value.Text
	default:
		f.Faultf("want a string or a number, have %s", f.Value.Kind)
		return ""
	}
}

// Required returns the text of a field that must hold something: a string that is
// not blank, or a number as it is written. It reports whether there is one.
func (c *Cursor) Required(name string) (string, bool) {
	if c.Optional(name) == nil {
		c.Faultf("%q is missing", name)
		return "", false
	}
	text := c.OptionalScalar(name)
	if v := c.Value.Get(name); v.Kind == String && strings.TrimSpace(text) == "" {
		c.Faultf("%q is empty", name)
	}
	return text, strings.TrimSpace(text) != ""
}

// Only reports the fields of an object that are not in the list.
func (c *Cursor) Only(fields []string) {
	for _, f := range c.Value.Fields {
		if !slices.Contains(fields, f.Name) {
			c.Faultf("%s", suggest.Unknown("field", f.Name, fields))
		}
	}
}

// Int returns an integer field of an object and whether it is there.
func (c *Cursor) Int(name string) (int, bool) {
	f := c.Field(name, Number)
	if f == nil {
		return 0, false
	}
	n, err := strconv.Atoi(f.Value.Text)
	if err != nil {
		f.Faultf("want an integer, have %s", f.Value.Text)
		return 0, false
	}
	return n, true
}

// Items returns cursors at the items of an array.
func (c *Cursor) Items() []*Cursor {
	items := make([]*Cursor, len(c.Value.Items))
	for i := range c.Value.Items {
		items[i] = &Cursor{Value: &c.Value.Items[i], parent: c, index: i, report: c.report}
	}
	return items
}

// Texts returns the items of an array of strings and numbers, none of them blank.
func (c *Cursor) Texts() []string {
	if !c.Is(Array) {
		return nil
	}
	var all []string
	for _, item := range c.Items() {
		switch {
		case item.Value.Kind != Number && !item.Is(String):
		case strings.TrimSpace(item.Value.Text) == "":
			item.Faultf("is empty")
		default:
			all = append(all, item.Value.Text)
		}
	}
	return all
}

// At returns a cursor at a field of the object by its position.
func (c *Cursor) At(i int) *Cursor {
	f := &c.Value.Fields[i]
	return &Cursor{Value: &f.Value, parent: c, name: f.Name, report: c.report}
}
