package perltqa

import (
	"fmt"
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

// load reads the memories, an object of characters, and then the questions, an array of
// objects with one or more characters each.
func (l *loader) load(memory, questions File) error {
	banks, blocks := l.root(memory, jsontree.Object), l.root(questions, jsontree.Array)
	if err := l.faults.Err(); err != nil {
		return err
	}
	l.faults.File = memory.Name
	l.characters(banks.Fields(), func(name string, c *jsontree.Cursor) {
		if c.Is(jsontree.Object) {
			l.banks[name] = l.bank(name, c)
		}
	})
	l.faults.File = questions.Name
	var all []*jsontree.Cursor
	for _, item := range blocks.Items() {
		if item.Is(jsontree.Object) {
			all = append(all, item.Fields()...)
		}
	}
	asked := make(map[string]bool)
	l.characters(all, func(name string, c *jsontree.Cursor) {
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

// root parses a file and returns a cursor at its top, nil after a fault.
func (l *loader) root(f File, kind jsontree.Kind) *jsontree.Cursor {
	l.faults.File = f.Name
	root := l.faults.Root(f.Data, "")
	if root == nil || !root.Is(kind) {
		return nil
	}
	if len(root.Value.Items)+len(root.Value.Fields) == 0 {
		root.Faultf("there is no character in it")
	}
	return root
}

// characters goes through characters by name.
func (l *loader) characters(all []*jsontree.Cursor, each func(name string, c *jsontree.Cursor)) {
	seen := make(map[string]bool)
	for _, c := range all {
		name := strings.TrimSpace(c.Name())
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
}
