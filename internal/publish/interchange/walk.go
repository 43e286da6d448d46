package interchange

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/files/jsontree"
	"recallbench/internal/result/record"
)

// A walker goes through a file to its items, one in memory at a time.
type walker struct {
	*stream
	items path
	// head reads a field on the way that says something of all items, if it does; then it
	// returns true. Nil for none.
	head func(at string) (bool, error)
	item func(v *jsontree.Value, stars []string, at string, line int)

	names []string // fields of the top
	found bool     // an item
}

// read reads the answers of the file that is open.
func (r *reading) read() error {
	if err := cmp.Or(r.beside(), r.join()); err != nil {
		return err
	}
	r.variants, r.places, r.repeats = make(map[string]string), make(map[string][]string), make(map[string]int)
	w := &walker{stream: &r.stream, items: r.layout.Items, head: r.saysOfAll, item: r.item}
	if err := w.through(r.scores); err != nil || r.scores {
		return err
	}
	if err := r.faults.Err(); err != nil {
		return err
	}
	if r.layout.Name == own && r.file.Head == nil {
		return fmt.Errorf("%s: there is no header; want a first line with \"predictions\": %q", r.name, PredictionsVersion)
	}
	err := r.End() // of a format of lines and of a table there is no more
	return r.broken("", r.Line(), err)
}

// through goes through a file of a value, of lines or of rows, or where several are allowed
// through several values.
func (w *walker) through(several bool) error {
	read := func(c *jsontree.Cursor, line int) { w.take(c.Value, nil, "", line) }
	lines := !slices.ContainsFunc(w.items.alternatives, func(s steps) bool { return !slices.Equal(s.names, []string{"[*]"}) })
	switch {
	case w.isTable():
		return w.eachRow(read)
	case lines && !strings.HasPrefix(string(w.stream.head()), "["):
		return w.eachLine(read)
	}
	for first := true; first || several && w.More(); first = false {
		if err := w.top(); err != nil {
			return err
		}
	}
	if !w.found && w.faults.Err() == nil {
		return fmt.Errorf("%s: no item at %q of the layout; the file has %s", w.name, w.items.text, cmp.Or(strings.Join(w.names, ", "), "no field"))
	}
	return nil
}

func (w *walker) take(v *jsontree.Value, stars []string, at string, line int) {
	w.found = true
	w.item(v, stars, at, line)
}

// top goes through the value of a file.
func (w *walker) top() error {
	var ways [][]string
	for _, s := range w.items.alternatives {
		ways = append(ways, s.names)
	}
	return w.step("", ways, nil)
}

// step takes the next value by the ways that lead on from it, which is an item where one
// ends; stars are the names that their stars stood for.
func (w *walker) step(at string, ways [][]string, stars []string) error {
	bracket := w.Next()
	single := bracket == '{' && at != "" && len(advance(ways, "[*]")) == len(ways) // an item in place of a list of them
	if single || slices.ContainsFunc(ways, func(names []string) bool { return len(names) == 0 }) {
		c, line, err := w.value(at)
		if err == nil && c != nil && (c.Value.Kind == jsontree.Array || c.Is(jsontree.Object)) {
			w.take(c.Value, stars, at, line)
		}
		return err
	}
	if bracket != '{' && bracket != '[' {
		_, line, err := w.value(at)
		return cmp.Or(err, fmt.Errorf("%s:%d: %swant a list or an object, as the layout has it", w.name, line, prefix(at)))
	}
	return w.each(at, func(name string) error {
		if bracket == '[' {
			return w.part(at+name, append(advance(ways, name), advance(ways, "[*]")...), stars)
		}
		if at == "" && len(w.names) < 20 {
			w.names = append(w.names, name)
		}
		if onward := advance(ways, name); len(onward) > 0 {
			return w.part(joined(at, name), onward, stars)
		} else if onward := advance(ways, "*"); len(onward) > 0 {
			return w.part(joined(at, strconv.Quote(name)), onward, append(slices.Clone(stars), name))
		}
		return w.part(joined(at, name), nil, nil)
	})
}

func joined(at, name string) string { return strings.TrimPrefix(at+"."+name, ".") }

// part takes a part of a value: one on the way to items, one that says something of all, or
// another.
func (w *walker) part(at string, ways [][]string, stars []string) error {
	if len(ways) > 0 {
		return w.step(at, ways, stars)
	}
	if w.head != nil {
		if read, err := w.head(at); read || err != nil {
			return err
		}
	}
	return w.skip(at)
}

// advance returns the rests of the ways that begin with a name.
func advance(ways [][]string, name string) (rests [][]string) {
	for _, way := range ways {
		if len(way) > 0 && way[0] == name {
			rests = append(rests, way[1:])
		}
	}
	return rests
}

// saysOfAll reads a field that says something of all items, if the layout has it.
func (r *reading) saysOfAll(at string) (bool, error) {
	l := r.layout
	about := false
	for _, p := range l.About {
		about = about || slices.ContainsFunc(p.alternatives, func(s steps) bool { return s.names[0] == at })
	}
	if !about && l.Versions[at] == nil && l.Finished[at] == nil {
		return false, nil
	}
	c, line, err := r.value(at)
	if err != nil || c == nil {
		return true, err
	}
	text := c.Value.Text
	if known := l.Versions[at]; known != nil && !slices.Contains(known, text) {
		r.faults.Addf(line, "%s is %q, want %s: the file is from another version of its tool", at, text, strings.Join(known, " or "))
	}
	if known := l.Finished[at]; known != nil && !slices.Contains(known, text) && r.scores && !r.Partial {
		return true, fmt.Errorf("%s is unfinished: its %s is %q; --force reads it anyway", r.name, at, text)
	}
	r.says(origin{item: &jsontree.Value{Kind: jsontree.Object, Fields: []jsontree.Field{{Name: at, Value: *c.Value}}}})
	return true, nil
}

// says notes what is not known yet of all items.
func (r *reading) says(o origin) {
	for what, p := range r.layout.About {
		if r.about[what] == "" {
			r.about[what] = p.said(o)
		}
	}
}

// beside reads which direction is better from a file beside this one, if there is one, and
// the task from the file's name.
func (r *reading) beside() error {
	b := r.layout.Beside
	name, ok := strings.CutPrefix(filepath.Base(r.name), b.Prefix)
	at := strings.LastIndexByte(name, '_')
	if b.Prefix == "" || !ok || at < 1 {
		return nil
	}
	task := name[:at]
	r.about["task"] = task
	path := filepath.Join(filepath.Dir(r.name), b.Results+strings.TrimSuffix(name[at+1:], "l"))
	return r.other(path, "@item", func(v *jsontree.Value) {
		for _, of := range cmp.Or(v.Get(b.Higher), &jsontree.Value{}).Fields {
			for _, column := range of.Value.Fields {
				if higher := column.Value; higher.Kind == jsontree.Bool && record.FileName(of.Name) == record.FileName(task) {
					r.columns[column.Name] = ResultColumn{Lower: new(higher.Text == "false")}
				}
			}
		}
	})
}

// join reads the items of the other file, where there is one.
func (r *reading) join() error {
	j := r.layout.With
	if j.File == "" {
		return nil
	}
	r.with = make(map[string][]*jsontree.Value)
	for pattern := range strings.SplitSeq(j.File, "|") {
		found, err := filepath.Glob(filepath.Join(filepath.Dir(r.name), strings.TrimSpace(pattern)))
		for _, path := range found {
			err = cmp.Or(err, r.other(path, j.Items.text, func(v *jsontree.Value) {
				flatten(v, r.layout.Flatten)
				if key := j.Key.said(origin{item: v}); key != "" {
					r.with[key] = append(r.with[key], v)
				}
			}))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// maxOther is the size of the largest other file, whose items are held in memory.
const maxOther = 256 << 20

// other calls item for each item of another file, the whole of which is at "@item". A file
// that is not there has none.
func (r *reading) other(path, items string, item func(*jsontree.Value)) error {
	s := &stream{ctx: r.ctx}
	f, _, err := s.openFile(path, maxOther, io.Discard)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if items == wholeItem {
		c, _, err := s.value("")
		if err == nil && c != nil {
			item(c.Value)
		}
		return cmp.Or(err, s.faults.Err())
	}
	w := &walker{stream: s, items: mustPath(items), item: func(v *jsontree.Value, _ []string, _ string, _ int) { item(v) }}
	return cmp.Or(w.through(true), s.faults.Err())
}
