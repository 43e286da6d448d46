package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/text/termsafe"
)

func newVerifyCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify RUN",
		Short: "Check the files of a run for damage and edits",
		Long: `Verify compares the files of a run folder with the digests that the run wrote when it
ended, and reads every line of files without a digest, as of a run that was killed. It
reports what is wrong by file and line, and changes nothing. docs/recordings.md explains
the kinds of damage.

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
		return jsonout.NewEncoder(a.stdout).Encode(map[string]any{
			"run": dir, "status": status, "digests": v.Digests, "faults": append([]*record.Fault{}, v.Faults...), "accepted_edits": append([]record.Edit{}, v.Header.Accepted...),
		})
	}
	var lines []string
	for _, f := range v.Faults {
		lines = append(lines, fmt.Sprintf("%-10s  %s", f.Kind, f))
	}
	for _, e := range v.Header.Accepted {
		lines = append(lines, fmt.Sprintf("accepted    %s was edited after the run, and the edit was accepted", e.File))
	}
	switch {
	case v.Damaged():
		lines = append(lines, dir+": damaged", (&record.Damage{Dir: dir, Faults: v.Faults}).Remedy())
	case v.Digests:
		lines = append(lines, fmt.Sprintf("%s: ok, %s as the run left them", dir, report.Plural(len(v.Header.Files), "file")))
	default:
		lines = append(lines, dir+": ok, but without digests, because the run is in progress, was killed, or is from an older version of the program")
	}
	return a.say("%s", strings.Join(lists.Map(lines, termsafe.Visible), "\n"))
}
