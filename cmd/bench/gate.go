package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newGateCommand(_ *app) *cobra.Command {
	return &cobra.Command{
		Use:   "gate RUN",
		Short: "Hold a run against rules and a baseline",
		RunE:  func(*cobra.Command, []string) error { return errors.ErrUnsupported },
	}
}
