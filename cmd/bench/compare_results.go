package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/interchange"
	"recallbench/internal/publish/report"
	"recallbench/internal/text/suggest"
)

// resultFlags set how results of other tools are read and paired.
type resultFlags struct {
	from, combine string
	fields        interchange.ItemFields
	columns       []string
	force         bool
}

func (f *resultFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.from, "from", "", "for files: their `format`, or the file of a layout (default: detected): "+strings.Join(interchange.ResultFormats(), ", "))
	flags.StringVar(&f.fields.ID, "id", "", "for files: dotted path of the `field` that pairs items")
	flags.StringVar(&f.fields.Cluster, "cluster", "", "for files: dotted path of the `field` that items share, such as a conversation")
	flags.StringVar(&f.fields.Category, "category", "", "for files: dotted path of the `field` with the category")
	flags.StringArrayVar(&f.columns, "column", nil, "for files: a score to compare, as `NAME[=better:lower][,scale:100]` (default: all that both sides have)")
	flags.StringVar(&f.combine, "combine", "mean", "for files: how several votes become one score: `mean` or majority")
	flags.BoolVar(&f.force, "force", false, "for files: pair items even if task or question differs; accept unfinished logs; test even if fewer than 90 % of the items pair, and compare means of conversations if no id is on both sides")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("from", cobra.FixedCompletions(interchange.ResultFormats(), cobra.ShellCompDirectiveNoFileComp)))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("combine", cobra.FixedCompletions([]string{"mean", interchange.Majority}, cobra.ShellCompDirectiveNoFileComp)))
}

// read reads the sides of a comparison of files, and reports all that cannot be read.
func (f *resultFlags) read(ctx context.Context, args []string, columns []report.ResultColumn) ([]*interchange.Results, error) {
	var sides []*interchange.Results
	var faults []error
	for i, arg := range args {
		if slices.Contains(args[:i], arg) {
			faults = append(faults, fmt.Errorf("%s is given twice; want two files, or two sides of one as FILE#SIDE", arg))
		}
		r, err := interchange.ReadResults(ctx, arg, interchange.ResultOptions{
			Format: f.from, Fields: f.fields, Combine: f.combine, Partial: f.force,
			Columns: lists.Map(columns, func(c report.ResultColumn) string { return c.Name }),
		})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		sides, faults = append(sides, r), append(faults, err)
	}
	return sides, errors.Join(faults...)
}

// contrasts compares files.
func (f *resultFlags) contrasts(ctx context.Context, args []string, o report.ContrastOptions) ([]report.Contrast, []string, error) {
	wanted, err := parseColumns(append(slices.Clone(o.Columns), f.columns...))
	if err := errors.Join(err, interchange.CheckFrom(f.from, interchange.ResultFormats()), oneOf("--combine", f.combine, []string{"mean", interchange.Majority})); err != nil {
		return nil, nil, err
	}
	sides, err := f.read(ctx, args, wanted)
	if err != nil {
		return nil, nil, err
	}
	return report.ResultContrasts(sides[0], sides[1:], report.ResultOptions{ContrastOptions: o, Wanted: wanted, Force: f.force})
}

// parseColumns reads NAME[=better:lower][,scale:100].
func parseColumns(texts []string) ([]report.ResultColumn, error) {
	var columns []report.ResultColumn
	var faults []error
	for _, text := range texts {
		name, settings, _ := strings.Cut(text, "=")
		c := report.ResultColumn{Name: name}
		for setting := range strings.SplitSeq(settings, ",") {
			if setting == "" {
				continue
			}
			key, value, _ := strings.Cut(setting, ":")
			scale, err := strconv.ParseFloat(value, 64)
			switch {
			case key == "better" && (value == "lower" || value == "higher"):
				c.Lower = new(value == "lower")
			case key == "better":
				faults = append(faults, fmt.Errorf("--column %s: better is %q, want higher or lower", text, value))
			case key == "scale" && err == nil && scale > 0 && scale <= 1e6:
				c.Scale = scale
			case key == "scale":
				faults = append(faults, fmt.Errorf("--column %s: scale is %q, want a number above 0", text, value))
			default:
				faults = append(faults, fmt.Errorf("--column %s: %s", text, suggest.Unknown("setting", key, []string{"better", "scale"})))
			}
		}
		columns = append(columns, c)
	}
	return columns, errors.Join(faults...)
}
