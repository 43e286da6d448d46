package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/datasets"
	"recallbench/datasets/jsonl"
	datasetsuite "recallbench/datasets/suite"
	"recallbench/internal/files/datadir"
	"recallbench/internal/files/durable"
	"recallbench/internal/publish/report"
)

func newDataBuildCommand(a *app) *cobra.Command {
	var (
		data, from, out string
		seed            uint64
		replace         bool
	)
	cmd := &cobra.Command{
		Use:   "build NAME",
		Short: "Build a dataset from its source corpus",
		Long: `Build makes a dataset from others, the same bytes for the same source and seed,
and writes into the folder --out, which must be empty or not there:

  SPLIT.jsonl      the conversations, questions and gold answers of a split,
                   in the format of the dataset jsonl
  sessions.csv     where each session is from, why it ends, and the simulated
                   gap after it in hours, which methods are not shown
  audit.csv        a drawn 5 % of the conversations, at least one of each split,
                   with questions, gold and evidence, and a column for a verdict
  statistics.json  counts of each split
  build.json       what it was built of, with the SHA-256 of source and files

The folder appears only when it is whole. --replace replaces a build of the same
dataset, if nothing in it was changed or added since. A run opens the folder by
the option path; without one it builds in memory, with the same result.`,
		Example: `  bench data build multiwoz-long --from MultiWOZ_2.2 --out multiwoz-long --seed 1
  bench data stats multiwoz-long --options '{path: multiwoz-long, split: dev}'`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeBuilds,
		RunE: func(cmd *cobra.Command, args []string) error {
			specs, err := findDatasets(args)
			if err != nil {
				return err
			}
			s := specs[0]
			if s.Build == nil {
				return usageError(fmt.Errorf("%s is not built, it is used as it was published; built are %s", s.Name, strings.Join(builtNames(), ", ")))
			}
			if out == "" {
				return usageError(errors.New("--out is missing, want the folder to write"))
			}
			if err := free(cmd.Context(), out, s.Name, replace); err != nil {
				return usageError(fmt.Errorf("--out: %w", err))
			}
			var dir string
			if from == "" {
				if dir, err = datadir.Find(data, a.env); err != nil {
					return usageError(err)
				}
				if dir == "" {
					return usageError(errors.New("there is no data folder; --from names the source"))
				}
			}
			b, err := s.Build(cmd.Context(), datasets.Env{Dir: dir, Base: "."}, from, seed)
			if err != nil {
				if cmd.Context().Err() == nil {
					err = usageError(err)
				}
				return err
			}
			return a.writeBuild(cmd.Context(), out, buildFolder{dataset: s.Name, seed: seed, build: b}, replace)
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().StringVar(&from, "from", "", "`folder` with the source (default: where runs look for it in the data folder)")
	cmd.Flags().StringVar(&out, "out", "", "`folder` to write")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "`number` that all draws of the build start from")
	cmd.Flags().BoolVar(&replace, "replace", false, "replace a build of the same dataset that is as it was written")
	return cmd
}

func builtNames() []string {
	var names []string
	for _, s := range datasetsuite.All() {
		if s.Build != nil {
			names = append(names, s.Name)
		}
	}
	return names
}

func completeBuilds(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return builtNames(), cobra.ShellCompDirectiveNoFileComp
}

// free returns an error unless the folder may be written: it is not there or
// empty, or, to be replaced, holds a build of the dataset and nothing else.
func free(ctx context.Context, dir, dataset string, replace bool) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && len(entries) == 0:
		return nil
	case err != nil:
		return err
	case !replace:
		return fmt.Errorf("%s is not empty; name another folder, or --replace replaces a build", dir)
	}
	info, err := jsonl.ReadBuildInfo(ctx, dir)
	if err != nil {
		return fmt.Errorf("%s has no build that could be replaced: %w", dir, err)
	}
	if info.Dataset != dataset {
		return fmt.Errorf("%s has a build of %s, and only one of %s is replaced", dir, info.Dataset, dataset)
	}
	for _, e := range entries {
		if e.Name() == jsonl.BuildFile {
			continue
		}
		i := slices.IndexFunc(info.Files, func(f jsonl.BuiltFile) bool { return f.Name == e.Name() })
		if i < 0 {
			return fmt.Errorf("%s has %s, which the build did not write; take it away first", dir, e.Name())
		}
		if sum, err := fileSum(filepath.Join(dir, e.Name())); err != nil || sum != info.Files[i].SHA256 {
			return errors.Join(fmt.Errorf("%s: was changed after it was built; take it away first", filepath.Join(dir, e.Name())), err)
		}
	}
	return nil
}

// writeBuild writes a build and prints what is in it. The folder is made beside
// its place and moved there when it is whole.
func (a *app) writeBuild(ctx context.Context, out string, b buildFolder, replace bool) (err error) {
	out = filepath.Clean(out)
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return usageError(fmt.Errorf("--out: %w", err))
	}
	made, err := os.MkdirTemp(filepath.Dir(out), "."+filepath.Base(out)+".*"+durable.Unfinished)
	if err != nil {
		return usageError(fmt.Errorf("--out: %w", durable.Named(err, "", out)))
	}
	defer func() { err = errors.Join(err, os.RemoveAll(made)) }()
	if err := b.write(ctx, made); err != nil {
		return durable.Named(err, made, out)
	}
	if err := os.Chmod(made, 0o755); err != nil {
		return err
	}
	if err := place(made, out, replace); err != nil {
		return usageError(fmt.Errorf("--out: %w", durable.Named(err, made, out)))
	}
	durable.SyncDir(filepath.Dir(out))
	return a.sayBuild(out, b)
}

// place moves a folder that is whole to where it belongs. An empty folder gives way,
// and so does one that is replaced, which stays if the other cannot be moved.
func place(made, out string, replace bool) error {
	if !replace {
		if err := os.Remove(out); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return os.Rename(made, out)
	}
	old := made + ".old"
	err := os.Rename(out, old)
	if errors.Is(err, fs.ErrNotExist) {
		return os.Rename(made, out)
	}
	if err != nil {
		return err
	}
	if err := os.Rename(made, out); err != nil {
		return errors.Join(err, os.Rename(old, out))
	}
	return os.RemoveAll(old)
}

func (a *app) sayBuild(out string, b buildFolder) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s, seed %d, built of %s\n", b.dataset, b.seed, b.build.Source)
	caveats := make(map[string]bool)
	for _, s := range b.build.Splits {
		questions := 0
		for _, sample := range s.Set.Entries {
			questions += len(sample.Requests)
		}
		fmt.Fprintf(&text, "%s\t%s\t%s\t%s\tSHA-256 %s\n", filepath.Join(out, s.Name+".jsonl"), report.Plural(len(s.Set.Entries), "conversation"),
			report.Plural(len(s.Sessions), "session"), report.Plural(questions, "question"), s.Set.SHA256)
		if c := s.Set.Caveat; c != "" && !caveats[c] {
			caveats[c] = true
			fmt.Fprintf(a.stderr, "%s: %s\n", s.Name, c)
		}
	}
	return a.columns(text.String())
}
