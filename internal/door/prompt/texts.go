package prompt

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"
)

// Texts returns a folder of files that hold the texts of a map, by their names.
func Texts(texts map[string]string) fs.FS { return folder(texts) }

type folder map[string]string

// Open implements fs.FS. The folder itself is read by [fs.ReadDirFS].
func (f folder) Open(name string) (fs.File, error) {
	text, ok := f[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &textFile{strings.NewReader(text), textInfo{name, int64(len(text))}}, nil
}

// ReadDir implements fs.ReadDirFS.
func (f folder) ReadDir(name string) ([]fs.DirEntry, error) {
	if name != "." {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	var entries []fs.DirEntry
	for _, name := range slices.Sorted(maps.Keys(f)) {
		entries = append(entries, fs.FileInfoToDirEntry(textInfo{name, int64(len(f[name]))}))
	}
	return entries, nil
}

type textFile struct {
	*strings.Reader
	info textInfo
}

func (f *textFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (*textFile) Close() error                 { return nil }

type textInfo struct {
	name string
	size int64
}

func (i textInfo) Name() string     { return i.name }
func (i textInfo) Size() int64      { return i.size }
func (textInfo) Mode() fs.FileMode  { return 0o444 }
func (textInfo) ModTime() time.Time { return time.Time{} }
func (textInfo) IsDir() bool        { return false }
func (textInfo) Sys() any           { return nil }
