package interchange

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"recallbench/internal/calc/lists"
	"recallbench/internal/text/suggest"
)

// A Format is the format of another tool.
type Format struct {
	Name string
	Doc  string // one line
	// Lost names what of answers and scores is lost when an export is read again.
	Lost []string
	// Folder is set for a format of several files.
	Folder bool

	files func(*Export) []file
}

// A file is a file of a folder, or the only one, which needs no name.
type file struct {
	name  string // with slashes
	write func(io.Writer) error
}

func one(write func(*Export, io.Writer) error) func(*Export) []file {
	return func(e *Export) []file {
		return []file{{write: func(w io.Writer) error { return write(e, w) }}}
	}
}

// Formats lists the formats that can be written, in the order of messages.
func Formats() []*Format {
	return []*Format{
		{Name: "csv", Doc: "one file with a row for each question", Lost: []string{"everything but scores"}, files: one(writeCSV)},
		{Name: "inspect", Doc: "a folder of logs of Inspect AI", Lost: []string{"attempts", "cost", "stages"}, Folder: true, files: inspectFiles},
		{Name: "jsonl", Doc: "one file with a JSON line for each question", Lost: []string{"attempts", "stages", "usage"}, files: one(writeJSONL)},
		{Name: "lm-eval", Doc: "a folder of results and samples of lm-evaluation-harness", Lost: []string{"attempts", "blocks", "cost", "sources", "stages", "times", "usage"}, Folder: true, files: lmEvalFiles},
		{Name: "mem0", Doc: "a folder of results of mem0's evaluation, also used by Nemori and xMemory", Lost: []string{"attempts", "cost", "scores", "sources", "stages", "usage"}, Folder: true, files: mem0Files},
		{Name: own, Doc: "one file of one cell, with everything about its answers, in this program's own format", files: one(writePredictions)},
	}
}

// own is the name of the program's own format.
const own = "predictions"

// ExportFormats names the formats that can be written.
func ExportFormats() []string { return lists.Map(Formats(), func(f *Format) string { return f.Name }) }

// Find returns a format that can be written by its name.
func Find(name string) (*Format, error) {
	at := slices.Index(ExportFormats(), name)
	if at < 0 {
		return nil, errors.New(suggest.Unknown("format", name, ExportFormats()))
	}
	return Formats()[at], nil
}

// Write writes an export to w in a format of one file.
func (f *Format) Write(e *Export, w io.Writer) error { return f.files(e)[0].write(w) }

// WriteFolder writes an export into a folder, which is made where it is not there,
// in a format of several files, and returns their paths. Each file is written
// through write, such as [record.WriteFile]; files of the same name are replaced.
func (f *Format) WriteFolder(e *Export, dir string, write func(string, func(io.Writer) error) error) (paths []string, err error) {
	for _, file := range f.files(e) {
		path := filepath.Join(dir, filepath.FromSlash(file.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return paths, err
		}
		if err := write(path, file.write); err != nil {
			return paths, fmt.Errorf("%s: %w", path, err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}
