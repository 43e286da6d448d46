package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/calls"
	"recallbench/internal/publish/report"
)

func newCallsPruneCommand(a *app) *cobra.Command {
	var (
		store string
		pick  pick
		keep  []string
		dry   bool
		lines bool
	)
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete recordings and compact the store",
		Long: `Prune rewrites the recordings as one file. It leaves out what is damaged and,
where flags pick recordings, those, too: all flags must pick a recording, and
--keep-run protects what runs need. Of a damaged file a copy stays, which ends in
.damaged. Prune refuses to work while another process uses the recordings.`,
		Example: `  bench calls prune --dry-run
  bench calls prune --older-than 90d --keep-run results/runs/20260101T000000Z-paper-1a2b3c4d
  bench calls prune --model gpt-4o-mini --role judge`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := a.callsFolder(store)
			if err != nil {
				return err
			}
			match, err := pick.matcher(time.Now())
			if err != nil {
				return err
			}
			needed, err := runCalls(keep)
			if err != nil {
				return usageError(err)
			}
			remove := func(r *calls.Recording) bool {
				return !pick.empty() && !needed[r.Key.ID()] && (len(keep) == 0 || r.Kind == calls.Chat) && match(r)
			}
			p, err := calls.Prune(cmd.Context(), dir, a.log(), remove, dry)
			if errors.Is(err, calls.ErrInUse) {
				return usageError(fmt.Errorf("%w in %s; prune them when no run is under way", err, dir))
			}
			if err != nil {
				return err
			}
			if lines {
				return json.NewEncoder(a.stdout).Encode(p)
			}
			return a.say("%s", pruned(dir, p, dry))
		},
	}
	storeFlag(cmd, &store)
	pick.add(cmd)
	cmd.Flags().StringSliceVar(&keep, "keep-run", nil, "keep the chat calls that `DIR`'s records name, and all embeddings and entailments; may be repeated")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "say what would be removed, and remove nothing")
	cmd.Flags().BoolVar(&lines, "json", false, "write one JSON line to stdout")
	return cmd
}

func pruned(dir string, p calls.Pruned, dry bool) string {
	verb := "removed"
	if dry {
		verb = "would remove"
	}
	parts := []string{report.Plural(p.Removed, "recording")}
	if p.Damaged > 0 {
		parts = append(parts, fmt.Sprintf("%d damaged", p.Damaged))
	}
	return fmt.Sprintf("%s: %s %s; %d left, %s instead of %s", dir, verb, strings.Join(parts, ", "), p.Kept, sizeOf(p.After), sizeOf(p.Before))
}
