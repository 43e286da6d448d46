package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/datasets"
	datasetsuite "recallbench/datasets/suite"
	"recallbench/internal/datadir"
	"recallbench/internal/strictyaml"
)

func newDataStatsCommand(a *app) *cobra.Command {
	var (
		data, options  string
		verbose, lines bool
	)
	cmd := &cobra.Command{
		Use:   "stats NAME...|all",
		Short: "Count conversations, turns, questions and flaws of datasets",
		Long: `Stats loads datasets, with all of their questions, and counts what is in them
and which flaws were put right. 'all' stands for those that are there.

With --options it loads one dataset as a config with these options would, which
also checks your own files before a run.`,
		Example: `  bench data stats locomo
  bench data stats jsonl --options '{files: [chat.jsonl, questions.jsonl]}'`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeDatasets,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := datadir.Find(data, a.env)
			if err != nil {
				return usageError(err)
			}
			all := len(args) == 1 && args[0] == "all"
			specs := datasetsuite.All()
			if !all {
				if specs, err = findDatasets(args); err != nil {
					return err
				}
			}
			if options != "" && (all || len(specs) > 1) {
				return usageError(errors.New("--options goes with one dataset"))
			}
			for i, s := range specs {
				if all && !s.Embedded && len(s.Files) == 0 {
					continue // its files are not known
				}
				counts, err := loadCounts(cmd.Context(), dir, s, options)
				if all && errors.Is(err, fs.ErrNotExist) {
					fmt.Fprintf(a.stderr, "left out %s: %v\n", s.Name, err)
					continue
				}
				if err != nil {
					return err
				}
				if err := a.printCounts(counts, i == 0, verbose, lines); err != nil {
					return err
				}
			}
			return nil
		},
	}
	dataFlag(cmd, &data)
	cmd.Flags().StringVar(&options, "options", "", "options of the dataset as `YAML`, such as '{categories: [1, 2]}'")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "count each conversation, too")
	cmd.Flags().BoolVar(&lines, "json", false, "write a JSON line for each dataset to stdout and nothing else")
	return cmd
}

// loadCounts opens a dataset and counts what is in it.
func loadCounts(ctx context.Context, dir string, s *datasets.Spec, options string) (counts, error) {
	chosen := s.Options
	if s.All != nil {
		chosen = s.All
	}
	if options != "" {
		var err error
		if chosen, err = decodeOptions(s, options); err != nil {
			return counts{}, usageError(err)
		}
	}
	set, err := s.Open(ctx, datasets.Env{Dir: dir, Base: "."}, chosen)
	if err != nil {
		if ctx.Err() == nil {
			err = usageError(err)
		}
		return counts{}, err
	}
	return count(set), nil
}

// decodeOptions reads options as a config has them, over the defaults.
func decodeOptions(s *datasets.Spec, options string) (any, error) {
	if s.Options == nil {
		return nil, fmt.Errorf("%s has no options", s.Name)
	}
	doc, err := strictyaml.Parse("--options", []byte(options))
	if err != nil {
		return nil, err
	}
	out := reflect.New(reflect.TypeOf(s.Options))
	out.Elem().Set(reflect.ValueOf(s.Options))
	doc.Root().Decode(out.Interface())
	return out.Elem().Interface(), doc.Err()
}

// printCounts prints counts as text or as a JSON line.
func (a *app) printCounts(c counts, first, verbose, lines bool) error {
	if lines {
		return json.NewEncoder(a.stdout).Encode(c)
	}
	var b strings.Builder
	if !first {
		b.WriteString("\n")
	}
	c.write(&b, verbose)
	return a.columns(b.String())
}
