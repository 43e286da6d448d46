package interchange

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/files/jsontree"
)

// A path leads to values of an item, or through a file to its items:
//
//	a.b        field b of the object in field a; a name may hold points itself
//	a[0]       an item of a list
//	a[*], a.*  each item of a list, each field of an object
//	a | b      b where a leads to no text
//	a^-q       the text before the last "-q", none where there is no "-q"
//	@1         the name that the first star of items stood for
//	@file      the name of the file without its ending
//	@item      the item itself
//	with.a     field a of each item of another file that belongs to it
type path struct { //nolint:recvcheck // it is written by value, and read into a place
	text         string
	alternatives []steps
}

// wholeItem is the path of the item itself.
const wholeItem = "@item"

// A steps is one alternative of a path.
type steps struct {
	names []string // "*" and "[*]" for stars, "[0]" for a place
	cut   string
}

// MarshalText returns the path as it was written.
func (p path) MarshalText() ([]byte, error) { return []byte(p.text), nil }

// UnmarshalText reads a path.
func (p *path) UnmarshalText(text []byte) error {
	*p = path{text: string(text)}
	for alternative := range strings.SplitSeq(p.text, "|") {
		rest, cut, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(alternative), "$"), "^")
		names := stepSyntax.FindAllString(rest, -1)
		switch {
		case !pathSyntax.MatchString(rest):
			return fmt.Errorf("%q: want [0] or [*] after a name", p.text)
		case len(names) == 0:
			return fmt.Errorf("a part of %q is empty, want a path such as a.b[0] | c", p.text)
		}
		p.alternatives = append(p.alternatives, steps{names, cut})
	}
	return nil
}

var (
	pathSyntax = regexp.MustCompile(`^([^\[\]]|\[([0-9]+|\*)\])*$`)
	stepSyntax = regexp.MustCompile(`[^.\[\]]+|\[.*?\]`)
)

// mustPath is a path of this program's own.
func mustPath(text string) (p path) {
	if err := p.UnmarshalText([]byte(text)); err != nil {
		panic(err)
	}
	return p
}

// An origin is what paths are read from.
type origin struct {
	item  *jsontree.Value
	side  *jsontree.Value   // nil for none
	with  []*jsontree.Value // of the other file
	stars []string          // what the stars of the items' path stood for
	file  string
}

// values returns the values of the first alternative that has any but null.
func (p *path) values(o origin) []*jsontree.Value {
	for _, s := range p.alternatives {
		all := slices.DeleteFunc(s.values(o), func(v *jsontree.Value) bool { return v.Kind == jsontree.Null })
		if len(all) > 0 {
			return all
		}
	}
	return nil
}

func (s steps) values(o origin) []*jsontree.Value {
	text := func(t string) []*jsontree.Value { return []*jsontree.Value{{Kind: jsontree.String, Text: t}} }
	switch first := s.names[0]; {
	case first == wholeItem:
		return []*jsontree.Value{o.item}
	case first == "@file":
		return text(o.file)
	case first[0] == '@':
		if n, err := strconv.Atoi(first[1:]); err == nil && n > 0 && n <= len(o.stars) {
			return text(o.stars[n-1])
		}
		return nil
	case first == "side" && o.side != nil:
		return reach(o.side, s.names[1:], nil)
	case first == "with" && o.with != nil:
		var all []*jsontree.Value
		for _, v := range o.with {
			all = reach(v, s.names[1:], all)
		}
		return all
	}
	return reach(o.item, s.names, nil)
}

// reach adds what names lead to from a value.
func reach(v *jsontree.Value, names []string, all []*jsontree.Value) []*jsontree.Value {
	if len(names) == 0 {
		return append(all, v)
	}
	name := names[0]
	star := name == "*" || name == "[*]"
	for i := 0; i < len(v.Items) && (star || name[0] == '['); i++ {
		if star || name == "["+strconv.Itoa(i)+"]" {
			all = reach(&v.Items[i], names[1:], all)
		}
	}
	if star {
		for _, of := range fieldsOf(v) {
			all = reach(of, names[1:], all)
		}
		return all
	}
	for n := 1; n <= len(names); n++ { // a name with points is one step or more
		if found := v.Get(strings.Join(names[:n], ".")); found != nil {
			if got := reach(found, names[n:], all); len(got) > len(all) {
				return got
			}
		}
	}
	return all
}

// fieldsOf returns the fields of an object in their order; none of any other value, or of nil.
func fieldsOf(v *jsontree.Value) iter.Seq2[string, *jsontree.Value] {
	return func(yield func(string, *jsontree.Value) bool) {
		for i := 0; v != nil && i < len(v.Fields); i++ {
			if !yield(v.Fields[i].Name, &v.Fields[i].Value) {
				return
			}
		}
	}
}

// leads reports whether an alternative leads to anything, also to null.
func (p *path) leads(o origin) bool {
	return slices.ContainsFunc(p.alternatives, func(s steps) bool { return len(s.values(o)) > 0 })
}

// value returns the first value; nil where there is none.
func (p *path) value(o origin) *jsontree.Value {
	if all := p.values(o); len(all) > 0 {
		return all[0]
	}
	return nil
}

// said returns the first text or number of the alternatives, also where it stands first
// in a list.
func (p *path) said(o origin) string {
	for _, s := range p.alternatives {
		if text := s.said(o); text != "" {
			return text
		}
	}
	return ""
}

func (s steps) said(o origin) string {
	for _, v := range s.values(o) {
		text, _ := textOf(v)
		if s.cut != "" {
			text = text[:max(strings.LastIndex(text, s.cut), 0)]
		}
		if text != "" {
			return text
		}
	}
	return ""
}

// key returns the first text or number of the alternatives, or a hash of an object.
func (p *path) key(o origin) string {
	for _, s := range p.alternatives {
		if text := s.said(o); text != "" {
			return text
		}
		if all := s.values(o); len(all) > 0 && len(all[0].Fields) > 0 {
			sum := sha256.Sum256(plainJSON(all[0]))
			return hex.EncodeToString(sum[:])
		}
	}
	return ""
}

// textOf returns a text or number, the first in lists within lists, the texts of the parts
// of a message, or of messages those of the last one of a user.
func textOf(v *jsontree.Value) (text string, ok bool) {
	switch {
	case v.Kind == jsontree.String || v.Kind == jsontree.Number || v.Kind == jsontree.Bool:
		return v.Text, true
	case len(v.Items) == 0 || v.Items[0].Kind != jsontree.Object:
		return firstText(v)
	}
	var parts []string
	for i := range v.Items {
		if role, content := v.Items[i].Get("role"), v.Items[i].Get("content"); role != nil && content != nil {
			if role.Text == "user" {
				text, ok = textOf(content)
			}
		} else if t := v.Items[i].Get("text"); t != nil && t.Kind == jsontree.String {
			parts, ok = append(parts, t.Text), true
		}
	}
	if parts != nil {
		text = strings.Join(parts, "\n")
	}
	return text, ok
}

// firstText returns the text that comes first in lists within lists.
func firstText(v *jsontree.Value) (string, bool) {
	for len(v.Items) > 0 {
		v = &v.Items[0]
	}
	return v.Text, v.Kind == jsontree.String
}

// plainJSON returns a value as JSON, with the fields of objects sorted.
func plainJSON(v *jsontree.Value) []byte {
	data, _ := json.Marshal(plain(v)) // texts, and JSON
	return data
}

func plain(v *jsontree.Value) any {
	switch v.Kind {
	case jsontree.Object:
		fields := make(map[string]any, len(v.Fields))
		for name, of := range fieldsOf(v) {
			fields[name] = plain(of)
		}
		return fields
	case jsontree.Array:
		items := make([]any, len(v.Items)) // also of none
		for i := range v.Items {
			items[i] = plain(&v.Items[i])
		}
		return items
	case jsontree.String:
		return v.Text
	case jsontree.Null, jsontree.Bool, jsontree.Number:
	}
	return json.RawMessage(cmp.Or(v.Text, "null"))
}

// valueOf returns a number, or 1 and 0 for true and false; else nil.
func valueOf(v *jsontree.Value) *float64 {
	switch {
	case v == nil:
	case v.Kind == jsontree.Bool:
		return new(map[string]float64{"true": 1}[v.Text])
	case v.Kind == jsontree.Number:
		if x, err := strconv.ParseFloat(v.Text, 64); err == nil {
			return &x
		}
	}
	return nil
}

// numberOf returns a number, else 0.
func numberOf(v *jsontree.Value) float64 { return *cmp.Or(valueOf(v), new(0.0)) }

// textsOf returns the texts of a list.
func textsOf(v *jsontree.Value) (all []string) {
	if v == nil {
		return nil
	}
	for _, item := range v.Items {
		if item.Kind == jsontree.String && item.Text != "" {
			all = append(all, item.Text)
		}
	}
	return all
}

// total sums up the numbers above 0 that paths lead to, and reports whether there are any
// numbers.
func total(paths []path, o origin) (sum float64, known bool) {
	for i := range paths {
		for _, v := range paths[i].values(o) {
			sum += max(0, numberOf(v))
			known = known || valueOf(v) != nil
		}
	}
	return sum, known
}
