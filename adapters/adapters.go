// Package adapters has everything to connect external memory systems: a kit for each of
// two languages, templates of new adapters, and ready adapters for popular systems.
package adapters

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"recallbench/internal/text/suggest"
)

//go:embed python/recallbench.py node/recallbench.mjs node/recallbench.d.ts templates ready
var files embed.FS

// Languages lists the languages that have a kit.
func Languages() []string { return []string{"node", "python"} }

// Kit returns the files of a language's kit by name. They belong next to the adapter's
// own.
func Kit(language string) (map[string][]byte, error) {
	if !slices.Contains(Languages(), language) {
		return nil, errors.New(suggest.Unknown("language", language, Languages()))
	}
	return folder(language)
}

// Template returns the files of a new adapter by name, with those of its kit.
func Template(language, name string) (map[string][]byte, error) {
	kit, err := Kit(language)
	if err != nil {
		return nil, err
	}
	texts, err := folder("templates/" + language)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]byte)
	for file, text := range texts {
		out[file] = []byte(strings.ReplaceAll(string(text), "NAME", name))
	}
	return with(out, kit), nil
}

// Ready returns the manifests of all ready adapters, sorted by name.
func Ready() ([]Manifest, error) {
	entries, err := files.ReadDir("ready")
	if err != nil {
		return nil, err
	}
	var out []Manifest
	var faults []error
	for _, e := range entries {
		file := path.Join("ready", e.Name(), ManifestFile)
		text, err := files.ReadFile(file)
		if err != nil {
			return nil, err
		}
		m, err := Parse("adapters/"+file, text)
		if err == nil && m.Name != e.Name() {
			err = fmt.Errorf("adapters/%s: name is %q, want that of the folder", file, m.Name)
		}
		out, faults = append(out, m), append(faults, err)
	}
	return out, errors.Join(faults...)
}

// Files returns the files of a ready adapter by name, with those of its kit.
func Files(name string) (map[string][]byte, error) {
	ready, err := Ready()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range ready {
		if m.Name == name {
			out, err := folder("ready/" + name)
			if err != nil || m.Language == "" {
				return out, err
			}
			kit, err := Kit(m.Language)
			return with(out, kit), err
		}
		names = append(names, m.Name)
	}
	return nil, errors.New(suggest.Unknown("adapter", name, names))
}

func folder(dir string) (map[string][]byte, error) {
	out := make(map[string][]byte)
	entries, err := files.ReadDir(dir)
	for _, e := range entries {
		text, failed := fs.ReadFile(files, path.Join(dir, e.Name()))
		err = errors.Join(err, failed)
		out[e.Name()] = text
	}
	return out, err
}

// with adds what is not there yet.
func with(out, more map[string][]byte) map[string][]byte {
	for name, text := range more {
		if _, ok := out[name]; !ok {
			out[name] = text
		}
	}
	return out
}
