package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/report"
)

func newCallsExportCommand(a *app) *cobra.Command {
	var (
		store string
		pick  pick
	)
	cmd := &cobra.Command{
		Use:   "export FILE",
		Short: "Write recordings to one file, for another machine or a paper",
		Long: `Export writes recordings to one file, which 'bench calls import' reads anywhere.
The same recordings give the same bytes. Flags pick the recordings; all must
agree.

--run picks what a replay of a run needs: the chat calls that its records name,
and every embedding and entailment in the store, which records do not name.
--model, once for each model, leaves out those of other models. A
call that the run names and the store lacks is an error, with exit code 7.`,
		Example: `  bench calls export paper.db --run results/runs/20260101T000000Z-paper-1a2b3c4d
  bench calls export all.db`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.openCalls(store)
			if err != nil {
				return err
			}
			defer s.Close()
			chosen, err := pick.choose(s)
			if err != nil {
				return err
			}
			if len(chosen) == 0 {
				return usageError(fmt.Errorf("no recording in %s is picked; 'bench calls list' lists what is there", s.Dir()))
			}
			if err := lacking(s, pick.runs); err != nil {
				return err
			}
			sum := sha256.New()
			a.inputs = nil // the argument is the output
			err = a.writeOut(args[0], func(w io.Writer) error {
				return calls.Export(cmd.Context(), io.MultiWriter(w, sum), chosen)
			})
			if err != nil {
				return damagedOrNot(cmd.Context().Err(), err)
			}
			info, err := os.Stat(args[0])
			if err != nil {
				return err
			}
			return a.say("wrote %s: %s, %s, SHA-256 %x", args[0], report.Plural(len(chosen), "recording"), sizeOf(info.Size()), sum.Sum(nil))
		},
	}
	storeFlag(cmd, &store)
	pick.add(cmd)
	cmd.Flags().StringSliceVar(&pick.runs, "run", nil, "only what the run in `DIR` needs; may be repeated")
	return cmd
}

// lacking is an error when runs name calls that the store does not have.
func lacking(s *calls.Store, runs []string) error {
	named, err := runCalls(runs)
	if err != nil {
		return usageError(err)
	}
	all, err := s.Recordings()
	if err != nil {
		return err
	}
	for _, r := range all {
		delete(named, r.Key.ID())
	}
	if len(named) == 0 {
		return nil
	}
	one := ""
	for id := range named {
		if one == "" || id < one {
			one = id
		}
	}
	return withExit(exitMiss, fmt.Errorf("the run names %s that %s does not have, such as %s; it could not be replayed, and nothing was written", report.Plural(len(named), "call"), s.Dir(), one))
}

// damagedOrNot passes on that work was stopped, and says of what cannot be read
// or written what to do.
func damagedOrNot(stopped, err error) error {
	switch {
	case stopped != nil:
		return stopped
	case errors.As(err, new(*os.PathError)):
		return usageError(err)
	default:
		return damaged(err)
	}
}

func newCallsImportCommand(a *app) *cobra.Command {
	var store string
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Add the recordings of exported files",
		Long: `Import checks every byte of files that 'bench calls export' wrote and adds their
recordings, of each file all at once. Of two recordings of the same call the
newer one counts. A file that is cut off or damaged is refused with exit code 8. It
reads the calls.db of another store, too.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			faults := lists.Map(args, func(file string) error { return checkInput(file, "recordings that 'bench calls export' wrote") })
			if err := errors.Join(faults...); err != nil { // before a store is made
				return usageError(err)
			}
			s, err := calls.Open(callsDir(store, a.env), a.log())
			if err != nil {
				return usageError(err)
			}
			defer s.Close()
			for _, file := range args {
				in, err := s.Import(cmd.Context(), file)
				switch {
				case cmd.Context().Err() != nil:
					return cmd.Context().Err()
				case err != nil:
					faults = append(faults, usageError(err))
				case !in.Whole():
					faults = append(faults, withExit(exitFingerprint, fmt.Errorf(
						"%s is not as it was exported: %s; nothing was added", file, in.Check.Damages[0])))
				default:
					if err := a.say("%s: %s new, %d newer, %d known", file, report.Plural(in.New, "recording"), in.Newer, in.Known); err != nil {
						return err
					}
				}
			}
			return errors.Join(faults...)
		},
	}
	storeFlag(cmd, &store)
	return cmd
}
