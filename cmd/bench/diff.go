package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newDiffCommand(_ *app) *cobra.Command {
	return &cobra.Command{
		Use:   "diff A B",
		Short: "Show the requests that one answers and the other does not",
		RunE:  func(*cobra.Command, []string) error { return errors.ErrUnsupported },
	}
}
