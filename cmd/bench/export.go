package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newExportCommand(_ *app) *cobra.Command {
	return &cobra.Command{
		Use:   "export RUN",
		Short: "Write a run in the format of another tool",
		RunE:  func(*cobra.Command, []string) error { return errors.ErrUnsupported },
	}
}
