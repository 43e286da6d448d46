package prompt

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
)

// Embedded returns the folder prompts of a package's embedded files.
func Embedded(files fs.FS) fs.FS {
	sub, err := fs.Sub(files, "prompts")
	if err != nil {
		panic(err) // the name is a valid path
	}
	return sub
}

// Join returns the templates of several folders as one folder for [Load], for a
// method that has prompts of its own beside those of what it is made of. Of
// files of the same name that of the first folder counts.
func Join(folders ...fs.FS) fs.FS { return layers(folders) }

type layers []fs.FS

// Open implements fs.FS.
func (l layers) Open(name string) (fs.File, error) {
	for _, folder := range l {
		f, err := folder.Open(name)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// ReadDir implements fs.ReadDirFS.
func (l layers) ReadDir(name string) ([]fs.DirEntry, error) {
	entries := make(map[string]fs.DirEntry)
	found := false
	for _, folder := range slices.Backward(l) {
		more, err := fs.ReadDir(folder, name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		found = found || err == nil
		for _, e := range more {
			entries[e.Name()] = e
		}
	}
	if !found {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	sorted := make([]fs.DirEntry, 0, len(entries))
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		sorted = append(sorted, entries[name])
	}
	return sorted, nil
}
