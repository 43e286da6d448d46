package main

import (
	"errors"

	"github.com/spf13/cobra"

	"recallbench/internal/publish/figure"
	"recallbench/internal/publish/report"
)

func newPublishedFigureCommand(a *app) *cobra.Command {
	var (
		out  picture
		runs []string
		rows []string
	)
	cmd := &cobra.Command{
		Use:   "figure [NAME]",
		Short: "Draw a figure of a paper from the numbers that were printed",
		Long: `Figure draws a figure of a paper from the numbers that the paper prints. Without
a name it lists the figures of the papers, and why some cannot be drawn again.

With --run, what a run measured stands pale beside the printed numbers, as 'bench
table --published' brings them together: --row pairs a row with a method of another
label. Notes in the CSV say which of them do not compare, and why.`,
		Example: `  bench published figure
  bench published figure xmemory-figure3 --out figure3.svg
  bench published figure xmemory-figure3 --run RUN --row "Naive RAG=flat-rag" --out figure3.svg`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.FixedCompletions(report.PaperFigureNames(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				if out.file != "" || len(runs) > 0 {
					return usageError(errors.New("name a figure; 'bench published figure' lists them"))
				}
				return report.ListPaperFigures().Text(a.stdout)
			}
			if err := out.check(); err != nil {
				return err
			}
			f, err := report.GetPaperFigure(args[0])
			if err != nil {
				return usageError(err)
			}
			o := reportOptions()
			if o.Rows, err = splitRows(rows); err != nil {
				return usageError(err)
			}
			measured, err := scoredRuns(runs)
			if err != nil {
				return usageError(err)
			}
			drawn, err := f.Draw(measured, o)
			if err != nil {
				return usageError(err)
			}
			return out.write(a, []*figure.Figure{drawn})
		},
	}
	out.add(cmd)
	cmd.Flags().StringArrayVar(&runs, "run", nil, "`folder` of a scored run to draw beside the printed numbers; may be repeated")
	cmd.Flags().StringArrayVar(&rows, "row", nil, "bring a published row together with a method of another label: `published=label`; may be repeated")
	return cmd
}
