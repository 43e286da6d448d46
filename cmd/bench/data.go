package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/datasets"
	"recallbench/datasets/errata"
	"recallbench/datasets/jsonl"
	datasetsuite "recallbench/datasets/suite"
	"recallbench/internal/backend"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datadir"
	"recallbench/internal/files/fetch"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
)

func newDataCommand(a *app) *cobra.Command {
	return newGroup("data", "List, fetch, verify, export and count datasets", `Data manages the datasets that runs read. The data folder is the first of these
that is given or exists, and no other is searched: --data, BENCH_DATA, ./data,
../shared/datasets.`,
		newDataListCommand(a), newDataFetchCommand(a), newDataVerifyCommand(a),
		newDataStatsCommand(a), newDataExportCommand(a), newDataErrataCommand(a),
	)
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

// knownModels are the local models with pinned files that fetch can download.
var knownModels = datasetsuite.Models()

func newDataFetchCommand(a *app) *cobra.Command {
	var data string
	var sizes []string
	fetcher := new(fetch.Fetcher)
	cmd := &cobra.Command{
		Use:   "fetch NAME...",
		Short: "Download datasets, errata and local models, pinned and checked",
		Long: `Fetch downloads datasets, or errata of their gold answers, from a pinned commit and
checks their hashes. It writes to a folder with the dataset's name below --data,
BENCH_DATA or ./data. A file appears there only once it is complete and verified.

The models minilm and mpnet are sentence-transformers/all-MiniLM-L6-v2 and
all-mpnet-base-v2, 91 and 438 MB. They go below BENCH_MODELS or ./models;
docs/models.md says what runs them.

Everything has its own licence, which fetch prints and downloads with it.`,
		Example: `  bench data fetch locomo
  bench data fetch beam --size 100K,500K
  bench data fetch minilm
  bench data fetch locomo --data /srv/datasets`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			specs, err := findDatasets(slices.Concat(datasetsuite.Fetchable(), knownModels), args)
			if err != nil {
				return err
			}
			for _, s := range specs {
				for _, size := range sizes {
					if have := s.Parts(); !slices.Contains(have, size) && !slices.Contains(knownModels, s) {
						return usageError(fmt.Errorf("%s: %s", s.Name, suggest.Unknown("size", size, have)))
					}
				}
			}
			for _, s := range specs {
				// Unlike a search, a download never goes to ../shared/datasets, which
				// belongs to others.
				dir := cmp.Or(data, a.env(datadir.Env), "data")
				if slices.Contains(knownModels, s) {
					dir = backend.ModelsDir(a.env)
				}
				if err := a.fetchData(cmd.Context(), fetcher, dir, s, sizes); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "root `folder` of the datasets (default $BENCH_DATA, ./data)")
	cmd.Flags().StringSliceVar(&sizes, "size", nil, "`sizes` to fetch of a dataset that comes in several (default: the first)")
	cmd.Flags().BoolVar(&fetcher.Replace, "force", false, "replace existing files that differ from the pinned ones")
	return cmd
}

// fetchData downloads the files of some sizes into a folder. It makes the folder no
// earlier, as an empty ./data would hide folders that are searched later.
func (a *app) fetchData(ctx context.Context, fetcher *fetch.Fetcher, dir string, s *datasets.Spec, sizes []string) error {
	if len(s.Files) == 0 {
		return a.say("%s: %s, nothing to fetch", s.Name, dataState(dir, s))
	}
	err := os.MkdirAll(dir, 0o755)
	if err != nil {
		return usageError(fmt.Errorf("folder of the files: %w", err))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return usageError(fmt.Errorf("folder of the files: %w", err))
	}
	defer root.Close()
	fmt.Fprintf(a.stderr, "%s is not part of this program. Its licence is %s.\nSource: %s\n", s.Home(), s.License, s.Source)
	for _, file := range s.FilesOf(sizes...) {
		f := pinned(s, file)
		fetched, err := a.fetchFile(ctx, *fetcher, root, f)
		switch {
		case errors.As(err, new(*fetch.MismatchError)):
			return withExit(exitFingerprint, err)
		case errors.As(err, new(*fetch.ServerError)) && ctx.Err() == nil:
			return withExit(exitUnavailable, err)
		case err != nil:
			return usageError(err)
		}
		how, pin := "present already", fmt.Sprintf("%d bytes, SHA-256", f.Size)
		if fetched {
			how = "fetched"
		}
		if f.GitBlob != "" {
			pin = "git blob"
		}
		if err := a.say("%s: %s, %s as pinned", filepath.Join(dir, filepath.FromSlash(f.Name)), how, pin); err != nil {
			return err
		}
	}
	// Runs look in one folder only, which may be another one.
	if found, err := datadir.Find("", a.env); slices.Contains(knownModels, s) {
		fmt.Fprintf(a.stderr, "model entries that use live run it with the options {embed: {use: onnx, dir: %s}}\n", filepath.Join(dir, s.Home()))
	} else if err == nil && !record.SameFolder(found, dir) {
		fmt.Fprintf(a.stderr, "runs find it with --data %s or %s=%s\n", dir, datadir.Env, dir)
	}
	return nil
}

// fetchFile downloads a file, with a progress line if stderr is a terminal.
func (a *app) fetchFile(ctx context.Context, fetcher fetch.Fetcher, root *os.Root, file fetch.File) (bool, error) {
	if terminal(a.stderr) {
		line, last := lines{w: a.stderr, width: terminalWidth(a.stderr)}, time.Now()
		defer line.show("")
		fetcher.Progress = func(_ fetch.File, done int64) {
			if now := time.Now(); now.Sub(last) >= barEvery {
				last = now
				line.show(fmt.Sprintf("%s: %s of %s", file.Name, sizeOf(done), sizeOf(file.Size)))
			}
		}
	}
	return fetcher.Get(ctx, root, file)
}

// pinned returns a dataset's file, named relative to the root folder of the data.
func pinned(s *datasets.Spec, f datasets.File) fetch.File {
	return fetch.File{Name: path.Join(s.Home(), f.Name), URL: f.URL, Size: f.Size, SHA256: f.SHA256, GitBlob: f.GitBlob}
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
			err = errors.Join(lists.Map(specs, func(s *datasets.Spec) error {
				return a.verifyDataset(cmd.Context(), env.Dir, s, len(args) > 0)
			})...)
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

func newDataStatsCommand(a *app) *cobra.Command {
	var data, options string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "stats NAME",
		Short: "Count conversations, turns, questions and flaws of a dataset",
		Long: `Stats loads a dataset with all its questions, and counts its contents and the
flaws that were repaired. With --options it loads the dataset as a config with these
options would, which also checks your own files before a run.`,
		Example: `  bench data stats locomo
  bench data stats jsonl --options '{files: [chat.jsonl, questions.jsonl]}'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := a.openData(cmd.Context(), data, args[0], options)
			if err != nil {
				return err
			}
			c, err := datasets.Count(cmd.Context(), set)
			if err != nil {
				return err
			}
			if asJSON {
				return jsonout.Lines(a.stdout, c)
			}
			return a.columns(c.Text())
		},
	}
	dataFlag(cmd, &data)
	optionsFlag(cmd, &options)
	jsonFlag(cmd, &asJSON, "one JSON line, with counts for each conversation,")
	return cmd
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
			for i, e := range set.Entries {
				if e.Tree {
					return usageError(fmt.Errorf("%s holds structured memories, which this format cannot express", args[0]))
				}
				if !gold {
					set.Entries[i].Requests = nil
				}
			}
			return a.writeOut(out, func(w io.Writer) error { return jsonl.Write(cmd.Context(), w, set) })
		},
	}
	dataFlag(cmd, &data)
	optionsFlag(cmd, &options)
	cmd.Flags().StringVarP(&out, "out", "o", "", "`FILE` to write (default stdout)")
	cmd.Flags().BoolVar(&gold, "questions", false, "write questions and gold answers too")
	return cmd
}

func newDataErrataCommand(a *app) *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "errata [NAME|FILE.jsonl...]",
		Short: "Check errata of gold answers against their dataset, and count them",
		Long: `Errata lists the known corrections of gold answers. Given names, or files of your own,
it matches each entry to the question of its dataset, reports all faults at once, and
counts the entries by kind and action. The ceiling of a category is the share of its
questions whose gold answer is not disputed.`,
		Example: `  bench data errata
  bench data errata locomo-audit
  bench data errata locomo-audit mine.jsonl`,
		ValidArgsFunction: cobra.FixedCompletions(errata.Names(), cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listData(data, errata.Specs())
			}
			return usageError(a.checkErrata(cmd.Context(), data, args))
		},
	}
	dataFlag(cmd, &data)
	return cmd
}

// checkErrata matches errata to the questions of their dataset, and prints their counts.
func (a *app) checkErrata(ctx context.Context, data string, names []string) error {
	env, err := a.dataEnv(data)
	if err != nil {
		return err
	}
	overlays, err := errata.OpenAll(ctx, env, names)
	if err != nil {
		return err
	}
	spec, err := findDataset(overlays[0].Dataset)
	if err != nil {
		return err
	}
	set, err := spec.Open(ctx, env, spec.Options)
	if err != nil {
		return err
	}
	questions, err := errata.Questions(ctx, set, overlays...)
	if err != nil {
		return err
	}
	m, err := errata.Match(errata.Data{Dataset: set.Name, SHA256: set.SHA256, Questions: questions}, overlays...)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, o := range overlays {
		fmt.Fprintf(&b, "%s, version %s\nSHA-256 %s of its entries\n%s, %s\n\n", o.Name, o.Version, o.SHA256, o.License, o.Source)
	}
	for _, note := range m.Notes {
		fmt.Fprintln(&b, note)
	}
	b.WriteString(m.Text(set))
	return a.columns(b.String())
}

func dataFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "data", "", "root `folder` of the datasets (default $BENCH_DATA, ./data, ../shared/datasets)")
}

func optionsFlag(cmd *cobra.Command, options *string) {
	cmd.Flags().StringVar(options, "options", "", "options of the dataset as `YAML`, such as '{categories: [1, 2]}'")
}

// dataEnv returns where datasets are read from.
func (a *app) dataEnv(data string) (datasets.Env, error) {
	dir, err := datadir.Find(data, a.env)
	return datasets.Env{Dir: dir, Base: "."}, usageError(err)
}

// findDatasets finds datasets by name.
func findDatasets(all []*datasets.Spec, names []string) ([]*datasets.Spec, error) {
	found, err := pick("dataset", names, all, func(s *datasets.Spec) string { return s.Name })
	return found, usageError(err)
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
	doc, err := strictyaml.Parse("--options", []byte(options))
	if err != nil {
		return nil, err
	}
	return doc.Root().Over(s.Options), doc.Err()
}
