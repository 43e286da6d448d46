package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
)

// output holds where and how a verb prints tables.
type output struct {
	format string
	file   string
}

func (o *output) add(cmd *cobra.Command) {
	cmd.PreRunE = func(*cobra.Command, []string) error { return o.check() }
	choiceFlag(cmd, &o.format, "format", "", report.Formats(), "`format`: "+strings.Join(report.Formats(), ", ")+" (default: by the name of --out, else text)")
	cmd.Flags().StringVar(&o.file, "out", "", "`file` to write instead of stdout")
}

// check determines the format. Verbs call it before any work.
func (o *output) check() (err error) {
	o.format, err = outFormat(o.file, o.format, "text", tableEndings)
	return usageError(err)
}

// write writes tables to the file or to stdout.
func (o *output) write(a *app, d *report.Document) error {
	if o.file == "" {
		return d.Write(a.stdout, o.format)
	}
	return a.writeOut(o.file, func(w io.Writer) error { return d.Write(w, o.format) })
}

// printTable prints rows below a header, with tabs between columns.
func (a *app) printTable(header string, rows []string) error {
	return a.columns(strings.Join(append([]string{header}, rows...), "\n") + "\n")
}

// say prints a line to stdout.
func (a *app) say(format string, args ...any) error {
	_, err := fmt.Fprintf(a.stdout, format+"\n", args...)
	return err
}

// columns prints text to stdout, aligned in columns at its tabs.
func (a *app) columns(text string) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	return w.Flush()
}

// noteInputs notes what a verb may read: its arguments and the values of its flags.
func (a *app) noteInputs(cmd *cobra.Command, args []string) {
	a.inputs = slices.Clone(args)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if list, ok := f.Value.(pflag.SliceValue); ok {
			a.inputs = append(a.inputs, list.GetSlice()...)
		} else if f.Name != "out" {
			a.inputs = append(a.inputs, f.Value.String())
		}
	})
}

// writeOut writes a file that a person named, as [record.WriteFile] does. Every verb writes
// its outputs through it, so that none replaces files of a run or its own inputs.
func (a *app) writeOut(path string, write func(io.Writer) error) error {
	if err := a.checkOut(path); err != nil {
		return usageError(fmt.Errorf("--out: %w", err))
	}
	return usageError(record.WriteFile(path, write))
}

// reportFile is the only output that may be written into a run folder.
const reportFile = "report.html"

// checkOut refuses a file that lies in a run folder or is an input.
func (a *app) checkOut(path string) error {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return err
	}
	if linked, err := filepath.EvalSymlinks(dir); err == nil { // a missing folder holds nothing
		dir = linked
	}
	for at, name := dir, filepath.Base(path); at != filepath.Dir(at); at, name = filepath.Dir(at), "" {
		if record.IsRun(at) && name != reportFile {
			return fmt.Errorf("%s is in %s, %s, whose files must not be overwritten; choose another folder", path, at, record.Describe(at))
		}
	}
	there, err := os.Stat(path)
	if err != nil {
		return nil //nolint:nilerr // what is not there was not read
	}
	for _, input := range a.inputs { // a FILE, FILE#SIDE or NAME=FILE
		file, _, _ := strings.Cut(input, "#")
		for _, name := range []string{input, file, input[strings.LastIndexByte(input, '=')+1:]} {
			if info, err := os.Stat(name); err == nil && os.SameFile(there, info) {
				return fmt.Errorf("%s is an input; choose another file", path)
			}
		}
	}
	return nil
}

// tableEndings maps file name endings to formats of tables.
var tableEndings = map[string]string{".txt": "text", ".md": "markdown", ".csv": "csv", ".json": "json", ".html": "html", ".htm": "html", ".tex": "latex"}

// outFormat returns the format of a file to write: the one given, or the one of its
// ending, or standard if there is no ending or no file. It is an error if name and format
// disagree, or if the file is a folder.
func outFormat(file, format, standard string, endings map[string]string) (string, error) {
	if err := checkFree(file, false); err != nil {
		return "", err
	}
	ending := strings.ToLower(filepath.Ext(file))
	want := slices.DeleteFunc(slices.Sorted(maps.Keys(endings)), func(e string) bool { return format != "" && endings[e] != format })
	switch {
	case ending == "" || len(want) == 0:
		return cmp.Or(format, standard), nil
	case !slices.Contains(want, ending):
		return "", fmt.Errorf("--out: %s ends in %q, want one of %s", file, ending, strings.Join(want, ", "))
	}
	return endings[ending], nil
}

// checkFree reports that a path to write a file or a folder to is taken by something else.
func checkFree(path string, folder bool) error {
	switch what := record.Describe(path); {
	case folder && what == "a file":
		return fmt.Errorf("--out: %s is a file; want a folder, which may be new", path)
	case !folder && what != "" && what != "a file":
		return fmt.Errorf("--out: %s is %s; want a file, such as one in it", path, what)
	}
	return nil
}

// checkInput reports that a file to read is missing or is not a file. Wanted describes the expected content.
func checkInput(file, wanted string) error {
	switch what := record.Describe(file); what {
	case "a file":
		return nil
	case "":
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return fmt.Errorf("there is no file %s; want %s", file, wanted)
	case "the folder of a run":
		return fmt.Errorf("%s is %s, whose config is %s; want %s", file, what, record.Folder(file).Config(), wanted)
	default:
		return fmt.Errorf("%s is %s; want the file of %s", file, what, wanted)
	}
}
