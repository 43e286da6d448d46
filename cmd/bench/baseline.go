package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newBaselineCommand(_ *app) *cobra.Command {
	return &cobra.Command{
		Use:   "baseline",
		Short: "Keep runs to hold others against",
		RunE:  func(*cobra.Command, []string) error { return errors.ErrUnsupported },
	}
}
