package perltqa

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
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

// load reads the memories and then the questions.
func (l *loader) load(memory, questions File) error {
	banks, blocks := l.root(memory), l.root(questions)
	if err := l.faults.Err(); err != nil {
		return err
	}
	l.characters(banks, func(name string, c *jsontree.Cursor) {
		l.banks[name] = l.bank(name, c)
	})
	asked := make(map[string]bool)
	l.characters(blocks, func(name string, c *jsontree.Cursor) {
		asked[name] = true
		l.block(name, c)
	})
	l.unasked(asked)
	if err := l.faults.Err(); err != nil {
		return err
	}
	if len(l.set.Entries) == 0 {
		return fmt.Errorf("%s: no question is left: no character with a memory has one of sections %s",
			questions.Name, l.set.Settings["sections"])
	}
	return nil
}

// root parses a file and returns a cursor at its top, nil if it is no JSON.
func (l *loader) root(f File) *jsontree.Cursor {
	l.faults.File = f.Name
	return l.faults.Root(f.Data, "")
}

// characters goes through the characters of a file by name. The file is an object of
// them, or an array of objects that hold one or more each. In the first version's
// layout it is an array of memories that name their protagonist.
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

// unasked counts the memories of characters of whom nothing is asked.
func (l *loader) unasked(asked map[string]bool) {
	for _, name := range slices.Sorted(maps.Keys(l.banks)) {
		if asked[name] {
			continue
		}
		for _, s := range sections() {
			for range l.banks[name].count[s] {
				l.warn("memory of a character of whom nothing is asked; left out: "+string(s), name)
			}
		}
	}
}
