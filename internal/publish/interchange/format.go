package interchange

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
)

// A Format is the format of another tool.
type Format struct {
	Name string
	Doc  string // one line
	// Folder is set for a format of several files.
	Folder bool

	write func(*Export, io.Writer) error
	files func(*Export) ([]file, error)
	read  func(*reading) error
}

// A file is a file of a folder.
type file struct {
	name  string // with slashes
	write func(io.Writer) error
}

// Formats lists the formats in the order of messages.
func Formats() []*Format {
	return []*Format{
		{Name: "csv", Doc: "one file with a row for each request", write: writeCSV},
		{Name: "inspect", Doc: "a folder of logs of Inspect AI", Folder: true, files: inspectFiles, read: readInspect},
		{Name: "jsonl", Doc: "one file with a JSON line for each request", write: writeJSONL, read: readLines},
		{Name: "lm-eval", Doc: "a folder of results and samples of lm-evaluation-harness", Folder: true, files: lmEvalFiles, read: readLMEval},
		{Name: "mem0", Doc: "a folder of results of mem0's evaluation, as Nemori and xMemory have them", Folder: true, files: mem0Files, read: readMem0},
	}
}

// names lists the formats for which a condition holds.
func names(is func(*Format) bool) []string {
	var names []string
	for _, f := range Formats() {
		if is(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

// ExportFormats names the formats that can be written.
func ExportFormats() []string { return names(func(*Format) bool { return true }) }

// ImportFormats names the formats that can be read.
func ImportFormats() []string { return names(func(f *Format) bool { return f.read != nil }) }

// Find returns a format by its name.
func Find(name string) (*Format, error) {
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
	}
	return nil, errors.New(suggest.Unknown("format", name, ExportFormats()))
}

// Write writes an export to w in a format of one file.
func (f *Format) Write(e *Export, w io.Writer) error { return f.write(e, w) }

// WriteFile writes an export to a file, atomically, in a format of one file.
func (f *Format) WriteFile(e *Export, path string) error {
	return record.WriteFile(path, func(w io.Writer) error { return f.write(e, w) })
}

// WriteFolder writes an export into a folder, which is made where it is not there,
// in a format of several files, and returns their paths. Each file is written
// atomically; files of the same name are replaced.
func (f *Format) WriteFolder(e *Export, dir string) ([]string, error) {
	files, err := f.files(e)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, file := range files {
		path := filepath.Join(dir, filepath.FromSlash(file.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return paths, err
		}
		if err := record.WriteFile(path, file.write); err != nil {
			return paths, fmt.Errorf("%s: %w", path, err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}
