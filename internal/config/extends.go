package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
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
	names := at.Each()
	// Each fills in what those after it lack.
	for i, at := range slices.Backward(names) {
		name, ok := at.Text()
		switch {
		case !ok:
			at.Faultf("found %s, want the name of a run file", at.Describe())
		case place(names[:i], at) >= 0:
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
			doc.Put(base.As(abs), "base")
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

// dropSeeds removes the seeds of a document but for those at a path.
func dropSeeds(doc *strictyaml.Document, but string) {
	for _, keys := range seedKeys {
		if strings.Join(keys, ".") != but {
			doc.Remove(keys...)
		}
	}
}

// layOver lays a document over another one. Its seeds stand, wherever the other
// has its own.
func layOver(doc, base *strictyaml.Document) {
	root := doc.Root()
	if slices.ContainsFunc(seedKeys, func(keys []string) bool { return root.At(lists.Map(keys, toAny)...).Exists() }) {
		dropSeeds(base, "")
	}
	doc.Extend(base)
}

func toAny(key string) any { return key }

// assign changes a document as the command line says. Seeds that it gives take the place
// of all others.
func assign(doc *strictyaml.Document, assignment string) {
	doc.Set(assignment, entryNames...)
	path, _, _ := strings.Cut(assignment, "=")
	if slices.ContainsFunc(seedKeys, func(keys []string) bool { return strings.Join(keys, ".") == path }) {
		dropSeeds(doc, path)
	}
}

// include puts the files that entries of models, and the models of judges, name into a
// document, and writes a list of one and an entry without options in full.
func include(doc *strictyaml.Document, file string) {
	for _, key := range append([]string{"metrics", "published"}, entryLists...) {
		at := doc.Root().At(key)
		if _, text := at.Text(); text || at.IsMapping() {
			doc.Put(at.List(at), key)
		}
	}
	for _, list := range entryLists {
		for i := range doc.Root().At(list).Len() {
			at := doc.Root().At(list, i)
			if name, text := at.Text(); text && (list != "models" || name == "stand-in" || name == "none") {
				doc.Put(at.Under("use"), list, i)
			} else if text {
				includeModel(doc, file, name, list, i)
			}
		}
	}
	for i := range doc.Root().At("judges").Len() {
		if name, text := doc.Root().At("judges", i, "model").Text(); text {
			includeModel(doc, file, name, "judges", i, "model")
		}
	}
}

// includeModel puts the entry that a file holds at a place of a document.
func includeModel(doc *strictyaml.Document, from, name string, steps ...any) {
	at, path := doc.Root().At(steps...), name
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(from), path)
	}
	data, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("there is no file %s; want that of a models entry, such as configs/models/openai.yaml", path)
		if filepath.Ext(name) == "" {
			err = fmt.Errorf("%w, or the entry {use: live, options: {chat: {base_url: URL, model: %s}}}", err, name)
		}
	}
	if err != nil {
		at.Faultf("%v", err)
		return
	}
	entry, err := strictyaml.Parse(path, data)
	if e, ok := errors.AsType[*strictyaml.Error](err); ok {
		at.Adopt(e)
		return
	}
	doc.Put(entry.Root(), steps...)
}
