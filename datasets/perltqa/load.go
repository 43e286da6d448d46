package perltqa

import (
	"errors"
	"fmt"
	"html"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"recallbench/datasets"
	"recallbench/internal/datafile"
	"recallbench/internal/jsontree"
	"recallbench/internal/near"
	"recallbench/internal/plain"
)

// A loader reads the two files.
type loader struct {
	options Options
	faults  datafile.Faults
	set     *datasets.Set
	banks   map[string]*bank // by the character's name
	// quiet is set while something is read only for its faults: the options
	// leave it out, so its flaws are not counted.
	quiet bool
}

// warn counts a flaw that was put right.
func (l *loader) warn(what, where string) {
	if !l.quiet {
		l.set.Warn(what, place(where))
	}
}

// place makes a path fit for a line: names in the files may be of any length
// and hold anything.
func place(path string) string {
	const most = 200
	if len(path) > most {
		path = strings.ToValidUTF8(path[:most], "") + "..."
	}
	return plain.Text(path)
}

// quote shows the beginning of a text.
func quote(text string) string {
	const most = 40
	if r := []rune(text[:min(len(text), 8*most)]); len(r) > most || len(text) > 8*most {
		text = string(r[:min(len(r), most)]) + "..."
	}
	return strconv.Quote(text)
}

// load reads the memories and then the questions.
func (l *loader) load(memory, questions File) error {
	banks, err := l.root(memory)
	blocks, other := l.root(questions)
	if err := errors.Join(err, other); err != nil {
		return err
	}
	l.characters(banks, func(name string, c *jsontree.Cursor) {
		l.quiet = !l.options.keeps(name)
		l.banks[name] = l.bank(name, c)
	})
	var names []string
	l.characters(blocks, func(name string, c *jsontree.Cursor) {
		l.quiet = !l.options.keeps(name)
		names = append(names, name)
		l.block(name, c)
	})
	l.quiet = len(l.options.Characters) > 0
	l.unasked(names)
	l.unknown(blocks, names)
	if err := l.faults.Err(); err != nil {
		return err
	}
	if len(l.set.Samples) == 0 {
		return fmt.Errorf("%s: no question is left: no character with a memory has one of sections %s",
			questions.Name, l.set.Settings["sections"])
	}
	return nil
}

// root parses a file and returns a cursor at its top.
func (l *loader) root(f File) (*jsontree.Cursor, error) {
	if err := datafile.CheckText(f.Name, f.Data); err != nil {
		return nil, err
	}
	data := datafile.TrimBOM(f.Data)
	tree, err := jsontree.Parse(data)
	if err != nil {
		if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
			return nil, fmt.Errorf("%s:%d: offset %d: %s", f.Name, datafile.Line(data, se.Offset), se.Offset, place(se.Reason))
		}
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return jsontree.Root(tree, "", func(offset int, path, fault string) {
		if l.faults.Full() {
			offset = 0 // only counted: spare the search for the line
		}
		if path != "" {
			fault = place(strings.TrimSuffix(path, ": ")) + ": " + fault
		}
		l.faults.File = f.Name
		l.faults.Addf(datafile.Line(data, offset), "%s", fault)
	}), nil
}

// characters goes through the characters of a file by name. The file is an
// object of them, an array of objects that hold one or more each, or, in the
// first version's layout, an array of memories that name their protagonist.
func (l *loader) characters(root *jsontree.Cursor, each func(name string, c *jsontree.Cursor)) {
	if root.Value.Kind != jsontree.Object && !root.Is(jsontree.Array) {
		return
	}
	if len(root.Value.Items) == 0 && len(root.Value.Fields) == 0 {
		root.Faultf("there is no character in it")
	}
	seen := make(map[string]bool)
	one := func(name string, c *jsontree.Cursor) {
		name = strings.TrimSpace(name)
		switch {
		case !oneLine(name):
			c.Faultf("the name of the character is %s, want one line of 1 to %d bytes", quote(name), maxName)
		case seen[name]:
			c.Faultf("%s is already the name of another character", quote(name))
		default:
			seen[name] = true
			each(name, c.Named(name))
		}
	}
	for _, c := range fields(root) {
		one(c.Name(), c)
	}
	for _, item := range root.Items() {
		if !item.Is(jsontree.Object) {
			continue
		}
		if profile := item.Value.Get(string(Profile)); profile != nil && profile.Kind == jsontree.Object {
			if name, ok := item.Field(string(Profile), jsontree.Object).Text("Protagonist"); ok {
				one(name, item)
			}
			continue
		}
		for _, c := range fields(item) {
			one(c.Name(), c)
		}
	}
}

// fields returns cursors at the fields of an object.
func fields(c *jsontree.Cursor) []*jsontree.Cursor {
	out := make([]*jsontree.Cursor, len(c.Value.Fields))
	for i := range out {
		out[i] = c.At(i)
	}
	return out
}

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

// unasked counts the memories of characters of whom nothing is asked.
func (l *loader) unasked(asked []string) {
	for _, name := range slices.Sorted(maps.Keys(l.banks)) {
		if slices.Contains(asked, name) {
			continue
		}
		for _, s := range sections() {
			for range l.banks[name].count[s] {
				l.warn("memory of a character of whom nothing is asked; left out: "+string(s), name)
			}
		}
	}
}

// unknown reports characters in the options that nothing can be asked of.
func (l *loader) unknown(blocks *jsontree.Cursor, asked []string) {
	have := slices.DeleteFunc(slices.Clone(asked), func(name string) bool { return l.banks[name] == nil })
	for _, name := range l.options.Characters {
		switch {
		case slices.Contains(have, name):
		case slices.Contains(asked, name):
			blocks.Faultf("character %s has questions but no memory; have %s", quote(name), strings.Join(have, ", "))
		case l.banks[name] != nil:
			blocks.Faultf("nothing is asked of character %s; have %s", quote(name), strings.Join(have, ", "))
		default:
			blocks.Faultf("%s", near.Unknown("character", name, have))
		}
	}
}
