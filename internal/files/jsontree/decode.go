package jsontree

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"recallbench/internal/calc/lists"
	"recallbench/internal/text/suggest"
)

// A Text is a string, or a number as it is written.
type Text string

var (
	textType   = reflect.TypeFor[Text]()
	cursorType = reflect.TypeFor[*Cursor]()
)

// Decode decodes the value into the target of a pointer, and records everything that
// does not fit. It returns whether everything fits.
//
// It knows strings, booleans, integers, [Text], slices, maps of names, pointers and
// structs, and takes a *Cursor for any value. The fields of an object are those of a struct
// by their json tags. A tag want beside it may say
//
//	required  a fault if there is none, or it is null
//	filled    the same, and for a text that is blank
//
// A field with the name "-", which comes first, is a *Cursor at the object. Other fields
// of the object are checked if the cursor is strict. Fields of the struct without a tag
// come after those with one.
func (c *Cursor) Decode(into any) bool { return c.decode(reflect.ValueOf(into).Elem()) }

func (c *Cursor) decode(v reflect.Value) bool {
	switch v.Type() {
	case cursorType:
		v.Set(reflect.ValueOf(c))
		return true
	case textType:
		if c.Value.Kind != Number && c.Value.Kind != String {
			c.Faultf("want a string or a number, have %s", c.Value.Kind)
			return false
		}
		v.SetString(c.Value.Text)
		return true
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		return c.decode(v.Elem())
	}
	if !c.Is(kindFor(v.Type())) {
		return false
	}
	ok := true
	switch v.Kind() {
	case reflect.String:
		v.SetString(c.Value.Text)
	case reflect.Bool:
		v.SetBool(c.Value.Text == "true")
	case reflect.Int:
		n, err := strconv.ParseInt(c.Value.Text, 10, v.Type().Bits())
		if err != nil {
			c.Faultf("want an integer, have %s", c.Value.Text)
			return false
		}
		v.SetInt(n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), len(c.Value.Items), len(c.Value.Items)))
		for i, item := range c.Items() {
			ok = item.decode(v.Index(i)) && ok
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for _, f := range c.Fields() {
			value := reflect.New(v.Type().Elem()).Elem()
			ok = f.decode(value) && ok
			v.SetMapIndex(reflect.ValueOf(f.name), value)
		}
	default:
		return c.decodeFields(v)
	}
	return ok
}

// kindsOfTypes are the kinds of values that types take.
var kindsOfTypes = map[reflect.Kind]Kind{
	reflect.String: String, reflect.Bool: Bool, reflect.Int: Number, reflect.Slice: Array, reflect.Struct: Object, reflect.Map: Object,
}

// kindFor returns the kind of value that a type takes.
func kindFor(t reflect.Type) Kind { return cmp.Or(kindsOfTypes[t.Kind()], "a value") }

func (c *Cursor) decodeFields(v reflect.Value) bool {
	tags := tagsOf(v.Type())
	ok := !c.strict || c.only(tags)
	for i, tag := range tags {
		if tag.name == "-" {
			v.Field(i).Set(reflect.ValueOf(c))
			continue
		}
		f := c.Field(tag.name)
		switch {
		case f != nil:
			ok = f.decode(v.Field(i)) && ok
			if tag.option == "filled" && f.Value.Kind == String && strings.TrimSpace(f.Value.Text) == "" {
				c.Faultf("%q is empty", tag.name)
				ok = false
			}
		case tag.option != "":
			c.Faultf("%q is missing, want %s", tag.name, kindFor(v.Field(i).Type()))
			ok = false
		}
	}
	return ok
}

// only reports the fields of the object that no tag names.
func (c *Cursor) only(tags []tag) bool {
	names := lists.Filter(lists.Map(tags, func(t tag) string { return t.name }), func(name string) bool { return name != "-" })
	unknown := lists.Filter(c.Value.Fields, func(f Field) bool { return !slices.Contains(names, f.Name) })
	for _, f := range unknown {
		c.Faultf("%s", suggest.Unknown("field", f.Name, names))
	}
	return len(unknown) == 0
}

type tag struct{ name, option string }

var tags sync.Map // lists of the tags of structs, by type

// tagsOf returns the tags of a struct's fields; fields without one come last.
func tagsOf(t reflect.Type) []tag {
	if known, ok := tags.Load(t); ok {
		return known.([]tag)
	}
	var all []tag
	for f := range t.Fields() {
		if name, ok := f.Tag.Lookup("json"); ok {
			name, _, _ = strings.Cut(name, ",")
			all = append(all, tag{name, f.Tag.Get("want")})
		}
	}
	tags.Store(t, all)
	return all
}
