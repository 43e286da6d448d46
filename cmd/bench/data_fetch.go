package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"recallbench/datasets"
	datasetsuite "recallbench/datasets/suite"
	"recallbench/internal/backend"
	"recallbench/internal/files/datadir"
	"recallbench/internal/files/fetch"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
)

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
