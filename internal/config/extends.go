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

// maxChain is how many files may extend one another.
const maxChain = 8

// complete puts the files that a document names into it: entries of models, and
// the one that it extends. Chain are the files that led to it, itself last.
func complete(doc *strictyaml.Document, chain []string) {
	include(doc, chain[len(chain)-1])
	at := doc.Root().At("extends")
	if name, ok := at.Text(); ok {
		if base := extended(at, name, chain); base != nil {
			layOver(doc, base)
		}
	}
}

// extended reads the file that the last of a chain extends; nil for a fault, which is
// recorded.
func extended(at strictyaml.Value, name string, chain []string) *strictyaml.Document {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(chain[len(chain)-1]), path)
	}
	way := append(slices.Clip(chain), path)
	data, err := read(path)
	switch {
	case slices.ContainsFunc(chain, func(file string) bool { return samePath(file, path) }):
		err = fmt.Errorf("%s extends itself", name)
	case len(way) > maxChain:
		err = fmt.Errorf("more than %d files that extend one another", maxChain)
	}
	if err == nil {
		var doc *strictyaml.Document
		if doc, err = strictyaml.Parse(path, data); err == nil {
			complete(doc, way)
			prepare(doc, path)
			return doc
		}
	}
	if e, ok := errors.AsType[*strictyaml.Error](err); ok {
		at.Adopt(e)
		return nil
	}
	why := err.Error()
	if len(way) > 2 {
		why += "; " + strings.Join(way, " extends ")
	}
	at.Faultf("%s", why)
	return nil
}

// prepare makes a file ready to be extended: the name is the run's own, and a relative base
// starts at the folder of the file.
func prepare(doc *strictyaml.Document, path string) {
	doc.Remove("name")
	doc.Remove("extends")
	base := doc.Root().At("base")
	if folder, ok := base.Text(); ok && !filepath.IsAbs(folder) {
		if abs, err := filepath.Abs(filepath.Join(filepath.Dir(path), folder)); err == nil {
			doc.Put(base.As(abs), "base")
		}
	}
}

// samePath reports whether two paths are the same file's.
func samePath(a, b string) bool {
	x, err := filepath.Abs(a)
	y, err2 := filepath.Abs(b)
	return err == nil && err2 == nil && x == y
}

// seedKeys are where a run file may have its seeds: in one of them.
var seedKeys = []string{"seed", "seeds"}

// dropSeeds removes the seeds of a document but for those of a key.
func dropSeeds(doc *strictyaml.Document, but string) {
	for _, key := range seedKeys {
		if key != but {
			doc.Remove(key)
		}
	}
}

// layOver lays a document over another one. Its seeds stand, wherever the other
// has its own.
func layOver(doc, base *strictyaml.Document) {
	if slices.ContainsFunc(seedKeys, func(key string) bool { return doc.Root().At(key).Exists() }) {
		dropSeeds(base, "")
	}
	doc.Extend(base)
}

// assign changes a document as the command line says. Seeds that it gives take the place
// of all others.
func assign(doc *strictyaml.Document, assignment string) {
	doc.Set(assignment, entryNames...)
	if path, _, _ := strings.Cut(assignment, "="); slices.Contains(seedKeys, path) {
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
	for i := range doc.Root().At("exclude").Len() {
		for _, key := range []string{"dataset", "method", "model", "seed"} {
			if at := doc.Root().At("exclude", i, key); at.Exists() && !at.IsList() {
				doc.Put(at.List(at), "exclude", i, key)
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
		err = fmt.Errorf("there is no file %s; want a model entry, such as configs/models/openai.yaml", path)
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
