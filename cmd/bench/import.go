package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newImportCommand(_ *app) *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE...",
		Short: "Make a run of answers that were made elsewhere",
		RunE:  func(*cobra.Command, []string) error { return errors.ErrUnsupported },
	}
}
