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
		Short: "Read all recordings and check them",
		Long: `Verify checks the structure of each file (PRAGMA integrity_check) and the checksum
of each reply, puts each request together again, and compares its key. It exits
with 8 if something is damaged. A reply that is damaged is never served.`,
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
					if err := a.say("%s", d); err != nil {
						return err
					}
				}
				if err := a.say("%s: %s whole in %s, %s", s.Dir(), report.Plural(check.Recordings, "recording"), report.Plural(check.Files, "file"), sizeOf(check.Bytes)); err != nil {
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
