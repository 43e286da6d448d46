package interchange

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

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

	write  func(*Export, io.Writer) error
	files  func(*Export) ([]file, error)
	layout *Layout // nil for a format that is not read, and for predictions
}

// own is the name of the program's own format.
const own = "predictions"

// reads reports whether the scores of a format can be read, and imports whether its answers.
func (f *Format) reads() bool { return f.Name == own || f.layout != nil }
func (f *Format) imports() bool {
	return f.Name == own || f.layout != nil && f.layout.Answer.text != ""
}

// A file is a file of a folder.
type file struct {
	name  string // with slashes
	write func(io.Writer) error
}

// Formats lists the formats in the order of messages.
func Formats() []*Format {
	all := []*Format{
		{Name: "csv", Doc: "one file with a row for each request", Lost: []string{"all but scores"}, write: writeCSV},
		{Name: "inspect", Doc: "a folder of logs of Inspect AI", Lost: []string{"attempts", "cost", "stages"}, Folder: true, files: inspectFiles},
		{Name: "jsonl", Doc: "one file with a JSON line for each request", Lost: []string{"attempts", "stages", "usage"}, write: writeJSONL},
		{Name: "lm-eval", Doc: "a folder of results and samples of lm-evaluation-harness", Lost: []string{"attempts", "blocks", "cost", "sources", "stages", "times", "usage"}, Folder: true, files: lmEvalFiles},
		{Name: "mem0", Doc: "a folder of results of mem0's evaluation, as Nemori and xMemory have them", Lost: []string{"attempts", "cost", "scores", "sources", "stages", "usage"}, Folder: true, files: mem0Files},
		{Name: own, Doc: "answers with all that is known of them, in this program's own format", write: writePredictions},
	}
	for name, l := range shippedLayouts() {
		at := slices.IndexFunc(all, func(f *Format) bool { return f.Name == name })
		if at < 0 {
			at, all = len(all), append(all, &Format{Name: name, Doc: l.Doc})
		}
		all[at].layout = l
	}
	slices.SortFunc(all, func(a, b *Format) int { return strings.Compare(a.Name, b.Name) })
	return all
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
func ExportFormats() []string {
	return names(func(f *Format) bool { return f.write != nil || f.files != nil })
}

// CheckImport returns an error for a value of --from that is neither empty nor a format to
// import nor a sound layout's file.
func CheckImport(name string) error { return checkFrom(name, ImportFormats()) }

func checkFrom(name string, names []string) error {
	if name == "" {
		return nil
	}
	if _, err := find("format", name, names); err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	return nil
}

// CheckResults is [CheckImport] for files whose scores are compared; empty is any format.
func CheckResults(name string) error { return checkFrom(name, ResultFormats()) }

// ImportFormats names the formats whose answers can be imported.
func ImportFormats() []string { return names((*Format).imports) }

// ResultFormats names the formats whose scores can be compared.
func ResultFormats() []string { return names((*Format).reads) }

// Find returns a format that can be written by its name.
func Find(name string) (*Format, error) { return find("format", name, ExportFormats()) }

// find returns a format of some names.
func find(what, name string, names []string) (*Format, error) {
	if isLayoutFile(name) {
		return openLayout(name)
	}
	if !slices.Contains(names, name) {
		return nil, errors.New(suggest.Unknown(what, name, names))
	}
	all := Formats()
	return all[slices.IndexFunc(all, func(f *Format) bool { return f.Name == name })], nil
}

// Write writes an export to w in a format of one file.
func (f *Format) Write(e *Export, w io.Writer) error { return f.write(e, w) }

// WriteFolder writes an export into a folder, which is made where it is not there,
// in a format of several files, and returns their paths. Each file is written
// through write, such as [record.WriteFile]; files of the same name are replaced.
func (f *Format) WriteFolder(e *Export, dir string, write func(string, func(io.Writer) error) error) ([]string, error) {
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
		if err := write(path, file.write); err != nil {
			return paths, fmt.Errorf("%s: %w", path, err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}
