package perltqa

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"recallbench/internal/files/jsontree"
	"recallbench/internal/files/pyliteral"
	"recallbench/internal/text/termsafe"
)

// maxName is the largest number of bytes of a character's name, and of the id
// of a memory. Both become ids.
const maxName = 200

// oneLine tells whether a name can be an id.
func oneLine(name string) bool {
	return name != "" && len(name) <= maxName && !strings.ContainsFunc(name, unicode.IsControl)
}

// entity is an HTML character reference. Some texts went through an annotation
// tool that wrote quotes so.
var entity = regexp.MustCompile(`&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});`)

// clean takes white space from the ends of a text and decodes entities.
func (l *loader) clean(text string, c *jsontree.Cursor) string {
	trimmed := strings.TrimSpace(text)
	if trimmed != text {
		l.warn("white space at an end of the text; taken off", c.Path())
	}
	if strings.IndexByte(trimmed, '&') < 0 {
		return trimmed
	}
	decoded := entity.ReplaceAllStringFunc(trimmed, html.UnescapeString)
	if decoded != trimmed {
		l.warn("text has HTML entities; decoded", c.Path())
	}
	return decoded
}

// scalar reads a text, which may be a number, a boolean or a list of these.
// Null is "".
func (l *loader) scalar(c *jsontree.Cursor) string {
	switch c.Value.Kind {
	case jsontree.Null:
	case jsontree.String:
		return l.clean(c.Value.Text, c)
	case jsontree.Number, jsontree.Bool:
		return c.Value.Text
	case jsontree.Array:
		l.warn("text is a list; its items are joined by commas", c.Path())
		var items []string
		for _, item := range c.Items() {
			if item.Value.Kind == jsontree.Array {
				item.Faultf("want a string or a number, have an array")
				continue
			}
			if text := l.scalar(item); text != "" {
				items = append(items, text)
			}
		}
		return strings.Join(items, ", ")
	case jsontree.Object:
		c.Faultf("want a string or a number, have an object")
	}
	return ""
}

// optional reads a field by scalar, "" if there is none.
func (l *loader) optional(c *jsontree.Cursor, name string) string {
	f := c.Optional(name)
	if f == nil {
		return ""
	}
	return l.scalar(f)
}

// place makes a path fit for a line: names in the files may be of any length
// and hold anything.
func place(path string) string {
	const most = 200
	if len(path) > most {
		path = strings.ToValidUTF8(path[:most], "") + "..."
	}
	return termsafe.Text(path)
}

// quote shows the beginning of a text.
func quote(text string) string {
	const most = 40
	if r := []rune(text[:min(len(text), 8*most)]); len(r) > most || len(text) > 8*most {
		text = string(r[:min(len(r), most)]) + "..."
	}
	return strconv.Quote(text)
}

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
	}
	return out
}
