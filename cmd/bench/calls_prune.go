package main

import (
	"encoding/json"
	"fmt"
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
		yes   bool
		lines bool
	)
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete recordings and compact the store",
		Long: `Prune deletes recordings of calls.db that are damaged and, where flags pick
recordings, those, too: all flags must pick a recording, and --run protects what
runs need. Runs may go on meanwhile.`,
		Example: `  bench calls prune
  bench calls prune --yes --older-than 90d --run results/runs/20260101T000000Z-paper-1a2b3c4d
  bench calls prune --yes --model gpt-4o-mini`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.openCalls(store)
			if err != nil {
				return err
			}
			defer s.Close()
			match, err := pick.matcher(time.Now())
			if err != nil {
				return err
			}
			needed, err := runCalls(keep)
			if err != nil {
				return usageError(err)
			}
			remove := func(r *calls.Recording) bool {
				return (!pick.empty() || len(keep) > 0) && !needed[r.Key.ID()] && (len(keep) == 0 || r.Kind == calls.Chat) && match(r)
			}
			p, err := s.Prune(cmd.Context(), remove, !yes)
			if err != nil {
				return damagedOrNot(cmd.Context().Err(), err)
			}
			if lines {
				return json.NewEncoder(a.stdout).Encode(p)
			}
			return a.say("%s", pruned(s.Dir(), p, !yes))
		},
	}
	storeFlag(cmd, &store)
	pick.add(cmd)
	cmd.Flags().StringSliceVar(&keep, "run", nil, "remove the chat calls that `DIR`'s records do not name, and no embeddings and entailments; may be repeated")
	cmd.Flags().BoolVar(&yes, "yes", false, "remove them, instead of saying what would be removed")
	cmd.Flags().BoolVar(&lines, "json", false, "write one JSON line to stdout")
	return cmd
}

func pruned(dir string, p calls.Pruned, dry bool) string {
	verb, room := "removed", fmt.Sprintf(", %s instead of %s", sizeOf(p.After), sizeOf(p.Before))
	if dry {
		verb, room = "would remove", ""
	}
	damaged := ""
	if p.Damaged > 0 {
		damaged = fmt.Sprintf(", %d damaged", p.Damaged)
	}
	return fmt.Sprintf("%s: %s %s%s; %d left%s", dir, verb, report.Plural(p.Removed, "recording"), damaged, p.Kept, room)
}
