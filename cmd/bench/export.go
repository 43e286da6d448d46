package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/publish/interchange"
	"recallbench/internal/result/scored"
	metricsuite "recallbench/metrics/suite"
)

func newExportCommand(a *app) *cobra.Command {
	var (
		to, out string
		methods []string
		edits   editsFlag
	)
	cmd := &cobra.Command{
		Use:   "export RUN...",
		Short: "Write runs in the format of another tool",
		Long: `Export writes the answers of scored runs, or their means, in formats of other tools:

` + formatList() + `
A format of one file goes to stdout or to --out; the others need a folder as --out.
docs/interchange.md describes their contents.`,
		Example: `  bench export RUN --format jsonl --out records.jsonl
  bench export RUN --format mem0 --out results --methods "Naive RAG"`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return usageError(a.export(args, to, out, methods, edits))
		},
	}
	choiceFlag(cmd, &to, "format", "", interchange.ExportFormats(), "`format`: "+strings.Join(interchange.ExportFormats(), ", "))
	cmd.Flags().StringVar(&out, "out", "", "`file` to write instead of stdout, or the folder of a format of several files")
	cmd.Flags().StringArrayVar(&methods, "methods", nil, "write only the methods of these `labels`; may be repeated")
	edits.add(cmd)
	return cmd
}

func formatList() string {
	var b strings.Builder
	for _, f := range interchange.Formats() {
		fmt.Fprintf(&b, "  %-11s %s\n", f.Name, f.Doc)
		if len(f.Lost) > 0 {
			fmt.Fprintf(&b, "  %-11s lost on reimport: %s\n", "", strings.Join(f.Lost, ", "))
		}
	}
	return b.String()
}

func (a *app) export(dirs []string, to, out string, methods []string, edits editsFlag) error {
	if to == "" {
		return fmt.Errorf("--format is missing, want one of %s", strings.Join(interchange.ExportFormats(), ", "))
	}
	format, err := interchange.Find(to)
	free := freeForFile
	switch {
	case err != nil:
		return err
	case out == "" && format.Folder:
		return fmt.Errorf("--out is missing: %s is %s", to, format.Doc)
	case format.Folder:
		free = freeForFolder
	}
	if err := free(out); err != nil {
		return err
	}
	runs, err := scoredRuns(dirs, edits.options()...) // for its faults
	if err != nil {
		return err
	}
	var opened []*scored.Run
	for _, r := range runs {
		run, err := scored.Open(r.Folder, r.Header)
		if err != nil {
			return err
		}
		if note := r.Header.EditedNote(); note != "" {
			a.log().Warn(string(r.Folder) + " was " + note)
		}
		opened = append(opened, run)
	}
	e, err := interchange.New(opened, methods, metricsuite.Find, binary().Version)
	switch {
	case err != nil:
		return err
	case out == "":
		return format.Write(e, a.stdout)
	case !format.Folder:
		return a.writeOut(out, func(w io.Writer) error { return format.Write(e, w) })
	}
	_, err = format.WriteFolder(e, out, a.writeOut)
	return err
}
