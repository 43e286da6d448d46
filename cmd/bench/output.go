package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
)

// output is where and how a verb prints tables.
type output struct {
	format string
	file   string
}

func (o *output) add(cmd *cobra.Command) {
	cmd.PreRunE = func(*cobra.Command, []string) error { return o.check() }
	cmd.Flags().StringVar(&o.format, "format", "", "`format`: "+strings.Join(report.Formats(), ", ")+" (default: by the name of --out, else text)")
	cmd.Flags().StringVar(&o.file, "out", "", "`file` to write instead of stdout")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(report.Formats(), cobra.ShellCompDirectiveNoFileComp)))
}

// check finds out the format. It comes before any work is done.
func (o *output) check() error {
	if o.format != "" && !slices.Contains(report.Formats(), o.format) {
		return usageError(fmt.Errorf("--format: %s", suggest.Unknown("format", o.format, report.Formats())))
	}
	format, err := outFormat(o.file, o.format, "text", tableEndings)
	o.format = format
	return usageError(err)
}

// print writes tables to the file or to stdout.
func (o *output) print(a *app, d *report.Document) error {
	if o.file == "" {
		return d.Write(a.stdout, o.format)
	}
	return a.writeOut(o.file, func(w io.Writer) error { return d.Write(w, o.format) })
}

// noteInputs notes what a verb may read.
func (a *app) noteInputs(cmd *cobra.Command, args []string) {
	a.inputs, a.given = slices.Clone(args), nil
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if list, ok := f.Value.(pflag.SliceValue); ok && f.Name != "out" {
			a.given = append(a.given, list.GetSlice()...)
		} else if f.Name != "out" {
			a.given = append(a.given, f.Value.String())
		}
	})
}

// writeOut writes a file that a person named, as [record.WriteFile] does. Every verb writes
// its outputs through it, so that none replaces what a run consists of or what it reads.
func (a *app) writeOut(path string, write func(io.Writer) error) error {
	err := a.checkOut(path)
	if err == nil {
		var fault error
		err = record.WriteFile(path, func(w io.Writer) error {
			fault = write(w)
			return fault
		})
		if fault != nil {
			return usageError(err)
		}
	}
	if err != nil {
		return usageError(fmt.Errorf("--out: %w", err))
	}
	return nil
}

// reportFile is the file in a run folder that is none of the run's own.
const reportFile = "report.html"

// checkOut refuses a file that lies in a run folder or is an input.
func (a *app) checkOut(path string) error {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return err
	}
	if linked, err := filepath.EvalSymlinks(dir); err == nil { // a folder that is not there holds nothing
		dir = linked
	}
	for at, name := dir, filepath.Base(path); ; at, name = filepath.Dir(at), filepath.Join(filepath.Base(at), name) {
		if what := record.Describe(at); (what == "the folder of a run" || what == "a baseline") && name != reportFile {
			return fmt.Errorf("%s lies in %s, %s, whose files no output may replace; want another folder", path, at, what)
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	there, err := os.Stat(path)
	if err != nil {
		return nil //nolint:nilerr // what is not there was not read
	}
	read := func(input string) bool {
		info, err := os.Stat(input)
		return err == nil && os.SameFile(there, info)
	}
	for _, input := range slices.Concat(a.inputs, a.given) { // a FILE, FILE#SIDE or NAME=FILE
		if read(input) || read(input[:max(0, strings.LastIndexByte(input, '#'))]) || read(input[strings.LastIndexByte(input, '=')+1:]) {
			return fmt.Errorf("%s was read as input; want another file", path)
		}
	}
	for _, input := range a.inputs {
		folder, err := filepath.EvalSymlinks(input)
		if err != nil || record.Describe(folder) != "a folder" {
			continue // runs are above
		}
		if folder, err = filepath.Abs(folder); err != nil {
			return err
		}
		if rel, err := filepath.Rel(folder, dir); err == nil && filepath.IsLocal(rel) {
			return fmt.Errorf("%s lies in %s, which was read as input; want another file", path, input)
		}
	}
	return nil
}

// splitPairs reads the values of a flag of the form NAME=VALUE; the first name may have
// an equals sign sooner than the value.
func splitPairs(flag, form string, values []string) (map[string]string, error) {
	pairs := make(map[string]string)
	var faults []error
	for _, v := range values {
		i := strings.LastIndex(v, "=")
		if i <= 0 || i == len(v)-1 {
			faults = append(faults, fmt.Errorf("%s is %q, want \"%s\"", flag, v, form))
			continue
		}
		if _, ok := pairs[v[:i]]; ok {
			faults = append(faults, fmt.Errorf("%s names %q twice", flag, v[:i]))
		}
		pairs[v[:i]] = v[i+1:]
	}
	return pairs, errors.Join(faults...)
}

// typedEndings are the endings of names that say what a file holds. What is written into
// a file with one of them is that.
var typedEndings = []string{".csv", ".htm", ".html", ".jpeg", ".jpg", ".json", ".jsonl", ".md", ".parquet", ".pdf", ".png", ".svg", ".tex", ".txt", ".xlsx", ".xml", ".yaml", ".yml"}

// tableEndings are the endings of names of the formats of tables.
var tableEndings = map[string]string{".txt": "text", ".md": "markdown", ".csv": "csv", ".json": "json", ".html": "html", ".htm": "html", ".tex": "latex"}

// outFormat returns the format of a file to write: the one given, or that of the
// ending of its name among endings, or standard for a name without an ending. It
// is an error where name and format do not agree, or where the file's place is
// taken by a folder. Without a file it is the format given, or standard.
func outFormat(file, format, standard string, endings map[string]string) (string, error) {
	if err := freeForFile(file); err != nil {
		return "", err
	}
	ending := strings.ToLower(filepath.Ext(file))
	of, known := endings[ending]
	want := slices.Sorted(maps.Keys(endings))
	if format != "" {
		want = slices.DeleteFunc(want, func(e string) bool { return endings[e] != format })
	}
	switch {
	case file == "", ending == "":
	case format == "" && known:
		return of, nil
	case format == "":
		return "", fmt.Errorf("--out: %s ends in %q, want one of %s", file, ending, strings.Join(want, ", "))
	case known && of != format:
		return "", fmt.Errorf("--out: %s is a name for %s, and the format is %s; want the ending %s", file, of, format, strings.Join(want, " or "))
	case !known && slices.Contains(typedEndings, ending):
		return "", fmt.Errorf("--out: %s ends in %q, and the format is %s; want the ending %s", file, ending, format, strings.Join(want, " or "))
	}
	if format == "" {
		format = standard
	}
	return format, nil
}

// freeForFile reports that the place of a file is taken by something else.
func freeForFile(file string) error {
	if what := record.Describe(file); what != "" && what != "a file" {
		return fmt.Errorf("--out: %s is %s; want a file, such as one in it", file, what)
	}
	return nil
}

// freeForFolder reports that the place of a folder is taken by a file.
func freeForFolder(dir string) error {
	if record.Describe(dir) == "a file" {
		return fmt.Errorf("--out: %s is a file; want a folder, which may be new", dir)
	}
	return nil
}

// checkInput reports that a file to read is not there, with the near miss, or is
// something else. Wanted says what it should hold.
func checkInput(file, wanted string) error {
	switch what := record.Describe(file); what {
	case "a file":
		return nil
	case "":
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		var names []string
		entries, _ := os.ReadDir(filepath.Dir(file)) // what is not there has none
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if name, ok := suggest.Find(filepath.Base(file), names); ok {
			return fmt.Errorf("there is no file %s; did you mean %s?", file, filepath.Join(filepath.Dir(file), name))
		}
		return fmt.Errorf("there is no file %s; want %s", file, wanted)
	case "the folder of a run":
		return fmt.Errorf("%s is %s, whose config is %s; want %s", file, what, record.Folder(file).Config(), wanted)
	default:
		return fmt.Errorf("%s is %s; want the file of %s", file, what, wanted)
	}
}
