package perltqa

import (
	"strings"

	"recallbench/internal/jsontree"
	"recallbench/internal/pyliteral"
)

// unwrap puts the value of a string that holds a dict or a list as Python
// prints them in the place of the string: about 25 of the release's memories
// have their relationships so. Other values stay as they are.
func (l *loader) unwrap(c *jsontree.Cursor) {
	if c.Value.Kind != jsontree.String {
		return
	}
	text := strings.TrimSpace(c.Value.Text)
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return
	}
	v, err := pyliteral.Parse(text)
	if err != nil {
		c.Faultf("the string is no Python literal: %v", err)
		c.Value = &jsontree.Value{Kind: jsontree.Null, Offset: c.Value.Offset}
		return
	}
	l.warn("value is a string that holds a Python literal; parsed", c.Path())
	tree := convert(c, *v)
	c.Value = &tree
}

// convert makes JSON of a Python literal. All of it stands where the string
// does.
func convert(c *jsontree.Cursor, v pyliteral.Value) jsontree.Value {
	out := jsontree.Value{Text: v.Text, Offset: c.Value.Offset}
	switch v.Kind {
	case pyliteral.None:
		out.Kind = jsontree.Null
	case pyliteral.Bool:
		out.Kind, out.Text = jsontree.Bool, strings.ToLower(v.Text)
	case pyliteral.Int, pyliteral.Float:
		out.Kind = jsontree.Number
	case pyliteral.Str:
		out.Kind = jsontree.String
	case pyliteral.List, pyliteral.Tuple:
		out.Kind = jsontree.Array
		for _, item := range v.Items {
			out.Items = append(out.Items, convert(c, item))
		}
	case pyliteral.Dict:
		out.Kind = jsontree.Object
		seen := make(map[string]bool)
		for _, p := range v.Pairs {
			switch {
			case p.Key.Kind != pyliteral.Str:
				c.Faultf("in the Python literal a key is %s, want a string", p.Key.Kind)
			case seen[p.Key.Text]:
				c.Faultf("in the Python literal key %s comes twice", quote(p.Key.Text))
			}
			seen[p.Key.Text] = true
			out.Fields = append(out.Fields, jsontree.Field{Name: p.Key.Text, Value: convert(c, p.Value)})
		}
	case pyliteral.Bytes:
		c.Faultf("in the Python literal a value is %s, want a string", v.Kind)
		out.Kind = jsontree.Null
	}
	return out
}
