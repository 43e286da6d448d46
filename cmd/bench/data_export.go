package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"recallbench/datasets/jsonl"
	"recallbench/internal/files/datadir"
)

func newDataExportCommand(a *app) *cobra.Command {
	var data, options, out string
	var gold bool
	cmd := &cobra.Command{
		Use:   "export NAME",
		Short: "Write a dataset's conversations as JSON Lines",
		Long: `Export writes the conversations of a dataset in the format of the dataset jsonl,
one object a line, for programs of your own. Questions and gold answers are left
out; with --questions they are written too, and the file is a dataset again.`,
		Example: `  bench data export sample --out sample.jsonl
  bench data export locomo --questions --out locomo.jsonl`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeDatasets,
		RunE: func(cmd *cobra.Command, args []string) error {
			specs, err := findDatasets(args)
			if err != nil {
				return err
			}
			dir, err := datadir.Find(data, a.env)
			if err != nil {
				return usageError(err)
			}
			set, err := openSet(cmd.Context(), dir, specs[0], options)
			if err != nil {
				return err
			}
			defer set.Close()
			for i, e := range set.Entries {
				if e.Tree {
					return usageError(fmt.Errorf("%s holds structured memories, which this format has no place for", specs[0].Name))
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
