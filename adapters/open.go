package adapters

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Source is an adapter with the files that make it.
type Source struct {
	Manifest
	// Files are those of a ready adapter, by name; nil for one that lies in Dir.
	Files map[string][]byte
	Dir   string
}

// Open returns a ready adapter by its name, or the one in a folder: a path, which
// is taken from base where it is relative.
func Open(name, base string) (Source, error) {
	dir := name
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(base, name)
	}
	file := filepath.Join(dir, ManifestFile)
	text, err := os.ReadFile(file)
	if err == nil {
		m, err := Parse(file, text)
		return Source{Manifest: m, Dir: dir}, err
	}
	if name == "." || strings.ContainsAny(name, `/\`) {
		return Source{}, fmt.Errorf("adapter %s: %w", name, err)
	}
	files, err := Files(name)
	if err != nil {
		return Source{}, err
	}
	m, err := Parse(name+"/"+ManifestFile, files[ManifestFile])
	return Source{Manifest: m, Files: files}, err
}

// Words returns the words of the command, those that name a file of the adapter as
// paths below the folder in which its files lie.
func (s Source) Words(words []string, dir string) []string {
	out := slices.Clone(words)
	for i, w := range out {
		_, shipped := s.Files[w]
		info, err := os.Stat(filepath.Join(s.Dir, w))
		if shipped || s.Dir != "" && err == nil && info.Mode().IsRegular() {
			out[i] = filepath.Join(dir, w)
		}
	}
	return out
}

// Write writes files into a folder, which it makes.
func Write(dir string, files map[string][]byte) error {
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}
