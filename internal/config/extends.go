package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"recallbench/internal/files/strictyaml"
)

// Bounds of what a run file may extend.
const (
	maxChain = 8  // files that extend one another
	maxBases = 64 // files in all
)

// A loader reads the files that make up a run file.
type loader struct{ bases int }

// complete puts the files that a document names into it: entries of models, and
// those that it extends. Chain are the files that led to it, itself last.
func (l *loader) complete(doc *strictyaml.Document, chain []string) {
	include(doc, chain[len(chain)-1])
	at := doc.Root().At("extends")
	if !at.Exists() {
		return
	}
	if _, ok := at.Text(); !ok && !at.IsList() || at.IsList() && at.Len() == 0 {
		at.Faultf("found %s, want the name of a run file, or a list of names", at.Describe())
		return
	}
	names := each(at)
	// Each fills in what those after it lack.
	for i, at := range slices.Backward(names) {
		name, ok := at.Text()
		switch {
		case !ok:
			at.Faultf("found %s, want the name of a run file", at.Describe())
		case slices.ContainsFunc(names[:i], at.Equal):
			at.Faultf("%q is in the list already", name)
		default:
			if base := l.base(at, name, chain); base != nil {
				layOver(doc, base)
			}
		}
	}
}

// base reads a file that the last of a chain extends; nil for a fault, which is
// recorded.
func (l *loader) base(at strictyaml.Value, name string, chain []string) *strictyaml.Document {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(chain[len(chain)-1]), path)
	}
	way := append(slices.Clip(chain), path)
	fail := func(why string) *strictyaml.Document {
		if len(way) > 2 {
			why += "; " + strings.Join(way, " extends ")
		}
		at.Faultf("%s", why)
		return nil
	}
	switch {
	case slices.ContainsFunc(chain, func(file string) bool { return samePath(file, path) }):
		return fail(name + " leads back to itself")
	case len(way) > maxChain:
		return fail(fmt.Sprintf("more than %d files that extend one another", maxChain))
	}
	if l.bases++; l.bases > maxBases {
		return fail(fmt.Sprintf("more than %d files in all", maxBases))
	}
	data, err := read(path)
	if err != nil {
		return fail(err.Error())
	}
	doc, err := strictyaml.Parse(path, data)
	if e, ok := errors.AsType[*strictyaml.Error](err); ok {
		at.Adopt(e)
		return nil
	}
	if err != nil {
		return fail(err.Error())
	}
	l.complete(doc, way)
	// The name is the run's own, and paths of the file are meant from its folder.
	doc.Remove("name")
	doc.Remove("extends")
	base := doc.Root().At("base")
	if folder, ok := base.Text(); ok && !filepath.IsAbs(folder) {
		if abs, err := filepath.Abs(filepath.Join(filepath.Dir(path), folder)); err == nil {
			doc.Put("base", base.Of(abs))
		}
	}
	return doc
}

// samePath reports whether two paths are the same file's.
func samePath(a, b string) bool {
	x, err := filepath.Abs(a)
	y, err2 := filepath.Abs(b)
	return err == nil && err2 == nil && x == y
}

// seedKeys are where a run file may have its seeds: in one of them.
var seedKeys = [][]string{{"seed"}, {"seeds"}, {"matrix", "seed"}, {"matrix", "seeds"}}

// layOver lays a document over another one. Its seeds stand, wherever the other
// has its own.
func layOver(doc, base *strictyaml.Document) {
	if slices.ContainsFunc(seedKeys, func(keys []string) bool { return doc.Root().At(anySteps(keys)...).Exists() }) {
		for _, keys := range seedKeys {
			base.Remove(keys...)
		}
	}
	doc.Extend(base)
}

// keepSeeds removes the seeds of a document but for those that an assignment to a
// path has set.
func keepSeeds(doc *strictyaml.Document, path string) {
	if !slices.ContainsFunc(seedKeys, func(keys []string) bool { return strings.Join(keys, ".") == path }) {
		return
	}
	for _, keys := range seedKeys {
		if strings.Join(keys, ".") != path {
			doc.Remove(keys...)
		}
	}
}

func anySteps(keys []string) []any {
	var steps []any
	for _, key := range keys {
		steps = append(steps, key)
	}
	return steps
}

// include puts the files that entries of models, and those of judges, name into a
// document.
func include(doc *strictyaml.Document, file string) {
	open := func(name string) (string, []byte, error) {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(file), path)
		}
		data, err := read(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("there is no file %s; want that of a models entry, such as configs/models/openai.yaml", path)
			if filepath.Ext(name) == "" {
				err = fmt.Errorf("%w, or the entry {use: live, options: {chat: {base_url: URL, model: %s}}}", err, name)
			}
		}
		return path, data, err
	}
	for key, kept := range map[string]func(string) bool{
		"datasets": func(string) bool { return false },
		"methods":  func(string) bool { return false },
		"models":   func(text string) bool { return text != "stand-in" },
	} {
		doc.Listed(key, "use", kept)
	}
	doc.Listed("metrics", "", nil)
	doc.Listed("published", "", nil)
	doc.Include(open, "models")
	for i := range doc.Root().At("judges").Len() {
		doc.Include(open, "judges", i, "model")
	}
}
