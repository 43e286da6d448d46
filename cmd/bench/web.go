package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newReportCommand(_ *app) *cobra.Command {
	return &cobra.Command{
		Use:   "report RUN...",
		Short: "Write a run as one page to look through",
		RunE:  func(*cobra.Command, []string) error { return errors.ErrUnsupported },
	}
}
