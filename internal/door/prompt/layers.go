package prompt

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
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

// Texts returns a folder of files that hold the texts of a map, by their names. It is a
// zip archive in memory: outside of tests, the standard library has no other folder of
// texts.
func Texts(texts map[string]string) fs.FS {
	var data bytes.Buffer
	w := zip.NewWriter(&data)
	for name, text := range texts {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = io.WriteString(f, text)
		}
		if err != nil {
			panic(err) // memory takes all
		}
	}
	_ = w.Close() // likewise
	folder, err := zip.NewReader(bytes.NewReader(data.Bytes()), int64(data.Len()))
	if err != nil {
		panic(err) // it was written here
	}
	return folder
}

// Join returns the templates of several folders, which can be read, as one folder for
// [Load], for a method that has prompts of its own beside those of what it is made of.
// Of files of the same name that of the first folder counts.
func Join(folders ...fs.FS) fs.FS {
	texts := make(map[string]string)
	for _, folder := range slices.Backward(folders) {
		names, _ := templates(folder, ".") // a folder that is not there has none
		for _, name := range names {
			if text, err := fs.ReadFile(folder, name); err == nil {
				texts[name] = string(text)
			}
		}
	}
	return Texts(texts)
}
