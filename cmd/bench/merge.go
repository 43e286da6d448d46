package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newMergeCommand(_ *app) *cobra.Command {
	return &cobra.Command{
		Use:   "merge SHARD... --out DIR",
		Short: "Join the shards of a run",
		RunE:  func(*cobra.Command, []string) error { return errors.ErrUnsupported },
	}
}
