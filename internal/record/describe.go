package record

import (
	"errors"
	"io/fs"
	"os"
)

// Describe says what is at a path, for messages: "the folder of a run", "a baseline",
// "a folder" or "a file"; empty where nothing is.
func Describe(path string) string {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return ""
	case !info.IsDir():
		return "a file"
	case IsBaseline(path):
		return "a baseline"
	}
	if _, err := os.Stat(Folder(path).header()); err == nil {
		return "the folder of a run"
	}
	return "a folder"
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
