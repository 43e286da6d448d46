package interchange

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
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
//	@1, @file  the key or place that the first star of items stood for, the name of
//	           the file without its ending
type path struct {
	text         string
	alternatives []steps
}

// A steps is one alternative of a path.
type steps struct {
	names []string // "*" and "[*]" for stars, "[0]" for a place
	cut   string
}

// UnmarshalText reads a path.
func (p *path) UnmarshalText(text []byte) error {
	p.text = string(text)
	for alternative := range strings.SplitSeq(p.text, "|") {
		var s steps
		rest := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(alternative), "$"), ".")
		rest, s.cut, _ = strings.Cut(rest, "^")
		if rest == "" {
			return fmt.Errorf("a part of %q is empty, want a path such as a.b[0] | c", p.text)
		}
		for name := range strings.SplitSeq(rest, ".") {
			name, places, _ := strings.Cut(name, "[")
			if name != "" {
				s.names = append(s.names, name)
			}
			for places != "" {
				at, more, closed := strings.Cut(places, "]")
				if _, err := strconv.Atoi(at); !closed || err != nil && at != "*" || more != "" && more[0] != '[' {
					return fmt.Errorf("%q: want [0] or [*] behind a name", p.text)
				}
				s.names, places = append(s.names, "["+at+"]"), strings.TrimPrefix(more, "[")
			}
		}
		if len(s.names) == 0 {
			return fmt.Errorf("%q leads nowhere", p.text)
		}
		p.alternatives = append(p.alternatives, s)
	}
	return nil
}

// A place of an item is what paths are read from.
type origin struct {
	item     *jsontree.Value
	side     *jsontree.Value // nil for none
	captures []string        // of the stars of the items' path
	file     string
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
	from, names := o.item, s.names
	switch first := names[0]; {
	case first == "@file":
		return []*jsontree.Value{{Kind: jsontree.String, Text: o.file}}
	case first[0] == '@':
		if n, err := strconv.Atoi(first[1:]); err == nil && n > 0 && n <= len(o.captures) {
			return []*jsontree.Value{{Kind: jsontree.String, Text: o.captures[n-1]}}
		}
		return nil
	case first == "side" && o.side != nil:
		from, names = o.side, names[1:]
	}
	return reach(from, names, nil)
}

// reach adds what names lead to from a value.
func reach(v *jsontree.Value, names []string, all []*jsontree.Value) []*jsontree.Value {
	switch {
	case v == nil:
		return all
	case len(names) == 0:
		return append(all, v)
	case names[0] == "*" || names[0] == "[*]":
		for i := range v.Items {
			all = reach(&v.Items[i], names[1:], all)
		}
		for i := range v.Fields {
			all = reach(&v.Fields[i].Value, names[1:], all)
		}
		return all
	case names[0][0] == '[':
		if n, err := strconv.Atoi(names[0][1 : len(names[0])-1]); err == nil && n >= 0 && n < len(v.Items) {
			return reach(&v.Items[n], names[1:], all)
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
		for _, v := range s.values(o) {
			text, _ := textOf(v)
			if s.cut != "" {
				text = text[:max(strings.LastIndex(text, s.cut), 0)]
			}
			if text != "" {
				return text
			}
		}
	}
	return ""
}

// key returns the first text or number of the alternatives, or a hash of an object.
func (p *path) key(o origin) string {
	for _, s := range p.alternatives {
		if text := (&path{alternatives: []steps{s}}).said(o); text != "" {
			return text
		}
		if all := s.values(o); len(all) > 0 && len(all[0].Fields) > 0 {
			data, _ := json.Marshal(plainValue(all[0])) // strings, numbers, lists and maps of them
			sum := sha256.Sum256(data)
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
	for v != nil {
		switch {
		case v.Kind == jsontree.String:
			return v.Text, true
		case v.Kind == jsontree.Array && len(v.Items) > 0:
			v = &v.Items[0]
		default:
			return "", false
		}
	}
	return "", false
}

// plainValue returns a value as package json decodes it, but for numbers, which stay as
// they are written.
func plainValue(v *jsontree.Value) any {
	switch v.Kind {
	case jsontree.Object:
		m := make(map[string]any)
		for _, f := range v.Fields {
			m[f.Name] = plainValue(&f.Value)
		}
		return m
	case jsontree.Array:
		list := make([]any, len(v.Items)) // also of none
		for i := range v.Items {
			list[i] = plainValue(&v.Items[i])
		}
		return list
	case jsontree.String:
		return v.Text
	case jsontree.Null, jsontree.Bool, jsontree.Number:
	}
	return json.RawMessage(cmp.Or(v.Text, "null"))
}

// total sums up the numbers above 0 that paths lead to, and reports whether there is any
// number.
func total(paths []path, o origin) (sum float64, known bool) {
	for i := range paths {
		for _, v := range paths[i].values(o) {
			if x := valueOf(v); x != nil {
				sum, known = sum+max(0, *x), true
			}
		}
	}
	return sum, known
}

// number returns the mean of the numbers, with each of them; nil where there is none.
func (p *path) number(o origin, words map[string]float64) (mean *float64, all []float64) {
	sum := 0.0
	for _, v := range p.values(o) {
		x := valueOf(v)
		if word, ok := words[v.Text]; ok && v.Kind == jsontree.String {
			x = &word
		}
		if x != nil {
			sum, all = sum+*x, append(all, *x)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	return new(sum / float64(len(all))), all
}

// fieldsOf names the fields of a value, for messages.
func fieldsOf(v *jsontree.Value) string {
	var names []string
	for _, f := range v.Fields {
		names = append(names, f.Name)
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}
