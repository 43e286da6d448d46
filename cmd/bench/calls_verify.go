package main

import (
	"encoding/json"
	"fmt"

	"recallbench/internal/publish/report"

	"github.com/spf13/cobra"
)

func newCallsVerifyCommand(a *app) *cobra.Command {
	var (
		store string
		lines bool
	)
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Read every byte of the recordings and check it",
		Long: `Verify reads every byte of the recordings: it checks the sums, puts each request
together again, and compares its key. It exits with 8 if something is damaged. A
reply that is damaged is never served. What a process that was killed left at
the end of a file is no damage: its reply was never used.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.openCalls(store)
			if err != nil {
				return err
			}
			defer s.Close()
			check, err := s.Verify(cmd.Context())
			if err != nil {
				return err
			}
			if lines {
				if err := json.NewEncoder(a.stdout).Encode(check); err != nil {
					return err
				}
			} else {
				for _, d := range check.Damages {
					if err := a.say("%s: bytes %d to %d: %s", d.File, d.Offset, d.Offset+d.Length, d.What); err != nil {
						return err
					}
				}
				if err := a.say("%s: %s whole in %s, %s read, %s cut off", s.Dir(), report.Plural(check.Recordings, "recording"), report.Plural(check.Files, "file"), sizeOf(check.Bytes), sizeOf(check.CutOff)); err != nil {
					return err
				}
			}
			if n := len(check.Damages); n > 0 {
				return withExit(exitFingerprint, fmt.Errorf("%s damaged; 'bench calls prune' leaves them out, and a run in the mode reuse calls again for what was there", report.Plural(n, "place")))
			}
			return nil
		},
	}
	storeFlag(cmd, &store)
	cmd.Flags().BoolVar(&lines, "json", false, "write one JSON line to stdout")
	return cmd
}
