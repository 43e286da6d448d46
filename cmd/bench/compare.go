package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newCompareCommand(_ *app) *cobra.Command {
	return &cobra.Command{
		Use:   "compare BASE NEW...",
		Short: "Say where runs differ by more than chance",
		RunE:  func(*cobra.Command, []string) error { return errors.ErrUnsupported },
	}
}
