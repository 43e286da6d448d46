package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"recallbench/datasets"
	datasetsuite "recallbench/datasets/suite"
	"recallbench/internal/files/datadir"
	"recallbench/internal/files/fetch"
)

func newDataVerifyCommand(a *app) *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "verify [NAME...]",
		Short: "Check the hashes of the datasets' files",
		Long: `Verify reads the files of datasets in the data folder and compares them with
the size and the SHA-256 of those that were published, or with their ids in git:
of the datasets named, or of all that are there. Of a dataset that comes in
several sizes, files that are missing are counted. It exits with 8 if a file is another, and with 2 if a
dataset that was named is missing.`,
		ValidArgsFunction: completeFetchable,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := datadir.Find(data, a.env)
			if err != nil {
				return usageError(err)
			}
			specs := datasetsuite.Fetchable()
			if len(args) > 0 {
				if specs, err = findIn(datasetsuite.Fetchable(), args); err != nil {
					return err
				}
			}
			return a.verifyData(cmd.Context(), dir, specs, len(args) > 0)
		},
	}
	dataFlag(cmd, &data)
	return cmd
}

// verifyData checks the files of datasets. Those that were named must be
// there.
func (a *app) verifyData(ctx context.Context, dir string, specs []*datasets.Spec, named bool) error {
	var others, gone []error
	for _, s := range specs {
		if len(s.Files) == 0 {
			if !named {
				continue
			}
			if err := a.say("%s: %s, nothing to verify", s.Name, dataState(dir, s)); err != nil {
				return err
			}
			continue
		}
		if dir == "" {
			if named {
				gone = append(gone, fmt.Errorf("%s: there is no data folder; 'bench data fetch %s' makes one", s.Name, s.Name))
			}
			continue
		}
		other, absent, err := a.verifyFiles(ctx, dir, s)
		if err != nil {
			return err
		}
		others = append(others, other...)
		if named && absent {
			gone = append(gone, fmt.Errorf("%s: not all of it is in %s; 'bench data fetch %s' gets the rest", s.Name, dir, s.Name))
		}
	}
	if dir == "" && !named {
		return a.say("data folder: %s", searched(dir))
	}
	if len(others) > 0 {
		return withExit(exitFingerprint, errors.Join(append(others, gone...)...))
	}
	return usageError(errors.Join(gone...))
}

// verifyFiles checks the files of a dataset, prints a line for each, and
// returns those that are others, and whether one is absent.
func (a *app) verifyFiles(ctx context.Context, dir string, s *datasets.Spec) (others []error, absent bool, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, false, usageError(fmt.Errorf("data folder: %w", err))
	}
	defer root.Close()
	left := 0
	for _, f := range s.Files {
		path := filepath.Join(dir, s.Home(), filepath.FromSlash(f.Name))
		result := "as published, by SHA-256"
		if f.GitBlob != "" {
			result = "as published, by git blob"
		}
		err := fetch.Verify(ctx, root, pinned(s, f))
		switch {
		case err == nil:
		case errors.Is(err, fs.ErrNotExist) && f.Part != "":
			left++
			continue
		case errors.Is(err, fs.ErrNotExist):
			result = "missing"
			absent = absent || !f.License
		case errors.As(err, new(*fetch.MismatchError)):
			result = "another file"
			others = append(others, err)
		case ctx.Err() != nil:
			return nil, false, err
		default:
			return nil, false, usageError(err)
		}
		if err := a.say("%s: %s", path, result); err != nil {
			return nil, false, err
		}
	}
	if left > 0 {
		return others, absent || left == len(s.Files), a.say("%s: %d of %d files are not there", s.Name, left, len(s.Files))
	}
	return others, absent, nil
}
