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
		Long: `Verify holds the files of a run folder against the digests that the run left when
it ended, and reads every line of those without one. It names what is wrong by
file and line, and changes nothing. Kinds of damage:

  missing     a file is not there
  unreadable  something else is in its place, or the system refuses it
  unparsable  a line or a file does not hold what it should
  torn        the last line ends in the middle
  edited      other content than the run wrote
  lost        fewer lines than the run wrote
  duplicate   more lines than the run wrote
  unknown     a line about a request that the run does not have
  dangling    a record that points at a block of evidence that is not there
  stale       scores that were not derived from the records as they are
  leftover    a temporary file of a killed process: a note, and no damage

Digests come with the end of a run, or of its interruption. A run that was killed,
or that an older program made, has none: its lines are checked, but an edit that
leaves them valid cannot be seen.

Every other verb that reads a run checks the digests too, and ends with 9 as this
one does. 'bench resume --repair RUN' asks for what is damaged again, and
--accept-edited takes an edit as it is, which tables and reports then say.`,
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

// printVerification says what is wrong with a run, or that nothing is.
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
		fmt.Fprintf(&b, "accepted    %s was edited after the run, and a person accepted it\n", termsafe.Visible(e.File))
	}
	switch {
	case damage > 0:
		fmt.Fprintf(&b, "%s: damaged, %s\n", dir, plural(damage, "fault", "faults"))
		fmt.Fprintln(&b, (&record.Damage{Dir: dir, Faults: v.Faults}).Remedy())
	case v.Digests:
		fmt.Fprintf(&b, "%s: ok, %s as the run left them\n", dir, plural(len(v.Header.Files), "file", "files"))
	default:
		fmt.Fprintf(&b, "%s: ok, as far as can be told: no digests recorded, as the run is at work, was killed, or is of an older program\n", dir)
	}
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}
