package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"github.com/spf13/cobra"

	"recallbench/datasets"
	"recallbench/datasets/jsonl"
	datasetsuite "recallbench/datasets/suite"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datadir"
	"recallbench/internal/files/fetch"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/publish/report"
	"recallbench/internal/text/suggest"
)

func newDataCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "List, fetch, verify, export and count datasets",
		Long: `Data manages the datasets that runs read. The data folder is the first of these
that is given or exists, and no other is searched: --data, BENCH_DATA, ./data,
../shared/datasets.`,
		Args: verbArgs,
		RunE: help,
	}
	cmd.AddCommand(
		newDataListCommand(a), newDataFetchCommand(a), newDataVerifyCommand(a),
		newDataStatsCommand(a), newDataExportCommand(a), newDataErrataCommand(a),
	)
	return cmd
}

func newDataListCommand(a *app) *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the datasets, their licences and whether they are present",
		Long: `List prints the datasets, and whether each is embedded in the program, present
in the data folder, or missing. It looks at the sizes of files only; 'bench data
verify' reads them.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.listData(data, datasetsuite.All()) },
	}
	dataFlag(cmd, &data)
	return cmd
}

// listData prints datasets with their state in the data folder.
func (a *app) listData(data string, specs []*datasets.Spec) error {
	env, err := a.dataEnv(data)
	if err != nil {
		return err
	}
	err = a.printTable("NAME\tLICENSE\tSTATE\tWHAT", lists.Map(specs, func(s *datasets.Spec) string {
		return s.Name + "\t" + s.License + "\t" + dataState(env.Dir, s) + "\t" + s.Doc
	}))
	if err != nil {
		return err
	}
	return a.say("\ndata folder: %s", searched(env.Dir))
}

// searched returns the data folder for printing, or where it was looked for in vain.
func searched(dir string) string {
	if dir == "" {
		return "none: no --data, no " + datadir.Env + ", no ./data, no ../shared/datasets"
	}
	return dir
}

// dataState describes how much of a dataset is present, by the sizes of its files.
func dataState(dir string, s *datasets.Spec) string {
	files := lists.Filter(s.FilesOf(), func(f datasets.File) bool { return !f.License })
	present := lists.Filter(files, func(f datasets.File) bool {
		info, err := os.Stat(filepath.Join(dir, s.Home(), filepath.FromSlash(f.Name)))
		return dir != "" && err == nil && info.Mode().IsRegular() && (f.Size == 0 || info.Size() == f.Size)
	})
	switch {
	case s.Embedded:
		return "embedded"
	case len(s.Files) == 0:
		return "your files"
	case len(present) == 0:
		return "missing"
	case len(present) < len(files):
		return "incomplete"
	}
	return "present"
}

func newDataVerifyCommand(a *app) *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "verify [NAME...]",
		Short: "Check the hashes of the datasets' files",
		Long: `Verify reads the files of the named datasets, or of all in the data folder, and
compares them with the sizes and SHA-256 sums, or git ids, of the published ones.
The exit code is 8 if a file differs, and 2 if a named dataset is missing.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			env, err := a.dataEnv(data)
			if err != nil {
				return err
			}
			specs := datasetsuite.Fetchable()
			if len(args) > 0 {
				specs, err = findDatasets(specs, args)
			}
			switch {
			case err != nil:
				return err
			case env.Dir == "" && len(args) > 0:
				return usageError(fmt.Errorf("there is no data folder; 'bench data fetch %s' makes one", args[0]))
			case env.Dir == "":
				return a.say("data folder: %s", searched(env.Dir))
			}
			var faults []error
			for _, s := range specs {
				faults = append(faults, a.verifyDataset(cmd.Context(), env.Dir, s, len(args) > 0))
			}
			err = errors.Join(faults...)
			if errors.As(err, new(*fetch.MismatchError)) {
				return withExit(exitFingerprint, err)
			}
			return usageError(err)
		},
	}
	dataFlag(cmd, &data)
	return cmd
}

// verifyDataset prints how many files of a dataset are as published, and returns what is
// wrong with the others. Of a named dataset at least one part must be complete.
func (a *app) verifyDataset(ctx context.Context, dir string, s *datasets.Spec, named bool) error {
	if len(s.Files) == 0 {
		if named {
			return a.say("%s: %s, nothing to verify", s.Name, dataState(dir, s))
		}
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	defer root.Close()
	var faults []error
	good, missing := 0, 0
	for _, f := range s.Files {
		switch err := fetch.Verify(ctx, root, pinned(s, f)); {
		case err == nil:
			good++
		case errors.Is(err, fs.ErrNotExist):
			missing++
		default:
			faults = append(faults, err)
		}
	}
	if state := dataState(dir, s); named && missing > 0 && (len(s.Parts()) == 0 && state != "present" || good+len(faults) == 0) {
		faults = append(faults, fmt.Errorf("%s is incomplete in %s; 'bench data fetch %s' gets the rest", s.Name, dir, s.Name))
	}
	err = a.say("%s in %s: %d of %s as published, %d missing", s.Name, filepath.Join(dir, s.Home()), good, report.Plural(len(s.Files), "file"), missing)
	return errors.Join(append(faults, err)...)
}

func newDataExportCommand(a *app) *cobra.Command {
	var data, options, out string
	var gold bool
	cmd := &cobra.Command{
		Use:   "export NAME",
		Short: "Write a dataset's conversations as JSON Lines",
		Long: `Export writes the conversations of a dataset in the format of the dataset jsonl,
one object per line, for your own programs. With --questions it also writes the
questions and gold answers, which makes the file a dataset again.`,
		Example: `  bench data export sample --out sample.jsonl
  bench data export locomo --questions --out locomo.jsonl`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := a.openData(cmd.Context(), data, args[0], options)
			if err != nil {
				return err
			}
			defer set.Close()
			for i, e := range set.Entries {
				if e.Tree {
					return usageError(fmt.Errorf("%s holds structured memories, which this format cannot express", args[0]))
				}
				if !gold {
					set.Entries[i].Requests = nil
				}
			}
			if out == "" {
				return jsonl.Write(cmd.Context(), a.stdout, set)
			}
			return a.writeOut(out, func(w io.Writer) error { return jsonl.Write(cmd.Context(), w, set) })
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().StringVar(&options, "options", "", "options of the dataset as `YAML`, such as '{categories: [1, 2]}'")
	cmd.Flags().StringVarP(&out, "out", "o", "", "`FILE` to write (default stdout)")
	cmd.Flags().BoolVar(&gold, "questions", false, "write questions and gold answers too")
	return cmd
}

func dataFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "data", "", "root `folder` of the datasets (default $BENCH_DATA, ./data, ../shared/datasets)")
}

// dataEnv returns where datasets are read from.
func (a *app) dataEnv(data string) (datasets.Env, error) {
	dir, err := datadir.Find(data, a.env)
	return datasets.Env{Dir: dir, Base: "."}, usageError(err)
}

// findDatasets finds datasets by name and reports all unknown names.
func findDatasets(all []*datasets.Spec, names []string) (found []*datasets.Spec, err error) {
	known := lists.Map(all, func(s *datasets.Spec) string { return s.Name })
	var faults []error
	for _, name := range names {
		of := lists.Filter(all, func(s *datasets.Spec) bool { return s.Name == name })
		if len(of) == 0 {
			faults = append(faults, errors.New(suggest.Unknown("dataset", name, known)))
		}
		found = lists.AddNew(found, of...)
	}
	return found, usageError(errors.Join(faults...))
}

// findDataset finds a dataset that runs can read.
func findDataset(name string) (*datasets.Spec, error) {
	found, err := findDatasets(datasetsuite.All(), []string{name})
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// openData opens a dataset with all of its questions, or with options.
func (a *app) openData(ctx context.Context, data, name, options string) (*datasets.Set, error) {
	s, err := findDataset(name)
	if err != nil {
		return nil, err
	}
	env, err := a.dataEnv(data)
	if err != nil {
		return nil, err
	}
	chosen := s.Options
	if options != "" {
		chosen, err = decodeOptions(s, options)
	} else if s.All != nil {
		chosen = s.All
	}
	if err != nil {
		return nil, usageError(err)
	}
	set, err := s.Open(ctx, env, chosen)
	return set, usageError(err)
}

// decodeOptions decodes options as a config does, over the defaults.
func decodeOptions(s *datasets.Spec, options string) (any, error) {
	if s.Options == nil {
		return nil, fmt.Errorf("%s has no options", s.Name)
	}
	return decodeYAML("--options", s.Options, options)
}

// decodeYAML decodes the value of a flag over defaults.
func decodeYAML[T any](flag string, defaults T, text string) (T, error) {
	doc, err := strictyaml.Parse(flag, []byte(text))
	if err != nil {
		return defaults, err
	}
	out := reflect.New(reflect.TypeOf(defaults))
	out.Elem().Set(reflect.ValueOf(defaults))
	doc.Root().Decode(out.Interface())
	return out.Elem().Interface().(T), doc.Err()
}
