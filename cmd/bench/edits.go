package main

import (
	"github.com/spf13/cobra"

	"recallbench/internal/record"
)

// editsFlag lets a person accept what was edited in run folders.
type editsFlag struct{ accept bool }

func (f *editsFlag) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.accept, "accept-edited", false, "take a run that was edited after it ended as it is, and say so in what is written")
}

// options say how run folders are opened.
func (f *editsFlag) options() []record.Option {
	if f.accept {
		return []record.Option{record.AcceptEdits}
	}
	return nil
}
