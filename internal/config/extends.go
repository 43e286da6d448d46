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
// the one that it extends, of which the seeds count if the document has none. Chain are the
// files that led to it, itself last.
func complete(doc *strictyaml.Document, chain ...string) {
	file := chain[len(chain)-1]
	include(doc, file)
	at := doc.Root().At("extends")
	name, ok := at.Text()
	if !ok {
		return
	}
	way := append(slices.Clip(chain), beside(file, name))
	base, err := extended(way)
	if err == nil {
		if root := doc.Root(); root.At("seed").Exists() || root.At("seeds").Exists() {
			base.Remove("seed")
			base.Remove("seeds")
		}
		doc.Extend(base)
		return
	}
	if _, faults := errors.AsType[*strictyaml.Error](err); !faults && len(way) > 2 {
		err = fmt.Errorf("%w; %s", err, strings.Join(way, " extends "))
	}
	at.Adopt(err)
}

// beside returns the path of a file that another one names: a relative name starts at
// that one's folder.
func beside(file, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(file), name)
}

// extended reads the last of the files that extend one another. The name is the run's own,
// and a relative base starts at the folder of the file.
func extended(way []string) (*strictyaml.Document, error) {
	path := way[len(way)-1]
	switch {
	case slices.ContainsFunc(way[:len(way)-1], func(file string) bool { return filepath.Clean(file) == path }):
		return nil, fmt.Errorf("%s extends itself", path)
	case len(way) > maxChain:
		return nil, fmt.Errorf("more than %d files that extend one another", maxChain)
	}
	doc, err := parseFile(path)
	if err != nil {
		return nil, err
	}
	complete(doc, way...)
	doc.Remove("name")
	doc.Remove("extends")
	base := doc.Root().At("base")
	if folder, ok := base.Text(); ok {
		abs, err := filepath.Abs(beside(path, folder))
		if err != nil {
			return nil, err
		}
		doc.Put(base.As(abs), "base")
	}
	return doc, nil
}

// assign changes a document as the command line says. Of seed and seeds, the one that it
// gives takes the place of the other.
func assign(doc *strictyaml.Document, assignment string) {
	doc.Set(assignment, entryNames...)
	switch path, _, _ := strings.Cut(assignment, "="); path {
	case "seed":
		doc.Remove("seeds")
	case "seeds":
		doc.Remove("seed")
	}
}

// include puts the files that entries of models, and the models of judges, name into a
// document, and writes a list of one and an entry without options in full.
func include(doc *strictyaml.Document, file string) {
	asList := func(steps ...any) {
		if at := doc.Root().At(steps...); at.Exists() && !at.IsList() {
			doc.Put(at.List(at), steps...)
		}
	}
	for _, key := range append([]string{"metrics", "published"}, entryLists...) {
		if _, text := doc.Root().At(key).Text(); text || doc.Root().At(key).IsMapping() {
			asList(key)
		}
	}
	for _, list := range entryLists {
		for i, at := range doc.Root().At(list).Each() {
			switch name, text := at.Text(); {
			case text && (list != "models" || name == "stand-in" || name == "none"):
				doc.Put(at.Under("use"), list, i)
			case text:
				includeModel(doc, file, list, i)
			}
		}
	}
	for i := range doc.Root().At("exclude").Each() {
		for _, key := range []string{"dataset", "method", "model", "seed"} {
			asList("exclude", i, key)
		}
	}
	for i := range doc.Root().At("judges").Each() {
		includeModel(doc, file, "judges", i, "model")
	}
}

// includeModel puts the entry of a file in the place where a document names the file.
func includeModel(doc *strictyaml.Document, from string, steps ...any) {
	at := doc.Root().At(steps...)
	name, text := at.Text()
	if !text {
		return
	}
	path := beside(from, name)
	entry, err := parseFile(path)
	if err == nil {
		doc.Put(entry.Root(), steps...)
		return
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("there is no file %s; want a model entry, such as configs/models/openai.yaml", path)
		if filepath.Ext(name) == "" {
			err = fmt.Errorf("%w, or the entry {use: live, options: {chat: {base_url: URL, model: %s}}}", err, name)
		}
	}
	at.Adopt(err)
}

// parseFile reads a document from a file.
func parseFile(path string) (*strictyaml.Document, error) {
	data, err := read(path)
	if err != nil {
		return nil, err
	}
	return strictyaml.Parse(path, data)
}
