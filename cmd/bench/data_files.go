package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/datasets"
	datasetsuite "recallbench/datasets/suite"
	"recallbench/internal/backend"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datadir"
	"recallbench/internal/files/fetch"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
)

func newDataFetchCommand(a *app) *cobra.Command {
	var data string
	var sizes []string
	var replace bool
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
  bench data fetch locomo-audit
  bench data fetch beam --size 100K,500K
  bench data fetch minilm
  bench data fetch locomo --data /srv/datasets`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			specs, err := findDatasets(fetchable(), args)
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
			fetcher := &fetch.Fetcher{Replace: replace}
			for _, s := range specs {
				dir := fetchDir(data, a.env)
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
	cmd.Flags().BoolVar(&replace, "force", false, "replace existing files that differ from the pinned ones")
	return cmd
}

// fetchable returns the datasets, errata and models that can be fetched.
func fetchable() []*datasets.Spec { return slices.Concat(datasetsuite.Fetchable(), knownModels) }

// fetchDir returns the folder to download to. Unlike a search, it never returns
// ../shared/datasets, which belongs to others.
func fetchDir(flag string, env func(string) string) string {
	return cmp.Or(flag, env(datadir.Env), "data")
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
		fetched, err := a.fetchFile(ctx, fetcher, root, f)
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
func (a *app) fetchFile(ctx context.Context, fetcher *fetch.Fetcher, root *os.Root, file fetch.File) (bool, error) {
	if !terminal(a.stderr) {
		return fetcher.Get(ctx, root, file)
	}
	line, shown, last := lines{w: a.stderr, width: terminalWidth(a.stderr)}, *fetcher, time.Now()
	shown.Progress = func(_ fetch.File, done int64) {
		if now := time.Now(); now.Sub(last) >= barEvery {
			last = now
			line.show(fmt.Sprintf("%s: %s of %s", file.Name, sizeOf(done), sizeOf(file.Size)))
		}
	}
	defer line.show("")
	return shown.Get(ctx, root, file)
}

// pinned returns a dataset's file, named relative to the root folder of the data.
func pinned(s *datasets.Spec, f datasets.File) fetch.File {
	return fetch.File{Name: path.Join(s.Home(), f.Name), URL: f.URL, Size: f.Size, SHA256: f.SHA256, GitBlob: f.GitBlob}
}

// verifyFiles compares the files of a dataset with the published ones. It returns
// an error for each: nil, a [fetch.MismatchError], or one that is [fs.ErrNotExist].
func verifyFiles(ctx context.Context, dir string, s *datasets.Spec) ([]error, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, usageError(fmt.Errorf("data folder: %w", err))
	}
	defer root.Close()
	found := make([]error, len(s.Files))
	for i, f := range s.Files {
		err := fetch.Verify(ctx, root, pinned(s, f))
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.As(err, new(*fetch.MismatchError)):
			return nil, usageError(err)
		}
		found[i] = err
	}
	return found, nil
}

// searched returns the data folder for printing, or where it was looked for in vain.
func searched(dir string) string {
	return cmp.Or(dir, fmt.Sprintf("none: no --data, no %s, no ./data, no ../shared/datasets", datadir.Env))
}

// dataState describes how much of a dataset is present, by the sizes of its files.
func dataState(dir string, s *datasets.Spec) string {
	switch {
	case s.Embedded:
		return "embedded"
	case len(s.Files) == 0:
		return "your files"
	}
	var states []string
	for _, f := range s.FilesOf() {
		if f.License {
			continue
		}
		info, err := os.Stat(filepath.Join(dir, s.Home(), filepath.FromSlash(f.Name)))
		switch {
		case dir == "" || err != nil:
			states = lists.AddNew(states, "missing")
		case !info.Mode().IsRegular() || f.Size != 0 && info.Size() != f.Size:
			states = lists.AddNew(states, "another size")
		default:
			states = lists.AddNew(states, "present")
		}
	}
	if len(states) > 1 && len(s.Parts()) > 0 {
		return "incomplete"
	}
	return strings.Join(states, ", ")
}
