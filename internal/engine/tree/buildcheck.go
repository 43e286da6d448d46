package tree

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/text/suggest"
)

// A placed is what is wrong with an element.
type placed struct {
	element *element
	err     error
}

// maxPlaced bounds the faults that are kept to be told in order.
const maxPlaced = 1000

// faultf notes what is wrong with an element.
func (b *builder) faultf(e *element, format string, args ...any) {
	if len(b.faults) < maxPlaced {
		b.faults = append(b.faults, placed{e, fmt.Errorf(format, args...)})
	}
}

// err returns the faults in the order of the document, or nil.
func (b *builder) err() error {
	slices.SortStableFunc(b.faults, func(x, y placed) int {
		return cmp.Or(cmp.Compare(x.element.line, y.element.line), cmp.Compare(x.element.col, y.element.col))
	})
	var all faults
	for _, f := range b.faults {
		all.addf("%s:%d:%d: %w", b.doc.name, f.element.line, f.element.col, f.err)
	}
	return all.err()
}

// conform gives a field the name that the schema has for it. It reports whether
// there is one.
func (b *builder) conform(e *element, t *Type, f *Field) bool {
	ft, err := t.checkField(f.Name)
	if err == nil {
		f.Name = ft.Name
		err = ft.checkValues(f.Values)
	}
	if err != nil {
		b.faultf(e, "%w", err)
		return false
	}
	return true
}

// checkElement returns the field that an element stands for below a node.
func (b *builder) checkElement(t *Type, name string) (*FieldType, error) {
	if f := t.find(name); f != nil {
		return f, nil
	}
	if b.schema.find(name) != nil {
		return nil, t.checkChild(name, "a "+t.Name)
	}
	return nil, fmt.Errorf("%s", suggest.Unknown("element below "+t.Name, name, slices.Concat(t.FieldNames(), t.Children)))
}

// checkList reports elements in a field that are not its items.
func (b *builder) checkList(e *element, f *FieldType) {
	if len(e.attrs) > 0 {
		b.faultf(e, "field %s has the attribute %s; want a field without attributes", f.Name, e.attrs[0].Name.Local)
	}
	for c := e.first; c != nil; c = c.next {
		switch {
		case f.Item == "":
			b.faultf(c, "field %s holds <%s>; want text", f.Name, c.tag.name)
			return
		case !strings.EqualFold(f.Item, c.tag.name):
			b.faultf(c, "list %s holds <%s>; want <%s>", f.Name, c.tag.name, f.Item)
		case c.first != nil || len(c.attrs) > 0:
			b.faultf(c, "<%s> of list %s holds more than text", c.tag.name, f.Name)
		}
	}
	if e.first != nil && e.text != "" {
		b.faultf(e, "list %s holds text beside <%s>", f.Name, f.Item)
	}
}

// checkFields reports values of elements that the schema does not have.
func (b *builder) checkFields(n *Node, e *element, t *Type, attrs int) {
	for i := range n.Fields {
		f := &n.Fields[i]
		if ft := t.find(f.Name); ft != nil && (i >= attrs || len(f.Values) > 1) {
			if err := ft.checkValues(f.Values); err != nil {
				b.faultf(e, "%w", err)
			}
		}
	}
}

// maxFaults is how many faults a message tells; of more it says the number.
const maxFaults = 20

// faults gathers all that is wrong with something.
type faults struct {
	all  []error
	more int
}

func (f *faults) add(err error) {
	switch {
	case err == nil:
	case len(f.all) < maxFaults:
		f.all = append(f.all, err)
	default:
		f.more++
	}
}

func (f *faults) addf(format string, args ...any) { f.add(fmt.Errorf(format, args...)) }

// err returns the faults joined, a line each, or nil.
func (f *faults) err() error {
	if f.more > 0 {
		return errors.Join(append(slices.Clip(f.all), fmt.Errorf("and %d more", f.more))...)
	}
	return errors.Join(f.all...)
}
