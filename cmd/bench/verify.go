package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/record"
	"recallbench/internal/text/termsafe"
)

func newVerifyCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify RUN",
		Short: "Check the files of a run for damage and edits",
		Long: `Verify compares the files of a run folder with the digests that the run wrote when it
ended, and reads every line of files without a digest. It reports what is wrong by file
and line, and changes nothing. Kinds of damage:

  missing     a file does not exist
  unreadable  the path is not a file, or cannot be read
  unparsable  a line or a file does not have the expected content
  torn        the last line is cut off
  edited      the content differs from what the run wrote
  lost        there are fewer lines than the run wrote
  duplicate   there are more lines than the run wrote
  unknown     a line is about a question that the run does not have
  dangling    a record refers to a missing block of evidence
  stale       the scores were not computed from the present records
  leftover    a temporary file of a killed process: a note, not damage

A run writes digests when it ends or is interrupted. A run that was killed, or made by
an older version of the program, has none: its lines are checked, but an edit that
leaves them valid cannot be detected.

Every other verb that reads a run checks the digests, too, and exits with code 9 if they
do not match. 'bench resume --repair RUN' repairs the run and asks the lost questions
again; --accept-edited accepts an edit, which tables and reports then mention.`,
		Example: `  bench runs verify results/runs/20260101T000000Z-quickstart-1a2b3c4d
  bench runs verify RUN --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			v, err := record.Verify(args[0])
			if err != nil {
				return usageError(err)
			}
			if err := a.printVerification(args[0], v, asJSON); err != nil {
				return err
			}
			if v.Damaged() {
				return withExit(exitDamaged, errSilent)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON object to stdout")
	return cmd
}

// printVerification prints the faults of a run, or that it has none.
func (a *app) printVerification(dir string, v record.Verification, asJSON bool) error {
	if asJSON {
		status := "ok"
		if v.Damaged() {
			status = "damaged"
		}
		faults := v.Faults
		if faults == nil {
			faults = []*record.Fault{}
		}
		enc := jsonout.NewEncoder(a.stdout)
		return enc.Encode(map[string]any{
			"run": dir, "status": status, "digests": v.Digests, "faults": faults, "accepted_edits": append([]record.Edit{}, v.Header.Accepted...),
		})
	}
	var b strings.Builder
	damage := 0
	for _, f := range v.Faults {
		if !f.Harmless() {
			damage++
		}
		fmt.Fprintf(&b, "%-10s  %s\n", f.Kind, termsafe.Visible(f.Error()))
	}
	for _, e := range v.Header.Accepted {
		fmt.Fprintf(&b, "accepted    %s was edited after the run, and the edit was accepted\n", termsafe.Visible(e.File))
	}
	switch {
	case damage > 0:
		fmt.Fprintf(&b, "%s: damaged, %s\n", dir, plural(damage, "fault", "faults"))
		fmt.Fprintln(&b, (&record.Damage{Dir: dir, Faults: v.Faults}).Remedy())
	case v.Digests:
		fmt.Fprintf(&b, "%s: ok, %s as the run left them\n", dir, plural(len(v.Header.Files), "file", "files"))
	default:
		fmt.Fprintf(&b, "%s: ok, but without digests, because the run is in progress, was killed, or is from an older version of the program\n", dir)
	}
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}
