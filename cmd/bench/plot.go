package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newPlotCommand(_ *app) *cobra.Command {
	return &cobra.Command{
		Use:   "plot RUN...",
		Short: "Draw the figures of runs",
		RunE:  func(*cobra.Command, []string) error { return errors.ErrUnsupported },
	}
}
